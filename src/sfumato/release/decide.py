"""From preferences to a choice: what the record says about them, and the epsilon they lead to."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from sfumato.errors import PreferenceError
from sfumato.ledger.entry import Draft, Event
from sfumato.ledger.history import Plan, Record
from sfumato.model.calibration import NoiseLaw
from sfumato.model.choice import EpsilonChoice, Noise
from sfumato.model.guarantee import (
    DecidedBy,
    Fixed,
    Guarantee,
    Provenance,
    guarantee_of,
    people_provenance,
    selection_provenance,
)
from sfumato.model.measurement import Measurement
from sfumato.model.release import WITHHELD
from sfumato.model.schema import AT_LEAST, PER_PERSON
from sfumato.model.statement import Statement
from sfumato.privacy.preferences.preference import Preference
from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
from sfumato.privacy.preferences.private_selection import SMALLEST, Selected
from sfumato.privacy.preferences.registry import from_rule
from sfumato.privacy.preferences.solver import People, Solution, solve
from sfumato.privacy.risk.rdr import PAPER_CANDIDATES
from sfumato.release.ledger import PrivacyLedger, digest

EPSILON_MAX = 10.0


@dataclass(frozen=True)
class ReleaseRequest:
    """A request in canonical form: equal requests have equal keys, so that asking again is recognised."""

    statement: Statement
    preferences: tuple[Preference, ...]
    noise: Noise
    candidates: tuple[float, ...] | None
    epsilon_max: float
    bounds_from_data: bool
    version: str
    question: str  # the noisy numbers that the statement asks for
    opening: str = ""  # of the dataset, where a preference holds a function; known to this process only

    @property
    def reads_people(self) -> bool:
        return self.bounds_from_data or any(p.reads_people for p in self.preferences)

    @property
    def selecting(self) -> tuple[Preference, ...]:
        """The preferences that a private selection is run for; one that is stated twice is met once."""
        return tuple(dict.fromkeys(p for p in self.preferences if p.selects))

    @property
    def as_published(self) -> tuple[Preference, ...]:
        """Those that are drawn as the papers have it, without a guarantee."""
        return tuple(dict.fromkeys(p for p in self.preferences if p.draws and not p.selects))

    @property
    def draws(self) -> bool:
        """Whether what comes out is drawn, so that only the record tells it."""
        return any(p.draws for p in self.preferences)

    @property
    def select_epsilon(self) -> float:
        """What the private selections cost, in all."""
        return float(sum(Fraction(str(p.select_epsilon)) for p in self.selecting))

    @property
    def outright(self) -> bool:
        """Whether it is an epsilon that was stated, and nothing that leads to one."""
        return all(p.outright for p in self.preferences)

    @property
    def smallest(self) -> float:
        """The smallest epsilon that a private selection may come to."""
        return SMALLEST if self.candidates is None else self.candidates[0]

    @cached_property
    def key(self) -> str:
        """One for the same noisy numbers in other words. What is drawn as published is kept in the statement's order,
        so that it is of these words alone.
        """
        return self.wording if self.as_published else digest(["question", self.question, *self._how])

    @cached_property
    def wording(self) -> str:
        """The request in these very words."""
        return digest([self.statement.text, *self._how])

    @property
    def _how(self) -> list[object]:
        """Public facts only; what reads the people is bound to the data that was read."""
        version = self.version if self.reads_people else ""
        parts = [[repr(p) for p in self.preferences], repr(self.noise), self.candidates, self.epsilon_max]
        return [*parts, self.bounds_from_data, version, self.opening]

    def applies(self, rule: Rule) -> bool:
        """Whether this is the rule unchanged: its preferences and its noise, and no other option."""
        plain = self.candidates is None and self.epsilon_max == rule.epsilon_max
        return plain and self.preferences == rule.preferences and self.noise == rule.noise

    @property
    def method(self) -> str:
        return self.method_text(public=True)

    def method_text(self, *, public: bool) -> str:
        """How epsilon was chosen. What leads to it without the people would tell it, where it is not to be told."""
        parts = [p.words if public or p.reads_people else WITHHELD for p in self.preferences]
        return "; ".join(dict.fromkeys([*parts, *(["bounds from the data"] if self.bounds_from_data else [])]))


@dataclass(frozen=True, repr=False, kw_only=True)
class SolvedRequest(EpsilonChoice):
    """A choice with the request that led to it."""

    request: ReleaseRequest


@dataclass(frozen=True)
class Rule:
    """What was fixed before anyone looked: preferences, and how the noise of a statement is drawn."""

    preferences: tuple[Preference, ...]
    noise: Noise
    epsilon_max: float = EPSILON_MAX


def rule_of(table: Mapping[str, object] | None, origin: str, *, private_keys: bool, selects: bool = False) -> Rule:
    """The `[rule]` of a schema, for statements with private group keys or without.

    Private keys and values that are selected by their rank carry neither Gaussian nor truncated noise: there it is
    Laplace noise.
    """
    if table is None:
        return Rule((), Noise())
    preferences = from_rule({k: v for k, v in table.items() if k not in ("mechanism", "delta")}, origin)
    mechanism, delta = str(table.get("mechanism", "laplace")), table.get("delta")
    if delta is not None and (isinstance(delta, bool) or not isinstance(delta, int | float)):
        raise PreferenceError.because("rule-delta-not-a-number", where=f"[rule] in {origin}")
    try:
        checked_noise(mechanism, delta, "analytic", private_keys=True)
        if mechanism != NoiseLaw.LAPLACE and (private_keys or selects):
            mechanism = "laplace"
        if mechanism == NoiseLaw.LAPLACE and not private_keys:
            delta = None  # it is there for other statements
        return Rule(preferences, checked_noise(mechanism, delta, "analytic", private_keys=private_keys))
    except PreferenceError as wrong:
        raise PreferenceError.in_file(wrong, f"[rule] in {origin}") from None


@dataclass(frozen=True)
class CurrentRule:
    """The rule and the schema as they stand now, and the fingerprints under which they are in the record."""

    rule: Rule
    rule_hash: str
    schema: Mapping[str, str]
    who: str  # asks, or decides


def provenances(
    request: ReleaseRequest, record: Record, standing: CurrentRule, preregistered: str, of_rule: str = ""
) -> tuple[Provenance, ...]:
    """The labels of everything that goes into a release, from the record; `of_rule` is attested for the rule alone."""
    if any(p.reads_people for p in request.preferences):
        chosen = people_provenance("preference")
    else:
        is_rule = request.applies(standing.rule)
        by_actor = preregistered or (of_rule if is_rule else "")
        how = {"rule": standing.rule_hash, "preregistered": by_actor, "who": standing.who}
        chosen = record.preference(plan_of(request), is_rule=is_rule, **how)
    drawn = [selection_provenance("epsilon")] if request.selecting else []
    if request.bounds_from_data:
        return chosen, *drawn, people_provenance("bounds")
    secrets = tuple(p.secret_column for p in request.preferences if p.secret_column is not None)
    read = (*dict.fromkeys((*request.statement.columns, *secrets)), *([AT_LEAST] if request.selecting else []))
    read += (PER_PERSON,) if PER_PERSON in standing.schema else ()
    return chosen, *drawn, record.schema(read, standing.schema, preregistered=preregistered, who=standing.who)


def solve_request(
    request: ReleaseRequest,
    people: People,
    measurement: Measurement | None,
    selected: Mapping[Preference, Selected] | None = None,
    *,
    bounded: bool = False,
) -> Solution:
    """The epsilon that the preferences lead to; where every epsilon will do, `epsilon_max` if a policy set it."""
    return solve(
        request.preferences,
        people,
        request.noise,
        measurement=measurement,
        candidates=request.candidates,
        epsilon_max=request.epsilon_max,
        selected=selected,
        bounded=bounded,
    )


def plan_of(request: ReleaseRequest) -> Plan:
    """How a record knows the plan of a request: by its noisy numbers."""
    return Plan(request.key, request.question)


def new_plan(
    ledger: PrivacyLedger, request: ReleaseRequest, record: Record, inputs: Sequence[Provenance]
) -> Sequence[Draft]:
    """The plan of a request, unless it is in force: for the transaction that charges for it."""
    return [] if record.in_force(plan_of(request)) else [plan_entry(ledger, request, guarantee_of(inputs), {})]


def plan_entry(
    ledger: PrivacyLedger, request: ReleaseRequest, guarantee: Guarantee, drawn: Mapping[str, object]
) -> Draft:
    """`drawn`: what was drawn for it already."""
    what = f"{request.method_text(public=guarantee.holds)} for {request.statement.text}"
    public: dict[str, object] = {"what": what, "guarantee": guarantee.value}
    hidden: dict[str, object] = {} if guarantee.holds else {"method": request.method}
    public |= {"query_sha256": request.statement.sha256, "question": request.question}
    return ledger.draft(Event.PLANNED, request.key, public, {**hidden, **drawn})


def decided_by(inputs: Sequence[Provenance], is_rule: bool) -> DecidedBy:
    """A rule that a person had to approve is no policy that decides by itself."""
    is_rule = is_rule and all(i.what != "approval" for i in inputs)
    if any(i.fixed not in (Fixed.PLANNED, Fixed.SEPARATED) for i in inputs):
        return DecidedBy.LOOKED
    return DecidedBy.RULE if is_rule else DecidedBy.BLIND


def candidates_of(candidates: object) -> tuple[float, ...] | None:
    """Candidate epsilons by name ("paper": the 37 of the RDR paper) or as numbers."""
    if candidates is None:
        return None
    if candidates == "paper":
        return PAPER_CANDIDATES
    epsilons = candidates if isinstance(candidates, Sequence) else ()
    if not epsilons or not all(isinstance(e, int | float) and e > 0 for e in epsilons):
        raise PreferenceError.because("candidates-unreadable")
    return tuple(sorted(stated_epsilon(e).value for e in epsilons))


def checked_noise(mechanism: str, delta: float | None, calibration: str, *, private_keys: bool = False) -> Noise:
    """How the noise is to be drawn. Laplace noise has no delta, but the threshold that finds private groups does."""
    if mechanism not in ("laplace", "gaussian", "truncated"):
        raise PreferenceError.because("mechanism-unknown", mechanism=str(mechanism))
    if calibration not in ("analytic", "classic"):
        raise PreferenceError.because("calibration-unknown", calibration=str(calibration))
    delta = None if delta is None else checked_delta(delta)
    if mechanism == NoiseLaw.LAPLACE:
        if delta is not None and not private_keys:
            raise PreferenceError.because("laplace-has-no-delta")
        return Noise(delta=delta)
    if delta is None:
        raise PreferenceError.because("noise-needs-delta", mechanism=mechanism)
    if mechanism != NoiseLaw.TRUNCATED:
        return Noise(mechanism, delta, calibration)
    if delta >= 0.5:  # noise would reach no further than one person moves a number, and say nothing
        raise PreferenceError.because("truncated-delta-too-large", delta=delta)
    return Noise(mechanism, delta)


def checked_delta(number: object) -> float:
    """A number of any kind as a float, which is what is charged, drawn for and kept."""
    try:
        delta = float(number)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        delta = math.nan
    if not 0 < delta < 1:
        raise PreferenceError.because("delta-out-of-range", delta=str(number))
    return delta
