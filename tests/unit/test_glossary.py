"""The glossary: complete, consistent, and the same in commands, docs and tooltips."""

from __future__ import annotations

from pathlib import Path

import pytest

from sfumato.errors import BadInput
from sfumato.presentation.glossary import glossary
from sfumato.server.web import filters
from tools import glossary as page

ROOT = Path(__file__).parents[2]
TERMS = glossary().terms


def test_the_page_is_up_to_date() -> None:
    assert page.PAGE.read_text("utf-8") == page.page(), "run python -m tools.glossary"


def test_every_entry_leads_on() -> None:
    names = {term.name for term in TERMS}
    assert len(names) >= 40
    for term in TERMS:
        assert term.see, term.name
        assert {*term.see} <= names - {term.name}, term.name
        assert (ROOT / "docs" / term.page).exists(), term.page


def test_a_name_has_one_meaning_and_few_sentences() -> None:
    named = [name.lower() for term in TERMS for name in (term.name, *term.also)]
    assert len(named) == len({*named})
    for term in TERMS:
        assert term.means.endswith("."), term.name
        assert term.means.count(". ") <= 1, term.name


@pytest.mark.parametrize("name", ["risk gap", "Risk-Gap", "gap", "--gap", "  risk_gap "])
def test_a_term_is_found_however_it_is_written(name: str) -> None:
    assert glossary().term(name).name == "risk gap"


def test_a_near_miss_is_suggested() -> None:
    with pytest.raises(BadInput, match=r"no term 'exposre'\. Hint: did you mean exposure"):
        glossary().term("exposre")
    with pytest.raises(BadInput, match="run `sfumato explain` for a list of all terms"):
        glossary().term("zzz")


def test_a_tooltip_escapes_what_it_shows() -> None:
    shown = filters.term("exposure", "<b>")
    assert shown.startswith('<abbr class="term" tabindex="0" title="The share, from 0 to 1, ')
    assert shown.endswith(">&lt;b&gt;</abbr>")
