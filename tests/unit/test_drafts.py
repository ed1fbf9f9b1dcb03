"""What a draft of a schema shows of the data: nothing, or a look that the ledger learns of."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import sfumato as sf
from sfumato.composition import local
from sfumato.errors import NoGuarantee, SchemaError
from sfumato.ledger.entry import Event
from sfumato.schema.interview import InterviewQuestion
from sfumato.schema.read import load, parse_schema
from sfumato.schema.write import write

DATA = "ward,days\nScutari,3\nBalaklava,40\n"
SQL = "SELECT SUM(days) FROM stays"
LINE_KEPT = "the schema had no line `looked` removed, which records that its author saw values of the data"


@pytest.fixture
def stays(tmp_path: Path) -> Path:
    (tmp_path / "stays.csv").write_text(DATA, "utf-8")
    return tmp_path / "stays.csv"


def schema_of(stays: Path, *, values: bool, looked: bool = True) -> Path:
    """A draft that somebody completed, with its line about the look or without."""
    text = local.draft_schema(stays, "stays", values=values)
    text = text.replace("# bounds = [lowest, highest]", "bounds = [0, 60]")
    lines = [line for line in text.splitlines(keepends=True) if looked or not line.startswith("looked")]
    path = stays.with_name("stays.toml")
    path.write_text("".join(lines), "utf-8")
    return path


def test_a_draft_shows_no_value_unless_it_is_asked_to(stays: Path) -> None:
    text = local.draft_schema(stays, "stays")
    assert "Scutari" not in text
    assert parse_schema(text).looked == ""
    shown = local.draft_schema(stays, "stays", values=True)
    assert '# categories = ["Balaklava", "Scutari"]' in shown
    assert parse_schema(shown).looked.startswith(f"{local._who()}, 20")


def test_questions_show_no_value_unless_they_are_asked_to(stays: Path) -> None:
    asked: list[InterviewQuestion] = []

    def answer(question: InterviewQuestion) -> str:
        asked.append(question)
        return ""

    assert parse_schema(local.interview_schema(stays, "stays", answer)).looked == ""
    assert "Scutari" not in repr(asked)
    assert [question.words for question in asked if ": type (" in question.words] == [
        f"{name}: type (integer, number, text, boolean, date, timestamp); confirm the guess"
        for name in ("ward", "days")
    ]
    shown = local.interview_schema(stays, "stays", answer, values=True)
    assert "in the data there are Balaklava, Scutari" in repr(asked)
    assert parse_schema(shown).looked.startswith(f"{local._who()}, 20")


def test_the_look_of_a_draft_is_entered_before_the_schema_and_once(stays: Path) -> None:
    path = schema_of(stays, values=True)
    assert len(sf.open(stays, path).ledger.entries) == 1
    entries = sf.open(stays, path).ledger.entries
    assert [entry.draft.event for entry in entries] == [Event.LOOKED]
    assert str(entries[0].draft.public["what"]).startswith("values of the data, while the schema was drafted (")
    with pytest.raises(NoGuarantee, match="the schema was stated after a look at the people"):
        sf.open(stays, path).query(SQL).release(epsilon=0.5)


def test_what_was_fixed_before_the_look_of_a_draft_has_a_guarantee(stays: Path) -> None:
    query = sf.open(stays, schema_of(stays, values=True)).query(SQL)
    found = query.release(epsilon=0.5, preregistered="codebook of 2024").certificate
    assert (found.guarantee, found.bounds_source, found.looked) == ("dp", "attested", True)
    assert LINE_KEPT not in found.assumed


@pytest.mark.parametrize("values", [False, True])
def test_without_the_line_the_certificate_assumes_that_it_was_not_removed(stays: Path, values: bool) -> None:
    found = sf.open(stays, schema_of(stays, values=values, looked=False)).query(SQL).release(epsilon=0.5).certificate
    assert found.guarantee == "dp"
    assert LINE_KEPT in found.assumed


def test_a_line_that_is_removed_later_is_remembered(stays: Path) -> None:
    sf.open(stays, schema_of(stays, values=True))
    with pytest.raises(NoGuarantee):
        sf.open(stays, schema_of(stays, values=True, looked=False)).query(SQL).release(epsilon=0.5)


def test_the_line_stands_in_the_schema_file(stays: Path) -> None:
    read = load(schema_of(stays, values=True))
    assert parse_schema(write(read), read.origin) == read
    with pytest.raises(SchemaError, match="looked must be text that says who saw values of the data"):
        parse_schema('name = "stays"\nlooked = true\n')


def test_a_plan_without_the_data_knows_of_the_look_too(stays: Path) -> None:
    planned: Any = local.open_without_data(schema_of(stays, values=True))
    assert planned.ledger.record.anyone_looked


# Guesses

COLUMNS = {
    "children": [*map(str, range(97)), "5.5", "0.5", "1.5"],
    "age": [*map(str, range(95)), "NA", "NA", "?", "NaN", "N/A"],
    "price": [f"{i},400.50" for i in range(1, 99)] + ["$140.00", "-"],
    "rent": [f"{i % 9 + 1}.400,50 €" for i in range(100)],
    "rate": ["12.5%"] * 100,
    "born": ["31/12/1980", "1/2/1990"] * 50,
    "left": ["12/31/1980", "1/2/1990"] * 50,
    "since": ["2020-01-31"] * 99 + ["null"],
    "country": ["NA", "DE", "FR", "-"] * 25,
    "grade": ["1,5", "2,5"] * 50,
    "few": ["120", "130"] * 49 + ["1,400", "1,500"],
    "code": ["12a"] * 99 + ["?"],
}


@pytest.fixture
def seen(tmp_path: Path) -> Path:
    path = tmp_path / "seen.csv"
    lines = [";".join(COLUMNS), *(";".join(row) for row in zip(*COLUMNS.values(), strict=True))]
    path.write_text("\n".join(lines), "utf-8")
    return path


def test_a_draft_guesses_types_and_formats_that_lose_no_value(seen: Path) -> None:
    drafted = parse_schema(local.draft_schema(seen, "seen"))
    assert {c.name: (c.type.value, c.format and c.format.value) for c in drafted.columns} == {
        "children": ("number", None),
        "age": ("integer", None),
        "price": ("number", "1,234.56"),
        "rent": ("number", "1.234,56"),
        "rate": ("number", "12.5%"),
        "born": ("date", "31/12/2025"),
        "left": ("date", "12/31/2025"),
        "since": ("date", None),
        "country": ("text", None),
        "grade": ("number", "1.234,56"),
        "few": ("integer", "1,234.56"),
        "code": ("text", None),
    }
    assert set(drafted.null_values) == {"NA", "N/A", "NaN", "null", "?", "-"}
    every = sf.open(seen, drafted, ledger=":memory:").check()
    assert {c.name for c in every.columns if c.unfit} == set()


def test_questions_offer_the_formats_and_the_missing_texts(seen: Path) -> None:
    questions: list[InterviewQuestion] = []

    def enter(question: InterviewQuestion) -> str:
        questions.append(question)
        return "plain" if question.words.startswith("grade: how") else ""

    asked = parse_schema(local.interview_schema(seen, "seen", enter))
    drafted = parse_schema(local.draft_schema(seen, "seen"))
    formats = {c.name: c.format for c in drafted.columns}
    assert {c.name: c.format for c in asked.columns} == formats | {"grade": None}
    assert set(asked.null_values) == set(drafted.null_values)
    assert "1,234.56" in next(q.words for q in questions if q.words.startswith("price: how"))


def test_a_format_is_of_its_type() -> None:
    for column in ('type = "date"\nformat = "1,234.56"', 'type = "text"\nformat = "12.5%"', 'format = "1234"'):
        with pytest.raises(SchemaError, match="format"):
            parse_schema(f'name = "t"\n[columns.c]\n{column}')
