"""What every keeper of a ledger must do: append only, in one chain, named when broken, or refuse."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing, contextmanager
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
import sqlalchemy as sa
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import sfumato as sf
from sfumato.adapters.storage.format import FORMAT
from sfumato.adapters.storage.ledger_file import SQLiteLedger
from sfumato.adapters.storage.tables import checkpoints, individual_spending, ledger
from sfumato.composition import local
from sfumato.errors import LedgerBroken, LedgerUnwritable
from sfumato.ledger.entry import Draft, Entry, Event, verify
from tests.depth import depth
from tests.ledgers import KINDS, Place, Places, places

PEOPLE = pd.DataFrame({"ward": ["a", "a", "b"], "days": [3, 40, 7]})
SCHEMA = {"name": "stays", "columns": {"ward": {"categories": ["a", "b"]}, "days": {"type": "integer"}}}
SQL = "SELECT ward, COUNT(*) FROM stays GROUP BY ward"
COLUMNS = ["number", "event", "dataset", "who", "at", "key", "nano_epsilon", "delta", "public", "confidential",
           "previous", "digest"]  # fmt: skip


def stays(ledger: Path | str) -> sf.Dataset:
    return sf.open(PEOPLE, SCHEMA, ledger=ledger, version="1")


def draft(key: str) -> Draft:
    return Draft(Event.LOOKED, "stays", "ada", "2026-11-15T09:00:00+00:00", key, public={"what": "ünïcode"})


@pytest.fixture(scope="module")
def two_releases(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Opened, planned, reserved, released; planned, reserved, released."""
    path = tmp_path_factory.mktemp("kept") / "test.ledger"
    query = stays(path).query(SQL)
    query.release(epsilon=0.5)
    query.release(epsilon=0.1)
    assert local.verify_ledger(path) == 7
    return path


@pytest.fixture
def kept(two_releases: Path, ledger_path: Path) -> Path:
    """A ledger with two releases in it."""
    return Path(shutil.copy(two_releases, ledger_path))


@pytest.fixture
def place(ledger_places: Places) -> Place:
    return ledger_places()


@pytest.fixture
def kept_at(place: Place, two_releases: Path) -> Place:
    """A place with the same two releases in it."""
    if place.is_file:
        shutil.copy(two_releases, place.address)
    else:
        place.fill(Place(str(two_releases)).content())
    return place


@contextmanager
def sqlite(path: Path) -> Iterator[sqlite3.Connection]:
    """The file as anybody may open it, without us."""
    with closing(sqlite3.connect(path)) as connection, connection:
        yield connection


# It keeps


def test_what_was_appended_is_read_back_in_order(place: Place) -> None:
    store = place.store()
    first = store.append(0, lambda _new: [draft("a"), draft("b")])
    second = store.append(2, lambda new: [draft("c")] if not new else [], first[-1].digest)
    assert [e.draft.key for e in (*first, *second)] == ["a", "b", "c"]
    assert place.store().read(0) == [*first, *second]
    assert place.store().read(2, first[-1].digest) == second
    assert verify([*first, *second])[0] == 3


def test_whoever_appends_sees_first_what_others_wrote(place: Place) -> None:
    ours, theirs = place.store(), place.store()
    theirs.append(0, lambda _new: [draft("theirs")])
    seen: list[Entry] = []

    def decide(new: Sequence[Entry]) -> Sequence[Draft]:
        seen.extend(new)
        return []

    ours.append(0, decide)
    assert [e.draft.key for e in seen] == ["theirs"]


def test_a_store_with_another_entry_in_its_place_is_refused(place: Place) -> None:
    store = place.store()
    store.append(0, lambda _new: [draft("a")])
    with pytest.raises(LedgerBroken):
        store.read(1, "another")
    with pytest.raises(LedgerBroken):
        store.append(1, lambda _new: [draft("b")], "another")
    assert len(store.read(0)) == 1


def test_an_error_while_deciding_leaves_nothing(place: Place) -> None:
    store = place.store()
    [entry] = store.append(0, lambda _new: [draft("a")])

    def decide(_new: Sequence[Entry]) -> Sequence[Draft]:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        store.append(1, decide, entry.digest)
    assert len(store.append(1, lambda _new: [draft("b")], entry.digest)) == 1, "and nothing is left locked"


def test_a_file_is_made_at_the_first_entry_only(ledger_path: Path) -> None:
    dataset = stays(ledger_path)
    query = dataset.query(SQL)
    query.worst_case()
    assert len(dataset.ledger.entries) == 0
    assert not ledger_path.exists()
    query.choose(sf.gap(1.2, worst_case=True))
    assert [e.draft.event for e in dataset.ledger.entries] == [Event.OPENED, Event.PLANNED]
    assert ledger_path.exists()


def test_a_rule_is_of_record_when_the_dataset_is_first_opened(ledger_path: Path) -> None:
    for _ in range(2):
        sf.open(PEOPLE, SCHEMA | {"rule": {"gap": 1.2, "worst_case": True}}, ledger=ledger_path)
    assert [e.draft.event for e in SQLiteLedger(str(ledger_path)).read(0)] == [Event.OPENED]


OF_A_FILE = (
    "CREATE TABLE ledger ( number INTEGER NOT NULL, event TEXT NOT NULL, dataset TEXT NOT NULL, who TEXT NOT NULL, "
    'at TEXT NOT NULL, "key" TEXT NOT NULL, nano_epsilon INTEGER NOT NULL, delta TEXT NOT NULL, public TEXT NOT NULL, '
    "confidential TEXT NOT NULL, previous TEXT NOT NULL, digest TEXT NOT NULL, PRIMARY KEY (number) )"
)


def test_a_file_has_the_tables_of_its_format(kept: Path) -> None:
    with sqlite(kept) as connection:
        [[table]] = connection.execute("SELECT sql FROM sqlite_master WHERE type = 'table' AND name = 'ledger'")
        triggers = connection.execute("SELECT name FROM sqlite_master WHERE type = 'trigger' ORDER BY name").fetchall()
        [[number]] = connection.execute("PRAGMA user_version")
        names = [row[1] for row in connection.execute("PRAGMA table_info(checkpoints)")]
        others = [row[1] for row in connection.execute("PRAGMA table_info(individual_spending)")]
    assert " ".join(table.split()) == OF_A_FILE
    assert triggers == [(f"{table}_no_{verb}",) for table in ("checkpoints", "ledger") for verb in ("delete", "update")]
    assert number == FORMAT
    assert (names, others) == (checkpoints.c.keys(), individual_spending.c.keys()), "as in a workspace's database"


@pytest.mark.parametrize(
    ("number", "sentence"),
    [
        (0, "has no format number, and this version of sfumato reads formats up to 2. Hint: open it with the "),
        (
            7,
            "has format 7, and this version of sfumato reads formats up to 2. Hint: install a newer version of sfumato",
        ),
    ],
    ids=["no number", "newer"],
)
def test_a_file_of_another_format_is_refused(kept: Path, number: int, sentence: str) -> None:
    with sqlite(kept) as connection:
        connection.execute(f"PRAGMA user_version = {number}")
    _named_and_refused(kept, f"The ledger {kept} {sentence}")


def test_in_memory_it_is_forgotten_and_the_certificate_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    dataset = stays(":memory:")
    release = dataset.query(SQL).release(epsilon=0.5)
    assert dataset.ledger.total.epsilon == 0.5
    assert dataset.query(SQL).release(epsilon=0.5).rows == release.rows, "while it lasts, it is a ledger"
    assert release.certificate.ledger_entry is None
    assert "not recorded" in repr(release.certificate)
    assert stays(":memory:").ledger.entries == ()
    assert not list(tmp_path.iterdir())


APPEND = """
import sys, time
from pathlib import Path
from sfumato.errors import SfumatoError
from sfumato.ledger.entry import Draft, Event
from sfumato.adapters.storage.database import Database
from sfumato.adapters.storage.ledger_file import SQLiteLedger

who, folder, failures = sys.argv[1], Path(sys.argv[2]), 0
for ledger, address in enumerate(sys.argv[3:]):
    store = Database(address).ledger() if "://" in address else SQLiteLedger(address)
    (folder / f"{who} at {ledger}").touch()
    while len(list(folder.glob(f"* at {ledger}"))) < 4:
        time.sleep(0.005)
    for i in range(4):
        try:
            store.append(0, lambda known: [Draft(Event.LOOKED, "stays", who, "now", f"{i} after {len(known)}")])
        except SfumatoError:
            failures += 1
sys.exit(failures)
"""


def test_four_processes_keep_one_chain(request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """On ledgers in which none of them found an entry: all start each of them at the same moment. Five of a kind."""
    people = ("ada", "bob", "cy", "di")
    with ExitStack() as stack:
        found = []
        for kind in KINDS:
            folder = tmp_path / kind
            folder.mkdir()
            new = stack.enter_context(places(kind, folder, lambda: request.getfixturevalue("postgres")))
            found += [new() for _ in range(5)]
        _four_write(people, found, tmp_path)


def _four_write(people: Sequence[str], found: Sequence[Place], tmp_path: Path) -> None:
    command = [sys.executable, "-c", APPEND]
    addresses = [place.address for place in found]
    writers = [subprocess.Popen([*command, who, str(tmp_path), *addresses]) for who in people]
    try:
        codes = [writer.wait() for writer in writers]
    finally:
        for writer in writers:
            writer.kill()
    assert codes == [0] * 4, "nobody was turned away"
    for place in found:
        entries = place.store().read(0)
        assert verify(entries)[0] == 16
        for who in people:
            assert [e.draft.key[0] for e in entries if e.draft.who == who] == list("0123"), "each in its own order"
        seen = [int(e.draft.key.split()[-1]) for e in entries]
        assert seen == list(range(16)), "and each decided on all that was there before"


# It cannot be changed


def test_the_database_itself_refuses_a_change(kept_at: Place) -> None:
    for statement in ("UPDATE ledger SET who = 'eve'", "DELETE FROM ledger WHERE number = 7"):
        with pytest.raises(sa.exc.DBAPIError, match="the ledger is append-only"), kept_at.raw() as connection:
            connection.exec_driver_sql(statement)
        assert verify(kept_at.store().read(0))[0] == 7


EDITS = {column: f"{column} || 'x'" for column in COLUMNS} | {
    "number": "70",
    "event": "'looked'",
    "nano_epsilon": "nano_epsilon - 1",
    "public": """'{"guarantee": "dp"}'""",
    "confidential": """'{"epsilon": 3}'""",
}
BROKEN = {column: f"UPDATE ledger SET {column} = {edit} WHERE number = 3" for column, edit in EDITS.items()} | {
    "an event that is none": "UPDATE ledger SET event = 'refunded' WHERE number = 3",
    "a text that is no JSON": "UPDATE ledger SET public = '{' WHERE number = 3",
    "a text that is no object": "UPDATE ledger SET public = '[]' WHERE number = 3",
    "an amount that is no number": "UPDATE ledger SET nano_epsilon = 'x' WHERE number = 3",
    "removed": "DELETE FROM ledger WHERE number = 3",
}


def test_an_edited_entry_is_named_and_nothing_is_released(kept_at: Place) -> None:
    rows = kept_at.content()
    kept_at.tamper()
    for name, statement in BROKEN.items():
        if kept_at.is_postgres and name == "an amount that is no number":
            continue  # PostgreSQL takes numbers only
        with closing(_before_edits(kept_at, rows, name)) as place:
            with place.raw() as connection:
                assert connection.exec_driver_sql(statement).rowcount == 1, name
            _named_there_and_refused(place, "The ledger was changed at entry 3, and nothing is released from it. ")


def _before_edits(place: Place, rows: list[tuple[Any, ...]], name: str) -> Place:
    """The ledger without an edit, for the edit of this name: a copy of the file, or the rows put back."""
    if place.is_postgres:
        with place.raw() as connection:
            connection.exec_driver_sql("DELETE FROM ledger")
        place.fill(rows)
        return place
    path = Path(place.address.removeprefix("sqlite:///"))
    return Place(place.address.replace(str(path), str(shutil.copy(path, path.with_name(name)))))


def test_every_column_was_edited(kept: Path) -> None:
    with sqlite(kept) as connection:
        assert [row[1] for row in connection.execute("PRAGMA table_info(ledger)")] == COLUMNS


def test_a_removed_entry_is_named_though_the_others_close_up(kept_at: Place) -> None:
    closing_up = (f"UPDATE ledger SET number = {n - 1} WHERE number = {n}" for n in range(4, 8))
    kept_at.tamper("DELETE FROM ledger WHERE number = 3", *closing_up)
    _named_there_and_refused(kept_at, "The ledger was changed at entry 3, and nothing is released from it. ")


def test_swapped_entries_are_named(kept_at: Place) -> None:
    swap = (f"UPDATE ledger SET number = {to} WHERE number = {n}" for n, to in [(3, 30), (4, 3), (30, 4)])
    kept_at.tamper(*swap)
    _named_there_and_refused(kept_at, "The ledger was changed at entry 3, and nothing is released from it. ")


def test_a_file_that_is_no_ledger_is_left_alone(ledger_path: Path) -> None:
    ledger_path.write_text("ward,days\na,3\n" * 1000)
    _named_and_refused(ledger_path, f"{ledger_path} cannot be read as a ledger. ")


@pytest.mark.parametrize("table", ["bookmarks (url)", "ledger (url)"], ids=["of its own kind", "by name only"])
def test_a_database_of_somebody_else_is_left_alone(ledger_path: Path, table: str) -> None:
    with sqlite(ledger_path) as connection:
        connection.execute(f"CREATE TABLE {table}")
    _named_and_refused(ledger_path, f"{ledger_path} cannot be read as a ledger. ")


@pytest.mark.parametrize("pages", [0.01, 0.5, 1, 1.2, 2, 3.5], ids=lambda pages: f"{pages} pages")
def test_a_file_that_was_cut_off_is_no_ledger(kept: Path, pages: float) -> None:
    os.truncate(kept, int(pages * 4096))
    _named_and_refused(kept, "")


def test_an_empty_file_has_no_entries(ledger_path: Path) -> None:
    """It may be a ledger that was never written to, so it can become one; but there is nothing in it to verify."""
    ledger_path.touch()
    for attempt in (local.verify_ledger, local.records):
        with pytest.raises(LedgerBroken, match=r"test\.ledger has no entries: it was never used, or they were removed"):
            attempt(ledger_path)
    stays(ledger_path).query(SQL).release(epsilon=0.5)
    assert local.verify_ledger(ledger_path) == 4


@pytest.mark.depth("broken files")
@given(st.data())
@settings(max_examples=depth("broken files"), suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_is_changed_in_a_file_is_named_or_changes_nothing(
    two_releases: Path, tmp_path: Path, data: st.DataObject
) -> None:
    """One byte is another, or the end is gone; SQLite's free bytes apart, there is a sentence for each."""
    whole = two_releases.read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    changed = whole[:place]
    if data.draw(st.booleans(), "only one byte"):
        changed += bytes([whole[place] ^ data.draw(st.integers(1, 255))]) + whole[place + 1 :]
    broken = tmp_path / "broken.ledger"
    broken.write_bytes(changed)
    try:
        found = str([record.entries for record in local.records(broken)])
    except LedgerBroken as named:
        found = str(named)
    same = found == str([record.entries for record in local.records(two_releases)])
    assert same or found.startswith(
        (
            *(f"The ledger was changed at entry {n}, and nothing is released from it. " for n in range(1, 8)),
            str(broken),
            f"The ledger {broken} ",
        )
    )


PUT_BACK = {
    "the last entry": ["DELETE FROM ledger WHERE number = 7"],
    "the last release": ["DELETE FROM ledger WHERE number > 4"],
    "everything": ["DELETE FROM ledger"],
}


@pytest.mark.parametrize("statements", PUT_BACK.values(), ids=PUT_BACK)
def test_whoever_saw_an_entry_notices_that_it_is_gone(kept_at: Place, statements: list[str]) -> None:
    query = kept_at.open(PEOPLE, SCHEMA, version="1").query(SQL)
    kept_at.tamper(*statements)
    _refused(query, kept_at.content)


@pytest.mark.parametrize("size", [0, 2048, 4096, 8192])
def test_whoever_has_a_ledger_open_notices_that_its_file_was_cut_off(kept: Path, size: int) -> None:
    query = stays(kept).query(SQL)
    os.truncate(kept, size)
    _refused(query, kept.read_bytes)


def test_whoever_has_a_ledger_open_notices_that_its_file_is_gone(kept: Path) -> None:
    query = stays(kept).query(SQL)
    kept.unlink()
    for epsilon in (0.5, 0.3):
        with pytest.raises(LedgerBroken):
            query.release(epsilon=epsilon)


def _refused(query: sf.Query, content: Callable[[], object]) -> None:
    """What is open releases nothing on top, neither anew nor again, looks at nobody, and leaves all as it is."""
    before = content()
    for attempt in (lambda: query.release(epsilon=0.5), lambda: query.release(epsilon=0.3), query.risk):
        with pytest.raises(LedgerBroken):
            attempt()
    assert content() == before


def _named_and_refused(path: Path, sentence: str) -> None:
    """Reading, looking, choosing and releasing all stop at the break, and the file stays as it is."""
    attempts = [lambda: local.verify_ledger(path), lambda: local.records(path)]
    _stopped([*attempts, *_uses(lambda: stays(path))], sentence, path.read_bytes)


def _named_there_and_refused(place: Place, sentence: str) -> None:
    """The same, wherever it is kept; a database is read as a file is, so that there one use stands for all."""
    uses = _uses(lambda: place.open(PEOPLE, SCHEMA, version="1"))
    _stopped([lambda: verify(place.store().read(0)), *uses[: 3 if place.is_file else 1]], sentence, place.content)


def _uses(opened: Callable[[], sf.Dataset]) -> list[Callable[[], object]]:
    return [
        lambda: opened().query(SQL).risk(),
        lambda: opened().query(SQL).release(epsilon=0.5),
        lambda: opened().query(SQL).release(epsilon=0.5, redraw=True),
    ]


def _stopped(attempts: Sequence[Callable[[], object]], sentence: str, content: Callable[[], object]) -> None:
    before = content()
    for attempt in attempts:
        with pytest.raises(LedgerBroken) as broken:
            attempt()
        assert str(broken.value).startswith(sentence)
        assert broken.value.exit_status == 3
    assert content() == before


# Where it cannot write it refuses


@pytest.fixture
def no_draw(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever draws noise before the ledger has the charge fails the test."""

    def mechanism(_name: str) -> object:
        raise AssertionError("noise was drawn that no ledger has")

    monkeypatch.setattr(local, "_mechanism", mechanism)


@pytest.fixture
def read_only(two_releases: Path) -> Iterator[Path]:
    """A folder with a ledger in which we may read, not write; root, who may do anything, is nobody for a while."""
    with tempfile.TemporaryDirectory() as name:
        folder, user = Path(name), os.geteuid()
        Path(shutil.copy(two_releases, folder / "test.ledger")).chmod(0o444)
        folder.chmod(0o555)
        os.seteuid(user or 65534)
        try:
            yield folder
        finally:
            os.seteuid(user)
            folder.chmod(0o755)


def sentence(path: Path) -> str:
    return f"The ledger {path} cannot be written. Hint: name another with ledger=PATH; nothing was released."


@pytest.mark.usefixtures("no_draw")
def test_a_folder_that_does_not_exist(tmp_path: Path) -> None:
    path = tmp_path / "nowhere" / "test.ledger"
    with pytest.raises(LedgerUnwritable) as unwritable:
        stays(path).query(SQL).release(epsilon=0.5)
    assert str(unwritable.value) == sentence(path)
    assert unwritable.value.exit_status == 2
    assert not path.parent.exists()


@pytest.mark.usefixtures("no_draw")
@pytest.mark.parametrize("path", ["/proc/test.ledger", "."], ids=["where nobody may write", "where a folder is"])
def test_a_path_that_cannot_be_written(path: str) -> None:
    with pytest.raises(LedgerUnwritable) as unwritable:
        stays(path).query(SQL).release(epsilon=0.5)
    assert str(unwritable.value) == sentence(Path(path))
    assert unwritable.value.exit_status == 2


@pytest.mark.usefixtures("no_draw")
def test_a_ledger_that_may_only_be_read(two_releases: Path, read_only: Path) -> None:
    """It is shown and verified to whoever may read it; nothing is released."""
    path = read_only / "test.ledger"
    query = stays(path).query(SQL)
    assert local.verify_ledger(path) == 7
    assert query.dataset.ledger.total.epsilon == 0.6
    for epsilon in (0.5, 0.3):
        with pytest.raises(LedgerUnwritable) as unwritable:
            query.release(epsilon=epsilon, redraw=True)
        assert str(unwritable.value) == sentence(path)
    with pytest.raises(LedgerUnwritable):
        stays(read_only / "new.ledger").query(SQL).release(epsilon=0.5)
    assert [file.name for file in read_only.iterdir()] == ["test.ledger"]


@pytest.mark.usefixtures("no_draw")
@pytest.mark.parametrize("epsilon", [0.5, 0.3], ids=["planned already", "never asked"])
def test_a_full_disk(kept: Path, fill_disk: Callable[[], None], epsilon: float) -> None:
    query = stays(kept).query(SQL)
    fill_disk()
    with pytest.raises(LedgerUnwritable) as full:
        query.release(epsilon=epsilon, redraw=True)
    assert str(full.value) == sentence(kept)
    assert local.verify_ledger(kept) == 7


def test_a_disk_that_fills_up_while_noise_is_drawn(
    kept: Path, fill_disk: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    def mechanism(_name: str) -> Callable[..., Sequence[int]]:
        fill_disk()
        return lambda totals, _sensitivity, _epsilon: totals

    monkeypatch.setattr(local, "_mechanism", mechanism)
    query = stays(kept).query(SQL)
    with pytest.raises(LedgerUnwritable):
        query.release(epsilon=0.3)
    assert query.dataset.ledger.entries[-1].draft.event is Event.RESERVED
    assert query.dataset.ledger.total.epsilon == 0.9, "an unknown outcome counts as spent"


def test_a_look_on_a_ledger_in_memory_says_that_no_file_records_it(tmp_path: Path) -> None:
    with pytest.warns(sf.UnrecordedLookWarning, match="this look is not recorded in a file"):
        stays(":memory:").query(SQL).risk()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        stays(":memory:").query(SQL).worst_case()
        stays(tmp_path / "kept.ledger").query(SQL).risk()


# Its file is the one that SQLAlchemy would make


def test_the_table_of_a_file_is_that_of_a_workspace(ledger_path: Path, tmp_path: Path) -> None:
    SQLiteLedger(str(ledger_path)).append(0, lambda _new: [draft("a")])
    engine = sa.create_engine(f"sqlite:///{tmp_path}/workspace.db", poolclass=sa.pool.NullPool)
    with engine.begin() as connection:
        ledger.create(connection)
    columns = []
    for path in (ledger_path, tmp_path / "workspace.db"):
        with sqlite(path) as opened:
            columns.append(opened.execute("PRAGMA table_info(ledger)").fetchall())
    assert columns[0] == columns[1]
