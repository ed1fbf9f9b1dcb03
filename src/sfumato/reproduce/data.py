"""The data that the papers study: UCI Adult where its file is given, otherwise the embedded population."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from sfumato import demo
from sfumato.api.dataset import Dataset
from sfumato.composition import local
from sfumato.errors import SourceError

if TYPE_CHECKING:
    import pyarrow as pa

ROWS = 32_561  # of the file that the authors' code reads
RDR_QUERIES = {  # RDR 6.2
    "Q1": "SELECT COUNT(*) FROM adult WHERE income=='>50K' AND education_num==13 AND age==25",
    "Q2": "SELECT marital_status, COUNT(*) FROM adult WHERE race=='Asian-Pac-Islander' AND 30<=age<=40"
    " GROUP BY marital_status",
    "Q3": "SELECT COUNT(*) FROM adult WHERE native_country!='United-States' AND sex=='Female'",
    "Q4": "SELECT AVG(hours_per_week) FROM adult WHERE workclass in ('Federal-gov', 'Local-gov', 'State-gov')",
    "Q5": "SELECT SUM(capital_gain) FROM adult",
}
PRI_QUERIES = RDR_QUERIES | {  # PRI 6.3.1: its Q5 is another
    "Q5": "SELECT SUM(fnlwgt) FROM adult WHERE capital_gain>0 AND income=='<=50K' AND occupation=='Sales'"
}


@dataclass(frozen=True)
class Study:
    """Which data a reproduction is of, and how often what is drawn is drawn."""

    adult: Path | None = None
    runs: int = 50

    @property
    def is_the_papers(self) -> bool:
        return self.adult is not None

    @property
    def on(self) -> str:
        if self.adult is not None:
            return f"UCI Adult ({self.adult.name})"
        return "the embedded population, which is not the papers' data: give Adult with --adult FILE"

    @property
    def file(self) -> Path:
        """UCI Adult, if it is there."""
        if self.adult is None or not self.adult.is_file():
            raise SourceError(f"There is no file {self.adult}", hint="name the CSV file of UCI Adult with --adult.")
        return self.adult

    def open_replicated(self, rows: int) -> Dataset:
        """The data in so many rows: Adult repeated, with another weight in each copy; or the embedded population."""
        if self.adult is None:
            return self.open(rows=rows)
        version = f"reproduction, {rows} rows"
        source = self._replicated(rows)
        return local.open(source, demo.schema(), ledger=":memory:", bounds_from_data=True, version=version)

    def write_replicated(self, rows: int, folder: Path) -> Path:
        """The same as a Parquet file."""
        from pyarrow import parquet

        file = folder / "adult.parquet"
        if self.adult is None:
            demo.write(folder, rows)
        else:
            parquet.write_table(self._replicated(rows), file)
        return file

    def _replicated(self, rows: int) -> pa.Table:
        import pyarrow as pa
        from pyarrow import compute, csv

        read = csv.read_csv(self.file)
        places = pa.array(range(rows))
        copies = compute.cast(compute.divide(places, read.num_rows), read.schema.field("fnlwgt").type)
        repeated = read.take(compute.subtract(places, compute.multiply(copies, read.num_rows)))
        weights = compute.add(repeated.column("fnlwgt"), copies)
        return repeated.set_column(repeated.schema.get_field_index("fnlwgt"), "fnlwgt", weights)

    def open(self, *, bounds_from_data: bool = True, rows: int | None = None) -> Dataset:
        """The data, opened as the authors do; with `rows`, the embedded population of that size."""
        if self.adult is None or rows is not None:
            source: object = demo.population(rows or demo.ROWS)
        else:
            source = str(self.file)
        return local.open(
            source, demo.schema(), ledger=":memory:", bounds_from_data=bounds_from_data, version="reproduction"
        )
