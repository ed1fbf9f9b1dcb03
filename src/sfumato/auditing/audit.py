"""`audit_mechanism`: a black-box audit of what a mechanism claims."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from warnings import catch_warnings, simplefilter

from sfumato.auditing.events import audit_delta, delta_power
from sfumato.auditing.game import MECHANISMS, rounds
from sfumato.auditing.guesser import Round, audit, power
from sfumato.auditing.neighbours import NeighbourPair, Setup
from sfumato.errors import PreferenceError, UnrecordedLookWarning
from sfumato.model import mechanism_audit as model
from sfumato.model.mechanism_audit import AuditFinding
from sfumato.model.schema import Relation
from sfumato.presentation.mechanism_audit import WIDTH, document
from sfumato.presentation.wording import audit as of_audit
from sfumato.presentation.wording import guarantee as of_guarantee

RUNS = 2000
CONFIDENCE = 0.999
_FEWEST = 100  # runs a side
_MORE_AND_MORE = [digit * 10**zeros for zeros in range(3, 7) for digit in (1, 2, 5)]  # runs a side
_EPSILONS = (0.01, 100.0)  # below it nothing shows in a day of runs


@dataclass(frozen=True, repr=False)
class Audit(model.MechanismAudit):
    """Prints itself: there is nothing confidential in it."""

    def show(self) -> None:
        print(self)

    def __repr__(self) -> str:
        return document(self).text(width=WIDTH)

    def _repr_html_(self) -> str:
        return document(self).html()


def audit_mechanism(
    mechanism: str,
    aggregate: str,
    epsilon: float,
    *,
    delta: float | None = None,
    relation: str = "add-remove",
    runs: int = RUNS,
    confidence: float = CONFIDENCE,
) -> Audit:
    """Whether a black-box audit contradicts this epsilon, on synthetic neighbouring tables that differ the most.

    `runs` is the number of releases from each of the two tables. The lower bound exceeds the real epsilon with
    probability at most `1 - confidence`.
    """
    return Auditing(audit_setup(mechanism, aggregate, epsilon, delta, relation), runs, confidence).result()


class Auditing:
    """An audit that is going on: it knows how far it is."""

    def __init__(self, setup: Setup, runs: int = RUNS, confidence: float = CONFIDENCE) -> None:
        self._setup, self._mechanism = setup, MECHANISMS[setup.mechanism]
        self._runs, self._confidence = _require_runs(runs), _require_confidence(confidence)
        self._pairs = self._mechanism.neighbours[setup.aggregate](setup)
        self._played = 0

    def progress(self) -> float:
        """The share of the runs that are done; asked from another thread."""
        return self._played / (2 * self._runs * len(self._pairs))

    def result(self) -> Audit:
        """Play the game on each pair; the rate of false alarms is shared among them."""
        setup = self._setup
        return Audit(
            setup.mechanism,
            setup.aggregate,
            setup.relation.value,
            setup.epsilon,
            setup.delta or 0.0,
            self._confidence,
            self._runs,
            self._mechanism.broken,
            tuple(self._finding(pair, (1 - self._confidence) / len(self._pairs)) for pair in self._pairs),
        )

    def _finding(self, pair: NeighbourPair, rate: float) -> AuditFinding:
        with catch_warnings():
            simplefilter("ignore", UnrecordedLookWarning)  # the people are synthetic
            played = list(self._count_rounds(rounds(pair, self._setup, self._mechanism, 2 * self._runs)))
        claim, delta = self._setup.epsilon, self._setup.delta
        if delta is None:
            guessed = audit(played, claim, rate, pair.broken, pair.guesser)
            counted = of_guarantee.guessed(guessed.right, guessed.guesses)
            return AuditFinding(
                pair.sql, pair.words, guessed.lower_bound, guessed.power, self._enough(pair, rate), counted
            )
        seen = [(r.present, sum(w * x for w, x in zip(pair.weights, r.numbers, strict=True))) for r in played]
        event = audit_delta(seen, claim, delta, pair.broken, rate)
        counted = of_audit.came_up(event.more, event.fewer)
        return AuditFinding(pair.sql, pair.words, event.least_epsilon, event.power, self._enough(pair, rate), counted)

    def _enough(self, pair: NeighbourPair, rate: float) -> int | None:
        """How many runs a side catch a broken mechanism with a probability of 90%; None if that takes too many."""
        claim, delta = self._setup.epsilon, self._setup.delta

        def caught(runs: int) -> float:
            unseen = 2 * runs - 2 * runs // 4
            if delta is None:
                return max(power(claim, event, unseen, rate) for event in pair.broken)
            return delta_power(claim, delta, pair.broken, unseen // 2, rate)

        return next((runs for runs in _MORE_AND_MORE if caught(runs) >= 0.9), None)

    def _count_rounds(self, played: Iterable[Round]) -> Iterable[Round]:
        for each in played:
            self._played += 1
            yield each


def audit_setup(
    mechanism: str, aggregate: str, epsilon: float, delta: float | None = None, relation: str = "add-remove"
) -> Setup:
    """What is audited, if there is such a mechanism and it takes these values."""
    if mechanism not in MECHANISMS:
        raise PreferenceError.because("audit-mechanism-unknown", mechanism=mechanism, known=list(MECHANISMS))
    known = MECHANISMS[mechanism]
    if aggregate not in known.neighbours:
        others = [name for name, other in MECHANISMS.items() if aggregate in other.neighbours]
        names = list(known.neighbours)
        raise PreferenceError.because(
            "audit-aggregate-unknown", mechanism=mechanism, aggregate=aggregate, known=names, others=others
        )
    if relation not in set(Relation):
        raise PreferenceError.because("audit-relation-unknown", relation=relation, known=list(Relation))
    claimed = _finite("epsilon", epsilon)
    low, high = _EPSILONS
    if not low <= claimed <= high:
        raise PreferenceError.because("audit-epsilon-out-of-range", low=low, high=high, stated=str(epsilon))
    if known.takes_delta and delta is None:
        raise PreferenceError.because("audit-needs-delta", mechanism=mechanism)
    if delta is not None and not known.takes_delta:
        raise PreferenceError.because("audit-without-delta", mechanism=mechanism)
    allowed = None if delta is None else _finite("delta", delta)
    if allowed is not None and not 0 < allowed < 1:
        raise PreferenceError.because("audit-delta-out-of-range", stated=str(delta))
    return Setup(mechanism, aggregate, claimed, allowed, Relation(relation))


def _require_runs(runs: int) -> int:
    if runs < _FEWEST:
        raise PreferenceError.because("audit-runs", fewest=_FEWEST, runs=runs, usual=RUNS)
    return runs


def _require_confidence(confidence: float) -> float:
    value = _finite("confidence", confidence)
    if not 0 < value < 1:
        raise PreferenceError.because("audit-confidence", stated=str(confidence))
    return value


def _finite(what: str, value: object) -> float:
    if not isinstance(value, int | float) or not math.isfinite(value):
        raise PreferenceError.because("number-not-finite", what=what, stated=repr(value))
    return float(value)
