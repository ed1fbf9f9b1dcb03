"""The entries of a dataset and its population, in order: who looked when, what was planned before, what is spent."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, replace
from functools import reduce
from typing import Any, cast

from sfumato.ledger.entry import Entry, Event, verify
from sfumato.ledger.hash_chain import GENESIS
from sfumato.ledger.odometer import Total
from sfumato.ledger.opening import Opening
from sfumato.ledger.parallel import Spent, spent_in
from sfumato.ledger.population import Declaration, counted_together, declared_by
from sfumato.model.budget import NO_BUDGET, BudgetLimit
from sfumato.model.guarantee import Guarantee, Provenance, rule_provenance, statement_provenance
from sfumato.model.period import CalendarPeriod


@dataclass(frozen=True)
class OpeningPart:
    """Something that a dataset is opened with: its fingerprint, by whom, and in which entry for the first time."""

    fingerprint: str
    who: str
    at: int


@dataclass(frozen=True)
class FigureEntries:
    """What the record has of one figure of a recurring plan: its last charge, and its last answer."""

    charged: Entry | None = None
    released: Entry | None = None

    @property
    def unknown(self) -> Entry | None:
        """A charge that no answer followed."""
        if self.charged is None or (self.released is not None and self.released.number > self.charged.number):
            return None
        return self.charged


@dataclass(frozen=True)
class Plan:
    """A request that is planned: its key, and the question that it is for."""

    key: str
    question: str


class Record:
    """Folds entries as they come; everything it answers is a function of them alone.

    Datasets of one population are about the same people, so their looks, plans and charges count together. `declared`
    are the declarations known beforehand; one that comes later and adds a dataset leaves the record `outgrown`: it is
    to be read anew, from the first entry.
    """

    def __init__(self, dataset: str, declared: Iterable[Declaration] = ()) -> None:
        self.dataset = dataset
        self.declared = frozenset(declared)
        self.together = counted_together(dataset, self.declared)
        self.outgrown = False
        self.entries: list[Entry] = []
        self.last = 0
        self.head = GENESIS
        self._first_look: int | None = None
        self._opening: Opening | None = None
        self._stated_by: dict[str | None, OpeningPart] = {}  # of each fingerprint of the schema, and of the rule
        self._viewers: dict[str, int] = {}  # when each person looked first
        self._looked_at: dict[str, int] = {}  # which versions of the data, and when first
        self.version = ""  # of the dataset's own data, as it was read last
        self._at_look = Opening()
        self._planned: set[str] = set()
        self._plan_at_look: dict[object, str] = {}
        self._access_changed = False  # by a policy, after the first look
        self._looked: set[tuple[str, str]] = set()  # at what, and who
        self._released: dict[str, list[Entry]] = {}
        self._numbers: dict[str, Entry] = {}
        self._decided: dict[str, list[Entry]] = {}
        self._figures: dict[str, FigureEntries] = {}  # of recurring plans
        self._resumed: dict[int, int] = {}  # charges whose draw was interrupted, and the entry of the last resumption
        self._filtered: dict[str, list[Entry]] = {}  # charges within a budget per person, by the filter
        self.failures: list[int] = []  # of the engine, without a stated cause
        self._spent = Spent()
        self._budget = NO_BUDGET
        self._budgets: dict[str, BudgetLimit] = {}  # as each dataset states its own

    def copy(self) -> Record:
        """Another that goes on from here by itself."""
        other = copy(self)
        other.entries, other._looked, other._planned = [*self.entries], {*self._looked}, {*self._planned}
        other._plan_at_look, other._budgets = dict(self._plan_at_look), dict(self._budgets)
        other._stated_by, other._viewers = dict(self._stated_by), dict(self._viewers)
        other._looked_at, other.failures = dict(self._looked_at), [*self.failures]
        other._numbers = dict(self._numbers)
        other._filtered = {key: [*entries] for key, entries in self._filtered.items()}
        other._figures, other._resumed = dict(self._figures), dict(self._resumed)
        other._released = {key: [*entries] for key, entries in self._released.items()}
        other._decided = {key: [*entries] for key, entries in self._decided.items()}
        return other

    def extend(self, entries: Iterable[Entry]) -> None:
        for entry in entries:
            self.last, self.head = verify([entry], self.last, self.head)
            if (declaration := declared_by(entry.draft)) is not None and declaration not in self.declared:
                self.declared |= {declaration}
                self.outgrown |= counted_together(self.dataset, self.declared) != self.together
            if entry.draft.dataset.casefold() in self.together:  # as SQL reads names
                self._add(entry)

    def _add(self, entry: Entry) -> None:
        self.entries.append(entry)
        if "version" in entry.draft.public and entry.draft.dataset.casefold() == self.dataset.casefold():
            self.version = str(entry.draft.public["version"])
        match entry.draft.event:
            case Event.OPENED:
                self._open(entry)
                self._spent = self._spent.and_then(entry)
            case Event.LOOKED:
                self._looked.add((entry.draft.key, entry.draft.who))
                self._viewers.setdefault(entry.draft.who, entry.number)
                self._looked_at.setdefault(str(entry.draft.public.get("version", "")), entry.number)
                if self._first_look is None:
                    self._first_look = entry.number
                    self._at_look = self._opening or Opening()
            case Event.PLANNED:
                self._planned.add(entry.draft.key)
                if self._first_look is None:
                    self._plan_at_look[entry.draft.public["question"]] = entry.draft.key
            case Event.DECIDED:
                self._decided.setdefault(entry.draft.key, []).append(entry)
                self._access_changed |= bool(entry.draft.public.get("policy"))
                if not Guarantee(str(entry.draft.public["guarantee"])).holds:
                    self._spent = self._spent.without_guarantee()  # what follows a look tells, and stays told
            case Event.RESERVED:
                self._add_figure(entry, charged=entry)
                if within := cast(Mapping[str, Any], entry.draft.public.get("per_person") or {}):
                    self._filtered.setdefault(str(within["filter"]), []).append(entry)
                self._spent = self._spent.and_then(entry)
                self._budget = BudgetLimit.from_texts(entry.draft.public.get("budget", {}))  # type: ignore[arg-type]
            case Event.RELEASED:
                self._add_figure(entry, released=entry)
                self._released.setdefault(entry.draft.key, []).append(entry)
                draw = cast(Mapping[str, Any], entry.draft.public.get("draw") or {})
                if draw and Guarantee(str(entry.draft.public["guarantee"])).holds:
                    self._numbers |= dict.fromkeys(draw["numbers"], entry)
            case Event.FAILED:
                self.failures.append(entry.number)
            case Event.CAUSE if "resumed" in entry.draft.public:
                self._resumed[int(str(entry.draft.public["resumed"]))] = entry.number
            case Event.CAUSE:
                self.failures.remove(int(str(entry.draft.public["failure"])))

    def _add_figure(self, entry: Entry, **entries: Entry) -> None:
        if figure := str(entry.draft.public.get("figure", "")):
            self._figures[figure] = replace(self._figures.get(figure, FigureEntries()), **entries)

    def _open(self, entry: Entry) -> None:
        """What a dataset is opened with is its own; only its budget holds for all of its population."""
        opening, name = Opening.from_public(entry.draft.public), entry.draft.dataset.casefold()
        if opening.budget is not None:
            self._budgets[name] = opening.budget
        if name == self.dataset.casefold():
            for part, fingerprint in (*opening.schema.items(), (None, opening.rule)):
                if part not in self._stated_by or self._stated_by[part].fingerprint != fingerprint:
                    self._stated_by[part] = OpeningPart(fingerprint, entry.draft.who, entry.number)
            self._opening = opening

    # What was there before

    @property
    def population(self) -> str | None:
        """The population that the dataset is counted in with others, as it is declared."""
        named = sorted({population for _, population in self.declared if population in self.together})
        return ", ".join(named) or None

    @property
    def anyone_looked(self) -> bool:
        return self._first_look is not None

    @property
    def separated(self) -> bool:
        """Whether those who view individual risks and those who decide are kept apart, from now on."""
        return self._opening is not None and self._opening.separation

    @property
    def viewers(self) -> frozenset[str]:
        """Everyone who has viewed individual risks of the population."""
        return frozenset(self._viewers)

    def viewers_before(self, number: int) -> int:
        """How many had, before an entry."""
        return sum(first < number for first in self._viewers.values())

    def decides_blindly(self, who: str | None, at: int | None = None) -> bool:
        """Whether someone may decide as one who has viewed nothing: under separation alone, now or at an entry."""
        first = None if who is None else self._viewers.get(who, math.inf)
        return self.separated and first is not None and first > (self.last if at is None else at)

    def is_open(self, opening: Opening, *, budget: bool = True) -> bool:
        """Whether the dataset stands in the record as it is opened now; with `budget` false, whatever its budget is."""
        return self._opening is not None and self._opening.matches(opening, budget=budget)

    def has_look(self, key: str, who: str) -> bool:
        """Whether this look by this person needs no entry: it has one.

        Under separation the first look of a person is enough. When they look again may follow from what they saw, and
        the numbers of later entries would tell it.
        """
        return (key, who) in self._looked or (self.separated and who in self._viewers)

    def is_entered(self, key: str) -> bool:
        """Whether this look is entered, by any person."""
        return any(key == seen for seen, _ in self._looked)

    def in_force(self, plan: Plan) -> bool:
        """Whether this plan is entered, and no other for the question since."""
        return plan.key in self._planned and (self.anyone_looked or self._stood_at_look(plan))

    def _stood_at_look(self, plan: Plan) -> bool:
        """Whether it is the last plan for its question before the first look, if there was one."""
        return self._plan_at_look.get(plan.question) == plan.key

    def planned_at(self, plan: Plan, *, before: int) -> str | None:
        """When this plan was last entered before an entry."""
        return max(((e.number, e.draft.at) for e in self._plans(plan) if e.number < before), default=(0, None))[1]

    def looked_before(self, number: int) -> bool:
        """Whether someone had looked before an entry."""
        return self._first_look is not None and self._first_look < number

    def looked_at_another(self, version: str, before: int) -> bool:
        """Whether someone had looked at other data of its population before an entry: data may be edited after it."""
        return any(first < before for seen, first in self._looked_at.items() if seen != version)

    def release_entry(self, key: str) -> Entry | None:
        """The last answer to this very request."""
        return self._released.get(key, [None])[-1]

    def release_entries(self, key: str) -> list[Entry]:
        """Every answer to this very request, oldest first."""
        return self._released.get(key, [])

    def figure(self, key: str) -> FigureEntries:
        """The last charge and the last answer of a figure of a recurring plan."""
        return self._figures.get(key, FigureEntries())

    def resumption(self, charge: int) -> int | None:
        """The entry that last took over the draw of a charge; None if that is still its own."""
        return self._resumed.get(charge)

    def number_entry(self, key: str) -> Entry | None:
        """The last draw of a noisy number that left, with a guarantee."""
        return self._numbers.get(key)

    def charges_within(self, key: str) -> Sequence[Entry]:
        """The charges of one filter within a budget per person, oldest first."""
        return tuple(self._filtered.get(key, ()))

    def selections(self, key: str) -> list[Entry]:
        """Every selection that may still be released: after a look the last one before it, or the first one since.

        Those without a guarantee are none; and to pick among several after a look would be a decision.
        """
        guaranteed = [e for e in self.release_entries(key) if Guarantee(str(e.draft.public["guarantee"])).holds]
        if self._first_look is None:
            return guaranteed
        return [e for e in guaranteed if not self.looked_before(e.number)][-1:] or guaranteed[:1]

    def drawn_plans(self, key: str) -> list[Entry]:
        """Every plan of this request that had to be drawn, oldest first."""
        plans = (e for e in self.entries if e.draft.event is Event.PLANNED and e.draft.key == key)
        return [e for e in plans if "selected" in e.draft.confidential]

    # Provenance: labels come from the record, not from good intentions

    def preference(
        self, plan: Plan, *, is_rule: bool, rule: str, preregistered: str, who: str | None = None
    ) -> Provenance:
        """The provenance of a preference: the rule, or a person who had or had not looked; `who` states it now.

        Only the last plan for a question before the first look counts: several would leave a choice.
        """
        if is_rule and (self._first_look is None or self._at_look.rule == rule):
            return rule_provenance("preference")
        before = self._first_look is None or self._stood_at_look(plan)
        return statement_provenance(
            "preference",
            before_first_look=before,
            preregistered=preregistered,
            replaced=self._was_planned(plan),
            separated=self._stated_blindly(None, rule, who) if is_rule else self._planned_blindly(plan, who),
        )

    def _was_planned(self, plan: Plan) -> bool:
        """Whether this was a plan before the first look, and another took its place."""
        return self._first_look is not None and any(e.number < self._first_look for e in self._plans(plan))

    def _planned_blindly(self, plan: Plan, who: str | None) -> bool:
        """Whether someone who had viewed nothing planned this; or states it now, where no one planned it."""
        plans = self._plans(plan)
        return any(self.decides_blindly(e.draft.who, e.number) for e in plans) if plans else self.decides_blindly(who)

    def _plans(self, plan: Plan) -> list[Entry]:
        return [e for e in self.entries if e.draft.event is Event.PLANNED and e.draft.key == plan.key]

    def _stated_blindly(self, part: str | None, fingerprint: str | None, who: str | None) -> bool:
        """The same of what a dataset is opened with: of a fingerprint that is entered, or of one that is new."""
        known = self._stated_by.get(part)
        if known is not None and known.fingerprint == fingerprint:
            return self.decides_blindly(known.who, known.at)
        return self.decides_blindly(who)

    def policy(self, fingerprint: str, preregistered: str) -> Provenance:
        """Where a policy comes from that decides by itself: one in force ever since the first look is of record.

        One that was taken away and given back is not: both were decided after a look.
        """
        if self._first_look is None or (self._at_look.rule == fingerprint and not self._access_changed):
            return rule_provenance("policy")
        blindly = self._stated_blindly(None, fingerprint, None)
        return statement_provenance("policy", before_first_look=False, preregistered=preregistered, separated=blindly)

    def decision(self, key: str, preregistered: str = "") -> tuple[Provenance, ...]:
        """Where the approvals of a request come from: people who had or had not looked; or one that is to be made."""
        decisions = self._decided.get(key, [])
        if not decisions:  # where viewers and deciders are separate, none of the viewers will make it
            before = not self.anyone_looked
            return (
                statement_provenance(
                    "approval", before_first_look=before, preregistered=preregistered, separated=self.separated
                ),
            )
        return tuple(
            statement_provenance(
                "approval",
                before_first_look=not self.looked_before(entry.number),
                preregistered=str(entry.draft.public.get("attested", "")),
                separated=self.decides_blindly(entry.draft.who, entry.number),
            )
            for entry in decisions
        )

    def approved_by(self, key: str) -> tuple[str, ...]:
        """Who approved a request, by the key of its decisions, and did not decide otherwise later.

        Under separation, an approval is void once its author looks before the last approval is given.
        """
        last = {entry.draft.who: entry for entry in self._decided.get(key, [])}
        approvals = [entry for entry in last.values() if entry.draft.public["approved"]]
        names = dict.fromkeys(entry.draft.who for entry in approvals)
        if not self.separated or not approvals:
            return tuple(names)
        newest = max(entry.number for entry in approvals)
        return tuple(name for name in names if self._viewers.get(name, math.inf) > newest)

    def schema(
        self,
        used: Iterable[str],
        now: Mapping[str, str],
        *,
        preregistered: str,
        what: str = "schema",
        who: str | None = None,
    ) -> Provenance:
        """Where bounds, types and categories come from: those in force at the first look are public."""
        late = [n for n in ("", *used) if self._at_look.schema.get(n) != now.get(n)]
        before = self._first_look is None or not late
        blindly = all(self._stated_blindly(name, now.get(name), who) for name in late)
        return statement_provenance(what, before_first_look=before, preregistered=preregistered, separated=blindly)

    # What is spent

    @property
    def total(self) -> Total:
        """What everything released adds up to; after a failure without a stated cause there is no total."""
        return self.spent.total

    @property
    def spent(self) -> Spent:
        """The charges that the total is made of."""
        return self._spent.without_guarantee() if self.failures else self._spent

    def spent_in(self, period: CalendarPeriod) -> Spent:
        """The charges of one calendar period. Without a total of everything, the period has none either."""
        spent = spent_in(self.entries, period)
        return spent if self.total.guarantee.holds else spent.without_guarantee()

    @property
    def budget(self) -> BudgetLimit:
        """The budget that the last charge was made under."""
        return self._budget

    @property
    def budget_of_others(self) -> BudgetLimit:
        """The strictest budget of the other datasets of its population, as they were last opened."""
        others = (budget for name, budget in self._budgets.items() if name != self.dataset.casefold())
        return reduce(BudgetLimit.strictest, others, NO_BUDGET)
