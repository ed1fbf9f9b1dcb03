"""What a dataset needs from the outside, handed in by `composition`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sfumato.model.schema import Schema
from sfumato.ports import Accountant, Engine, Mechanisms


@dataclass(frozen=True)
class Services:
    mechanism: Mechanisms
    accountant: Callable[[], Accountant]
    rehearsal: Callable[[Schema, object, int], Engine]  # a public source, or synthetic rows
    who: str
    now: Callable[[], str]
    salt: Callable[[], str]
    sampler: Callable[[], str]  # what draws the noise, with its version
    software: str
    notify: Callable[[Warning], None]  # to the user of this process only
