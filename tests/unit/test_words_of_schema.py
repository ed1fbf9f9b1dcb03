"""A schema in sentences: who is protected, and what each column may hold."""

from __future__ import annotations

from typing import Any

import pytest

from sfumato.presentation.wording import schema_sentences as of_schema
from sfumato.schema.read import from_dict


@pytest.mark.parametrize(
    ("column", "said"),
    [
        ({"type": "integer", "bounds": [-5, 1_500_000]}, "c: whole numbers from -5 to 1,500,000; values beyond"),
        ({"type": "number", "bounds": [0.1, 0.30001]}, "c: numbers from 0.1 to 0.30001; values beyond"),
        ({"type": "number"}, "c: numbers without bounds; it cannot be summed."),
        ({"categories": ["a", "b, c"]}, "c: one of “a”, “b, c”."),
        ({"categories": [3, 1]}, "c: one of 3, 1."),
        ({"categories": [f"k{n}" for n in range(14)]}, "“k11” and 2 more."),
        ({"type": "text", "keys": "private"}, "c: texts that are not public; a release finds the groups with noise"),
        ({"type": "text"}, "c: texts; it cannot be grouped by."),
        ({"type": "boolean"}, "c: true or false."),
        ({"type": "date"}, "c: dates."),
    ],
)
def test_what_a_column_may_hold(column: dict[str, Any], said: str) -> None:
    *_, sentence = of_schema.sentences(from_dict({"name": "t", "columns": {"c": column}}))
    assert said in sentence


def test_who_is_protected_comes_first() -> None:
    columns = {"who": {"type": "text"}}
    stated = {"name": "t", "columns": columns, "unit": "who", "max_rows": 3, "relation": "replace"}
    first, second, *rest = of_schema.sentences(
        from_dict(stated | {"null_values": ["?", "NA"], "people_at_least": 1000})
    )
    assert first.startswith("Each who identifies one person; at most 3 rows of one who count in a query")
    assert second == of_schema.RELATIONS[from_dict(stated).relation]
    assert rest == [
        "Missing values are written as “?”, “NA”.",
        "It is public knowledge that the data has at least 1,000 people.",
    ]
    assert of_schema.sentences(from_dict({"name": "t"}))[0] == of_schema.ROW
