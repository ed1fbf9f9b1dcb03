"""`make prove`: the tests that have a depth at their full depth, in parts that go on where the last run ended.

What passed on the code as it is, at the same depth, is not run again. A part starts no test after 60 minutes: run it
again and it goes on. Writes docs/evidence.json after each test and docs/evidence.md at the end.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections import Counter, defaultdict
from pathlib import Path
from tempfile import TemporaryDirectory

from tests import evidence
from tests.depth import meanings
from tests.evidence import ROOT, Entry

JSON, PAGE = ROOT / "docs" / "evidence.json", ROOT / "docs" / "evidence.md"
MINUTES = 60.0


def part_of(test: str) -> str:
    """The folder of a test: `statistical`, `property` ..."""
    return test.split("/")[1]


def listed(folder: Path) -> list[Entry]:
    """Every test that has a depth, with its full depth."""
    path = folder / "tasks.json"
    _pytest("--collect-only", "-qq", f"--list-depths={path}", "tests", quiet=True)
    return [Entry(**task) for task in json.loads(path.read_text(encoding="utf-8"))]


def prove(part: str, tasks: list[Entry], folder: Path, minutes: float, selection: list[str], *, new: bool) -> int:
    """Run what is left of a part, or only what has no evidence at all (`new`); exit code of pytest."""
    entries, src = evidence.load(JSON), evidence.source_hash()
    mine = [task for task in tasks if part_of(task.test) == part]
    tests = {task.test for task in mine}
    evidence.save(JSON, [entry for entry in entries.values() if part_of(entry.test) != part or entry.test in tests])
    todo = [task.test for task in mine if not (task.test in entries and entries[task.test].proves(task, src))]
    if new:
        todo = [test for test in todo if test not in entries]
    which = "evidence, of older code too" if new else "evidence for this code"
    print(f"{part}: {len(mine) - len(todo)} of {len(mine)} tests have {which}; {len(todo)} are left.")
    if not todo:
        return 0
    path = folder / "todo.json"
    path.write_text(json.dumps(todo), encoding="utf-8")
    options = [f"--evidence={JSON}", f"--todo={path}", f"--minutes={minutes}", *selection]
    code = _pytest(*options, f"tests/{part}")
    entries = evidence.load(JSON)
    left = [task for task in mine if not (task.test in entries and entries[task.test].proves(task, src))]
    if left:
        print(f"{part}: {len(left)} tests are left. Run `make prove PART={part}` again to go on.")
    return code


def _pytest(*arguments: str, quiet: bool = False) -> int:
    environment = os.environ | {"SFUMATO_DEPTH": "prove"}
    command = [sys.executable, "-m", "pytest", "-p", "no:cacheprovider", *arguments]
    done = subprocess.run(command, cwd=ROOT, env=environment, check=False, capture_output=quiet, text=True)
    if quiet and done.returncode:
        sys.exit(f"The tests cannot be collected:\n{done.stdout}{done.stderr}")
    return done.returncode


# The page


def page(entries: dict[str, Entry], tasks: list[Entry], src: str) -> str:
    """docs/evidence.md: what was tried, what held, and what is older than the code."""
    lines = [
        "# Evidence",
        "",
        "Read this page to learn how hard the guarantees were tested before you rely on them. `make prove`"
        " runs each test that has a depth, which is a number of draws, tables or crashes, at its full depth, and writes"
        " this page from [evidence.json](evidence.json). [testing.md](testing.md) explains depths.",
        "",
        "A passed test is evidence, not a proof. A test of noise that passes has found no violation.",
        "",
        *_summary(entries, tasks, src),
    ]
    counted = meanings()
    for part in sorted({part_of(task.test) for task in tasks}):
        lines += ["", f"## {part.capitalize()}", ""]
        functions: dict[str, list[Entry]] = defaultdict(list)
        for task in tasks:
            if part_of(task.test) == part:
                functions[task.test.partition("[")[0]].append(task)
        tried = {name for name, cases in functions.items() if any(case.test in entries for case in cases)}
        lines += [_line(name, functions[name], entries, counted, src) for name in sorted(tried)]
        if waiting := sorted(functions.keys() - tried):
            modules = Counter(name.partition("::")[0].rpartition("/")[2] for name in waiting)
            lines += [f"- Not run yet: {', '.join(f'{count} of `{module}`' for module, count in modules.items())}."]
    return "\n".join(lines) + "\n"


def _summary(entries: dict[str, Entry], tasks: list[Entry], src: str) -> list[str]:
    ran = [entries[task.test] for task in tasks if task.test in entries]
    older = sum(entry.src != src for entry in ran)
    failed = sum(not entry.passed for entry in ran)
    current = sum(entries[task.test].proves(task, src) for task in tasks if task.test in entries)
    return [
        f"- Code: `src/` with SHA-256 `{src[:16]}…` when this page was written.",
        f"- {current:,} of {len(tasks):,} tests passed at full depth on this code.",
        f"- {older:,} ran on older code; they are marked.",
        f"- {failed:,} did not pass.",
        f"- {len(tasks) - len(ran):,} have not run at full depth yet.",
    ]


def _line(function: str, cases: list[Entry], entries: dict[str, Entry], counted: dict[str, str], src: str) -> str:
    """One test function in plain words, with all its cases."""
    path, _, name = function.partition("::")
    title = name.rpartition("::")[2].removeprefix("test_").replace("_", " ")
    task, ran = cases[0], [entries[case.test] for case in cases if case.test in entries]
    tried = f"{task.depth:,} {task.of} ({counted[task.of]})" + (f", seed {task.seed}" if task.seed is not None else "")
    if len(cases) > 1:
        tried = f"{len(cases)} cases, each with {tried}"
    verdicts = sorted({entry.verdict.partition(": ")[2] for entry in ran if entry.passed} - {""})
    passed = sum(entry.passed for entry in ran)
    held = [
        f"{passed} of {len(cases)} passed" if passed < len(cases) else "It passed" if len(cases) == 1 else "All passed",
        *([f"{len(cases) - len(ran)} not run yet"] if len(ran) < len(cases) else []),
        *(["older than the code"] if any(entry.src != src for entry in ran) else []),
    ]
    commits = sorted({entry.commit[:10] + ("-dirty" if "-dirty" in entry.commit else "") for entry in ran})
    outcome = f"{'; '.join(held)} (commit {', '.join(commits)})."
    failures = [f"{entry.test}: {entry.verdict}." for entry in ran if not entry.passed]
    found = [f"Found: {'; '.join(verdicts)}."] if verdicts else []
    return " ".join([f"- **{title[:1].upper()}{title[1:]}** (`{path}`). Tried: {tried}. {outcome}", *found, *failures])


def main() -> int:
    parser = argparse.ArgumentParser(prog="make prove")
    parser.add_argument("part", nargs="?", help="a folder of tests; all of them, one after the other, if none is named")
    parser.add_argument("--minutes", type=float, default=MINUTES, help="after which a part starts no further test")
    parser.add_argument("-n", default="2", metavar="PROCESSES", help="how many run tests at the same time")
    parser.add_argument("-k", metavar="EXPRESSION", help="only tests whose names match, as pytest's -k")
    parser.add_argument("--new", action="store_true", help="only tests that have no evidence, of older code either")
    parser.add_argument("--page", action="store_true", help="run nothing: write docs/evidence.md from the file")
    options = parser.parse_args()
    with TemporaryDirectory(prefix="sfumato-") as name:
        folder = Path(name)
        tasks = listed(folder)
        parts = sorted({part_of(task.test) for task in tasks})
        if options.part and options.part not in parts:
            sys.exit(f"There is no part {options.part!r}. PART is one of: {', '.join(parts)}.")
        selection = ["-n", options.n, "--dist", "worksteal", *(["-k", options.k] if options.k else [])]
        run = [] if options.page else [options.part] if options.part else parts
        codes = [prove(part, tasks, folder, options.minutes, selection, new=options.new) for part in run]
    PAGE.write_text(page(evidence.load(JSON), tasks, evidence.source_hash()), encoding="utf-8")
    return max(codes, default=0)


if __name__ == "__main__":
    sys.exit(main())
