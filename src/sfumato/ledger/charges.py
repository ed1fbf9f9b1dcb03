"""Each charge of a record as it can be read today: what for, on which data, under which schema, how much."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from sfumato.ledger.entry import NANO, Entry, Event, upward
from sfumato.model.choice import Noise
from sfumato.model.guarantee import Guarantee

RELEASE, EXPOSURE_HISTOGRAM, SELECTION, BATCH, SIGNAL = "release", "exposure histogram", "selection", "batch", "signal"
DATA_QUALITY = "data quality check"
PART = "part of a release"
WITHIN = "release within the budget per person"
"""The kinds of charges that are told apart by their entries.

A part of a release is charged for those of its noisy numbers that the record did not have. The first release within a
budget per person is charged the whole of it, and the others nothing.
"""


@dataclass(frozen=True)
class Charge:
    """`released`: what was drawn is in the record too."""

    what: str
    kind: str
    version: str
    guarantee: Guarantee
    charged: Fraction
    epsilon: Fraction  # what it was drawn with; never more than is charged
    delta: Fraction
    rho: float  # infinite without a guarantee
    mechanism: str
    calibration: str
    protected: str
    released: bool
    schema: Mapping[str, str]  # fingerprints, as they stood

    @property
    def gaussian(self) -> bool:
        """Whether Gaussian noise was drawn."""
        return "gaussian" in self.mechanism

    @property
    def noise(self) -> Noise:
        """Of a charge that Gaussian noise was drawn for."""
        return Noise("gaussian", float(self.delta), self.calibration)


def charges(entries: Iterable[Entry]) -> tuple[Charge, ...]:
    """Every charge, in order."""
    charged, listed = [], list(entries)
    left = {
        entry.draft.public.get("reserved"): cast(Mapping[str, Any], entry.draft.public.get("certificate") or {})
        for entry in listed
        if entry.draft.event is Event.RELEASED
    }
    schemas: dict[str, Mapping[str, str]] = {}  # of each dataset, as it was opened last
    for entry in listed:
        dataset = entry.draft.dataset.casefold()
        if entry.draft.event is Event.OPENED:
            schemas[dataset] = cast(Mapping[str, str], entry.draft.public["schema"])
        if entry.draft.event is Event.RESERVED:
            charged.append(_charge(entry, schemas.get(dataset, {}), left.get(entry.number)))
    return tuple(charged)


def _charge(entry: Entry, schema: Mapping[str, str], certificate: Mapping[str, Any] | None) -> Charge:
    """Of Gaussian noise the certificate says how it was calibrated, if it left."""
    draft, public = entry.draft, entry.draft.public
    charged = Fraction(draft.nano_epsilon, NANO)
    return Charge(
        what=str(public["what"]),
        kind=str(public["kind"]),
        version=str(public["version"]),
        guarantee=Guarantee(str(public["guarantee"])),
        charged=charged,
        epsilon=Fraction(str(public["epsilon"])) if "epsilon" in public else charged,
        rho=upward(Fraction(str(public["rho"]))) if "rho" in public else math.inf,
        delta=Fraction(draft.delta),
        mechanism=str(public["mechanism"]),
        calibration=str((certificate or {}).get("calibration") or "analytic"),
        protected=str(public["protected"]),
        released=certificate is not None,
        schema=schema,
    )
