"""A release as its holder sees it: the noisy answer, and the certificate that goes with it."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Unpack

from sfumato.api.columns import answer_columns, arrow
from sfumato.api.whole_file import write_text_whole, write_whole
from sfumato.errors import BadInput
from sfumato.model import release as model
from sfumato.model.release import Answer, Interval
from sfumato.presentation import certificate as page
from sfumato.presentation import release_view as view
from sfumato.presentation.spreadsheet import write_csv
from sfumato.release.bound_query import BoundQuery

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from sfumato.api.posthoc import PosthocRisk
    from sfumato.api.signal import Signalled, SignalOptions
    from sfumato.signals.tasks.task import Task


@dataclass(frozen=True, repr=False)
class Certificate(model.ReleaseCertificate):
    """What goes with a release: printed, as JSON, or as a page that stands alone. The answer is not on it."""

    assumed: tuple[str, ...]

    @classmethod
    def of(cls, certificate: model.ReleaseCertificate) -> Certificate:
        return cls(**vars(page.worded(certificate)))

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), indent=2)

    def to_html(self) -> str:
        return page.certificate_page(self)

    def write(self, path: str | Path) -> None:
        """As a page (.html), as JSON (.json) or as text, by the name's ending; the whole file or none."""
        forms: dict[str, Callable[[], str]] = {".html": self.to_html, ".json": self.to_json}
        write_text_whole(Path(path), f"{forms.get(Path(path).suffix, self.__repr__)().rstrip()}\n")

    def show(self) -> None:
        print(self)

    def __repr__(self) -> str:
        return page.certificate_text(self)

    def _repr_html_(self) -> str:
        return page.document(self).html()


@dataclass(frozen=True, repr=False)
class Release(model.Released):
    """What may leave. `rows` are the answer, `intervals` its noise intervals, `numbers` the noisy numbers behind it."""

    answer: Answer
    certificate: Certificate
    _query: BoundQuery | None = field(default=None, repr=False, compare=False)  # stays in this process

    @classmethod
    def of(cls, released: model.Released, query: BoundQuery | None = None) -> Release:
        return cls(released.answer, Certificate.of(released.certificate), released.repeated, query)

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.answer, self.certificate, self.repeated)

    @property
    def columns(self) -> tuple[str, ...]:
        return self.answer.columns

    @property
    def intervals(self) -> tuple[tuple[Interval | None, ...], ...] | None:
        return self.answer.intervals

    def to_arrow(self, *, intervals: bool = False) -> pa.Table:
        """Typed by the statement, also without any row. `intervals` adds NAME_low and NAME_high to each figure."""
        import pyarrow as pa

        table_columns = answer_columns(self.answer, intervals=intervals)
        return pa.table([arrow(column) for column in table_columns], names=[column.name for column in table_columns])

    def to_pandas(self, *, intervals: bool = False) -> pd.DataFrame:
        try:
            import pandas  # noqa: F401
        except ImportError:
            raise BadInput("pandas is not installed", hint="pip install 'sfumato[notebook]'.") from None
        return self.to_arrow(intervals=intervals).to_pandas()

    def to_csv(self, path: str | Path, *, intervals: bool = False) -> None:
        """For spreadsheets: a text that begins like a formula has an apostrophe before it."""
        table_columns = answer_columns(self.answer, intervals=intervals)

        def write(part: Path) -> None:
            with part.open("w", newline="", encoding="utf-8") as file:
                rows = zip(*(column.values for column in table_columns), strict=True)
                write_csv(file, [column.name for column in table_columns], rows)

        write_whole(Path(path), write, private=False)

    def write(self, path: str | Path, *, intervals: bool = False) -> None:
        """As CSV, Parquet or JSON, by the name's ending; the whole file or none. JSON has the intervals anyway."""
        match Path(path).suffix:
            case ".json":
                write_text_whole(Path(path), f"{self.to_json()}\n")
            case ".parquet":
                import pyarrow.parquet as pq

                table = self.to_arrow(intervals=intervals)
                write_whole(Path(path), lambda part: pq.write_table(table, part), private=False)
            case _:
                self.to_csv(path, intervals=intervals)

    def posthoc_risk(self, between: str | None = None) -> PosthocRisk:
        """What this very answer says about each person: the controller's to see, and a look.

        With `between="age > 60"` the median PRIs of two groups are compared.
        """
        if self._query is None:
            hint = "call query.posthoc_risk(release) on its query."
            raise BadInput("This release was loaded without the data it came from", hint=hint)
        from sfumato.api.posthoc import PosthocRisk

        return PosthocRisk(self._query, self, between)

    def signal(self, task: Task | Mapping[str, Any], kind: str = "free", **how: Unpack[SignalOptions]) -> Signalled:
        """What the noise did to a task: by default from this answer alone, and free.

        `kind` is "free" (of so many `draws`), "noisy_difference" (`by_range`: noise as wide as the whole range) or
        "sample_and_aggregate" (of so many `blocks`), both dp and charged `epsilon`; or "as_published": both scores,
        without a guarantee.
        """
        if self._query is None:
            hint = "call query.signal(release, task) on its query."
            raise BadInput("This release was loaded without the query it came from", hint=hint)
        from sfumato.api.signal import make_printable_signal

        return make_printable_signal(self._query, self, task, kind, **how)

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), indent=2)

    def show(self) -> None:
        print(self)

    def __repr__(self) -> str:
        return view.document(self.answer, self.certificate).text()

    def _repr_html_(self) -> str:
        return view.document(self.answer, self.certificate).html()
