"""The view of guessing risk and sharing risk: a figure, and a row per candidate epsilon."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sfumato.model.guess_view import GuessAt, GuessView
from sfumato.presentation.document import Cells, CodeLines, Document, Prose
from sfumato.presentation.figures.figure import Figure
from sfumato.presentation.figures.marks import GLYPHS, Line, Verdict
from sfumato.presentation.figures.scale import Axis
from sfumato.presentation.sharing import noise_against_risk, risk_by_trust, sharing_surface
from sfumato.presentation.wording import guessing_sentences as of_guessing
from sfumato.presentation.wording import risk_sentences as of_risk
from sfumato.presentation.wording.numbers import number, percent, percent_up


def figure(view: GuessView) -> Figure:
    """DPP's curve: sharing risk over noise; without a recipient, the chance of a right guess."""
    if view.trust is None:
        line = Line(tuple(_course(view, lambda row: row.chance)))
        y = Axis("chance of a right guess", ticks=(0.0, 1.0))
        return Figure(of_guessing.GUESSED, _about(view), _across(view), y, (line,))
    chosen = [_place(row, view) for row in view.candidates if row.epsilon == view.epsilon]
    return noise_against_risk(
        _course(view, _risk),
        view.limit,
        least=chosen[0] if chosen else None,
        noise=_across(view),
        subtitle=_about(view),
    )


def by_trust(view: GuessView, each: Mapping[str, GuessView]) -> Figure:
    """The same curve for several levels of trust."""
    curves = {f"trust {word}": _course(other, _risk) for word, other in each.items()}
    return risk_by_trust(curves, view.limit, _across(view), _about(view))


def surface(
    view: GuessView,
    chance: float,
    trusts: Sequence[float],
    sensitivities: Sequence[float],
    risks: Sequence[Sequence[float]],
) -> Figure:
    """The sharing risk for any trust and sensitivity, at one chance of a right guess."""
    subtitle = f"A guess is right {percent(chance)} of the time ({percent(view.blind)} by a blind guess)."
    return sharing_surface(trusts, sensitivities, risks, view.limit, subtitle)


def _about(view: GuessView) -> str:
    return of_guessing.GUESSES_WITH_HELD if view.earlier_epsilon or view.earlier_delta else of_guessing.GUESSES


def _across(view: GuessView) -> Axis:
    """Noise where it is known for every candidate, otherwise epsilon."""
    if not all(row.noise_90[0] for row in view.candidates):
        return Axis("epsilon", scale="log")
    return Axis(f"noise of the {view.numbers[0]}", unit="90%, ±", scale="log")


def _place(row: GuessAt, view: GuessView) -> float:
    return (row.noise_90[0] or 0.0) if all(each.noise_90[0] for each in view.candidates) else row.epsilon


def _course(view: GuessView, height: Callable[[GuessAt], float]) -> list[tuple[float, float]]:
    points = sorted((_place(row, view), height(row)) for row in view.candidates)
    return points if len(points) > 1 else points * 2


def document(view: GuessView) -> Document:
    about = CodeLines(view.query, _assumptions(view))
    return Document(of_guessing.GUESSED, (figure(view), about, Cells(*candidates(view)), *map(Prose, notes(view))))


def candidates(view: GuessView) -> tuple[list[str], list[list[str]]]:
    """A row per candidate epsilon; unknown figures have no column."""
    rows = view.candidates
    columns = {
        "epsilon": [number(row.epsilon, 4) for row in rows],
        "right guesses, at most": [percent_up(row.chance, 2) for row in rows],
        "on average": [_share(row.average) for row in rows],
        "advantage": [f"{row.advantage:.4f}" for row in rows],
        "any belief": ["" if row.any_prior is None else f"{row.any_prior:.4f}" for row in rows],
        "sharing risk": ["" if row.risk is None else f"{row.risk:.4f}" for row in rows],
        "as published": ["" if row.risk_as_published is None else f"{row.risk_as_published:.4f}" for row in rows],
        of_risk.NOISE_90: [_ranges(row) for row in rows],
        f"of {view.count or 0:,}": ["" if view.count is None else _share_of(row, view.count) for row in rows],
        "limit": [_verdict(row, view) for row in rows],
    }
    known = {name: cells for name, cells in columns.items() if any(cells)}
    return list(known), [list(cells) for cells in zip(*known.values(), strict=True)]


def notes(view: GuessView) -> list[str]:
    """The choice within the limit, and the meaning of the columns."""
    at = [row for row in view.candidates if row.epsilon == view.epsilon]
    sentences = [f"{view.why} {of_guessing.guess_at(at[0], view.blind, view.count)}" if at else view.why]
    every, average = (
        all(getattr(row, name) is not None for row in view.candidates) for name in ("any_prior", "average")
    )
    sentences += [of_guessing.guess_columns(at_any_answer=every, average=average, shared=view.trust is not None)]
    return [sentence for sentence in sentences if sentence]


def _assumptions(view: GuessView) -> str:
    """The secret, the noise and the recipient."""
    delta = "" if view.delta is None else f", delta {view.delta:g}"
    rated = ""
    if view.trust is not None and view.data_sensitivity is not None:
        rated = f" Trust {number(view.trust)}, data sensitivity {number(view.data_sensitivity)}."
    secret = f"Secret: {view.secret}. Blind guess: {percent(view.blind)}."
    before = (
        f" {of_guessing.holdings(view.earlier_epsilon, view.earlier_delta)}"
        if view.earlier_epsilon or view.earlier_delta
        else ""
    )
    return f"{secret} {view.mechanism.capitalize()} noise{delta}.{rated}{before}"


def _share_of(row: GuessAt, count: int) -> str:
    return " · ".join(filter(None, (of_guessing.share_of(count, far) for far in row.noise_90)))


def _risk(row: GuessAt) -> float:
    return row.chance if row.risk is None else row.risk


def _share(chance: float | None) -> str:
    return "" if chance is None else percent_up(chance, 2)


def _ranges(row: GuessAt) -> str:
    return " · ".join("by rank" if half is None else f"±{number(half, 4)}" for half in row.noise_90)


def _verdict(row: GuessAt, view: GuessView) -> str:
    if view.limit is None or row.risk is None:
        return ""
    mark: Verdict = "ok" if row.risk <= view.limit * (1 + 1e-12) else "over"
    return GLYPHS["chosen" if row.epsilon == view.epsilon else mark]
