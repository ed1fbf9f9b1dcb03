"""A study in one SQLite file: its tasks, its links, and the answers. It keeps nothing about a person."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from sfumato.errors import BadInput
from sfumato.study.design import Arm, Kind, Participant, StudyAnswer, next_step
from sfumato.study.tasks import StudyTask

FILE = "study.db"
_CREATE = """
CREATE TABLE study (kind TEXT NOT NULL, tasks TEXT NOT NULL);
CREATE TABLE participants (
    number INTEGER PRIMARY KEY, link TEXT NOT NULL UNIQUE, arm TEXT NOT NULL, "order" TEXT NOT NULL
);
CREATE TABLE displays (number INTEGER NOT NULL, step TEXT NOT NULL, at REAL NOT NULL, PRIMARY KEY (number, step));
CREATE TABLE answers (
    number INTEGER NOT NULL, step TEXT NOT NULL, answered TEXT NOT NULL, seconds REAL NOT NULL,
    PRIMARY KEY (number, step)
);
PRAGMA user_version = 1;
"""


class StudyFile:
    """An open study. A link reads and answers its own participant only."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        if not self._path.is_file():
            raise BadInput.because("study-missing", folder=str(folder))
        with self._connection() as connection:
            kind, tasks = connection.execute("SELECT kind, tasks FROM study").fetchone()
        self.kind = Kind(kind)
        self.tasks = {each["name"]: StudyTask.from_dict(each) for each in json.loads(tasks)}

    @classmethod
    def create(cls, folder: Path, kind: Kind, tasks: Sequence[StudyTask], people: Sequence[Participant]) -> StudyFile:
        """Write a new study; a folder that holds one already is refused."""
        if (folder / FILE).exists():
            raise BadInput.because("study-exists", folder=str(folder))
        folder.mkdir(parents=True, exist_ok=True)
        with closing(sqlite3.connect(folder / FILE)) as connection:
            connection.executescript(_CREATE)
            kept = json.dumps([task.as_dict() for task in tasks])
            connection.execute("INSERT INTO study VALUES (?, ?)", (kind, kept))
            rows = [(each.number, each.link, each.arm, json.dumps(each.order)) for each in people]
            connection.executemany("INSERT INTO participants VALUES (?, ?, ?, ?)", rows)
            connection.commit()
        return cls(folder)

    def participants(self) -> list[Participant]:
        """All of them, with their answers."""
        with self._connection() as connection:
            rows = connection.execute("SELECT * FROM participants ORDER BY number").fetchall()
            return [self._participant(connection, row) for row in rows]

    def one(self, link: str) -> Participant | None:
        """The participant of a link."""
        with self._connection() as connection:
            row = connection.execute("SELECT * FROM participants WHERE link = ?", (link,)).fetchone()
            return None if row is None else self._participant(connection, row)

    def display(self, participant: Participant, step: str, now: float) -> None:
        """Note when a step was first displayed."""
        with self._connection() as connection:
            connection.execute("INSERT OR IGNORE INTO displays VALUES (?, ?, ?)", (participant.number, step, now))

    def answer(self, participant: Participant, step: str, values: Mapping[str, Any], now: float) -> None:
        """Record the answer to the step that is due; an answer to another step is left out.

        Of the time only the seconds since the first display are kept.
        """
        if step != next_step(self.kind, participant):
            return
        with self._connection() as connection:
            key = (participant.number, step)
            display = connection.execute("SELECT at FROM displays WHERE number = ? AND step = ?", key).fetchone()
            seconds = round(max(0.0, now - display[0]), 1) if display else 0.0
            kept = (*key, json.dumps(values), seconds)
            connection.execute("INSERT OR IGNORE INTO answers VALUES (?, ?, ?, ?)", kept)
            connection.execute("DELETE FROM displays WHERE number = ? AND step = ?", key)

    @contextmanager
    def _connection(self) -> Iterator[sqlite3.Connection]:
        with closing(sqlite3.connect(self._path, timeout=30)) as connection, connection:
            yield connection

    def _participant(self, connection: sqlite3.Connection, row: Sequence[Any]) -> Participant:
        number, link, arm, order = row
        rows = connection.execute(
            "SELECT step, answered, seconds FROM answers WHERE number = ? ORDER BY rowid", (number,)
        )
        answers = tuple(StudyAnswer(step, json.loads(answered), seconds) for step, answered, seconds in rows)
        return Participant(number, link, Arm(arm), tuple(json.loads(order)), answers)
