"""Relative disclosure risk (RDR 3.3) of everyone at an epsilon: each person's, and how they are spread.

The bound of Lemmas 3.1 and 3.2 follows from a person's figure and from the RDR of someone without any: under Laplace
noise it is their sum, under Gaussian noise the root of the sum of their squares. Epsilon infinity is no noise.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING

from sfumato.model.calibration import NoiseLaw
from sfumato.model.confidential import Confidential
from sfumato.model.facts import EXPOSURE, INFLUENCE, Histogram
from sfumato.privacy.risk.profile import rdr_range, rdr_scale
from sfumato.release.risk.exploration import figures
from sfumato.release.risk.figures import Figures
from sfumato.release.risk.profile import Profile

if TYPE_CHECKING:
    import pyarrow as pa

    from sfumato.release.people.survey import Survey

FEW_PEOPLE = 20  # whose RDRs are shown one by one
FEW_FIGURES = 6  # of an answer, whose possible outputs are shown


@dataclass(frozen=True, repr=False)
class ExactFigure(Confidential):
    """One figure of the answer without noise, with its group."""

    name: str
    value: float


def rdr_of(profile: Profile, figure: float, epsilon: float) -> float:
    """The RDR of someone of this exposure; of this influence, where bounds were read from the data."""
    one = replace(profile.spread, low=Fraction(figure), high=Fraction(figure))
    return rdr_range(epsilon, one, profile.measurement, profile.noise, exact=profile.exact)[0]


def rdr_histogram(profile: Profile, epsilon: float) -> Histogram | None:
    """People by RDR: the bars of their exposures, each edge at its RDR, which grows with the exposure."""
    compared = profile.influence if profile.spread.published else profile.exposure
    if not isinstance(compared, Figures):
        return None
    bars = compared.bars
    edges = [rdr_of(profile, max(0.0, edge), epsilon) for edge in bars.edges]
    if edges[0] == edges[-1]:  # all are alike
        edges[0] -= 0.01 * (edges[-1] or 1.0)
    return Histogram(tuple(edges), bars.people)


def people_with_rdrs(profile: Profile, survey: Survey, epsilons: Sequence[float]) -> pa.Table:
    """One row per person, with the RDR at each epsilon in a column named after it."""
    table = survey.people()
    compared = table[INFLUENCE if profile.spread.published else EXPOSURE]
    for epsilon in epsilons:
        table = table.append_column(f"rdr_{epsilon:g}", _rdrs(profile, compared, epsilon))
    return table


def _rdrs(profile: Profile, compared: pa.ChunkedArray, epsilon: float) -> pa.ChunkedArray:
    import pyarrow as pa
    import pyarrow.compute as pc

    if profile.exact:  # it has no closed form that holds for every noise: once for each figure that occurs
        each = pc.unique(compared)
        exact = pa.array([rdr_of(profile, figure, epsilon) for figure in each.to_pylist()])
        return exact.take(pc.index_in(compared, each))
    own = pc.multiply(compared, rdr_scale(profile.spread, profile.measurement, profile.noise))
    none = rdr_of(profile, 0.0, epsilon)
    if profile.noise.mechanism != NoiseLaw.GAUSSIAN:
        return pc.add(own, none)
    return pc.sqrt(pc.add(pc.multiply(own, own), none * none))


def exact_figures(profile: Profile) -> tuple[ExactFigure, ...]:
    """The figures of the answer without noise, where each is one noisy number and there are few of them."""
    survey, cells = profile.survey, profile.measurement.cells
    if survey is None or profile.spread.published or cells is None or len(cells) > FEW_FIGURES:
        return ()
    return tuple(ExactFigure(name, value) for name, value in figures(profile.measurement, survey.answer))


def ends(profile: Profile, epsilon: float) -> tuple[float, float]:
    """RDRs of the least and of the most exposed."""
    return rdr_range(epsilon, profile.spread, profile.measurement, profile.noise, exact=profile.exact)


def is_of_the_answer(profile: Profile) -> bool:
    """Whether RDRs are on the scale of the answer: all its noisy numbers share one."""
    return profile.spread.published or profile.measurement.one_scale
