"""Count what one release, one submission and one inspection call: modules, changes of package, repeated work."""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import sfumato
from tests.room import DATA, SCHEMA, Room

SQL = "SELECT ward, COUNT(*), SUM(age) FROM stays WHERE days > 5 GROUP BY ward"
NOUNS = ("model", "errors", "ports", "version")  # they are used everywhere and are not counted
STEPS = {  # what is counted, by the module it is in (or a package of it) and its name there
    "parse": ("sql.parser", ("parse",)),
    "solve": ("privacy.preferences", ("solve",)),
    "calibrate": ("privacy.noise", ("calibrate",)),
    "provenance": ("release", ("provenances",)),
    "ledger": ("adapters.storage", ("SQLiteLedger.append", "LedgerTable.append")),
    "estimate": ("escrow", ("Questions.preview",)),
}


@dataclass
class Trace:
    """What was called between two moments, in this thread."""

    modules: Counter[str] = field(default_factory=Counter)
    packages: list[str] = field(default_factory=list)  # entered from another package, in order
    steps: Counter[str] = field(default_factory=Counter)

    @property
    def counts(self) -> dict[str, int]:
        """Modules called through, changes of package, and how often each step was taken."""
        steps = {name: self.steps[name] for name in STEPS}
        return {"modules": len(self.modules), "changes": len(self.packages)} | steps

    def enter(self, frame: FrameType, event: str, _value: object) -> None:
        """Count one call; `sys.setprofile` tells of it."""
        module = _module(frame)
        if event != "call" or module is None or _is_resumed(frame):
            return
        self.modules[module] += 1
        package, caller = module.split(".")[0], _caller(frame)
        if caller is not None and caller.split(".")[0] != package:
            self.packages.append(package)
        for step, (within, names) in STEPS.items():
            if f"{module}.".startswith(f"{within}.") and frame.f_code.co_qualname in names:
                self.steps[step] += 1


def _module(frame: FrameType) -> str | None:
    """The module that a frame runs in, without `sfumato.`; None where it is not counted, as an import."""
    name = str(frame.f_globals.get("__name__", ""))
    if not name.startswith("sfumato.") or frame.f_code.co_name == "<module>":
        return None
    name = name.removeprefix("sfumato.")
    return None if name.split(".")[0] in NOUNS else name


def _caller(frame: FrameType) -> str | None:
    """The module of the nearest call around a frame that is counted."""
    outer = frame.f_back
    while outer is not None:
        module = _module(outer)
        if module is not None:
            return module
        outer = outer.f_back
    return None


def _is_resumed(frame: FrameType) -> bool:
    """Whether a generator goes on: it was called before."""
    return bool(frame.f_code.co_flags & 0x20) and frame.f_lasti > 0


@contextmanager
def recording(into: Trace) -> Iterator[None]:
    """Count the calls of a block."""
    before = sys.getprofile()
    sys.setprofile(into.enter)
    try:
        yield
    finally:
        sys.setprofile(before)


def traced() -> dict[str, Trace]:
    """A trace of `release`, `submit` and `inspect`, each on its second run, so that nothing is imported meanwhile."""
    _released()
    _asked()
    return {"release": _released()} | _asked()


def _released() -> Trace:
    """A dataset that is opened first, and one query of it: read, released, recorded."""
    found = Trace()
    with tempfile.TemporaryDirectory() as folder:
        data, schema = Path(folder) / "stays.csv", Path(folder) / "stays.toml"
        data.write_bytes(DATA)
        schema.write_text(SCHEMA, encoding="utf-8")
        dataset = sfumato.open(data, schema)
        with recording(found):
            dataset.query(SQL).release(epsilon=1.0)
    return found


def _asked() -> dict[str, Trace]:
    """A request of an analyst to an escrow, and a controller who inspects it."""
    submitted, inspected = Trace(), Trace()
    with tempfile.TemporaryDirectory() as folder:
        room = Room(Path(folder), f"sqlite:///{folder}/escrow.db").peopled()
        room.policy()
        room.runner.run = _unrecorded(room.runner.run)  # type: ignore[method-assign]
        analyst, controller = room["bob"], room["alice"]
        with recording(submitted):
            request = room.requests.submit(analyst, "stays", "planning beds", [{"sql": SQL}])
        with recording(inspected):
            room.decisions.inspect(controller, request.id)
        room.close()
    return {"submit": submitted, "inspect": inspected}


def _unrecorded(run: Callable[..., Mapping[str, Any]]) -> Callable[..., Mapping[str, Any]]:
    """A job as a worker does it in a process of its own, where nothing is counted."""

    def work(*given: Any, **named: Any) -> Mapping[str, Any]:
        recorder = sys.getprofile()
        sys.setprofile(None)
        try:
            return run(*given, **named)
        finally:
            sys.setprofile(recorder)

    return work


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--calls", action="store_true", help="list the packages in the order in which they are entered")
    parser.add_argument("--modules", action="store_true", help="list the modules and how often each is called")
    options = parser.parse_args()
    for verb, trace in traced().items():
        print(verb)
        for name, count in trace.counts.items():
            print(f"  {name:<12}{count:>5}")
        if options.calls:
            print("  calls:", " > ".join(trace.packages))
        if options.modules:
            for module, count in sorted(trace.modules.items()):
                print(f"  {count:>5}  {module}")


if __name__ == "__main__":
    main()
