"""What a private selection came to on a look-alike: as a table, as a picture, and as JSON."""

from __future__ import annotations

import sfumato as sf
from sfumato import demo
from sfumato.api import risk_report
from sfumato.model.selection_trials import SelectionTrials
from sfumato.presentation import selection_trials as view
from sfumato.presentation.figures.marks import Range
from sfumato.presentation.figures.svg import svg
from sfumato.presentation.figures.terminal import text
from sfumato.presentation.wording import choosing as of_choosing

NARROW = SelectionTrials("variance 0.0001", (0.02, 0.03, 0.03), value=1e-4)
ASKED = SelectionTrials("variance 0.001", (0.1, 0.11, 0.12), nothing=1, requested=True, value=1e-3)
NOTHING = SelectionTrials("variance 1e-05", (), nothing=3, value=1e-5)
CAP = SelectionTrials("exposure cap 0.5", (0.5, 0.6), requested=True, value=0.5)


def test_a_bar_for_each_threshold_that_something_was_selected_at() -> None:
    [figure] = view.figures([NOTHING, NARROW, ASKED])
    assert figure.of(Range) == (Range(1e-4, 0.02, 0.03), Range(1e-3, 0.1, 0.12, "chosen"))
    for shown in (svg(figure), text(figure)):
        assert "variance" in shown
        assert "0.001" in shown


def test_each_preference_has_a_picture_of_its_own_and_one_threshold_none() -> None:
    pictures = view.figures([NARROW, ASKED, CAP, SelectionTrials("exposure cap 1", (1.0, 1.2), value=1.0)])
    assert [figure.x.label for figure in pictures] == ["variance", "exposure cap"]
    assert view.figures([NOTHING, ASKED]) == []


def test_the_table_says_how_often_nothing_was_selected() -> None:
    assert view.rows([ASKED, NOTHING]) == [
        [">", "variance 0.001", "0.11", "0.1", "0.12", "25%"],
        ["", "variance 1e-05", "–", "–", "–", "100%"],
    ]
    assert ASKED.as_dict()["nothing"] == 1


def test_a_rehearsal_shows_them_at_the_threshold_and_around_it() -> None:
    query = demo.open().query("SELECT COUNT(*) FROM adult WHERE age >= 80")
    rehearsed = query.rehearse(sf.variance(1e-3, select_epsilon=0.5), rows=2000)
    assert [(tries.value, tries.requested) for tries in rehearsed.tries] == [
        (1e-4, False), (3e-4, False), (1e-3, True), (3e-3, False), (1e-2, False)
    ]  # fmt: skip
    assert query.dataset.ledger.total.releases == 0
    assert of_choosing.TRIED_BARS in risk_report.page(rehearsed).html
    assert query.choose(*rehearsed.preferences).guarantee == "dp-selected"
