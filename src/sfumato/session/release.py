"""A release as its holder sees it: the noisy answer, and the certificate that goes with it."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.errors import BadInput
from sfumato.model import release as model
from sfumato.model.release import Answer, Interval, Row
from sfumato.views import release as view

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa


@dataclass(frozen=True, repr=False)
class Certificate(model.Certificate):
    def __repr__(self) -> str:
        return view.certificate_text(self)

    def _repr_html_(self) -> str:
        return view.certificate_html(self)


@dataclass(frozen=True, repr=False)
class Release:
    """What may leave. `rows` are the answer, `ranges` its noise ranges, `numbers` the noisy numbers behind it."""

    answer: Answer
    certificate: Certificate

    @property
    def columns(self) -> tuple[str, ...]:
        return self.answer.columns

    @property
    def rows(self) -> tuple[Row, ...]:
        return self.answer.rows

    @property
    def ranges(self) -> tuple[tuple[Interval | None, ...], ...] | None:
        return self.answer.ranges

    @property
    def numbers(self) -> tuple[tuple[float, ...], ...]:
        return self.answer.numbers

    def to_arrow(self) -> pa.Table:
        import pyarrow as pa

        return pa.table({name: [row[i] for row in self.rows] for i, name in enumerate(self.columns)})

    def to_pandas(self) -> pd.DataFrame:
        try:
            import pandas  # noqa: F401
        except ImportError:
            raise BadInput("pandas is not installed", hint="pip install 'sfumato[notebook]'.") from None
        return self.to_arrow().to_pandas()

    def to_csv(self, path: str | Path) -> None:
        with Path(path).open("w", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows([self.columns, *self.rows])

    def as_dict(self) -> dict[str, Any]:
        return self.answer.as_dict() | {"certificate": self.certificate.as_dict()}

    def to_json(self) -> str:
        return json.dumps(self.as_dict(), indent=2)

    def show(self) -> None:
        print(self)

    def __repr__(self) -> str:
        return view.answer_text(self.answer, self.certificate)

    def _repr_html_(self) -> str:
        return view.answer_html(self.answer, self.certificate)
