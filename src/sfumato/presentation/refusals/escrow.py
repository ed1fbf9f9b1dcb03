"""What the escrow refuses."""

from __future__ import annotations

from collections.abc import Mapping

from sfumato.presentation.refusals.wording import Wording

WORDINGS: Mapping[str, Wording] = {}
