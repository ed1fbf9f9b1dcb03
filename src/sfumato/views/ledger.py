"""The ledger for a person's eyes: what was looked at, planned and spent. Nothing confidential is shown."""

from __future__ import annotations

from collections.abc import Sequence
from textwrap import shorten

from sfumato.ledger.entry import NANO, Entry, Event
from sfumato.ledger.record import Record, Total
from sfumato.views.html import html_table
from sfumato.views.table import table

_COLUMNS = ["#", "when", "who", "event", "guarantee", "charged", "what"]


EMPTY = "The ledger is empty: nothing was looked at, nothing was released."


def as_text(entries: Sequence[Entry], total: Total) -> str:
    if not entries:
        return EMPTY
    return f"{table(_COLUMNS, [_row(e) for e in entries])}\n\n{total_text(total)}"


def as_html(entries: Sequence[Entry], total: Total) -> str:
    return html_table(_COLUMNS, [_row(e) for e in entries], caption=total_text(total))


def as_dict(record: Record) -> dict[str, object]:
    total = record.total
    return {
        "dataset": record.dataset,
        "spent": total.epsilon,
        "guarantee": total.guarantee.value,
        "entries": [_public(entry) for entry in record.entries],
    }


def _public(entry: Entry) -> dict[str, object]:
    draft = entry.draft
    return {
        "number": entry.number,
        "at": draft.at,
        "who": draft.who,
        "event": draft.event.value,
        "charged": draft.nano_epsilon / NANO,
        "guarantee": draft.public.get("guarantee"),
        "what": draft.public.get("what"),
    }


def total_text(total: Total) -> str:
    if not total.releases:
        return "Spent so far: nothing."
    releases = f"{total.releases} release{'s' if total.releases > 1 else ''}"
    if total.epsilon is None:
        return f"Spent so far: no total exists ({releases}, one or more without a guarantee)."
    return f"Spent so far: epsilon {total.epsilon:g} in {releases} (guarantee {total.guarantee.value})."


def _row(entry: Entry) -> list[str]:
    draft = entry.draft
    charged = f"{draft.nano_epsilon / NANO:g}" if draft.event is Event.RESERVED else ""
    word = str(draft.public.get("guarantee", ""))
    what = shorten(str(draft.public.get("what", "")), width=90, placeholder=" …")
    return [str(entry.number), draft.at[:16].replace("T", " "), draft.who, draft.event.value, word, charged, what]
