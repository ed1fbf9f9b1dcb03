"""Question -> how many people stand in which public bin of exposure: what an exposure histogram adds noise to.

Which bin someone is in must be a function of their own rows: exposures are whole units, of which the width of a bin
has FINE.
"""

from __future__ import annotations

from sqlglot import exp

from sfumato.sql.builder.ast import column, ours, select_from
from sfumato.sql.builder.term import Term, call, col, row_count
from sfumato.sql.builder.values import as_whole
from sfumato.sql.plans.contributions import CARRIED, contributions
from sfumato.sql.plans.exposure_summary import Rows, whole
from sfumato.sql.plans.rows import L2, PlanInput

FINE = 2**32  # 200 bins squared have 2**48 units: few enough for a float to hold each
_BIN = ours("bin")


def people_by_bin(question: PlanInput, bins: int) -> exp.Select:
    """Bins and the people in them: bin i holds the exposures above (i - 1) / bins, up to i / bins; bin 0 those at 0."""
    squared = question.norm == L2
    each = contributions(question, (bins**2 if squared else bins) * FINE)
    widths = col(CARRIED).double / FINE
    place = call("LEAST", call("CEIL", widths.root if squared else widths), bins)
    placed = select_from([Term(lambda: as_whole(place.tree, "INTEGER")).named(_BIN)], each)
    return select_from([column(_BIN), row_count().tree], placed, by=[_BIN])


def read_people_by_bin(records: Rows, people: int, bins: int) -> tuple[int, ...]:
    """How many people are in each bin; people without a row that counts are at 0."""
    counts = {whole(place): whole(count) for place, count in records}
    above = [counts.get(place, 0) for place in range(1, bins + 1)]
    return (people - sum(above), *above)
