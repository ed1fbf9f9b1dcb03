"""A schema by questions: what is asked, in which order, what an entry means, and what is asked again."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from sfumato.composition import local
from sfumato.errors import BadInput
from sfumato.model.fit import Seen
from sfumato.model.schema import Schema, Type
from sfumato.schema.interview import InterviewQuestion, ask
from sfumato.schema.read import from_dict

PAGE = Path(__file__).parents[2] / "docs" / "schema.md"
TYPES = {"patient": Type.TEXT, "ward": Type.TEXT, "days": Type.INTEGER, "admitted": Type.DATE}
STAYS = [Seen(name, type_) for name, type_ in TYPES.items()]


class Person:
    """Somebody who types these entries, and then only Enter."""

    def __init__(self, *entries: str) -> None:
        self.entries: Iterator[str] = iter(entries)
        self.asked: list[InterviewQuestion] = []

    def __call__(self, question: InterviewQuestion) -> str:
        self.asked.append(question)
        return next(self.entries, "")

    @property
    def told(self) -> list[str]:
        return [question.wrong for question in self.asked if question.wrong]


def stated(**facts: object) -> Schema:
    columns = {name: {"type": type_.value} for name, type_ in TYPES.items()}
    return from_dict({"name": "stays", "rule": {"gap": 1.2, "worst_case": True}, "columns": columns} | facts)


def test_enter_all_the_way_states_no_more_than_the_names() -> None:
    person = Person()
    assert ask(STAYS, "stays", person) == stated()
    assert [question.words.split(" ")[0] for question in person.asked] == [
        "The",  # table's name
        "Is",  # each row one person
        "Can",  # a person join or leave
        "Texts",  # that stand for a missing value
        *("patient:", "patient:", "ward:", "ward:", "days:", "days:", "admitted:", "admitted:"),
        "Rule",
    ]
    assert person.told == []


def test_every_question_answered() -> None:
    person = Person(
        *("visits", "PATIENT", "3", "2", "replace", '?, "n/a, unknown"'),
        *("integer", "", 'Surgery, "Ear, nose, throat"', "number", "-0.5", "60"),
        *("date", "2020-01-01", "2029-12-31", "no"),
    )
    assert ask(STAYS, "stays", person) == from_dict(
        {
            "name": "visits",
            "unit": "patient",
            "max_rows": 3,
            "max_groups": 2,
            "relation": "replace",
            "null_values": ["?", "n/a, unknown"],
            "columns": {
                "patient": {"type": "integer"},
                "ward": {"categories": ["Surgery", "Ear, nose, throat"]},
                "days": {"type": "number", "bounds": [-0.5, 60]},
                "admitted": {"type": "date", "bounds": ["2020-01-01", "2029-12-31"]},
            },
        }
    )
    assert person.told == []


def test_a_name_that_is_given_is_not_asked_for() -> None:
    person = Person()
    assert ask(STAYS, "stays", person, name="visits").name == "visits"
    assert person.asked[0].words.startswith("Is each row one person")


def test_keys_are_private_or_called_private() -> None:
    ward = [Seen("ward", Type.TEXT)]
    assert ask(ward, "t", Person("", "", "", "", "", "private")).columns[0].private_keys
    assert ask(ward, "t", Person("", "", "", "", "", '"private"')).columns[0].categories == ("private",)


def test_who_is_named_by_fractions_is_suggested_as_text() -> None:
    schema = ask([Seen("id", Type.NUMBER)], "t", Person("", "id"))
    assert schema.columns[0].type is Type.TEXT


AGAIN = {
    "a name of ours": (["sfumato x"], "Names that begin with 'sfumato ' are reserved."),
    "nobody": (["", "nurse"], "There is no column 'nurse'."),
    "rows in words": (["", "patient", "three"], "The entry is not a whole number such as 1."),
    "no rows": (["", "patient", "0"], "The entry is not a whole number such as 1."),
    "another relation": (["", "", "swap"], "There is no relation 'swap'."),
    "another type": (["", "", "", "", "float"], "The type must be one of integer, number, text, boolean, date, "
                     "timestamp."),
    "people named by fractions": (["", "patient", "", "", "", "number"],
                                  "The type must be one of integer, text, boolean, date."),
    "a category twice": (["", "", "", "", "", "a, a"], "A category is listed twice."),
    "only commas": (["", "", "", "", "", ",,"], "Categories must be a list of texts or whole numbers."),
    "no number": ([*[""] * 9, "low"], "The entry is not a number such as 0 or 99.5."),
    "a number of 5,000 digits": ([*[""] * 9, "9" * 5000], "The entry is not a number such as 0 or 99.5."),
    "no highest": ([*[""] * 9, "0", ""], "The entry is not a number such as 0 or 99.5."),
    "bounds the wrong way round": ([*[""] * 9, "60", "0"], "The lower bound must be below the upper."),
    "half a day": ([*[""] * 9, "0.5", "60"], "Bounds of integers must be whole numbers below 2^62."),
    "no bound": ([*[""] * 9, "nan", "60"], "Bounds must be finite."),
    "no day": ([*[""] * 11, "soon", "2020-01-01"], "Bounds of a date must be two dates."),
    "a gap below 1": ([*[""] * 12, "0.9"], "The gap must be a number above 1, such as 1.2, or `no` for no rule."),
}  # fmt: skip


@pytest.mark.parametrize(("entries", "sentence"), AGAIN.values(), ids=AGAIN)
def test_an_entry_that_will_not_do_is_explained_and_asked_again(entries: list[str], sentence: str) -> None:
    person = Person(*entries, "1", "100")
    ask(STAYS, "stays", person)
    assert person.told[0] == sentence


def test_what_no_answer_could_mend_is_said_at_once() -> None:
    person = Person()
    with pytest.raises(BadInput, match="Two columns differ only in upper and lower case"):
        ask([Seen("a", Type.TEXT), Seen("A", Type.TEXT)], "t", person)
    assert person.asked == []


def test_no_value_of_the_data_is_shown(tmp_path: Path) -> None:
    data = tmp_path / "stays.csv"
    data.write_text("patient,ward,days\nNightingale,Scutari,4711\n", "utf-8")
    person = Person("", "patient", "1")
    text = local.interview_schema(data, "stays", person)
    shown = text + " ".join(f"{q.words} {q.default} {q.wrong}" for q in person.asked)
    assert not re.search("Nightingale|Scutari|4711", shown)


def test_the_transcript_in_the_docs(tmp_path: Path) -> None:
    """Each line of it is a question with its entry, and the file it ends in is what comes out."""
    section = PAGE.read_text("utf-8").split("## Answering questions")[1]
    transcript, file = re.findall(r"```(?:text|toml)\n(.*?)```", section, re.DOTALL)[:2]
    command, *lines = transcript.splitlines()
    assert command == "$ sfumato schema ask stays.csv --out stays.toml"
    left: Iterator[str] = iter(lines)

    def answer(question: InterviewQuestion) -> str:
        if question.wrong:
            assert next(left) == question.wrong
        prompt = f"{question.words} [{question.default}]:" if question.default else f"{question.words}:"
        line = next(left)
        assert line.startswith(prompt)
        return line.removeprefix(prompt)

    data = tmp_path / "stays.csv"
    data.write_text("patient,ward,days,weight\np1,Surgery,3,70.5\np1,Surgery,4,?\n", "utf-8")
    assert local.interview_schema(data, "stays", answer) == file
    assert next(left, None) is None
    assert from_dict(tomllib.loads(file)).unit.max_rows == 5
