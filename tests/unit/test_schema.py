"""A schema file: what it states, what is wrong in it and where, and the draft that a person starts from."""

from __future__ import annotations

import tomllib
from datetime import date
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import sfumato as sf
from sfumato.composition import local
from sfumato.errors import BadInput
from sfumato.model.schema import Bounds, Category, PrivacyUnit, Relation, Schema, SchemaColumn, Type
from sfumato.model.statement import units_of
from sfumato.privacy.preferences.disparity import gap
from sfumato.schema.read import from_dict, load, parse_schema
from sfumato.schema.write import write
from sfumato.sql.parser.statement import parse

INTERFACE = """
name = "adult"             # the table's name in SQL
unit = "Household"         # the column that names a person, in upper or lower case
max_rows = 3
relation = "replace"
null_values = ["?"]        # texts that mean missing
people_at_least = 30000

[rule]                     # the preference fixed before anyone looks
gap = 1.2
worst_case = true

[columns.hours_per_week]
type = "integer"
bounds = [0, 100]
step = 1
[columns.pay]
type = "number"
bounds = [-0.1, 1e5]
[columns.marital_status]
categories = ["Divorced", "Married-AF-spouse"]
[columns.native_country]
keys = "private"
[columns.household]
categories = [1, 2, 3]
[columns.married]
type = "boolean"
[columns.born]
type = "date"
"""


def stated(folder: Path, text: str | bytes) -> Path:
    path = folder / "adult.toml"
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def test_a_schema_file_is_read_as_it_stands(tmp_path: Path) -> None:
    assert load(stated(tmp_path, INTERFACE)) == Schema(
        name="adult",
        columns=(
            SchemaColumn("hours_per_week", Type.INTEGER, Bounds(Fraction(0), Fraction(100)), step=Fraction(1)),
            SchemaColumn("pay", Type.NUMBER, Bounds(Fraction(-1, 10), Fraction(100_000))),
            SchemaColumn("marital_status", Type.TEXT, categories=("Divorced", "Married-AF-spouse")),
            SchemaColumn("native_country", Type.TEXT, private_keys=True),
            SchemaColumn("household", Type.INTEGER, categories=(1, 2, 3)),
            SchemaColumn("married", Type.BOOLEAN),
            SchemaColumn("born", Type.DATE),
        ),
        unit=PrivacyUnit("household", max_rows=3),
        relation=Relation.REPLACE,
        null_values=("?",),
        people_at_least=30_000,
        rule={"gap": 1.2, "worst_case": True},
        origin="adult.toml",
    )


def test_a_schema_says_no_more_than_it_must() -> None:
    people = {"columns": {"patient": {"type": "text"}}}
    assert from_dict({"name": "stays"}) == Schema("stays", (), PrivacyUnit(), Relation.ADD_REMOVE)
    assert from_dict({"name": "stays", "unit": "row", "max_rows": 1}).unit == PrivacyUnit()
    bounded = {"name": "stays", "unit": "patient", "max_rows": 1} | people
    assert from_dict(bounded).unit == PrivacyUnit("patient", max_rows=1)
    assert from_dict(bounded | {"max_groups": 3}).unit == PrivacyUnit("patient", max_rows=1, max_groups=3)


@pytest.mark.parametrize(("stated", "groups"), [({}, 9), ({"max_groups": 3}, 3), ({"max_groups": 20}, 9)])
def test_a_person_counts_in_no_more_groups_than_rows(stated: dict[str, int], groups: int) -> None:
    people = {"name": "stays", "unit": "patient", "max_rows": 9, "columns": {"patient": {"type": "text"}}}
    assert from_dict(people | stated).unit.groups == groups


def test_a_unit_of_a_column_is_written_and_changes_nothing_else() -> None:
    stated = {"name": "stays", "columns": {"days": {"type": "integer", "bounds": [0, 60], "unit": "days"}}}
    schema = from_dict(stated)
    plain = from_dict({"name": "stays", "columns": {"days": {"type": "integer", "bounds": [0, 60]}}})
    assert schema.columns[0].unit == "days"
    assert parse_schema(write(schema)).columns == schema.columns
    assert schema.fingerprints() == plain.fingerprints(), "it is no fact that a guarantee depends on"
    text = "SELECT SUM(days), AVG(days) AS mean, COUNT(*), VAR_POP(days), SUM(days + 1) FROM stays"
    assert list(units_of(parse(text, schema), schema)) == ["days", "days", "", "days²", ""]
    for wrong in ("", "x" * 41, 3, "two\nlines"):
        with pytest.raises(BadInput, match="A unit must be a text"):
            from_dict({"name": "stays", "columns": {"days": {"type": "integer", "unit": wrong}}})
    with pytest.raises(BadInput, match="needs a column of numbers"):
        from_dict({"name": "stays", "columns": {"ward": {"type": "text", "unit": "days"}}})


def test_a_step_is_the_number_as_it_is_written() -> None:
    column = {"type": "number", "bounds": [0, 1], "step": 0.1}
    assert from_dict({"name": "t", "columns": {"c": column}}).columns[0].step == Fraction(1, 10)


@pytest.mark.parametrize("type_", ["integer", "text", "date", "boolean"])
def test_a_person_is_named_by(type_: str) -> None:
    schema = from_dict({"name": "t", "unit": "who", "max_rows": 1, "columns": {"who": {"type": type_}}})
    assert schema.unit == PrivacyUnit("who")


def test_its_rule_is_a_preference(tmp_path: Path) -> None:
    dataset = local.open_without_data(stated(tmp_path, INTERFACE), ledger=":memory:")
    assert dataset.rule == (gap(1.2, worst_case=True),)


def test_a_rule_may_go_by_the_exact_worst_case(tmp_path: Path) -> None:
    dataset = local.open_without_data(
        stated(tmp_path, f"{RULE}gap = 1.2\nworst_case = true\nexact = true"), ledger=":memory:"
    )
    assert dataset.rule == (gap(1.2, worst_case=True, exact=True),)


def test_what_answers_may_be_grouped_by(tmp_path: Path) -> None:
    keys: dict[str, tuple[Category, ...] | None] = {c.name: c.keys for c in load(stated(tmp_path, INTERFACE)).columns}
    assert keys["marital_status"] == ("Divorced", "Married-AF-spouse")
    assert keys["married"] == (False, True)
    assert keys["hours_per_week"] == tuple(range(101)), "bounds list whole numbers"
    wide = f'{NAME}[columns.age]\ntype = "integer"\nbounds = [0, 10000]\n'
    assert parse_schema(wide).columns[0].keys is None
    assert parse_schema(wide.replace("10000", "9999")).columns[0].keys == tuple(range(10_000))
    assert parse_schema(f'{wide}keys = "private"').columns[0].keys is None
    assert parse_schema(f'{NAME}[columns.age]\ncategories = "-1..1"').columns[0].categories == (-1, 0, 1)


# What is wrong, and where

NAME = 'name = "adult"\n'
AGE = f"{NAME}[columns.age]\n"
RULE = f"{NAME}[rule]\n"
KNOWN = (
    "epsilon, gap, ratio, variance, exposure_cap, attack_chance, guess, advantage, sharing_risk, belief, "
    "within, relative_error, their options, mechanism or delta"
)
WRONG = {
    "no name": ('unit = "row"',
                f"The schema has no name: adult.toml. Hint: add {NAME.strip()}, the name that SQL uses."),
    "an empty name": ('name = ""',
                      f"The schema has no name: adult.toml. Hint: add {NAME.strip()}, the name that SQL uses."),
    "an unknown key": (f"{NAME}null_value = []",
                       "'null_value' is not a key of a schema here: adult.toml. Hint: did you mean 'null_values'?"),
    "an unknown key of a column": (f"{AGE}bound = [0, 1]",
                                   "'bound' is not a key of a schema here: [columns.age] in adult.toml. "
                                   "Hint: did you mean 'bounds'?"),
    "a key like no other": (f"{NAME}xyz = 1",
                        "'xyz' is not a key of a schema here: adult.toml. Hint: use one of name, population, "
                        "looked, unit, max_rows, max_groups, relation, null_values, people_at_least, rows_per_person, "
                        "versions, partition, budget, budget_delta, budget_per_person, budget_per_person_delta, "
                        "rule, columns, tables."),
    "a column that is no table": (f'{NAME}columns = {{age = "integer"}}',
                        "Column 'age' must be a table: adult.toml. Hint: write [columns.age] on a line of its own."),
    "bounds the wrong way round": (f'{AGE}type = "integer"\nbounds = [90, 17]',
                                   "The lower bound must be below the upper: [columns.age] in adult.toml. "
                                   "Hint: write bounds = [lowest, highest]."),
    "bounds that leave one value": (f'{AGE}type = "integer"\nbounds = [17, 17]',
                                    "The lower bound must be below the upper: [columns.age] in adult.toml. "
                                    "Hint: write bounds = [lowest, highest]."),
    "a bound that is no number": (f'{AGE}type = "number"\nbounds = [nan, 90]',
                                  "Bounds must be finite: [columns.age] in adult.toml. "
                                  "Hint: state the lowest and highest value that can occur."),
    "an infinite bound": (f'{AGE}type = "number"\nbounds = [0, inf]',
                          "Bounds must be finite: [columns.age] in adult.toml. "
                          "Hint: state the lowest and highest value that can occur."),
    "a bound beyond 1e308": (f'{AGE}type = "number"\nbounds = [0, 1{"0" * 400}]',
                             "Bounds must be finite: [columns.age] in adult.toml. "
                             "Hint: state the lowest and highest value that can occur."),
    "one bound": (f'{AGE}type = "integer"\nbounds = [17]',
                  "Bounds must be two numbers: [columns.age] in adult.toml. Hint: write bounds = [lowest, highest]."),
    "bounds on a text": (f'{AGE}type = "text"\nbounds = [0, 1]',
                         "Bounds need numbers, dates or timestamps, and this column is text: [columns.age] in "
                         "adult.toml. "
                         "Hint: leave bounds out."),
    "half a person's age": (f'{AGE}type = "integer"\nbounds = [0, 90.5]',
                            "Bounds of integers must be whole numbers below 2^62: [columns.age] in "
                            "adult.toml. Hint: write bounds = [0, 100]."),
    "a bound beyond 64 bits": (f'{AGE}type = "integer"\nbounds = [0, {2**63}]',
                        "Bounds of integers must be whole numbers below 2^62: [columns.age] in "
                        "adult.toml. Hint: write bounds = [0, 100]."),
    "no categories": (f"{AGE}categories = []",
                      'Categories must be a list of texts or whole numbers: [columns.age] in adult.toml. Hint: '
                      'write categories = ["a", "b"].'),
    "a category twice": (f'{AGE}categories = ["a", "a"]',
                        "A category is listed twice: [columns.age] in adult.toml. Hint: remove one of them."),
    "texts and numbers": (f'{AGE}categories = ["a", 1]',
                          "Categories must be of type text: [columns.age] in adult.toml."),
    "categories of another type": (f'{AGE}type = "integer"\ncategories = ["a"]',
                                   "Categories must be of type integer: [columns.age] in adult.toml."),
    "categories of dates": (f'{AGE}type = "date"\ncategories = ["2026-05-03"]',
                        'Categories must be of type date: [columns.age] in adult.toml. Hint: write type = "text" '
                        'to group by it.'),
    "a category with a fraction": (f"{AGE}categories = [1.5]",
                                   'Categories must be a list of texts or whole numbers: [columns.age] in '
                                   'adult.toml. Hint: write categories = ["a", "b"].'),
    "an unknown type": (f'{AGE}type = "float"',
                        "There is no type 'float': [columns.age] in adult.toml. Hint: use one of integer, "
                        "number, text, boolean, date, timestamp."),
    "two columns of one name": (f'{NAME}[columns.age]\ntype = "text"\n[columns.Age]\ntype = "text"',
                                "Two columns differ only in upper and lower case: columns in adult.toml. Hint: "
                                "remove one of them."),
    "columns that are no tables": (f"{NAME}columns = 5",
                                   "columns must be [columns.NAME] tables: columns in adult.toml. Hint: write "
                                   "[columns.age] and its keys below it."),
    "a column without a name": (f'{NAME}[columns.""]\ntype = "text"',
                                "A column has no name: columns in adult.toml. Hint: name it as in the data."),
    "a name of ours": (f'{NAME}[columns."Sfumato x"]',
                       "Names that begin with 'sfumato ' are reserved: adult.toml. Hint: rename it."),
    "people in a column that is not there": (f'{NAME}unit = "patient no"\n[columns.age]',
                                             "unit names a column 'patient no' that the schema does not "
                                             "describe: unit in adult.toml. Hint: add [columns.\"patient no\"] "
                                             "with its type."),
    "people who are no column": (f"{NAME}unit = 1",
                                 'unit must be "row" or the column that identifies a person: unit in adult.toml. '
                                 'Hint: write unit = "row".'),
    "people called like each row": (f'{NAME}unit = "Row"\n[columns.Row]',
                                    'unit must be "row" or the column that identifies a person: unit in '
                                    'adult.toml. Hint: write unit = "row".'),
    "people named by fractions": (f'{NAME}unit = "age"\n[columns.age]\ntype = "number"',
                                  "A column of numbers with fractions cannot identify people: unit in adult.toml. "
                                  'Hint: write type = "text" or "integer" under [columns.age].'),
    "rows of one row": (f"{NAME}max_rows = 3",
                        'max_rows applies to people with several rows, and here each row is one person: max_rows '
                        'in adult.toml. Hint: name the column of people as unit = "COLUMN", or leave max_rows '
                        'out.'),
    "rows of a person without a bound": (f'{NAME}unit = "age"\n[columns.age]',
                                         "The schema does not limit how many rows of one age count: max_rows in "
                                         "adult.toml. Hint: add max_rows = 10, or the number of rows that most "
                                         "people have; of more rows that many are sampled."),
    "groups of one row": (f"{NAME}max_groups = 3",
                          'max_groups applies to people with several rows, and here each row is one person: '
                          'max_groups in adult.toml. Hint: name the column of people as unit = "COLUMN", or '
                          'leave max_groups out.'),
    "no groups of a person": (f'{NAME}unit = "age"\nmax_rows = 2\nmax_groups = 0\n[columns.age]',
                              "max_groups must be a whole number from 1 to 1,000,000,000: max_groups in "
                              "adult.toml. Hint: write max_groups = 10."),
    "no rows of a person": (f'{NAME}unit = "age"\nmax_rows = 0\n[columns.age]',
                            "max_rows must be a whole number from 1 to 1,000,000,000: max_rows in adult.toml. "
                            "Hint: write max_rows = 10."),
    "half a row": (f'{NAME}unit = "age"\nmax_rows = 1.5\n[columns.age]',
                   "max_rows must be a whole number from 1 to 1,000,000,000: max_rows in adult.toml. Hint: write "
                   "max_rows = 10."),
    "rows that are true": (f'{NAME}unit = "age"\nmax_rows = true\n[columns.age]',
                           "max_rows must be a whole number from 1 to 1,000,000,000: max_rows in adult.toml. "
                           "Hint: write max_rows = 10."),
    "an unknown relation": (f'{NAME}relation = "swap"',
                            "There is no relation 'swap': relation in adult.toml. Hint: use add-remove or replace."),
    "a step that is no number": (f'{AGE}type = "integer"\nbounds = [0, 9]\nstep = "x"',
                                 "A step must be a positive number: [columns.age] in adult.toml. Hint: write "
                                 "step = 1."),
    "no step": (f'{AGE}type = "integer"\nbounds = [0, 9]\nstep = 0',
                "A step must be a positive number: [columns.age] in adult.toml. Hint: write step = 1."),
    "an endless step": (f'{AGE}type = "number"\nbounds = [0, 9]\nstep = inf',
                        "A step must be a positive number: [columns.age] in adult.toml. Hint: write step = 1."),
    "a step without bounds": (f'{AGE}type = "integer"\nstep = 1',
                        "A step needs bounds: [columns.age] in adult.toml. Hint: add bounds = [lowest, highest]."),
    "a step beyond the bounds": (f'{AGE}type = "integer"\nbounds = [0, 9]\nstep = 10',
                        "The step is wider than the bounds: [columns.age] in adult.toml. Hint: choose a smaller one."),
    "a step of texts": (f"{AGE}step = 1",
                        "A step needs a column of numbers, and this one is text: [columns.age] in adult.toml. "
                        "Hint: leave step out."),
    "keys that are not private": (f'{AGE}keys = "public"',
                        'keys must be "private": [columns.age] in adult.toml. Hint: write keys = "private", or '
                        'list the public ones as categories.'),
    "private truth": (f'{AGE}type = "boolean"\nkeys = "private"',
                        "The keys of a boolean column are public (false and true): [columns.age] in adult.toml. "
                        "Hint: leave keys out."),
    "private fractions": (f'{AGE}type = "number"\nkeys = "private"',
                        'Private keys must be texts or whole numbers, and this column is number: [columns.age] '
                        'in adult.toml. Hint: write type = "text" to group by it.'),
    "private keys that are listed": (f'{AGE}keys = "private"\ncategories = ["a"]',
                        "The column has both public categories and private keys: [columns.age] in adult.toml. "
                        "Hint: keep one of the two."),
    "a category beyond 64 bits": (f"{AGE}categories = [1, {2**63}]",
                        "A category is a whole number beyond 64 bits: [columns.age] in adult.toml. Hint: write "
                        "it as text."),
    "a missing text that is none": (f"{NAME}null_values = [9]",
                        'null_values must be a list of texts: null_values in adult.toml. Hint: write null_values '
                        '= ["?"].'),
    "half a person": (f"{NAME}people_at_least = 1.5",
                      "people_at_least must be a whole number: people_at_least in adult.toml. Hint: write "
                      "people_at_least = 1000."),
    "a budget below 0": (f"{NAME}budget = -1",
                        "budget must be a number from 0 to 1,000,000, not -1: budget in adult.toml. "
                        "Hint: try budget = 3."),
    "a budget in words": (f'{NAME}budget = "three"',
                        "budget must be a number from 0 to 1,000,000, not 'three': budget in adult.toml. "
                        "Hint: try budget = 3."),
    "an endless budget": (f"{NAME}budget = inf",
                        "budget must be a number from 0 to 1,000,000, not inf: budget in adult.toml. "
                        "Hint: try budget = 3."),
    "a delta above 1": (f"{NAME}budget_delta = 2",
                        "budget_delta must be a number from 0 to 1, not 2: budget_delta in adult.toml. "
                        "Hint: try budget_delta = 1e-6."),
    "a rule that is no table": (f"{NAME}rule = 1.2",
                        "[rule] must be a table: rule in adult.toml. Hint: write [rule], then gap = 1.2 and "
                        "worst_case = true."),
    "an unknown key of the rule": (f"{RULE}gaps = 1.2", "'gaps' is not a key of [rule]: [rule] in adult.toml. "
                                   f"Hint: use {KNOWN}."),
    "a rule without a preference": (f"{RULE}worst_case = true",
                        "[rule] states no preference: [rule] in adult.toml. Hint: try gap = 1.2 and worst_case = "
                        "true."),
    "a rule with a gap below 1": (f"{RULE}gap = 0.9",
                        "gap must be at least 1, not 0.9: [rule] in adult.toml. Hint: try gap = 1.2 and "
                        "worst_case = true: no person then has more than 1.2 times the risk of any other."),
    "a rule of which it is not clear whom it reads": (f'{RULE}gap = 1.2\nworst_case = "yes"',
                                                      "worst_case must be true or false: [rule] in adult.toml. "
                                                      "Hint: write worst_case = true."),
    "a rule by the exact risk of the people": (f"{RULE}gap = 1.2\nexact = true",
                                               "exact in [rule] needs worst_case = true, because exact RDRs of "
                                               "the people leave no guarantee: [rule] in adult.toml. Hint: add "
                                               "worst_case = true, or leave exact out."),
    "a rule between two groups": (f'{RULE}gap = 1.2\nbetween = "age > 60"',
                                  "'between' is not a key of [rule]: [rule] in adult.toml. "
                                  f"Hint: use {KNOWN}."),
    "not TOML": ("name = \n", "adult.toml is not valid TOML: Invalid value (at line 1, column 8)."),
    "a key twice": (NAME + NAME, "adult.toml is not valid TOML: Cannot overwrite a value (at line 2, column 15)."),
    "a number of 5,000 digits": (f"{NAME}people_at_least = {'9' * 5000}",
                                 "adult.toml is not valid TOML: a number is too long."),
}  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), WRONG.values(), ids=WRONG)
def test_what_is_wrong_is_said_in_one_sentence_with_its_place(tmp_path: Path, text: str, sentence: str) -> None:
    with pytest.raises(BadInput) as error:
        local.open_without_data(stated(tmp_path, text), ledger=":memory:")
    assert str(error.value) == sentence


def test_a_file_that_is_no_text(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"adult\.toml is not UTF-8 text\. Hint: save it as UTF-8\.$"):
        load(stated(tmp_path, b"name = '\xff'"))


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(
        BadInput, match=r"^There is no schema file .*no\.toml\. Hint: draft one with `sfumato schema draft DATA`\.$"
    ):
        load(tmp_path / "no.toml")


# The draft


def csv(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="")


def parquet(path: Path, **columns: list[object]) -> None:
    pq.write_table(pa.table(columns), path)


def test_a_draft_guesses_types_and_states_nothing_else(tmp_path: Path) -> None:
    csv(tmp_path / "stays.csv", "ward,days,cost,admitted\na,3,1.5,2026-01-31\nb,40,2e3,2026-02-01\n")
    text = local.draft_schema(tmp_path / "stays.csv", "stays")
    schema = load(stated(tmp_path, text))
    assert {c.name: c.type for c in schema.columns} == {
        "ward": Type.TEXT,
        "days": Type.INTEGER,
        "cost": Type.NUMBER,
        "admitted": Type.DATE,
    }
    assert all(c.bounds is None and c.categories is None for c in schema.columns)
    assert schema.rule is None
    assert text.count("# a guess: confirm it") == 4
    comments = "\n".join(line for line in text.splitlines() if "#" in line)
    for possible in ("the column that identifies a person", "# max_rows", '"replace"', "step = 1", 'keys = "private"'):
        assert possible in comments


ODD = {
    "names with dots, quotes and signs": ("t.csv", '"a.b",ü ö,"has ""q""",x=1,[k],#h,\'s\n1,2,3,4,5,6,7\n'),
    "names in other scripts": ("t.csv", "возраст,年齢,🙂\n1,2,3\n"),
    "a name that is a number": ("t.csv", "2020,2021\n1,2\n"),
    "semicolons and a byte order mark": ("t.csv", "\ufeffa;b\r\n1;2\r\n"),
    "nobody yet": ("t.csv", "a,b\n"),
    "values with quotes and signs": ("t.csv", 'a,b\n"x ""y""",#\n"[columns.c]",\'\n'),
    "a value of two lines": ("t.csv", 'a,b\n"x\ny",1\n'),
    "a value with a control character": ("t.csv", "a,b\nx\x7fy,1\n"),
    "a name with a control character": ("t.csv", "a\x7fb\nx\n"),
    "a table called by a smile": ("🙂.csv", "a\n1\n"),
    "a table called by braces": ('{name} "t".csv', "a\n1\n"),
}


@pytest.mark.parametrize(("name", "text"), ODD.values(), ids=ODD)
def test_a_draft_loads_as_it_is(tmp_path: Path, name: str, text: str) -> None:
    data = tmp_path / name
    csv(data, text)
    schema = stated(tmp_path, local.draft_schema(data, data.stem, values=True))
    assert load(schema).name == data.stem
    assert len(sf.open(data, schema, ledger=":memory:").check().columns) == len(load(schema).columns) > 0


def test_a_draft_of_a_parquet_file_keeps_its_types(tmp_path: Path) -> None:
    data = tmp_path / "stays.parquet"
    parquet(data, n=[1, 2], x=[1.5, 2], t=["1", "b"], b=[True, False], d=[date(2026, 1, 1)] * 2, l=[[1], [2]])
    schema = load(stated(tmp_path, local.draft_schema(data, "stays")))
    assert [c.type.value for c in schema.columns] == ["integer", "number", "text", "boolean", "date", "text"]


# Written down and read again


def test_a_schema_that_is_written_down_can_be_read_by_people() -> None:
    assert write(from_dict(tomllib.loads(INTERFACE)), "From the codebook.").startswith(
        """\
# From the codebook.

name = "adult"
unit = "household"
max_rows = 3
relation = "replace"
null_values = ["?"]
people_at_least = 30000

[rule]
gap = 1.2
worst_case = true

[columns.hours_per_week]
type = "integer"
bounds = [0, 100]
step = 1

[columns.pay]
type = "number"
bounds = [-0.1, 100000]

[columns.marital_status]
type = "text"
categories = ["Divorced", "Married-AF-spouse"]

[columns.native_country]
type = "text"
keys = "private"
"""
    )


def test_a_third_cannot_be_written_down() -> None:
    third = SchemaColumn("pay", Type.NUMBER, Bounds(Fraction(0), Fraction(1, 3)))
    with pytest.raises(
        BadInput, match=r"^1/3 cannot be written exactly as a decimal: \[columns\.pay\]\. Hint: round it\.$"
    ):
        write(Schema("t", (third,)))


def test_numbers_far_apart_are_listed_without_those_between() -> None:
    codes = (0, 1, 2**62)
    written = write(Schema("t", (SchemaColumn("code", Type.INTEGER, categories=codes),)))
    assert parse_schema(written).columns[0].categories == codes
    wide = Bounds(Fraction(-(10**18)), Fraction(10**18))
    assert SchemaColumn("code", Type.INTEGER, bounds=wide).keys is None


# Fingerprints: what a record compares

COLUMNS: dict[str, dict[str, object]] = {
    "age": {"type": "integer", "bounds": [17, 90]},
    "sex": {"categories": ["Female", "Male"]},
}
FACTS: dict[str, object] = {"name": "adult", "null_values": ["?"], "columns": COLUMNS}


def changed(column: str, **facts: object) -> dict[str, object]:
    return FACTS | {"columns": COLUMNS | {column: COLUMNS.get(column, {}) | facts}}


@pytest.mark.parametrize(
    ("facts", "where"),
    [
        (FACTS | {"name": "people"}, {""}),
        (FACTS | {"null_values": []}, {""}),
        (FACTS | {"unit": "sex", "max_rows": 1}, {""}),
        (FACTS | {"unit": "sex", "max_rows": 2}, {""}),
        (FACTS | {"unit": "sex", "max_rows": 2, "max_groups": 1}, {""}),
        (FACTS | {"relation": "replace"}, {""}),
        (changed("age", step=1), {"age"}),
        (changed("age", bounds=[16, 90]), {"age"}),
        (changed("age", bounds=[17, 91]), {"age"}),
        (changed("age", type="number"), {"age"}),
        (changed("sex", categories=["Female"]), {"sex"}),
        (changed("sex", categories=["Female", "male"]), {"sex"}),
        (changed("city", type="text"), {"city"}),
    ],
    ids=[
        "name",
        "missing texts",
        "unit",
        "rows",
        "groups",
        "relation",
        "step",
        "lower bound",
        "upper bound",
        "type",
        "fewer categories",
        "a category",
        "a column",
    ],
)
def test_every_public_fact_has_its_fingerprint(facts: dict[str, object], where: set[str]) -> None:
    before, after = from_dict(FACTS).fingerprints(), from_dict(facts).fingerprints()
    assert {name for name in before | after if before.get(name) != after.get(name)} == where


def test_the_same_facts_have_the_same_fingerprints(tmp_path: Path) -> None:
    path = stated(
        tmp_path,
        '# the same in other words\nname = "adult"\nunit = "row"\nnull_values = ["?"]\n'
        '[columns.sex]\ntype = "text"\ncategories = ["Female", "Male"]\n'
        '[columns.age]\ntype = "integer"\nbounds = [17.0, 90.0]\n',
    )
    assert load(path).fingerprints() == from_dict(FACTS).fingerprints()
