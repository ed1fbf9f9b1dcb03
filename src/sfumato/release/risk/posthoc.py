"""After the release: what an answer that went out says about each person. The controller's, and a look."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, cast

from sfumato.errors import NoMechanism, PreferenceError
from sfumato.ledger.entry import Draft, Event
from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import Noise
from sfumato.model.confidential import Confidential
from sfumato.model.facts import Cell, Summary
from sfumato.model.measurement import Measurement, NumberKind
from sfumato.model.release import ReleaseCertificate, Released
from sfumato.model.statement import NOTHING, Statement
from sfumato.privacy.risk.posthoc import ratio
from sfumato.release.bound_query import BoundQuery
from sfumato.release.individual_filter import surely_everyone
from sfumato.release.ledger import digest
from sfumato.release.output_distance import (
    Truth,
    distance_of,
    has_own_scale,
    require_one_level,
    residuals_of,
    truth_of,
    weights_of,
)
from sfumato.release.reserve import version_of
from sfumato.release.risk.figures import Figures
from sfumato.sql.plans import posthoc_plan as plan
from sfumato.sql.plans.exposure_summary import Rows, Tree
from sfumato.sql.plans.individual_accounting_plan import read_distribution
from sfumato.sql.plans.rows import L1, L2

if TYPE_CHECKING:
    import pyarrow as pa


_LAWS = (NoiseLaw.LAPLACE.value, NoiseLaw.GAUSSIAN.value)


class PosthocAnalysis(Confidential):
    """`.pri`: how far the answer lies from the true one without each person (the papers' output-dependent RDR, or PRI).

    `.pri` is of the noisy numbers, whose losses follow from it; `.printed` of the answer as it is printed, None where
    a printed figure is computed from others. `.loss`: ln of how many times as likely this very answer was with each
    person as without; None where that is not known. `.epsilon` is public, and None where it is withheld. Making it
    enters the look before any data is read.
    """

    def __init__(self, query: BoundQuery, release: Released, between: str | None = None) -> None:
        side = None if between is None else query.context.condition(between)
        certificate, dataset = release.certificate, query.context
        require_released_here(query, release)
        if query.measurement.histograms:
            raise NoMechanism.because("posthoc-of-histogram", columns=list(query.measurement.histograms))
        if certificate.per_person is not None and not surely_everyone(dataset, certificate.ledger_entry):
            raise NoMechanism.because("posthoc-within-budget")
        places = places_of_keys(query.statement)
        if not release.rows:
            raise NoMechanism.because("posthoc-without-rows")
        dataset.require_data()
        key = digest(["post-hoc risk", query.sql, dataset.version, certificate.released_at])
        what = f"what the answer of {certificate.released_at} says about each person under {query.sql}"
        dataset.ledger.look(key, what)
        measurement, question = query.measurement, query.survey(Noise()).question
        rows = [tuple(row[place] for place in places) for row in release.rows] if places is not None else None
        cells = measurement.public_cells if rows is None else cast(list[Cell], rows)
        norm = L2 if certificate.mechanism == NoiseLaw.GAUSSIAN else L1
        residuals = residuals_of(_truth(query), cells, release.numbers)
        yardstick = plan.Yardstick(weights_of(measurement, norm), _unit_of_loss(measurement, certificate, norm))
        self.epsilon, self.query = certificate.epsilon, query.sql
        self.distance = distance_of(residuals, yardstick.weights, norm)
        self.own_scale = has_own_scale(measurement)
        self.hides = query.statement.afterwards.picks
        self.certificate, self._engine, self.condition = certificate, dataset.engine, between
        printed = printed_figures(query, release, cells, norm)
        self.printed_distance = None if printed is None else printed.distance
        self._left = plan.PosthocPlan(
            replace(question, norm=norm), self._engine.numbered, residuals, yardstick, self.distance, printed
        )
        summary = plan.read_summary(self._rows(self._left.summary()), self._left)
        self.pri = self._figures(plan.PRI, summary.pri)
        self.loss = None if summary.loss is None else self._figures(plan.LOSS, summary.loss)
        self.printed = None if summary.printed is None else self._figures(plan.PRINTED, summary.printed)
        self.positive_count, self._most = summary.positive, summary.most
        self._medians: plan.Medians | None = None
        if side is not None:
            self._medians = plan.read_medians(self._rows(self._left.medians(side)))

    @property
    def people_count(self) -> int:
        return self.pri.people

    @property
    def ratio(self) -> float:
        """The smallest PRI over the largest: what Find-eps-from-PRI tests."""
        return ratio(self.pri.min, self.pri.max)

    @property
    def positive(self) -> float | None:
        """The share of the people for whose being in the data this answer speaks."""
        return None if self.loss is None else self.positive_count / max(1, self.people_count)

    @property
    def bound(self) -> float | None:
        """No one's loss could be beyond it, either way: epsilon times the largest exposure. Gaussian noise has none."""
        laplace = self.loss is not None and self.certificate.mechanism != NoiseLaw.GAUSSIAN
        return self._most if laplace else None

    @property
    def printed_ratio(self) -> float | None:
        """`ratio` of the answer as it is printed."""
        return None if self.printed is None else ratio(self.printed.min, self.printed.max)

    @property
    def between(self) -> tuple[float | None, float | None] | None:
        """The median PRI of those who meet the condition, and of the others; None for a group that no one is in."""
        return None if self._medians is None else self._medians.pri

    @property
    def between_ratio(self) -> float | None:
        """The smaller of the two medians over the larger (PRI paper, section 3.5)."""
        medians = [median for median in self.between or () if median is not None]
        return ratio(min(medians), max(medians)) if len(medians) == 2 else None

    @property
    def printed_between(self) -> tuple[float | None, float | None] | None:
        """`between` of the answer as it is printed."""
        return None if self._medians is None or self.printed is None else self._medians.printed

    def people(self) -> pa.Table:
        """One row per person, in order: person, printed where it is known, pri, loss."""
        return self._engine.table(self._engine.spell(self._left.listed()))

    def as_dict(self) -> dict[str, object]:
        """The public part, and beside it how the people's figures are spread."""
        return {
            "query": self.query,
            "epsilon": self.epsilon,
            "people": self.people_count,
            "distance": self.distance,
            "ratio": self.ratio,
            "printed_distance": self.printed_distance,
            "printed_ratio": self.printed_ratio,
            "printed": None if self.printed is None else self.printed.as_dict(),
            "pri": self.pri.as_dict(),
            "loss": None if self.loss is None else self.loss.as_dict(),
            "positive": self.positive,
            "bound": self.bound,
            "condition": self.condition,
            "between": None if self.between is None else list(self.between),
            "printed_between": None if self.printed_between is None else list(self.printed_between),
        }

    def _figures(self, name: str, summary: Summary) -> Figures:
        return Figures(summary, lambda: read_distribution(self._rows(self._left.bins(name, summary))))

    def _rows(self, tree: Tree) -> Rows:
        return self._engine.rows(self._engine.spell(tree))


def require_released_here(query: BoundQuery, release: Released) -> None:
    """Refuse an answer that this query did not give on this data under this schema: from the record alone."""
    certificate, dataset = release.certificate, query.context
    if certificate.query_sha256 != query.statement.sha256:
        raise PreferenceError.because("release-of-other-query")
    answer, entries = release.answer.as_dict(), dataset.ledger.record.entries
    released = [e.draft for e in entries if e.draft.event is Event.RELEASED and e.draft.public.get("answer") == answer]
    kept = next((d for d in released if _certificate(d).figures == certificate.figures), None)
    if kept is None:
        raise PreferenceError.because("release-not-in-ledger")
    charge = next(e.draft for e in entries if e.number == kept.public["reserved"])
    if charge.public["version"] != version_of(dataset):
        raise _elsewhere()
    if not dataset.bounds_from_data:
        require_public_keys(query.measurement)
    require_same_numbers(query, release)


def printed_figures(
    query: BoundQuery, release: Released, cells: Sequence[Cell], norm: str
) -> plan.PrintedFigures | None:
    """How far the printed figures lie from the true ones; one that does not exist counts as 0.

    None where a figure is computed from others: what a person changes there has no closed form.
    """
    measurement = query.measurement
    visible = [column for column in measurement.columns if column.visible]
    if any(column.computed is not None for column in visible):
        return None
    aggregates = [column for column in measurement.columns if column.numbers]
    places = {i: aggregates.index(column) for i, column in enumerate(visible) if column.numbers}
    answers = zip(measurement.public_cells, query.survey(Noise()).answer(), strict=True)
    true: dict[Cell, tuple[object, ...]] = dict(answers)
    residuals = {
        cell: tuple(_number(row[i]) - _number(true[cell][place]) for i, place in places.items())
        for cell, row in zip(cells, release.rows, strict=True)
    }
    return plan.PrintedFigures(tuple(places.values()), residuals, distance_of(residuals, (1.0,) * len(places), norm))


def _number(figure: object) -> float:
    return 0.0 if figure is None else float(figure)  # type: ignore[arg-type]


def _certificate(draft: Draft) -> ReleaseCertificate:
    return ReleaseCertificate.from_dict(draft.public["certificate"])  # type: ignore[arg-type]


def require_same_numbers(query: BoundQuery, release: Released) -> None:
    """Refuse an answer whose figures were other ones, under a schema of before: from its certificate."""
    certificate, schema = release.certificate, query.context.schema
    if (schema.unit.words, schema.relation.value) != (certificate.unit, certificate.relation):
        raise _elsewhere()
    if query.context.bounds_from_data:
        return
    numbers = query.measurement.numbers
    now = tuple(n.words for n in numbers), tuple(float(n.sensitivity_under(certificate.mechanism)) for n in numbers)
    if now != (certificate.numbers, certificate.sensitivity):
        raise _elsewhere()


def require_public_keys(measurement: Measurement) -> None:
    """Refuse groups that are there because someone is, and figures of several levels: from public facts."""
    if measurement.cells is None:
        raise NoMechanism.because("private-keys-without-distance")
    require_one_level(measurement)


def _elsewhere() -> PreferenceError:
    return PreferenceError.because("release-of-other-data")


def places_of_keys(statement: Statement) -> list[int] | None:
    """Where in a row of the answer its keys stand; None where they are not all shown, and cells go by their order."""
    sources = [output.source for output in statement.outputs if output.visible]
    if all(key in sources for key in statement.keys):
        return [sources.index(key) for key in statement.keys]
    if statement.afterwards == NOTHING:
        return None
    raise NoMechanism.because("keys-not-shown")


def _truth(query: BoundQuery) -> Truth:
    """The true numbers; of a value that is selected by its rank the value itself, and 0 where there is none."""
    measurement = query.measurement
    truth = truth_of(query.totals(), measurement)
    if all(n.kind is not NumberKind.SELECTION for n in measurement.numbers):
        return truth
    places = [c.numbers[0] for c in measurement.columns if c.numbers]
    exact = zip(measurement.public_cells, query.survey(Noise()).answer(), strict=True)
    answers: dict[Cell, dict[int, Any]] = {cell: dict(zip(places, row, strict=True)) for cell, row in exact}
    kinds = [n.kind is NumberKind.SELECTION for n in measurement.numbers]
    return {
        cell: tuple(
            answers[cell][j] or 0 if selected else true
            for j, (selected, true) in enumerate(zip(kinds, numbers, strict=True))
        )
        for cell, numbers in truth.items()
    }


def _unit_of_loss(measurement: Measurement, certificate: ReleaseCertificate, norm: str) -> float | None:
    """What a unit of distance is as a loss: `1 / b`, or of squares `1 / 2 sigma^2`; the same for all the numbers.

    It is known where the noise was not sized by looking, and is Laplace or Gaussian noise throughout.
    """
    if not certificate.guarantee.holds or any(law not in _LAWS for law in certificate.laws or ()):
        return None
    assert certificate.scale is not None
    scale, weight = cast(float, certificate.scale[0]), weights_of(measurement, norm)[0]
    return 1 / (2 * (scale * weight) ** 2) if norm == L2 else 1 / (scale * weight)
