"""The authors' way, which `make bench` measures against, finds what sfumato finds (section 4.2 of the RDR paper)."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

import sfumato as sf
from bench.baseline import CANDIDATES, Baseline
from bench.question import QUESTIONS, Question
from bench.speed import people
from sfumato import demo
from sfumato.privacy.risk.rdr import PAPER_CANDIDATES


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return demo.write(tmp_path_factory.mktemp("population"), 500)[0]


def asked(file: Path, question: Question) -> sf.Query:
    return sf.open(file, demo.schema(), ledger=":memory:", bounds_from_data=True).query(question.sql())


def test_both_have_the_37_candidates() -> None:
    assert sorted(CANDIDATES) == list(PAPER_CANDIDATES)


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
@pytest.mark.parametrize("tau", [0.95, 0.5, 0.05])
def test_both_find_the_same_epsilon(file: Path, question: Question, tau: float) -> None:
    authors = Baseline(question, people(file))
    assert authors.find_epsilon(tau) == asked(file, question).choose(sf.ratio(tau), candidates="paper").epsilon


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda question: question.name)
def test_both_find_the_same_figure_for_each_person(file: Path, question: Question) -> None:
    authors = Baseline(question, people(file))
    ours = asked(file, question).risk().people().sort_by("person")["influence"].to_pylist()
    assert authors.influences() == pytest.approx(ours, rel=1e-9, abs=1e-9)


def test_a_person_is_left_out_of_the_whole_where() -> None:
    """`a OR b AND row_number <> 1` would leave the first person in, were there no parentheses."""
    either = Question("either", "COUNT", ("age",), where="age = 25 OR age = 26")
    assert Baseline(either, pd.DataFrame({"age": [25, 26, 27]})).influences() == [1, 1, 0]


def test_a_group_that_loses_its_only_member_changes_by_all_that_it_had() -> None:
    by_age = Question("by age", "COUNT", ("age",), key="age")
    assert Baseline(by_age, pd.DataFrame({"age": [25, 26, 26]})).influences() == [1, 1, 1]
