"""Signals that read the data: reserved before it is read, and kept before anything leaves."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from typing import Any, cast

from sfumato.errors import NoMechanism
from sfumato.ledger.charges import SIGNAL
from sfumato.ledger.entry import Draft
from sfumato.ledger.history import Plan, Record
from sfumato.model import signal_score as model
from sfumato.model.calibration import NoiseLaw
from sfumato.model.guarantee import Guarantee, Provenance, guarantee_of, people_provenance
from sfumato.model.release import Answer, Assumption, ReleaseCertificate
from sfumato.model.signal_score import EXACT_SCORE, SignalKind
from sfumato.model.statement import NOTHING
from sfumato.privacy.accounting.zcdp import ledger_rho, rho_laplace
from sfumato.privacy.noise.intervals import reach
from sfumato.privacy.sensitivity import sensitivity_of_figure
from sfumato.release.bound_query import BoundQuery
from sfumato.release.certificate import LaplaceDraw, certify_numbers
from sfumato.release.keywords import ReleaseTerms
from sfumato.release.ledger import digest
from sfumato.release.reserve import (
    ChargePurpose,
    PrivacyCost,
    Reservation,
    answer_key,
    charge_draft,
    earlier_release,
    read_for,
    record_release,
    reserve,
)
from sfumato.signals.exact_answer import ExactAnswer
from sfumato.signals.record import TEXTS, charge_text, look_text
from sfumato.signals.score_lattice import (
    ScoreLattice,
    bits,
    block_lattice,
    difference_lattice,
    rounded_score,
    width_once_rounded,
)
from sfumato.signals.signal_request import SignalRequest, prepare_task, require_blocks, table_of
from sfumato.signals.tasks.own_code import OwnCode
from sfumato.signals.tasks.task import DECIMALS, Task


def exact_bits(task: Task) -> float:
    """What an exact score tells at most, once it is rounded."""
    return bits(width_once_rounded(*task.range), beside=task.beside)


def charged_signal(
    query: BoundQuery, answer: Answer, task: Task | Mapping[str, Any], request: SignalRequest, exact: ExactAnswer
) -> ChargedSignal:
    """What would be charged, if it can be: from public facts."""
    prepared = prepare_task(task, query.measurement, answer)
    match request.kind:
        case SignalKind.DIFFERENCE:
            return ChargedSignal(query, answer, prepared, request, _difference_lattice(query, prepared, request), exact)
        case SignalKind.BLOCKS:
            require_blocks(request.blocks)
            return ChargedSignal(
                query, answer, prepared, request, block_lattice(prepared, query.measurement.steps), exact
            )
    return ChargedSignal(query, answer, prepared, request, None, exact)


def _difference_lattice(query: BoundQuery, task: Task, request: SignalRequest) -> ScoreLattice:
    """How far one person moves the difference; refused where nothing but the range is known, unless that is asked."""
    measurement = query.measurement
    kept = query.statement.afterwards == NOTHING  # whether a row stays is no smooth matter
    read = [c for c in measurement.columns if c.visible and c.name in task.reads]
    computed = next((c for c in read if c.computed is not None), None)
    moved = {c.name: sensitivity_of_figure(c, measurement) for c in read} if kept and computed is None else None
    if (task.lipschitz is None or moved is None) and not request.by_range:
        if not kept:
            raise NoMechanism.because("signal-rows-move-by-jumps")
        if computed is not None:
            raise NoMechanism.because("signal-of-computed", column=computed.name)
        raise NoMechanism.because("signal-not-lipschitz", task=task.name)
    return difference_lattice(task, moved)


@dataclass(frozen=True)
class ChargedSignal:
    """Reserved before the data is read, and kept before it leaves. Without a lattice nothing is drawn."""

    query: BoundQuery
    answer: Answer
    task: Task
    request: SignalRequest
    lattice: ScoreLattice | None
    exact: ExactAnswer

    def preview_guarantee(self) -> Guarantee:
        """The word of it, as the record is now."""
        return guarantee_of(self._inputs(answer_key(self.query, self._key), self.query.context.ledger.record))

    def difference(self) -> model.SignalScore:
        return self._make(
            lambda reservation: model.NoisyDifferenceScore(*self._head(reservation), self.noisy_difference())
        )

    def block_mean(self) -> model.SignalScore:
        blocks = self.request.blocks
        return self._make(
            lambda reservation: model.BlockMeanScore(*self._head(reservation), self.noisy_block_mean(), blocks)
        )

    def published(self) -> model.SignalScore:
        def score(reservation: Reservation) -> model.SignalScore:
            ledger, key = self.query.context.ledger, digest(["signal", self._key])
            ledger.look(key, look_text(self.task.name, self.query.sql))
            exact = self.task.outcome([self.exact.table()])
            exact = None if exact is None else rounded_score(exact)
            published = model.PublishedScore(*self._head(reservation), exact, DECIMALS, self._bits)
            return replace(published, score=rounded_score(published.score))

        return self._make(score)

    # Scores

    def noisy_difference(self) -> float:
        """How far the score of the exact answer is from that of the release, with noise."""
        off = abs(self._score - self.task.score([self.exact.table()]))
        return self._with_noise(self._steps(off))

    def noisy_block_mean(self) -> float:
        """The mean score over the blocks, with noise."""
        low = self.task.range[0]
        total = sum(self._steps(score - low) for score in self._of_blocks())
        return low + self._with_noise(total) / self.request.blocks

    @property
    def _score(self) -> float:
        return self.task.score([table_of(self.answer, self.query.measurement)])

    def _of_blocks(self) -> list[float]:
        return [self.task.score([table]) for table in self.exact.blocks(self.request.blocks)]

    @property
    def _bits(self) -> float:
        return exact_bits(self.task)

    # Noise

    def _steps(self, amount: float) -> int:
        assert self.lattice is not None
        return self.lattice.steps(amount)

    def _with_noise(self, steps: int) -> float:
        assert self.lattice is not None
        assert self.request.epsilon is not None
        draw = self.query.context.services.mechanism(NoiseLaw.LAPLACE)
        (noisy,) = draw([steps], self.lattice.sensitivity, self.request.epsilon)
        return float(noisy * self.lattice.step)

    @property
    def _divided_by(self) -> int:
        return self.request.blocks if self.request.kind is SignalKind.BLOCKS else 1

    # Ledger

    @property
    def _key(self) -> str:
        """What is asked for: the release, the task and the kind."""
        a = self.request
        how = [a.kind.value, a.epsilon, a.blocks if a.kind is SignalKind.BLOCKS else None, a.by_range]
        return digest(["signal", self.query.sql, self.task.as_dict(), how, self.answer.as_dict()])

    def _make(self, make: Callable[[Reservation], model.SignalScore]) -> model.SignalScore:
        with self.query.context.snapshot():
            return self._make_within(make)

    def _make_within(self, make: Callable[[Reservation], model.SignalScore]) -> model.SignalScore:
        ledger, key = self.query.context.ledger, answer_key(self.query, self._key)
        reservation = reserve(
            ledger,
            earlier_release(key, ReleaseTerms(self.request.allow_no_guarantee, self.request.redraw)),
            lambda record: self._inputs(key, record),
            lambda guarantee: self._charge_draft(key, guarantee),
            allow_no_guarantee=self.request.allow_no_guarantee,
            what=SIGNAL,
            instead="free-signal",
        )
        if isinstance(reservation, Draft):
            entry = reservation.public if self._is_public else reservation.confidential
            stored = cast(dict[str, Any], entry["signal"])
            return model.from_stored(stored, ReleaseCertificate.from_dict(stored["certificate"]))
        scored = read_for(ledger, key, reservation, self._what, lambda: make(reservation))
        record_release(ledger, key, reservation, self._what, {"signal": scored.as_dict()}, is_public=self._is_public)
        return scored

    def _inputs(self, key: str, record: Record) -> tuple[Provenance, ...]:
        """An epsilon that a person states, the schema, who decided; the exact score itself where it leaves."""
        q, preregistered = self.query, " ".join(self.request.preregistered.split())
        ledger, statement = q.context.ledger, q.statement
        by = {"preregistered": preregistered, "who": ledger.who}
        inputs = (
            record.schema(statement.columns, ledger.schema, **by),
            *q.context.decision_provenances(record, preregistered),
        )
        if self.lattice is None:
            return (people_provenance(EXACT_SCORE), *inputs)
        preference = record.preference(Plan(key, q.question), is_rule=False, rule=ledger.rule, **by)
        return (replace(preference, what="epsilon"), *inputs)

    def _charge_draft(self, key: str, outcome: Guarantee) -> Draft:
        """The charge: epsilon, or a public constant where the epsilon, or the score, tells about the data."""
        mechanism = "no noise" if self.lattice is None else NoiseLaw.LAPLACE.value
        purpose = ChargePurpose(self._what, SIGNAL, TEXTS[self.request.kind].method, mechanism)
        draft = charge_draft(self.query.context, key, outcome, purpose, self._cost, self.request.epsilon)
        return replace(draft, public={**draft.public, "bits": self._bits}) if self.lattice is None else draft

    @property
    def _is_public(self) -> bool:
        """Whether the record may show it: an exact score leaves by itself, or not at all."""
        return self.lattice is not None

    @property
    def _what(self) -> str:
        return charge_text(self.request.kind, self.task.name, self.query.sql)

    @property
    def _cost(self) -> PrivacyCost | None:
        if self.lattice is None or self.request.epsilon is None:
            return None
        rho = ledger_rho(rho_laplace(self.request.epsilon, self.lattice.sensitivity))
        return PrivacyCost(
            self.request.epsilon, rho, (self._sensitivity,), (self._sensitivity / self.request.epsilon,), 1
        )

    @property
    def _sensitivity(self) -> float:
        return 0.0 if self.lattice is None else self.lattice.most / self._divided_by

    def _head(
        self, reservation: Reservation
    ) -> tuple[Mapping[str, Any], tuple[float, float], float, ReleaseCertificate]:
        return self.task.as_dict(), self.task.range, self._score, self._certificate(reservation)

    def _certificate(self, reservation: Reservation) -> ReleaseCertificate:
        epsilon, kind, draw = self.request.epsilon, self.request.kind, None
        if epsilon is not None and self.lattice is not None:
            scale, step = self._sensitivity / epsilon, float(self.lattice.step) / self._divided_by
            draw = LaplaceDraw(epsilon, self._sensitivity, scale, step, reach(NoiseLaw.LAPLACE, scale) + step)
        several_runs = kind is SignalKind.BLOCKS and isinstance(self.task, OwnCode)
        assumed = (Assumption.RUNS_APART,) if several_runs else ()
        return certify_numbers(self.query, reservation, draw, TEXTS[kind], assumptions=assumed)
