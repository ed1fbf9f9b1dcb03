"""Utility signals: what noise did to a task. A free one is made from the release alone, the others are charged."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import TYPE_CHECKING, Any, Protocol, cast

from sfumato.choose.preference import epsilon as stated_epsilon
from sfumato.errors import BadInput, NoGuarantee, NoMechanism, PreferenceError
from sfumato.ledger.charges import SIGNAL
from sfumato.ledger.entry import Draft, Event, nano
from sfumato.ledger.record import Record
from sfumato.measure import sensitivity_of_figure
from sfumato.model import signal as model
from sfumato.model.choice import Noise
from sfumato.model.drawing import Drawing, Law
from sfumato.model.facts import Cell
from sfumato.model.guarantee import Guarantee, Provenance, chosen_by, computed_from_people, join, word
from sfumato.model.measurement import Measurement, NumberKind
from sfumato.model.release import Answer
from sfumato.model.signal import SignalKind
from sfumato.model.statement import NOTHING, Afterwards, Statement
from sfumato.ports import Mechanisms
from sfumato.risk.noise import reach
from sfumato.risk.zcdp import entered, rho_laplace
from sfumato.session import assemble
from sfumato.session.aftermath import places_of_keys, require_public_keys, require_released_here
from sfumato.session.certificate import about
from sfumato.session.decide import EPSILON_MAX, decided_by
from sfumato.session.ledger import digest
from sfumato.session.noise import Noisy
from sfumato.session.release import Certificate
from sfumato.session.reserve import Cost, Reserved, keep, on_this_data, reserve, row, version_of
from sfumato.session.signalled import FreeSignal, Signalled, shown
from sfumato.signal.channel import DECIMALS, Grid, bits, of_blocks, of_difference, rounded, width_once_rounded
from sfumato.signal.library import task as task_of
from sfumato.signal.own import OwnCode
from sfumato.signal.table import Table
from sfumato.signal.task import Task, is_whole
from sfumato.sql import blocks as plan
from sfumato.views.words import of_signal
from sfumato.views.words.of_guarantee import EXACT

if TYPE_CHECKING:
    from sfumato.session.query import Query
    from sfumato.session.release import Release

DRAWS, MOST_DRAWS = 200, 10_000
BLOCKS, FEWEST_BLOCKS, MOST_BLOCKS = 50, 2, 10_000


@dataclass(frozen=True)
class Asked:
    """What a signal is to be, beside its task."""

    kind: SignalKind
    epsilon: float | None = None
    draws: int = DRAWS
    blocks: int = BLOCKS
    by_range: bool = False
    accept_none: bool = False
    again: bool = False
    attestation: str = ""


class Exact(Protocol):
    """Where exact answers come from, for tasks' eyes only: the data, unless somebody else reads it."""

    def table(self) -> Table: ...

    def blocks(self, many: int) -> list[Table]: ...


def signal(
    query: Query, release: Release, task: Task | Mapping[str, Any], asked: Asked, exact: Exact | None = None
) -> Signalled:
    """The signal that is asked for, about a release that this query gave."""
    answer, measurement, statement = release.answer, query.measurement, query.statement
    if query.dataset.bounds_from_data:
        raise NoMechanism(of_signal.BOUNDS_FROM_DATA, hint="open the data with the bounds of its schema.")
    if asked.kind is SignalKind.FREE:
        mechanism = query.dataset.services.mechanism
        return free_signal(statement, measurement, answer, release.certificate, task, mechanism, asked.draws)
    charge = _charge(query, answer, task, asked, exact or _Read(query))
    require_released_here(query, release)
    if exact is None:
        query.dataset.require_data()
    match asked.kind:
        case SignalKind.DIFFERENCE:
            return charge.difference()
        case SignalKind.BLOCKS:
            return charge.block_mean()
    return charge.published()


def foreseen(query: Query, release: Release, task: Task | Mapping[str, Any], asked: Asked) -> Guarantee:
    """The word that a signal would carry, as things are now; refused from public facts where it cannot be made.

    A free one that is known to a person before it is made has the word of its release, and of their decision.
    """
    if asked.kind is SignalKind.FREE:
        prepared(task, query.measurement, release.answer)
        mechanism = query.dataset.services.mechanism
        redrawn(query.statement, query.measurement, release.answer, release.certificate, mechanism, 1)
        decided = query.dataset.decided(query.dataset.ledger.record, asked.attestation)
        return join([release.certificate.guarantee, word(decided)])
    charge = _charge(query, release.answer, task, asked, _Read(query))
    return charge.foreseen()


def _charge(query: Query, answer: Answer, task: Task | Mapping[str, Any], asked: Asked, exact: Exact) -> _Charge:
    """What would be charged, if it can be: from public facts."""
    made = prepared(task, query.measurement, answer)
    match asked.kind:
        case SignalKind.DIFFERENCE:
            return _Charge(query, answer, made, asked, _difference_grid(query, made, asked), exact)
        case SignalKind.BLOCKS:
            grid = of_blocks(made, query.measurement.steps)
            return _Charge(query, answer, made, _countable(asked), grid, exact)
    return _Charge(query, answer, made, asked, None, exact)


def exact_bits(task: Task) -> float:
    """What an exact score tells at most, once it is rounded."""
    return bits(width_once_rounded(*task.range), beside=task.beside)


def asked_for(kind: str, epsilon: float | None, **how: Any) -> Asked:
    """The kind by its word, and an epsilon where there is something to charge."""
    wanted = SignalKind.of(kind)
    if wanted not in (SignalKind.DIFFERENCE, SignalKind.BLOCKS):
        if epsilon is not None:
            raise PreferenceError(f"A signal {kind!r} spends no epsilon", hint="leave it out.")
        return Asked(wanted, **how)
    if epsilon is None:
        raise PreferenceError(f"A signal {kind!r} spends an epsilon of its own", hint="state one, such as epsilon=0.5.")
    spent = stated_epsilon(epsilon).value
    if spent > EPSILON_MAX:
        said = f"A signal spends an epsilon of at most {EPSILON_MAX:g}, not {spent:g}"
        raise PreferenceError(said, hint="try epsilon=0.5.")
    return Asked(wanted, spent, **how)


def prepared(task: Task | Mapping[str, Any], measurement: Measurement, answer: Answer) -> Task:
    """A task that can be scored on this answer: refused from public facts, before anything is drawn or charged.

    What it compares with, where that was left open, is the release itself.
    """
    made = task if isinstance(task, Task) else task_of(task)
    if made.missing is not None:
        raise BadInput(f"{made.missing} is not installed", hint="pip install 'sfumato[signal]'.")
    require_public_keys(measurement)
    if any(number.kind is NumberKind.SELECTION for number in measurement.numbers):
        raise NoMechanism(of_signal.SELECTED, hint="ask for what is counted or added up in a query of its own.")
    table = table_of(answer, measurement)
    strange = [name for name in made.reads if name not in table.figures]
    if strange or made.table:
        said = f"The answer has no figure {strange[0]!r}" if strange else f"There is no table {made.table}"
        raise BadInput(said, hint=f"its figures are: {', '.join(table.figures)}; it is table 0.")
    if len(table.rows) == len(measurement.public_cells):  # HAVING and LIMIT leave rows out that there are
        made.require_rows(table.labels)
    return made.against([table])


def table_of(answer: Answer, measurement: Measurement) -> Table:
    """An answer as tasks read it."""
    figures = tuple(c.name for c in measurement.columns if c.shown and c.key is None)
    return Table(answer.columns, answer.rows, figures)


# Free


def free_signal(
    statement: Statement,
    measurement: Measurement,
    answer: Answer,
    certificate: Certificate,
    task: Task | Mapping[str, Any],
    mechanism: Mechanisms,
    draws: int = DRAWS,
) -> FreeSignal:
    """Scores of the answer with fresh noise of the same law: from public facts and what was released, and free."""
    made = prepared(task, measurement, answer)
    return scored(made, redrawn(statement, measurement, answer, certificate, mechanism, draws))


@dataclass(frozen=True)
class Redrawn:
    """A release with fresh noise on top, draw by draw; `moved` is by how much that moved each number of every cell."""

    measurement: Measurement
    certificate: Certificate
    table: Table
    tables: tuple[Table, ...]
    moved: tuple[tuple[tuple[Fraction, ...], ...], ...]  # by number, then draw, then cell


def redrawn(
    statement: Statement,
    measurement: Measurement,
    answer: Answer,
    certificate: Certificate,
    mechanism: Mechanisms,
    draws: int = DRAWS,
) -> Redrawn:
    """The answer with fresh noise by the laws and scales of its certificate, put together as releases are."""
    if not is_whole(draws) or not 1 <= draws <= MOST_DRAWS:
        raise PreferenceError(f"A signal has 1 to {MOST_DRAWS:,} draws, not {draws}", hint=f"try {DRAWS}.")
    if not certificate.guarantee.holds or certificate.epsilon is None:
        raise NoGuarantee(of_signal.WITHHELD, hint="release with a guarantee first.")
    if _picks(statement.afterwards):
        raise NoMechanism(of_signal.ROWS_LEFT_OUT, hint="ask without HAVING, LIMIT and OFFSET.")
    drawings, cells = _drawings(certificate, measurement), _cells(statement, measurement, answer)
    based = [_based(numbers, measurement) for numbers in answer.numbers]
    fresh = [_again(based, place, measurement, drawing, mechanism, draws) for place, drawing in enumerate(drawings)]
    tables = []
    for draw in range(draws):
        numbers = tuple(zip(*(number[draw] for number in fresh), strict=True))
        seen = assemble.answer(measurement, Noisy(cells, numbers), None, statement.afterwards)
        tables.append(table_of(seen, measurement))
    moved = tuple(
        tuple(tuple(noisy - cell[place] for noisy, cell in zip(draw, based, strict=True)) for draw in number)
        for place, number in enumerate(fresh)
    )
    return Redrawn(measurement, certificate, table_of(answer, measurement), tuple(tables), moved)


def scored(task: Task, fresh: Redrawn) -> FreeSignal:
    """What fresh noise does to a task that was prepared for this answer."""
    measurement, score = fresh.measurement, task.score([fresh.table])
    scores = tuple(task.score([table]) for table in fresh.tables)
    damages = (abs(other - score) for other in scores)
    if task.affine:  # beyond the ends of the range too: they would hide how far it went
        here = task.beyond([fresh.table])
        damages = (abs(task.beyond([table]) - here) for table in fresh.tables)
    read = [c for c in measurement.columns if c.shown and c.name in task.reads]
    plain = all(len(c.numbers) == 1 for c in read)
    return FreeSignal(
        task.as_dict(),
        task.range,
        score,
        fresh.certificate,
        scores,
        tuple(sorted(damages)),
        task.decides,
        _bound(task, fresh, {c.name: c.numbers[0] for c in read}) if plain else None,
        of_signal.proven(affine=task.affine, halfspace=task.halfspace) if plain else None,
    )


def _picks(after: Afterwards) -> bool:
    return after.having is not None or after.limit is not None or after.offset > 0


def _cells(statement: Statement, measurement: Measurement, answer: Answer) -> tuple[Cell, ...]:
    """Which cell each row of the answer is about."""
    places = places_of_keys(statement)
    if places is None:
        return measurement.public_cells
    return tuple(cast(Cell, tuple(row[place] for place in places)) for row in answer.rows)


def _drawings(certificate: Certificate, measurement: Measurement) -> list[Drawing]:
    """How each number was drawn, as the certificate tells it."""
    c = certificate
    assert c.epsilon is not None
    assert c.laws is not None
    assert c.scale is not None
    assert c.grid_step is not None
    found = []
    for place, number in enumerate(measurement.numbers):
        law, scale, told = Law(c.laws[place]), cast(float, c.scale[place]), Fraction(c.grid_step[place])
        finer = max(1, round(number.step / told))  # the certificate tells a float: the grid itself divides the number's
        step = number.step / finer
        furthest = None if c.reach is None else round(Fraction(c.reach[place]) / step)
        budget = float(number.sensitivity) / scale if law is Law.GAUSSIAN else number.part(c.epsilon)
        found.append(Drawing(law, budget, step, scale, reach=furthest))
    return found


def _based(numbers: Sequence[float], measurement: Measurement) -> tuple[Fraction, ...]:
    """What fresh noise is added to: counts as they were rounded, so that it is rounded as the noise in them was."""
    kinds = [n.kind for n in measurement.numbers]
    return tuple(Fraction(round(v)) if kind.counts else Fraction(v) for v, kind in zip(numbers, kinds, strict=True))


def _again(
    based: Sequence[tuple[Fraction, ...]],
    place: int,
    measurement: Measurement,
    drawing: Drawing,
    mechanism: Mechanisms,
    draws: int,
) -> list[list[Fraction]]:
    """One number of every cell with fresh noise, draw by draw: all of them drawn at once."""
    number = measurement.numbers[place]
    finer = int(number.step / drawing.step)
    exact = [round(cell[place] / drawing.step) for cell in based]
    by = mechanism(drawing.law) if drawing.reach is None else mechanism(drawing.law, drawing.reach)
    noisy = by(exact * draws, number.steps * finer, drawing.budget)
    return [[drawing.step * s for s in noisy[at : at + len(exact)]] for at in range(0, len(noisy), len(exact))]


def _bound(task: Task, fresh: Redrawn, read: Mapping[str, int]) -> float | None:
    """`min(R, sum L_c |noise_c|_1)` at the stated rate: what noise moves a column by moves the score L_c times."""
    if task.slopes is None:
        return None
    sizes = []
    for draw in range(len(fresh.tables)):
        size = 0.0
        for column, steep in task.slopes.items():
            number = read[column]
            rounding = (
                Fraction(len(fresh.table.rows), 2) if fresh.measurement.numbers[number].kind.counts else Fraction(0)
            )
            size += steep * float(sum(map(abs, fresh.moved[number][draw]), rounding))
        sizes.append(size)
    return min(task.span, model.ranked(tuple(sorted(sizes)), math.inf))


# Charged


def _difference_grid(query: Query, task: Task, asked: Asked) -> Grid:
    """How far one person moves the difference; refused where nothing but the range is known, unless that is asked."""
    measurement = query.measurement
    kept = query.statement.afterwards == NOTHING  # whether a row stays is no smooth matter
    read = [c for c in measurement.columns if c.shown and c.name in task.reads]
    moved = {c.name: sensitivity_of_figure(c, measurement) for c in read} if kept else None
    if (task.lipschitz is None or moved is None) and not asked.by_range:
        hint = "ask for sample_and_aggregate, or say --by-range: noise as wide as the whole range."
        raise NoMechanism(of_signal.not_lipschitz(task.name, kept=kept), hint=hint)
    return of_difference(task, moved)


def _countable(asked: Asked) -> Asked:
    blocks = asked.blocks
    if not is_whole(blocks) or not FEWEST_BLOCKS <= blocks <= MOST_BLOCKS:
        said = f"People are put into {FEWEST_BLOCKS} to {MOST_BLOCKS:,} blocks, not {blocks}"
        raise PreferenceError(said, hint=f"try {BLOCKS}.")
    return asked


@dataclass(frozen=True)
class _Charge:
    """Reserved before the data is read, and kept before it leaves. Without a grid nothing is drawn."""

    query: Query
    answer: Answer
    task: Task
    asked: Asked
    grid: Grid | None
    exact: Exact

    def foreseen(self) -> Guarantee:
        """The word of it, as the record is now."""
        return word(self._inputs(on_this_data(self.query, self._key), self.query.dataset.ledger.record))

    def difference(self) -> Signalled:
        def made(held: Reserved) -> model.Scored:
            off = abs(self._score - self.task.score([self.exact.table()]))
            return model.NoisyDifference(*self._head(held), self._with_noise(self._steps(off)))

        return self._made(made)

    def block_mean(self) -> Signalled:
        def made(held: Reserved) -> model.Scored:
            low, many = self.task.range[0], self.asked.blocks
            total = sum(self._steps(score - low) for score in self._of_blocks())
            noisy = low + self._with_noise(total) / many
            return model.BlockMean(*self._head(held), noisy, many)

        return self._made(made)

    def published(self) -> Signalled:
        def made(held: Reserved) -> model.Scored:
            ledger, key = self.query.dataset.ledger, digest(["signal", self._key])
            ledger.look(key, of_signal.looked(self.task.name, self.query.sql))
            exact = self.task.outcome([self.exact.table()])
            told = None if exact is None else rounded(exact)
            made = model.Published(*self._head(held), told, DECIMALS, self._bits)
            return replace(made, score=rounded(made.score))

        return self._made(made)

    # Scores

    @property
    def _score(self) -> float:
        return self.task.score([table_of(self.answer, self.query.measurement)])

    def _of_blocks(self) -> list[float]:
        return [self.task.score([table]) for table in self.exact.blocks(self.asked.blocks)]

    @property
    def _bits(self) -> float:
        return exact_bits(self.task)

    # Noise

    def _steps(self, amount: float) -> int:
        assert self.grid is not None
        return self.grid.steps(amount)

    def _with_noise(self, steps: int) -> float:
        assert self.grid is not None
        assert self.asked.epsilon is not None
        draw = self.query.dataset.services.mechanism(Law.LAPLACE)
        (noisy,) = draw([steps], self.grid.sensitivity, self.asked.epsilon)
        return float(noisy * self.grid.step)

    @property
    def _divided_by(self) -> int:
        return self.asked.blocks if self.asked.kind is SignalKind.BLOCKS else 1

    # Ledger

    @property
    def _key(self) -> str:
        """What is asked for: the release, the task and the kind."""
        a = self.asked
        how = [a.kind.value, a.epsilon, a.blocks if a.kind is SignalKind.BLOCKS else None, a.by_range]
        return digest(["signal", self.query.sql, self.task.as_dict(), how, self.answer.as_dict()])

    def _made(self, make: Callable[[Reserved], model.Scored]) -> Signalled:
        ledger, key = self.query.dataset.ledger, on_this_data(self.query, self._key)
        held = reserve(
            ledger,
            key,
            lambda record: self._inputs(key, record),
            lambda guarantee: self._reservation(key, guarantee),
            accept_none=self.asked.accept_none,
            again=self.asked.again,
            what=SIGNAL,
            instead="ask for kind='free', which reads nobody",
        )
        if isinstance(held, Draft):
            stored = cast(dict[str, Any], (held.public if self._told else held.confidential)["signal"])
            return shown(model.from_stored(stored, Certificate.from_dict(stored["certificate"])))
        made = make(held)
        keep(ledger, key, held, self._what, {"signal": made.as_dict()}, told=self._told)
        return shown(made)

    def _inputs(self, key: str, record: Record) -> tuple[Provenance, ...]:
        """An epsilon that a person states, the schema, who decided; the exact score itself where it leaves."""
        q, said = self.query, " ".join(self.asked.attestation.split())
        ledger, statement = q.dataset.ledger, q.statement
        inputs = (record.schema(statement.columns, ledger.schema, attestation=said), *q.dataset.decided(record, said))
        if self.grid is None:
            return (computed_from_people(EXACT), *inputs)
        stated = record.preference(key, statement.sha256, is_rule=False, rule=ledger.rule, attestation=said)
        return (replace(stated, what="epsilon"), *inputs)

    def _reservation(self, key: str, outcome: Guarantee) -> Draft:
        """The charge: epsilon, or a public constant where the epsilon, or the score, tells about the data."""
        epsilon = self.asked.epsilon if outcome.holds else None
        public: dict[str, object] = {
            "what": self._what,
            "guarantee": outcome.value,
            "method": of_signal.METHODS[self.asked.kind],
            "kind": SIGNAL,
            "version": version_of(self.query.dataset),
        }
        public |= row(chosen_by(outcome, outright=True), self._mechanism, self._cost)
        if self.grid is None:
            public["bits"] = self._bits
        confidential: dict[str, object] = {} if outcome.holds else {"epsilon": self.asked.epsilon}
        charge = nano(EPSILON_MAX if epsilon is None else epsilon)
        return self.query.dataset.ledger.draft(Event.RESERVED, key, public, confidential, charge)

    @property
    def _told(self) -> bool:
        """Whether the record may show it: an exact score leaves by itself, or not at all."""
        return self.grid is not None

    @property
    def _what(self) -> str:
        return of_signal.what(self.asked.kind, self.task.name, self.query.sql)

    @property
    def _mechanism(self) -> str:
        return "no noise" if self.grid is None else Law.LAPLACE.value

    @property
    def _cost(self) -> Cost | None:
        if self.grid is None or self.asked.epsilon is None:
            return None
        rho = entered(rho_laplace(self.asked.epsilon, self.grid.sensitivity))
        return Cost(self.asked.epsilon, rho, (self._sensitivity,), (self._sensitivity / self.asked.epsilon,), 1)

    @property
    def _sensitivity(self) -> float:
        return 0.0 if self.grid is None else self.grid.most / self._divided_by

    def _head(self, held: Reserved) -> tuple[Mapping[str, Any], tuple[float, float], float, Certificate]:
        return self.task.as_dict(), self.task.range, self._score, self._certificate(held)

    def _certificate(self, held: Reserved) -> Certificate:
        epsilon, grid = self.asked.epsilon, self.grid
        told = held.guarantee.holds and epsilon is not None and grid is not None
        drawn: dict[str, Any] = {"epsilon": None, "scale": None, "noise_90": None, "grid_step": None}
        if told and epsilon is not None and grid is not None:
            scale = self._sensitivity / epsilon
            step = float(grid.step) / self._divided_by
            drawn = {"epsilon": epsilon, "scale": (scale,), "grid_step": (step,)}
            drawn["noise_90"] = (reach(Law.LAPLACE, scale) + step,)
        said = about(self.query, held)
        if self.asked.kind is SignalKind.BLOCKS and isinstance(self.task, OwnCode):
            said["assumed"] += (of_signal.RUNS_APART,)
        return Certificate(
            **said,
            **drawn,
            delta=0.0,
            mechanism=self._mechanism,
            sensitivity=None if grid is None else (self._sensitivity,),
            outputs=1,
            select_epsilon=0.0,
            method=of_signal.METHODS[self.asked.kind],
            decided_by=decided_by(held.inputs, is_rule=False).value,
            numbers=(of_signal.NUMBERS[self.asked.kind],),
            post_processing=(of_signal.AFTERWARDS[self.asked.kind],),
            shares=(1.0,),
            laws=None if grid is None else (Law.LAPLACE.value,),
        )


# The exact answer: for tasks' eyes only


@dataclass(frozen=True)
class _Read:
    """From the data itself."""

    query: Query

    def table(self) -> Table:
        return exact_table(self.query)

    def blocks(self, many: int) -> list[Table]:
        return block_tables(self.query, many, self.query.dataset.services.salt())


def exact_table(query: Query) -> Table:
    """S': the answer put together as releases are, from numbers without noise."""
    steps = [n.step for n in query.measurement.numbers]
    return _assembled(query, query._totals().cells, steps)


def block_tables(query: Query, blocks: int, key: str) -> list[Table]:
    """The same of each of so many disjoint blocks of people, as if all people were like those in the block.

    What is added up is taken as often as there are blocks. Whoever comes or goes changes one block.
    """
    question, engine = query._survey(Noise()).question, query.dataset._engine
    found = engine.rows(plan.totals_by_block(question, blocks, key).sql(engine.dialect))
    steps = [n.step * (blocks if n.kind.additive else 1) for n in query.measurement.numbers]
    return [_assembled(query, block, steps) for block in plan.read_blocks(found, question, blocks)]


def _assembled(query: Query, cells: Mapping[Cell, Sequence[int]], steps: Sequence[Fraction]) -> Table:
    numbers = tuple(tuple(n * step for n, step in zip(cell, steps, strict=True)) for cell in cells.values())
    seen = assemble.answer(query.measurement, Noisy(tuple(cells), numbers), None, query.statement.afterwards)
    return table_of(seen, query.measurement)
