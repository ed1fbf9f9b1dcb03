"""The ledger for a person's eyes: what was looked at, planned and spent. Nothing confidential is shown."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from textwrap import shorten

from sfumato.ledger.entry import NANO, Entry, Event, upward
from sfumato.ledger.record import Record, Total
from sfumato.model.stop import Stop
from sfumato.views import words
from sfumato.views.html import html_table
from sfumato.views.table import table

_COLUMNS = ["#", "when", "who", "event", "guarantee", "charged", "delta", "what"]


EMPTY = "The ledger is empty: nothing was looked at, nothing was released."


def as_text(entries: Sequence[Entry], total: Total, stop: Stop, said: str = "Stop") -> str:
    """The entries, the total, and the stop in force; of a file it is `said` that it held at the last charge."""
    if not entries:
        return EMPTY
    return f"{table(_COLUMNS, [_row(e) for e in entries])}\n\n{_in_all(total, stop, said)}"


def as_html(entries: Sequence[Entry], total: Total, stop: Stop) -> str:
    return html_table(_COLUMNS, [_row(e) for e in entries], caption=_in_all(total, stop))


def as_dict(record: Record) -> dict[str, object]:
    """What a file says; `stop` is the one that its last charge was made under."""
    total, stop = record.total, record.stop
    return {
        "dataset": record.dataset,
        "spent": total.epsilon,
        "delta": total.delta,
        "guarantee": total.guarantee.value,
        "stop": {"epsilon": _float(stop.epsilon), "delta": _float(stop.delta)} if stop.stated else None,
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
        "delta": upward(Fraction(draft.delta)),
        "guarantee": draft.public.get("guarantee"),
        "what": draft.public.get("what"),
    }


def total_text(total: Total) -> str:
    if not total.releases:
        return "Spent so far: nothing."
    releases = f"{total.releases} release{'s' if total.releases > 1 else ''}"
    if total.epsilon is None:
        why = words.OTHER_UNITS if total.guarantee.holds else "one or more without a guarantee"
        return f"Spent so far: no total exists ({releases}; {why})."
    delta = f", delta {_shown(total.exact_delta)}" if total.exact_delta else ""
    return f"Spent so far: epsilon {total.epsilon:.15g}{delta} in {releases} (guarantee {total.guarantee.value})."


def _in_all(total: Total, stop: Stop, said: str = "Stop") -> str:
    """What is spent, how much may be in all, and how much of that is left."""
    spent = {"epsilon": Fraction(total.nano_epsilon, NANO), "delta": total.exact_delta}
    limits = [(name, limit) for name, limit in (("epsilon", stop.epsilon), ("delta", stop.delta)) if limit is not None]
    left = [f"{name} {figure(limit)} ({figure(max(limit - spent[name], Fraction(0)))} left)" for name, limit in limits]
    return f"{total_text(total)} {said}: {', '.join(left)}." if left else total_text(total)


def figure(exact: Fraction) -> str:
    return f"{float(exact):.15g}"


def _shown(delta: Fraction) -> str:
    return str(upward(delta)).removesuffix(".0")


def _float(exact: Fraction | None) -> float | None:
    return None if exact is None else float(exact)


def _row(entry: Entry) -> list[str]:
    draft = entry.draft
    charged, delta = "", ""
    if draft.event is Event.RESERVED:
        charged, delta = f"{draft.nano_epsilon / NANO:.15g}", _shown(Fraction(draft.delta))
    word = str(draft.public.get("guarantee", ""))
    what = shorten(str(draft.public.get("what", "")), width=90, placeholder=" …")
    when = draft.at[:16].replace("T", " ")
    return [str(entry.number), when, draft.who, draft.event.value, word, charged, delta, what]
