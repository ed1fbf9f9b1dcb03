"""A choice as its holder sees it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from sfumato.api.display import Display
from sfumato.presentation.html import preformatted
from sfumato.presentation.interface import current_interface
from sfumato.presentation.refusals.options import Options
from sfumato.presentation.wording import choosing as of_choosing
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.release.decide import SolvedRequest


@dataclass(frozen=True, repr=False, kw_only=True)
class Choice(Display, SolvedRequest):
    """Prints itself fully when it is public; otherwise it has to be asked with `.show()`."""

    @property
    def mechanism(self) -> str:
        return self.noise.mechanism

    @property
    def delta(self) -> float | None:
        return self.noise.delta

    def text(self) -> str:
        figure = "no epsilon" if self.epsilon is None else f"epsilon {self.epsilon:.6g}"
        lines = [f"{figure} · {self.method} · guarantee {self.guarantee.value}", self.why]
        if self.unbounded:
            lines.append(of_choosing.state_one(Options(current_interface())["epsilon"]))
        if self.select_epsilon and self.guarantee.holds:
            lines.append(of_choosing.cost_of_selection(self.select_epsilon, self.epsilon))
        if not self.guarantee.holds and self.epsilon is not None:
            lines.append(of_guarantee.NO_GUARANTEE)
        return "\n".join(lines)

    @property
    def withheld(self) -> str | None:
        if not self.confidential:
            return None
        method = self.request.method_text(public=False)
        return f"<Choice by {method}, guarantee {self.guarantee.value}; epsilon is confidential: call .show()>"

    def _html(self) -> str:
        return preformatted(self.text(), of_guarantee.CONTROLLER_ONLY if self.confidential else "")

    def __reduce__(self) -> Any:
        if self.confidential:
            raise TypeError("this Choice is confidential and is not pickled")
        return super().__reduce__()
