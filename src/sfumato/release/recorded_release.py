"""A release as the ledger of a dataset has it: the last one, that of an entry, or that of a query."""

from __future__ import annotations

from typing import Any, cast

from sfumato.errors import PreferenceError
from sfumato.ledger.entry import Event
from sfumato.model.release import Answer, ReleaseCertificate, Released
from sfumato.release.context import DatasetContext


def recorded_release(context: DatasetContext, entry: int | None = None, query_sha256: str | None = None) -> Released:
    """The last release that matches; `entry` is that of its charge, as certificates have it, or of its answer."""
    entries = [e for e in context.ledger.record.entries if e.draft.dataset == context.schema.name]
    for each in reversed(entries):
        public = cast(dict[str, Any], each.draft.public)
        if each.draft.event is not Event.RELEASED or "answer" not in public:
            continue
        certificate = ReleaseCertificate.from_dict(public["certificate"])
        of_entry = entry in (None, each.number, public["reserved"])
        if of_entry and query_sha256 in (None, certificate.query_sha256):
            return Released(Answer.from_dict(public["answer"]), certificate)
    if entry is not None:
        raise PreferenceError.because("entry-without-release", entry=entry)
    raise PreferenceError.because("nothing-released")
