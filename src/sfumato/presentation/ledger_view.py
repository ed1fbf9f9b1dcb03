"""The ledger: looks, plans and charges. Nothing confidential is shown."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from textwrap import shorten

from sfumato.ledger.charges import RELEASE
from sfumato.ledger.entry import NANO, Draft, Entry, Event, upward
from sfumato.ledger.history import Record
from sfumato.ledger.odometer import Total
from sfumato.ledger.parallel import Spent
from sfumato.model.budget import BudgetLimit
from sfumato.model.guarantee import ChosenBy, Guarantee
from sfumato.model.period import Period, moment
from sfumato.presentation.document import Cells, CodeLines, Document, in_text
from sfumato.presentation.table import table
from sfumato.presentation.wording import guarantee as of_guarantee
from sfumato.presentation.wording import ledger_sentences as of_ledger

_COLUMNS = ["#", "dataset", "when", "who", "event", "guarantee", "charged", "delta", "what"]
_CHOSEN = {ChosenBy.LOOKED.value: "after looking"}  # the others are shown as codes
_FACTS = ("at_most", "what", "kind", "epsilon", "select_epsilon", "version", "follows")  # unchanged
_WHAT, _LEAST = 90, 30  # characters of what was done
EMPTY = "The ledger is empty: nothing was looked at and nothing was released."


def document(
    entries: Sequence[Entry], total: Total, budget: BudgetLimit, heading: str = "Budget", width: int = 0
) -> Document:
    """The entries, the total, and the budget in force: in a file, that of its last charge.

    In a terminal of this width, descriptions are shortened until the lines fit.
    """
    if not entries:
        return Document("", (CodeLines(EMPTY),))
    in_all, rows = _in_all(total, budget, heading), _rows(entries)
    beyond = max(map(len, table(*rows).splitlines())) - width if width else 0
    if beyond > 0:
        rows = _rows(entries, max(_WHAT - beyond, _LEAST))
    return Document("", (Cells(*rows, caption=in_all), in_text(CodeLines(in_all))))


def concentrated(total: Total, delta: float | None = None) -> str:
    """The total as zero-concentrated DP, and its epsilon at a delta; empty where there is none."""
    return of_ledger.concentrated(total, None if delta is None else total.at(delta))


def as_dict(record: Record, delta: float | None = None, of: Collection[str] | None = None) -> dict[str, object]:
    """A ledger file as JSON; `budget` is that of its last charge.

    `of`: the datasets of its population whose entries are shown; by default all.
    """
    at = None if delta is None else record.total.at(delta)
    epsilon = None if at is None or at.by is None else at.epsilon
    total, budget = record.total, record.budget
    return {
        "dataset": record.dataset,
        "population": record.population,
        "spent": total.epsilon,
        "delta": total.delta,
        "at_most": total.at_most,
        "rho": total.rho,
        "rho_delta": None if total.rho is None else upward(total.rho_delta),
        **({} if at is None else {"at_delta": {"delta": float(at.delta), "epsilon": epsilon, "by": at.by}}),
        "guarantee": total.guarantee.value,
        "budget": budget.as_floats() if budget.is_limited else None,
        **_parallel(record.spent),
        "entries": [
            _public(entry, record) for entry in record.entries if of is None or entry.draft.dataset.casefold() in of
        ],
    }


def _public(entry: Entry, record: Record) -> dict[str, object]:
    draft = entry.draft
    rho = draft.public.get("rho")
    return {
        "number": entry.number,
        "dataset": draft.dataset,
        "at": draft.at,
        "who": draft.who,
        "event": draft.event.value,
        "charged": draft.nano_epsilon / NANO,
        "delta": upward(Fraction(draft.delta)),
        "guarantee": draft.public.get("guarantee"),
        "word": _worded(entry, record),
        "attested": _attested(entry, record),
        "chosen_by": draft.public.get("chosen_by"),
        "mechanism": draft.public.get("mechanism"),
        "rho": None if rho is None else upward(Fraction(str(rho))),
        **{name: draft.public.get(name) for name in _FACTS},
        "digest": entry.digest,
    }


def _attested(entry: Entry, record: Record) -> list[str]:
    """The declarations behind a guarantee; for a decision, only where the data had been looked at."""
    attested = entry.draft.public.get("attested") or []
    if entry.draft.event is Event.DECIDED:
        return [str(attested)] if attested and record.looked_before(entry.number) else []
    return [str(one) for one in attested] if isinstance(attested, list) else []


def _worded(entry: Entry, record: Record) -> str | None:
    guarantee = entry.draft.public.get("guarantee")
    declared = bool(_attested(entry, record))
    return None if guarantee is None else of_guarantee.worded(Guarantee(str(guarantee)), declared=declared)


def for_everyone(record: Record) -> dict[str, object]:
    """What is public: each charge and the total, of its population too. No answers, looks or names.

    It lists charges, which are recorded before any data is read: whether an answer was released may depend on the data.
    """
    total, own = record.total, record.dataset.casefold()
    drafts = [entry.draft for entry in record.entries if entry.draft.dataset.casefold() == own]
    return {
        "releases": [_charge(draft) for draft in drafts if draft.event is Event.RESERVED],
        "population": record.population,
        "total": {
            "guarantee": total.guarantee.value,
            "epsilon": total.epsilon,
            "delta": total.delta,
            "sentence": total_text(total),
            "odds": of_ledger.odds(total),
        },
    }


def _charge(draft: Draft) -> dict[str, object]:
    public, guarantee = draft.public, Guarantee(str(draft.public["guarantee"]))
    epsilon, delta = draft.nano_epsilon / NANO, upward(Fraction(draft.delta))
    most = public.get("at_most")
    at_most = most if isinstance(most, int | float) else None
    promised = of_ledger.promised(guarantee, epsilon, delta, at_most, str(public.get("protected", "one row")))
    declared = guarantee.holds and bool(public.get("attested"))
    return {
        "at": draft.at,
        "kind": str(public.get("kind", RELEASE)),
        "what": str(public.get("what", "")),
        "guarantee": guarantee.value,
        "word": of_guarantee.worded(guarantee, declared=declared),
        "sentence": f"{promised} {of_guarantee.BY_A_DECLARATION}" if declared else promised,
        "epsilon": epsilon if guarantee.holds else None,
        "delta": delta if guarantee.holds else None,
    }


def total_text(total: Total) -> str:
    if not total.releases:
        return "Epsilon used so far: 0."
    charges = f"{total.releases} charge{'s' if total.releases > 1 else ''}"
    if total.epsilon is None:
        why = of_guarantee.OTHER_UNITS if total.guarantee.holds else "at least one without a guarantee"
        return f"Epsilon used so far: no total exists ({charges}; {why})."
    delta = f", delta {_delta(total.exact_delta)}" if total.exact_delta else ""
    spent = f"Epsilon used so far: {total.epsilon:.15g}{delta} in {charges} (guarantee {total.guarantee.value})."
    if total.guarantee is not Guarantee.SELECTED or total.at_most is None:
        return spent
    return f"{spent} {of_guarantee.at_most(total.at_most)}"


def _in_all(total: Total, budget: BudgetLimit, heading: str = "Budget") -> str:
    """The total, the budget, and how much of it is left."""
    spent = {"epsilon": Fraction(total.nano_epsilon, NANO), "delta": total.exact_delta}
    limits = [
        one.words + ("" if one.period else f" ({figure(max(one.most - spent[one.name], Fraction(0)))} left)")
        for one in budget.limits
    ]
    return f"{total_text(total)} {heading}: {', '.join(limits)}." if limits else total_text(total)


def periods(record: Record, lengths: Iterable[Period] = ()) -> str:
    """The totals of each calendar period in which something was charged, where a budget is stated for periods."""
    limited = [limit.period for limit in record.budget.per]
    lines = []
    for length in dict.fromkeys([*limited, *lengths]):
        names, rows = ["period", "charges", "epsilon"], []
        charged = [moment(entry.draft.at) for entry in record.entries if entry.draft.event is Event.RESERVED]
        for period in dict.fromkeys(map(length.at, charged)):
            total = record.spent_in(period).total
            epsilon = "no total" if total.epsilon is None else f"{total.epsilon:.15g}"
            rows.append([period.name, str(total.releases), epsilon, _delta(total.exact_delta)])
        if any(row[3] != "0" for row in rows):
            names = [*names, "delta"]
        if rows:
            lines.append(table(names, [row[: len(names)] for row in rows]))
    return "\n\n".join([*lines, of_ledger.PERIODS_ADD_UP]) if lines else ""


def parallel(record: Record) -> str:
    """What the total assumes, where charges are counted in parallel."""
    spent = record.spent
    return of_ledger.counted_in_parallel(spent.cohorts, spent.partitions, spent.in_sequence)


def _parallel(spent: Spent) -> dict[str, object]:
    if not spent.parted:
        return {}
    return {"in_parallel": {"cohorts": list(spent.cohorts), "partitions": list(spent.partitions)}}


def figure(exact: Fraction) -> str:
    return f"{float(exact):.15g}"


def _delta(delta: Fraction) -> str:
    return str(upward(delta)).removesuffix(".0")


def _rows(entries: Sequence[Entry], room: int = _WHAT) -> tuple[list[str], list[list[str]]]:
    """The table; a delta and several datasets have their columns where needed."""
    rows = [_row(entry, room) for entry in entries]
    several = len({entry.draft.dataset.casefold() for entry in entries}) > 1
    delta = _COLUMNS.index("delta")
    needed = {"dataset": several, "delta": any(row[delta] not in ("", "0") for row in rows)}
    places = [place for place, name in enumerate(_COLUMNS) if needed.get(name, True)]
    return [_COLUMNS[place] for place in places], [[row[place] for place in places] for row in rows]


def _row(entry: Entry, room: int) -> list[str]:
    draft = entry.draft
    charged, delta = "", ""
    if draft.event is Event.RESERVED:
        charged, delta = f"{draft.nano_epsilon / NANO:.15g}", _delta(Fraction(draft.delta))
    what = shorten(str(draft.public.get("what", "")), width=room, placeholder=" …")
    when = draft.at[:16].replace("T", " ")
    return [str(entry.number), draft.dataset, when, draft.who, draft.event.value, _word(draft), charged, delta, what]


def _word(draft: Draft) -> str:
    """The guarantee and, for a charge, how its epsilon was chosen."""
    guarantee, chosen = (str(draft.public.get(name, "")) for name in ("guarantee", "chosen_by"))
    return guarantee if chosen in ("", guarantee) else f"{guarantee}, {_CHOSEN.get(chosen, chosen)}"
