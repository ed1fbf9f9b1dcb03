"""Hints for pages, where a form has another place for something than an option, or none."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.presentation.interface import Interface
from sfumato.presentation.refusals.wording import Text

OnPages = Mapping[Interface, Text]

COUNT_PEOPLE: OnPages = {Interface.WEB: "say below how many people are in the smallest group, at least."}
STATE_DELTA: OnPages = {
    Interface.WEB: "choose below how the noise is sized, and state a delta there; the rule has none."
}
DELTA_APART: OnPages = {
    Interface.WEB: "a delta goes with groups that are not public: ask the other questions by themselves."
}
NO_REHEARSAL: OnPages = {Interface.WEB: "there is no dry run of it; the estimate needs none."}
OTHER_NOISE: OnPages = {Interface.WEB: "ask for something else, or choose another way to size the noise."}
