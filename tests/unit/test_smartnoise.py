"""SmartNoise SQL's metadata: what it states here, what is overruled, and what is wrong in it and where."""

from __future__ import annotations

import sys
from fractions import Fraction
from pathlib import Path

import pytest

import sfumato as sf
from sfumato.composition import local
from sfumato.errors import BadInput
from sfumato.model.schema import Bounds, PrivacyUnit, Relation, Schema, SchemaColumn, Type
from sfumato.schema.read import load

PUMS = """
PUMS:
  PUMS:
    PUMS:
      row_privacy: True
      rows: 1000
      age:
        type: int
        lower: 0
        upper: 100
      sex:
        type: string
        cardinality: 2
      educ:
        type: int
      income:
        type: float
        lower: -0.1
        upper: 5e5
      married:
        type: boolean
      born:
        type: datetime
"""

STAYS = """
engine: postgres
"":
  clinic:
    Stays:
      max_ids: 3
      censor_dims: False
      clamp_columns: False
      clamp_counts: True
      sample_max_ids: False
      use_dpsu: True
      rows_exact: 4711
      patient:
        type: string
        private_id: True
      '"length-of-stay"':
        type: int
        lower: 0
        upper: 60
        nullable: False
        sensitivity: 1
      photo:
        type: unknown
"""


def stated(folder: Path, text: str | bytes, name: str = "meta.yaml") -> Path:
    path = folder / name
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_table_of_one_row_a_person(tmp_path: Path) -> None:
    assert load(stated(tmp_path, PUMS)) == Schema(
        name="PUMS",
        columns=(
            SchemaColumn("age", Type.INTEGER, Bounds(Fraction(0), Fraction(100))),
            SchemaColumn("sex", Type.TEXT, private_keys=True),
            SchemaColumn("educ", Type.INTEGER, private_keys=True),
            SchemaColumn("income", Type.NUMBER, Bounds(Fraction(-1, 10), Fraction(500_000))),
            SchemaColumn("married", Type.BOOLEAN),
            SchemaColumn("born", Type.DATE),
        ),
        unit=PrivacyUnit(),
        relation=Relation.ADD_REMOVE,
        people_at_least=None,
        origin="meta.yaml",
    ), "the number of rows is no promise about people"


def test_a_table_of_several_rows_a_person(tmp_path: Path) -> None:
    """Whatever the curator vouches for, rows are counted and values are clamped here."""
    assert load(stated(tmp_path, STAYS, "meta.YML")) == Schema(
        name="Stays",
        columns=(
            SchemaColumn("patient", Type.TEXT),
            SchemaColumn("length-of-stay", Type.INTEGER, Bounds(Fraction(0), Fraction(60))),
        ),
        unit=PrivacyUnit("patient", max_rows=3),
        origin="meta.YML",
    )


def test_people_with_several_rows_count_once_by_default(tmp_path: Path) -> None:
    assert load(stated(tmp_path, STAYS.replace("      max_ids: 3\n", ""))).unit == PrivacyUnit("patient", max_rows=1)


@pytest.mark.parametrize("above", ["", "db:\n", "db:\n schema:\n", "engine: x\ndb:\n schema:\n"])
def test_databases_and_schemas_may_be_left_out(tmp_path: Path, above: str) -> None:
    assert load(stated(tmp_path, f"{above}  t:\n    row_privacy: True\n    age: {{type: int}}\n")).name == "t"


def test_it_opens_a_table(tmp_path: Path) -> None:
    data = tmp_path / "pums.csv"
    data.write_text("age,sex,educ,income,married,born\n40,F,3,100,true,1980-01-31\n", "utf-8")
    dataset = sf.open(data, schema=stated(tmp_path, PUMS))
    assert dataset.schema.name == "PUMS"
    assert [column.unfit for column in dataset.check().columns] == [0] * 6
    assert (tmp_path / "PUMS.ledger").exists(), "the ledger lies beside it"


def test_it_converts_to_toml_that_states_the_same(tmp_path: Path) -> None:
    for text in (PUMS, STAYS):
        meta = stated(tmp_path, text)
        converted = local.convert_schema(meta)
        assert converted.startswith("# Converted by sfumato from meta.yaml.\n\nname = ")
        toml = load(stated(tmp_path, converted, "meta.toml"))
        assert toml.fingerprints() == load(meta).fingerprints()
        assert toml.unit == load(meta).unit


def table(*lines: str) -> str:
    return "\n".join(["db:", " s:", "  t:", *(f"   {line}" for line in lines)])


ROW = "row_privacy: True"
AGE = "age: {type: int}"
WRONG = {
    "no table": ("a: 1", "meta.yaml describes no table. Hint: write it as SmartNoise SQL's metadata: database, "
                         "schema, table, columns."),
    "nothing": ("", "meta.yaml describes no table. Hint: write it as SmartNoise SQL's metadata: database, "
                    "schema, table, columns."),
    "two tables": (f"db: {{s: {{t: {{{ROW}, {AGE}}}, u: {{{ROW}, {AGE}}}}}}}",
                   "meta.yaml describes 2 tables: t, u. Hint: keep only the table that you query in the file."),
    "nobody is protected": (table(AGE), "No privacy unit is stated: t in meta.yaml. Hint: set private_id: True "
                                        "on the column that identifies people, or row_privacy: True if each row "
                                        "is one."),
    "people and rows": (table(ROW, "who: {type: int, private_id: True}"),
                        "row_privacy makes each row a person, and private_id makes 'who' identify people: t in "
                        "meta.yaml. Hint: keep one of the two."),
    "people of two names": (table("a: {type: int, private_id: True}", "b: {type: int, private_id: True}"),
                            "People are identified by 2 columns together: a, b: t in meta.yaml. "
                            "Hint: combine them into one column, and set private_id there."),
    "people called like each row": (table("row: {type: int, private_id: True}"),
                                    "A column called 'row' cannot identify people here: t in meta.yaml. Hint: "
                                    "rename it."),
    "people named by fractions": (table("who: {type: float, private_id: True}"),
                                  "A column of numbers with fractions cannot identify people: unit in meta.yaml."),
    "several rows of one row": (table(ROW, "max_ids: 2", AGE),
                                "With row_privacy each row is one person, so max_ids must be 1: t in meta.yaml. "
                                "Hint: leave max_ids out."),
    "no rows": (table("max_ids: 0", "who: {type: int, private_id: True}"),
                "max_rows must be a whole number from 1 to 1,000,000,000: max_rows in meta.yaml."),
    "rows that are no number": (table("max_ids: many", "who: {type: int, private_id: True}"),
                                "max_ids is a number: t in meta.yaml."),
    "rows that are a list": (table("max_ids: [1]", "who: {type: int, private_id: True}"),
                             "max_ids is a number: t in meta.yaml."),
    "a flag that is none": (table("row_privacy: 1", AGE),
                        "row_privacy must be True or False, not 1: t in meta.yaml. Hint: write row_privacy: True."),
    "an unknown option": (table(ROW, "max_id: 1", AGE),
                          "'max_id' is not a key of SmartNoise metadata: meta.yaml. Hint: did you mean 'max_ids'?"),
    "an unknown word of a column": (table(ROW, "age: {type: int, low: 0}"),
                                    "'low' is not a key of SmartNoise metadata: age in meta.yaml. Hint: did you "
                                    "mean 'lower'?"),
    "a column without a type": (table(ROW, AGE, "sex:"),
                        "The column has no type: sex in meta.yaml. Hint: use one of int, float, string, boolean, "
                        "datetime."),
    "an unknown type": (table(ROW, "age: {type: integer}"),
                        "There is no type 'integer': age in meta.yaml. Hint: use one of int, float, string, "
                        "boolean, datetime."),
    "a lower bound alone": (table(ROW, "age: {type: int, lower: 0}"),
                            "Only one of lower and upper is stated: age in meta.yaml. Hint: state both."),
    "a bound that is no number": (table(ROW, "age: {type: int, lower: young, upper: 9}"),
                                  "lower is a number: age in meta.yaml."),
    "bounds the wrong way round": (table(ROW, "age: {type: int, lower: 9, upper: 0}"),
                                   "The lower bound must be below the upper: [columns.age] in meta.yaml."),
    "bounds without end": (table(ROW, "age: {type: float, lower: 0, upper: .inf}"),
                           "Bounds must be finite: [columns.age] in meta.yaml."),
    "gaps that are filled": (table(ROW, "age: {type: int, missing_value: 0}"),
                             "missing_value is not supported: age in meta.yaml. "
                             "Hint: remove it, and replace missing values in the query with COALESCE."),
    "a name that YAML reads as true": (table(ROW, "yes: {type: int}"),
                        "YAML does not read the name True as text: meta.yaml. Hint: put it in quotes."),
    "a name twice, once in quotes": (table(ROW, AGE, "'\"age\"': {type: int}"),
                                     "Two columns have the same name: t in meta.yaml. Hint: rename one of them."),
    "a name twice": (table(ROW, AGE, AGE), "meta.yaml is not valid YAML: 'age' occurs twice (at line 4, column 4)."),
    "not YAML": ("a: [1", "meta.yaml is not valid YAML: expected ',' or ']', but got '<stream end>' (at line 1, "
                          "column 6)."),
    "code": ("!!python/object:os.system {}",
                        "meta.yaml is not valid YAML: could not determine a constructor for the tag "
                        "'tag:yaml.org,2002:python/object:os.system' (at line 1, column 1)."),
    "a control character": ("a: \x01", "meta.yaml is not valid YAML: it has a character that YAML does not allow."),
    "a day that is none": ("a: 2026-02-31", "meta.yaml is not valid YAML: a value does not have the form of its type."),
    "too deep": ("[" * 5000, "meta.yaml is not valid YAML: it is nested too deeply."),
}  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_in_one_sentence_with_its_place(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(BadInput) as error:
        load(stated(tmp_path, text))
    assert str(error.value) == sentence


def test_without_its_package_it_says_what_to_install(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "yaml", None)
    with pytest.raises(BadInput) as error:
        load(stated(tmp_path, PUMS))
    assert str(error.value) == (
        "Reading YAML needs the package PyYAML: meta.yaml. "
        "Hint: install it with `pip install 'sfumato[yaml]'`, or write the schema in TOML."
    )
