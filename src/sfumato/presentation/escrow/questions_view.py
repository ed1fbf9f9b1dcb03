"""Estimates, dry runs and comparisons of methods, with sentences."""

from __future__ import annotations

from dataclasses import dataclass

from sfumato.escrow.questions.risk_facts import CandidateRisk, DryRunFacts, HistogramFacts
from sfumato.model.expected_interval import ExpectedCount, ExpectedInterval
from sfumato.model.guarantee import Guarantee
from sfumato.model.guess_view import GuessView
from sfumato.model.method_comparison import MethodComparison, Need
from sfumato.model.plain import from_plain
from sfumato.model.release import ReleaseCertificate
from sfumato.presentation import certificate as certificate_view
from sfumato.presentation import method_comparison_view as comparison_view
from sfumato.presentation.sharing import LeastNoise, least_noise
from sfumato.presentation.wording import guessing_sentences as of_guessing
from sfumato.presentation.wording import requests_sentences as of_request


@dataclass(frozen=True)
class ExpectedAnswer:
    """The 90% interval of a column of the answer, in words; `count`: if so many rows are counted, null: any number.

    `half` is half of its width; null where it is by rank. `at_most` holds for an average anywhere within its bounds;
    null where its interval is all of them.
    """

    column: str
    count: int | None
    interval: str
    half: float | None
    at_most: float | None


@dataclass(frozen=True)
class EstimatedQuery:
    """One query of a request, from public facts; null: not known yet, or withheld.

    `index` is the width of its noise relative to the others, `guess` the expected answer, and `least` the smallest
    meaningful answer: a true answer of it or more is off by at most 10% of itself, with 90% probability.
    """

    sql: str
    weight: float
    outputs: int | None
    numbers: tuple[str, ...]
    columns: tuple[str, ...]
    mechanism: str
    delta: float | None
    calibration: str
    epsilon: float | None
    feasible: bool
    method: str
    why: str
    guarantee: Guarantee
    select_epsilon: float
    worst_case: CandidateRisk | None
    means: str | None
    expected_count: ExpectedCount | None
    averages: str | None
    odds: str | None
    expected: tuple[ExpectedAnswer, ...] = ()
    index: float | None = None
    guess: float | None = None
    scale: float | None = None
    least: float | None = None
    large_enough: bool | None = None
    meaningful: str | None = None


@dataclass(frozen=True)
class RequestCost:
    """Cost and guarantee of a request; `spent` and `left` are those of the dataset."""

    queries: tuple[EstimatedQuery, ...]
    epsilon: float | None
    delta: float | None
    guarantee: Guarantee
    spent: float | None
    dataset_guarantee: Guarantee
    budget: str | None
    left: float | None
    sentences: tuple[str, ...]


@dataclass(frozen=True)
class WordedEstimate(RequestCost):
    """`barred`: why the policy would not allow the release, if it would not."""

    barred: str | None


@dataclass(frozen=True)
class WordedDryRun(DryRunFacts):
    sentence: str


@dataclass(frozen=True, kw_only=True)
class WordedGuesses(GuessView):
    """With each candidate in a sentence, and the least noise that meets the limit."""

    sentences: tuple[str, ...]
    least: LeastNoise | None


@dataclass(frozen=True)
class WordedCertificate(ReleaseCertificate):
    """With sentences in place of codes."""

    assumed: tuple[str, ...]


@dataclass(frozen=True, repr=False)
class WordedHistogram(HistogramFacts):
    certificate: WordedCertificate | None


@dataclass(frozen=True)
class ComparedMethod:
    """One method; an infinite end is null. If both ends are null, the epsilons are not known."""

    method: str
    stated: bool
    low: float | None
    high: float | None
    epsilon: float | None
    why: str
    guarantee: Guarantee | None
    needs: Need
    select_epsilon: float
    confidential: bool
    noise_90: tuple[float | None, ...] | None
    attack_chance: float | None
    answers: tuple[ExpectedInterval, ...]


@dataclass(frozen=True)
class ComparedTogether:
    """The epsilon that meets all stated preferences, or the two preferences that conflict."""

    low: float | None
    high: float | None
    epsilon: float | None
    feasible: bool
    unbounded: bool
    why: str
    guarantee: Guarantee
    conflict: tuple[str, ...]
    unknown: tuple[str, ...]
    confidential: bool
    noise_90: tuple[float | None, ...] | None
    attack_chance: float | None
    answers: tuple[ExpectedInterval, ...]


@dataclass(frozen=True)
class WordedComparison:
    """Every method side by side, from public facts. No data was read."""

    query: str
    mechanism: str
    delta: float | None
    looked: bool
    methods: tuple[ComparedMethod, ...]
    together: ComparedTogether | None
    expected_count: ExpectedCount | None


def dry_run(facts: DryRunFacts) -> WordedDryRun:
    return WordedDryRun(**vars(facts), sentence=of_request.invented(facts.people))


def guesses(view: GuessView) -> WordedGuesses:
    sentences = tuple(of_guessing.guess_at(row, view.blind, view.count) for row in view.candidates)
    return WordedGuesses(**vars(view), sentences=sentences, least=least_noise(view))


def histogram(facts: HistogramFacts) -> WordedHistogram:
    certificate = facts.certificate and WordedCertificate(**vars(certificate_view.worded(facts.certificate)))
    return WordedHistogram(**vars(facts) | {"certificate": certificate})


def comparison(methods: MethodComparison) -> WordedComparison:
    return from_plain(WordedComparison, comparison_view.worded(methods).as_dict())
