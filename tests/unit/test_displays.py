"""What is printed, formatted or drawn in a notebook by itself: nothing about the people, who are shown on request."""

from __future__ import annotations

import enum
import pickle
import pkgutil
import sys
from collections.abc import Callable, Iterator
from functools import cache
from importlib import import_module
from pprint import pformat
from types import SimpleNamespace
from typing import Any

import pandas as pd
import pytest

import sfumato as sf
from sfumato.client.remote_dataset import RemoteFit
from sfumato.client.remote_risk import ConfidentialRecord, RemoteRisk
from sfumato.client.submissions import PosthocRecord
from sfumato.model.confidential import Confidential
from sfumato.presentation.html import preformatted

SCHEMA = {"name": "pay", "columns": {"euros": {"type": "number", "bounds": [0, 1_000_000]}}}
SUM = "SELECT SUM(euros) FROM pay"
PAID = (739_152.4, 512_345.6)  # to one person, in each of two tables that are alike in all that is public
RICH = ("_repr_html_", "_repr_markdown_", "_repr_latex_", "_repr_svg_", "_repr_png_", "_repr_jpeg_", "_repr_json_",
        "_repr_mimebundle_")  # fmt: skip
NAMES = {"__repr__", "__str__", "__format__", "_repr_pretty_", "_ipython_display_", *RICH}


def query(paid: float, schema: dict[str, Any] = SCHEMA) -> sf.Query:
    people = pd.DataFrame({"euros": [0.0] * 8 + [paid]})
    return sf.open(people, schema, ledger=":memory:", version="1").query(SUM)


def per_person(asked: sf.Query) -> object:
    asked.release(epsilon=0.5)
    return asked.dataset.per_person()


def beliefs(asked: sf.Query) -> object:
    whole = {"name": "pay", "columns": {"euros": {"type": "integer", "bounds": [0, 1_000_000]}}}
    people = asked.dataset._context.engine.table("SELECT CAST(euros AS INTEGER) AS euros FROM pay")
    return sf.open(people, whole, ledger=":memory:").query(SUM).beliefs()


CASES: dict[str, Callable[[sf.Query], Any]] = {
    "api.posthoc.PosthocRisk": lambda asked: asked.release(epsilon=0.5).posthoc_risk(),
    "api.attack.Attack": lambda asked: asked.risk().attack(1.0),
    "api.choice.Choice": lambda asked: asked.choose(sf.gap(1.5)),
    "api.beliefs.Beliefs": beliefs,
    "api.individual_accounting.PersonTotals": per_person,
    "api.figure.Picture": lambda asked: asked.risk().plot(),
    "api.risk.RiskProfile": lambda asked: asked.risk(),
    "api.method_comparison.Comparison": lambda asked: asked.dataset.compare(SUM, sf.gap(1.5), look=True),
    "api.batch.Check": lambda asked: asked.dataset.batch([SUM, SUM + " WHERE euros > 1"], epsilon=0.3).check(),
    "client.remote_dataset.RemoteFit": lambda asked: RemoteFit({"people": asked.answer()[0][0], "columns": []}),
    "client.remote_risk.ConfidentialRecord": lambda asked: ConfidentialRecord(
        {"sum": asked.answer()}, f"The sum is {asked.answer()}."
    ),
    "client.submissions.PosthocRecord": lambda asked: PosthocRecord(
        {"sum": asked.answer()}, f"The sum is {asked.answer()}."
    ),
    "client.remote_risk.RemoteRisk": lambda asked: RemoteRisk(asked.risk().view.as_dict(), SUM),
    "model.risk.RiskAt": lambda asked: asked.risk().at(1.0),
    "model.risk.RiskView": lambda asked: asked.risk().view,
}
PUBLIC = {
    "auditing.audit.Audit": "a verdict on a mechanism, over tables that are made up",
    "client.client.Client": "an address",
    "client.connection.Connection": "an address",
    "client.remote_dataset.RemoteQuery": "a statement",
    "client.submissions.Answers": "what was released",
    "client.submissions.RemoteRequest": "a request, as its server tells it to this person",
    "client.records.Listing": "what a server told this person",
    "client.records.PublicText": "what a server told this person",
    "errors.SfumatoError": "a sentence for everybody",
    "errors.SfumatoWarning": "a sentence for whoever holds the data, and names of datasets",
    "model.selection_trials.SelectionTrials": "of a look-alike",
    "api.batch.Batch": "public epsilons",
    "api.bound_suggestion.BoundSuggestion": "noisy counts, charged",
    "api.data_quality.PrivateCheck": "noisy counts, charged",
    "api.dataset.Dataset": "a name, and how many columns",
    "api.guessing.Guessing": "public facts",
    "api.histogram.ColumnHistogram": "a release",
    "api.ledger.Ledger": "the public part of the record",
    "api.dataset.Query": "a statement",
    "api.release.Certificate": "it goes with a release",
    "api.release.Release": "it may leave",
    "api.signal._PrintableSignal": "it may leave",
    "api.batch.Split": "public facts",
    "api.batch.SplitBatch": "public facts",
    "api.universe.PossibleWorlds": "of a universe that is public",
}


def displays(shown: Any) -> Iterator[str]:
    """Every way in which something appears without being asked."""
    yield from (repr(shown), str(shown), format(shown), "%s %r" % (shown, shown), pformat([shown]), repr({"x": shown}))  # noqa: UP031
    for name in RICH:
        if (method := getattr(shown, name, None)) is not None:
            yield f"{name}: {method()}"


def facts_of(shown: Any) -> object:
    """What it shows when it is asked."""
    if hasattr(shown, "figure"):
        return shown.to_plotly()
    return shown.as_dict() if hasattr(shown, "as_dict") else shown.text()


@cache
def made(name: str) -> tuple[Any, Any]:
    one, other = (CASES[name](query(paid)) for paid in PAID)
    return one, other


@pytest.mark.parametrize("name", CASES)
def test_nothing_confidential_shows_itself(name: str) -> None:
    """On two tables that differ in what one person was paid every display is the same, and is not what is asked for."""
    one, other = made(name)
    assert f"{type(one).__module__}.{type(one).__qualname__}" == f"sfumato.{name}"
    assert list(displays(one)) == list(displays(other))
    told = [facts_of(each) for each in (one, other)]
    assert told[0] != told[1], "the control: they do differ"
    with pytest.raises(TypeError, match="confidential and is not pickled"):
        pickle.dumps(one)


def classes() -> dict[str, type]:
    """Every class of the product, by module and name."""
    found = {}
    package = import_module("sfumato")
    for module in pkgutil.walk_packages(package.__path__, "sfumato."):
        if ".migrations" not in module.name and not module.name.endswith("__main__"):
            for each in vars(import_module(module.name)).values():
                if isinstance(each, type) and each.__module__ == module.name:
                    found[f"{each.__module__}.{each.__qualname__}".removeprefix("sfumato.")] = each
    return found


def own_displays(each: type) -> set[str]:
    """The displays that a class writes itself; those of enums, tuples and dataclasses are written for it."""
    if issubclass(each, enum.Enum) or hasattr(each, "_fields"):
        return set()
    written = {name: vars(each)[name] for name in NAMES & set(vars(each))}
    return {name for name, display in written.items() if not hasattr(display, "__wrapped__")}


def test_every_class_that_shows_itself_is_looked_at_here() -> None:
    """A new one belongs into CASES, if it may be about the people, or with a reason into PUBLIC."""
    every = classes()
    assert len(every) > 300
    showing = {name for name, each in every.items() if own_displays(each)} - {"model.confidential.Confidential"}
    assert showing - {"api.display.Display"} <= set(CASES) | set(PUBLIC)
    assert set(CASES) | set(PUBLIC) <= set(every)
    for name, each in every.items():
        if issubclass(each, Confidential) and name not in CASES:
            assert each.__repr__ is Confidential.__repr__, f"{name} would print its values"
            assert not set(RICH) & set(dir(each)), f"{name} would be drawn in a notebook"
            assert each.__reduce__ is Confidential.__reduce__, f"{name} would be pickled"


# Shown on request


def test_a_confidential_choice_is_drawn_as_it_prints() -> None:
    choice = query(PAID[0]).choose(sf.gap(1.5))
    assert choice._repr_html_() == preformatted(repr(choice))
    assert "0.676" in choice.text()
    assert "0.676" not in choice._repr_html_()


@pytest.mark.parametrize("name", ["api.choice.Choice", "api.risk.RiskProfile", "api.figure.Picture"])
def test_a_notebook_draws_it_when_it_is_asked(
    name: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """In a terminal it is printed."""
    drawn: list[Any] = []
    display = SimpleNamespace(HTML=lambda html: html, display=drawn.append)
    shown, _ = made(name)
    for shell in (None, SimpleNamespace()):
        monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda s=shell: s, display=display))
        shown.show()
        assert capsys.readouterr().out
        assert not drawn
    kernel = SimpleNamespace(kernel=object())
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: kernel, display=display))
    shown.show()
    assert not capsys.readouterr().out
    [html] = drawn
    assert "<div>" in html or "<svg" in html


# Public ones print


def test_what_is_public_prints_itself() -> None:
    asked = query(PAID[0])
    worst = asked.worst_case().at(0.2)
    assert repr(worst).startswith("RiskAt(epsilon=0.2, rdr_min=")
    assert "gap=1.2, " in repr(worst)
    for profile in (asked.worst_case(), asked.rehearse(rows=100), asked.exposure_histogram(1.0)):
        for public in (profile.at(0.2), profile.view):
            assert "confidential" not in repr(public)
        assert "<svg" in profile._repr_html_()
        assert "<svg" in str(profile.plot()._repr_svg_())
    assert "confidential" not in repr(RemoteRisk(asked.worst_case().view.as_dict(), SUM).at(0.2))
    choice = asked.choose(sf.gap(1.5, worst_case=True))
    assert repr(choice) == choice.text()
    assert "epsilon 0.5" in choice._repr_html_()
    assert "public" not in worst.as_dict()
