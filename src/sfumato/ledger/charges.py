"""Each charge of a record as it can be read today: what for, on which data, under which schema, how much."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, cast

from sfumato.ledger.entry import NANO, Entry, Event, upward
from sfumato.model.choice import Noise
from sfumato.model.guarantee import Guarantee

RELEASE, EXPOSURE_HISTOGRAM, SELECTION, BATCH, SIGNAL = "release", "exposure histogram", "selection", "batch", "signal"
PART = "part of a release"
"""The kinds of charges that are told apart by their entries; one that does not say is neither.

A part of a release is charged for those of its noisy numbers that the record did not have.
"""


@dataclass(frozen=True)
class Charge:
    """`released`: what was drawn is in the record too. Entries of older ledgers do not say all of it."""

    what: str
    kind: str
    version: str
    guarantee: Guarantee
    charged: Fraction
    epsilon: Fraction  # what it was drawn with, where that is said; never more than is charged
    delta: Fraction
    rho: float | None  # where the entry says it
    mechanism: str  # empty where that is not known
    calibration: str
    protected: str | None
    released: bool
    schema: Mapping[str, str]  # fingerprints, as they stood

    @property
    def gaussian(self) -> bool:
        """Whether Gaussian noise was drawn; or may have been, where that is not known and there is a delta."""
        return "gaussian" in self.mechanism if self.mechanism else self.delta > 0

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
    """What the entry does not say the certificate does, if it left."""
    draft, public = entry.draft, entry.draft.public
    also, epsilon, charged = certificate or {}, public.get("epsilon"), Fraction(draft.nano_epsilon, NANO)
    return Charge(
        what=str(public["what"]),
        kind=str(public.get("kind", "")),
        version=str(public.get("version", "")),
        guarantee=Guarantee(str(public["guarantee"])),
        charged=charged,
        epsilon=charged if epsilon is None else Fraction(str(epsilon)),
        rho=None if public.get("rho") is None else upward(Fraction(str(public["rho"]))),
        delta=Fraction(draft.delta),
        mechanism=str(public.get("mechanism") or also.get("mechanism") or ""),
        calibration=str(public.get("calibration") or also.get("calibration") or "analytic"),
        protected=None if public.get("protected") is None else str(public["protected"]),
        released=certificate is not None,
        schema=schema,
    )
