"""A schema by questions: what only a person can state, asked one thing at a time."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from sfumato.errors import SchemaError
from sfumato.model.fit import Seen
from sfumato.model.schema import Format, Relation, Schema, Type
from sfumato.schema.draft import missing_texts
from sfumato.schema.read import from_dict

T = TypeVar("T")
_EXAMPLES = {Type.DATE: "2020-01-01", Type.TIMESTAMP: "2020-01-01T00:00:00"}
_PRIVATE, _NO, _GAP, _PLAIN = "private", "no", "1.2", "plain"


@dataclass(frozen=True)
class InterviewQuestion:
    """What is asked, what an empty entry means, and what was wrong with the entry before."""

    words: str
    default: str = ""
    wrong: str = ""
    left_open: str | None = ""  # the entry that stands where input ends; None: there is none


Answer = Callable[[InterviewQuestion], str]


class InterviewAnswers:
    """The answers of a person. Where input ends (EOFError), the questions that are left are listed."""

    def __init__(self, answer: Answer) -> None:
        self._answer = answer
        self.given = 0
        self.unanswered: list[str] = []

    def __call__(self, question: InterviewQuestion) -> str:
        if not self.unanswered:
            try:
                entry = self._answer(question)
                self.given += 1
                return entry
            except EOFError:
                pass
        self.unanswered.append(question.words)
        if question.left_open is None:
            raise EOFError
        return question.left_open


def ask(
    seen: Sequence[Seen],
    suggested: str,
    answer: Answer,
    name: str | None = None,
    *,
    looked: str = "",
) -> Schema:
    """The schema that the answers state, for columns of which the types and formats are guesses.

    The table's name is asked for unless it is given; everything else is asked for. No value of the data is shown but
    the values of columns that have them; then `looked` says who saw them, and when.
    """
    types = {column.name: column.type for column in seen}
    columns = {column: {"type": type_} for column, type_ in types.items()}
    from_dict({"name": name or "t", "columns": columns})  # what no answer could mend is said before the first question
    mapping: dict[str, Any] = {
        "name": name or _ask(InterviewQuestion("The table's name in SQL", suggested), _name, answer)
    }
    mapping |= {"looked": looked} if looked else {}
    unit = _ask(_who(types), lambda entry: _unit(entry, types), answer)
    if unit is not None:
        rows = InterviewQuestion(f"Largest number of rows that count for one {unit}", "1")
        mapping |= {"unit": unit, "max_rows": _ask(rows, _max_rows, answer)}
        if mapping["max_rows"] > 1:
            groups = InterviewQuestion(
                f"Largest number of groups of a GROUP BY in which rows of one {unit} count", str(mapping["max_rows"])
            )
            most = _ask(groups, _max_rows, answer)
            mapping |= {"max_groups": most} if most < mapping["max_rows"] else {}
    mapping["relation"] = _ask(_NEIGHBOURS, _relation, answer)
    mapping["null_values"] = _ask(_missing(missing_texts(seen)), _missing_list, answer)
    mapping["columns"] = {column.name: _column(column, column.name == unit, answer) for column in seen}
    rule = _ask(_RULE, _rule, answer)
    return from_dict(mapping if rule is None else mapping | {"rule": rule})


_NEIGHBOURS = InterviewQuestion(
    "Can a person join or leave the table (add-remove), or only be replaced by another person (replace)",
    Relation.ADD_REMOVE.value,
)
_RULE = InterviewQuestion(
    "Rule for every release: no one at more than how many times the risk of anyone else, in the worst case "
    "(no: no rule)",
    _GAP,
    left_open=_NO,
)


def _missing(texts: Sequence[str]) -> InterviewQuestion:
    if not texts:
        return InterviewQuestion("Texts that stand for a missing value, separated by commas (empty: none)")
    words = "Texts that stand for a missing value, separated by commas (no: none); confirm the guess"
    return InterviewQuestion(words, ", ".join(texts))


def _missing_list(entry: str) -> list[str]:
    return [] if entry.lower() == _NO else _text_list(entry)


def _who(types: Mapping[str, Type]) -> InterviewQuestion:
    return InterviewQuestion(
        f"Is each row one person (row), or which column identifies a person ({', '.join(types)})", "row"
    )


def _column(seen: Seen, names_people: bool, answer: Answer) -> dict[str, Any]:
    name, guess = seen.name, seen.type
    fitting = [type_ for type_ in Type if not (names_people and type_ in (Type.NUMBER, Type.TIMESTAMP))]
    words = f"{name}: type ({', '.join(fitting)}); confirm the guess"
    question = InterviewQuestion(words, (guess if guess in fitting else Type.TEXT).value)
    type_ = _ask(question, lambda entry: _type(entry, fitting), answer)
    facts: dict[str, Any] = {"type": type_} | _format(seen, type_, answer)
    if names_people:
        return facts
    if type_.numeric or type_.temporal:
        return facts | _bounds(name, type_, answer)
    return facts | (_keys(name, answer, seen.values) if type_ is Type.TEXT else {})


def _format(seen: Seen, type_: Type, answer: Answer) -> dict[str, Any]:
    """Asked for where the values seem to have one."""
    if seen.format is None or not seen.format.fits(type_):
        return {}
    fitting = [format_.value for format_ in Format if format_.fits(type_)]
    words = f"{seen.name}: how its values are written ({'  '.join([*fitting, _PLAIN])}); confirm the guess"
    return _ask(InterviewQuestion(words, seen.format.value), lambda entry: _format_of(entry, type_), answer)


def _format_of(entry: str, type_: Type) -> dict[str, Any]:
    facts = {} if entry.lower() == _PLAIN else {"format": entry}
    _check({"type": type_} | facts)
    return facts


def _bounds(name: str, type_: Type, answer: Answer) -> dict[str, Any]:
    first, last, lost = ("first", "last", "grouped by") if type_.temporal else ("lowest", "highest", "summed")
    what = f"{type_}, as in {_EXAMPLES[type_]}" if type_.temporal else "value"
    lowest = InterviewQuestion(f"{name}: {first} possible {what} (empty: no bounds, and the column cannot be {lost})")
    highest = InterviewQuestion(f"{name}: {last} possible {type_ if type_.temporal else 'value'}", left_open=None)
    read: Callable[[str], object] = _moment if type_.temporal else _number
    while True:
        low = _ask(lowest, lambda entry: read(entry) if entry else None, answer)
        if low is None:
            return {}
        try:
            bounds = {"bounds": [low, _ask(highest, read, answer)]}
            _check({"type": type_} | bounds)
            return bounds
        except EOFError:
            return {}
        except SchemaError as error:
            lowest = replace(lowest, wrong=_sentence(error))


def _keys(name: str, answer: Answer, seen: Sequence[str]) -> dict[str, Any]:
    words = f"{name}: public categories, separated by commas, or private (empty: the column cannot be grouped by)"
    words += f"; in the data there are {', '.join(seen)}" if seen else ""
    return _ask(InterviewQuestion(words), _categories, answer)


def _ask(question: InterviewQuestion, read: Callable[[str], T], answer: Answer) -> T:
    """Ask until the entry can be read."""
    while True:
        try:
            return read(answer(question).strip() or question.default)
        except SchemaError as error:
            question = replace(question, wrong=_sentence(error))


def _sentence(error: SchemaError) -> str:
    """What was wrong, without the place in a file that is still to be written."""
    return str(SchemaError(error.message))


# What an entry means


def _name(entry: str) -> str:
    return from_dict({"name": entry}).name


def _unit(entry: str, types: Mapping[str, Type]) -> str | None:
    if entry.lower() == "row":
        return None
    for column in types:
        if column.lower() == entry.lower():
            return column
    raise SchemaError(f"There is no column '{entry}'")


def _max_rows(entry: str) -> int:
    if not re.fullmatch("[1-9][0-9]{0,8}", entry):
        raise SchemaError("The entry is not a whole number such as 1")
    return int(entry)


def _relation(entry: str) -> Relation:
    return from_dict({"name": "t", "relation": entry}).relation


def _type(entry: str, fitting: list[Type]) -> Type:
    if entry not in fitting:
        raise SchemaError(f"The type must be one of {', '.join(fitting)}")
    return Type(entry)


def _number(entry: str) -> int | float:
    """
    >>> _number("-3"), _number("2.50"), _number("1e3")
    (-3, 2.5, 1000.0)
    """
    try:
        return int(entry) if entry.lstrip("+-").isdecimal() else float(entry)
    except ValueError:
        raise SchemaError("The entry is not a number such as 0 or 99.5") from None


def _moment(entry: str) -> str:
    if not entry:
        raise SchemaError("The entry is not a day such as 2020-01-01")
    return entry


def _text_list(entry: str) -> list[str]:
    """Texts with commas between them; one that holds a comma stands in quotes.

    >>> _text_list('a, "b, c", d')
    ['a', 'b, c', 'd']
    """
    parts = next(csv.reader([entry], skipinitialspace=True), [])
    return [part.strip() for part in parts if part.strip()]


def _categories(entry: str) -> dict[str, Any]:
    """In quotes, "private" is a category like any other."""
    if not entry:
        return {}
    keys: dict[str, Any] = {"keys": _PRIVATE} if entry.lower() == _PRIVATE else {"categories": _text_list(entry)}
    _check({"type": Type.TEXT} | keys)
    return keys


def _rule(entry: str) -> dict[str, Any] | None:
    if entry.lower() == _NO:
        return None
    gap = _number(entry)
    if not 1 < gap < math.inf:
        raise SchemaError("The gap must be a number above 1, such as 1.2, or `no` for no rule")
    return {"gap": gap, "worst_case": True}


def _check(column: Mapping[str, Any]) -> None:
    from_dict({"name": "t", "columns": {"c": column}})
