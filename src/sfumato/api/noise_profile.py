"""The noise of a query before it is drawn, as its holder sees it. No data is read."""

from __future__ import annotations

from typing import Any

from sfumato.api.display import Printed
from sfumato.api.figure import Picture
from sfumato.errors import PreferenceError
from sfumato.model.noise_view import ColumnNoise
from sfumato.presentation import noise_view
from sfumato.presentation.document import Document
from sfumato.release.risk.noise_plan import NoisePlan


class NoiseProfile(Printed, NoisePlan):
    """Made by `Query.noise`: public, free, and no look. `columns` has each figure of the answer at each epsilon."""

    @property
    def columns(self) -> tuple[ColumnNoise, ...]:
        return self.view.columns

    def plot(self, kind: str = "noise") -> Picture:
        """`noise`: by probability; `least`: the smallest meaningful answer by epsilon; `least-by-error`: by error."""
        if kind not in noise_view.KINDS:
            raise PreferenceError(f"There is no plot {kind!r}", hint=f"use one of {', '.join(noise_view.KINDS)}.")
        figure = noise_view.figure(self, kind)
        if figure is None:
            raise PreferenceError("There is no noise to draw", hint="add expected or within for an average.")
        return Picture(figure, of_the_people=False)

    def as_dict(self) -> dict[str, Any]:
        return dict(self.view.as_dict())

    def _document(self) -> Document:
        return noise_view.document(self.view)
