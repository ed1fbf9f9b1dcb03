"""A profile in full: what is read off it for its text and its page, and how the page is written."""

from __future__ import annotations

import os
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, cast

import pyarrow as pa
import pytest

from sfumato.api import risk_report
from sfumato.api.risk import RiskProfile
from sfumato.api.risk_report import Report
from sfumato.model.choice import Noise
from sfumato.model.facts import Bin, Distribution, Reach, Summary
from sfumato.model.risk import RiskAt, RiskView, Source
from sfumato.model.schema import Relation
from sfumato.model.selection_trials import SelectionTrials
from sfumato.presentation.document import Document
from sfumato.presentation.risk.exposure import ExposureTable
from sfumato.privacy.preferences.solver import Solution
from sfumato.release.risk.figures import Figures

COUNT = Figures(Summary(100, 0.0, 1.0, 2.0, 2.0), lambda: Distribution((Bin(0.0, 0.0, 98), Bin(1.0, 1.0, 2))))


@dataclass
class Held:
    """As much of a profile as a report reads."""

    source: Source = Source.PEOPLE
    influence: object = COUNT
    exposure: object = COUNT
    epsilons: tuple[float, ...] = (0.01, 0.1, 0.2, 0.5, 1.0, 2.0, 10.0)
    solution: Solution | None = None
    tries: tuple[SelectionTrials, ...] = ()
    not_additive: tuple[str, ...] = ()
    relation: Relation = Relation.ADD_REMOVE
    singletons: int = 0
    carried: tuple[float, ...] = (1.0, 1.0, 0.0)
    limit: float | None = None
    noise: Noise = field(default_factory=Noise)

    @property
    def candidates(self) -> tuple[RiskAt, ...]:
        return tuple(RiskAt(e, None, None, 1 / (1 + e), 1 + e, (2.3 / e,), 0.6) for e in self.epsilons)

    @property
    def view(self) -> RiskView:
        reach = Reach(0, 1)
        return RiskView(self.source, "SELECT 1", None, 1, "laplace", (1.0,), reach, reach, self.candidates)

    @property
    def chosen(self) -> float | None:
        return None if self.solution is None else self.solution.epsilon

    def document(self, people: ExposureTable | None = None) -> Document:
        return RiskProfile.document(cast(RiskProfile, self), people)

    def _rdr_table(self) -> None:
        return None

    def text(self, *, colour: bool = False) -> str:
        return "the range"

    def most_exposed(self) -> pa.Table:
        exposure = self.carried if self.exposure else [None] * 3
        return pa.table({"person": ["Ann", "Bo", "Cy"], "influence": self.carried, "exposure": exposure})


def held(**what: Any) -> RiskProfile:
    return cast(RiskProfile, Held(**what))


def test_people_are_named_when_asked_for() -> None:
    assert risk_report.text(held()).startswith("the range\n\nExposure of the people\n")
    assert "Ann" not in risk_report.text(held())
    assert "Ann" in risk_report.text(held(), most_exposed=True)
    assert "Ann" in risk_report.page(held()).html


def test_nobody_is_named_where_nobody_carries_anything() -> None:
    alike = held(carried=(0.0, 0.0, 0.0))
    assert risk_report.text(alike, most_exposed=True).endswith("so there is no one to list.")
    assert "Ann" not in risk_report.page(alike).html


def test_the_worst_case_has_no_people() -> None:
    worst = held(source=Source.WORST_CASE, influence=Reach(0, 1), exposure=Reach(0, 1))
    assert risk_report.text(worst, most_exposed=True) == "the range"
    assert (
        "most exposed" not in risk_report.page(worst).html.partition("Risk gap at each epsilon")[2].partition("<h2>")[0]
    )
    assert not risk_report.page(worst).of_the_people


def test_odds_are_told_at_three_candidates_or_at_the_chosen_one() -> None:
    found = risk_report.people(held(), most_exposed=True)
    assert found is not None
    assert found.epsilons == (0.2, 1.0, 10.0)
    assert found.most_exposed[0].chances == pytest.approx((0.5476, 0.6967, 0.9966), abs=1e-4)
    assert found.most_exposed[2].chances == (0.5, 0.5, 0.5)
    few = risk_report.people(held(epsilons=(1.0, 2.0)), most_exposed=True)
    assert few is not None
    assert few.epsilons == (1.0, 2.0)
    chosen = held(source=Source.REHEARSAL, solution=Solution(0.4, True, False, "Because."), limit=1.4)
    decided = risk_report.people(chosen, most_exposed=True)
    assert decided is not None
    assert decided.epsilons == (0.4,)
    assert "In the rehearsal: epsilon 0.4. Because." in risk_report.page(chosen).html
    assert "your limit 1.4×" in risk_report.page(chosen).html


def test_gaussian_odds_are_gaussian() -> None:
    found = risk_report.people(held(noise=Noise("gaussian", 1e-9), epsilons=(1.0,)), most_exposed=True)
    assert found is not None
    assert found.most_exposed[0].chances == pytest.approx((0.5333,), abs=1e-2)


def test_as_published_nobody_has_odds() -> None:
    found = risk_report.people(held(exposure=None), most_exposed=True)
    assert found is not None
    assert found.most_exposed[0].chances == ()
    assert "Ann" in risk_report.page(held(exposure=None)).html


# The file


@pytest.mark.parametrize(("of_the_people", "mode"), [(True, 0o600), (False, 0o644)])
def test_a_page_of_the_people_is_for_its_owner_only(tmp_path: Path, of_the_people: bool, mode: int) -> None:
    before = os.umask(0o022)
    try:
        (tmp_path / "a.html").write_text("before", "utf-8")
        Report("<p>äöü", of_the_people).write(tmp_path / "a.html")
    finally:
        os.umask(before)
    assert (tmp_path / "a.html").read_text("utf-8") == "<p>äöü"
    assert (tmp_path / "a.html").stat().st_mode & 0o777 == mode
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]


def test_what_cannot_be_written_leaves_nothing(tmp_path: Path) -> None:
    (tmp_path / "a.html").mkdir()
    with pytest.raises(OSError, match=r"a\.html"):
        Report("<p>", of_the_people=True).write(tmp_path / "a.html")
    assert [path.name for path in tmp_path.iterdir()] == ["a.html"]


def test_a_page_says_nothing_of_itself() -> None:
    assert repr(risk_report.page(held())) == "<Report: confidential>"
