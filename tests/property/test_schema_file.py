"""A schema that is written down as TOML and read again is the same schema."""

from __future__ import annotations

import tomllib
from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st

from sfumato.model.budget import BudgetLimit
from sfumato.model.schema import Bounds, Category, PrivacyUnit, Relation, Schema, SchemaColumn, Type
from sfumato.schema.read import from_dict
from sfumato.schema.write import write

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
NAMES = TEXTS.filter(lambda name: name.lower() not in ("", "row") and not name.lower().startswith("sfumato "))
WHOLES = st.integers(-(2**62), 2**62)
DECIMALS = st.floats(-1e100, 1e100) | st.integers(-(10**100), 10**100) | st.sampled_from([0.1, 1e-9, 1e100, 5e17])
RULES: list[dict[str, object] | None] = [None, {"gap": 1.2, "worst_case": True}, {"epsilon": 1}, {"ratio": 1e-05}]


@st.composite
def bounds(draw: st.DrawFn, type_: Type) -> Bounds | None:
    ends: st.SearchStrategy[float] = WHOLES if type_ is Type.INTEGER else DECIMALS
    lower, upper = sorted(Fraction(str(draw(ends))) for _ in range(2))
    return Bounds(lower, upper) if type_.numeric and upper - lower >= 1 else None


@st.composite
def categories(draw: st.DrawFn, type_: Type) -> tuple[Category, ...] | None:
    values: dict[Type, st.SearchStrategy[Category]] = {
        Type.TEXT: TEXTS,
        Type.INTEGER: st.integers(-(2**63), 2**63 - 1),
        Type.BOOLEAN: st.booleans(),
    }
    if type_ not in values or not draw(st.booleans()):
        return None
    return tuple(draw(st.lists(values[type_], min_size=1, max_size=3, unique=True)))


@st.composite
def columns(draw: st.DrawFn, name: str) -> SchemaColumn:
    type_ = draw(st.sampled_from(Type))
    between = draw(bounds(type_))
    listed = draw(categories(type_))
    step = draw(st.sampled_from([None, Fraction(1), Fraction("0.1")])) if between else None
    private = type_ in (Type.TEXT, Type.INTEGER) and listed is None and draw(st.booleans())
    return SchemaColumn(name, type_, between, listed, step, private)


def limits(most: int) -> st.SearchStrategy[Fraction | None]:
    return st.none() | (st.integers(0, most) | st.floats(0, most)).map(lambda limit: Fraction(str(limit)))


@st.composite
def schemas(draw: st.DrawFn) -> Schema:
    described = tuple(draw(columns(name)) for name in draw(st.lists(NAMES, max_size=4, unique_by=str.lower)))
    people = [column.name for column in described if column.type not in (Type.NUMBER, Type.TIMESTAMP)]
    units = st.builds(PrivacyUnit, st.sampled_from(people), st.integers(1, 10**9)) if people else st.nothing()
    return Schema(
        name=draw(NAMES),
        columns=described,
        unit=draw(st.just(PrivacyUnit()) | units),
        relation=draw(st.sampled_from(Relation)),
        null_values=tuple(draw(st.lists(TEXTS, max_size=2))),
        people_at_least=draw(st.none() | st.integers(0, 10**9)),
        population=draw(st.sampled_from(("", "the patients", 'of "St. Mary"'))),
        looked=draw(st.sampled_from(("", "ada, 2026-05-03T09:00:00+00:00"))),
        rule=draw(st.sampled_from(RULES)),
        budget=BudgetLimit(draw(limits(10**6)), draw(limits(1))),
    )


@given(schemas(), st.sampled_from(["", "One remark.", "Two lines\nof remarks"]))
def test_what_is_written_down_is_read_again(schema: Schema, remark: str) -> None:
    assert from_dict(tomllib.loads(write(schema, remark))) == schema
