"""`sf.histogram`: a noisy histogram of a column, with its picture, as one released answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Unpack

from sfumato.api.dataset import Dataset, Query
from sfumato.api.figure import Picture
from sfumato.api.release import Certificate, Release
from sfumato.errors import PreferenceError
from sfumato.presentation import histogram_view as view
from sfumato.presentation.document import Document
from sfumato.privacy.preferences.preference import Preference
from sfumato.release.keywords import SearchKeywords
from sfumato.sql.parser.histogram_query import HistogramQuery, histogram_query


@dataclass(frozen=True, repr=False)
class ColumnHistogram:
    """A histogram that was released: `.release` has its counts and its certificate, `.sql` the query that a request
    takes too.
    """

    query: HistogramQuery
    release: Release
    unit: str = ""

    @property
    def sql(self) -> str:
        return self.certificate.query

    @property
    def edges(self) -> tuple[float, ...]:
        """Where the bins begin, and where the last one ends."""
        return self.query.edges

    @property
    def certificate(self) -> Certificate:
        return self.release.certificate

    def plot(self) -> tuple[Picture, ...]:
        """A picture for each group; without groups one."""
        figures = view.figures(self.query, self.release.answer, self.certificate, self.unit)
        return tuple(Picture(figure, of_the_people=False) for figure in figures)

    def document(self, place: str = "see .certificate") -> Document:
        figures = view.figures(self.query, self.release.answer, self.certificate, self.unit)
        return view.document(figures, self.release.answer, self.certificate, place)

    def show(self) -> None:
        print(self)

    def __repr__(self) -> str:
        return self.document().text()

    def _repr_html_(self) -> str:
        return self.document().html()


def histogram(
    dataset: Dataset,
    column: str,
    *preferences: Preference,
    epsilon: float | None = None,
    bins: int = 20,
    by: str | Sequence[str] = (),
    where: str | None = None,
    allow_no_guarantee: bool = False,
    redraw: bool = False,
    preregistered: str = "",
    **how: Unpack[SearchKeywords],
) -> ColumnHistogram:
    """Release a histogram of a numeric column, in about so many bins between its bounds; charged like any answer.

    `by` groups it, `where` is a condition on the rows. Without a preference or an epsilon the preregistered rule
    applies.
    """
    if preferences and epsilon is not None:
        raise PreferenceError("A histogram needs preferences or an epsilon, not both", hint="leave one of them out.")
    own = write_query(dataset, column, bins, by, where)
    return release_histogram(
        dataset.query(own.text), own, preferences, epsilon, how, (allow_no_guarantee, redraw, preregistered)
    )


def write_query(
    dataset: Dataset, column: str, bins: int = 20, by: str | Sequence[str] = (), where: str | None = None
) -> HistogramQuery:
    """The query of a histogram: it reads no data."""
    groups = (by,) if isinstance(by, str) else tuple(by)
    return histogram_query(dataset._context.schema, column, bins, groups, where)


def release_histogram(
    query: Query,
    own: HistogramQuery,
    preferences: Sequence[Preference],
    epsilon: float | None,
    how: SearchKeywords,
    terms: tuple[bool, bool, str],
) -> ColumnHistogram:
    from sfumato.privacy.preferences.preference import epsilon as stated_epsilon
    from sfumato.release.keywords import ReleaseTerms
    from sfumato.release.pipeline import release
    from sfumato.release.request import request_of

    wanted = (stated_epsilon(epsilon),) if epsilon is not None else tuple(preferences)
    released = release(query._bound, request_of(query._bound, wanted, **how), ReleaseTerms(*terms))
    return ColumnHistogram(own, Release.of(released, query._bound), own.unit)
