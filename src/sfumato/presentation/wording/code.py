"""Why a line of an analyst's own function is marked for review."""

from __future__ import annotations

UNREADABLE = "This is not valid Python, so there will be no score"
ABSENT = "`def evaluate(tables)` is missing, so there will be no score"
NOT_PYTHON = f"{UNREADABLE}."
NO_FUNCTION = f"{ABSENT}."
FAILS = "This can fail on purpose, and a missing score reveals something too."
WAITS = "This waits. The running time is not shown to anyone."
CLOCK = "This reads the clock. The speed of the machine can reveal what another run did."
ENDLESS = "This loop has no fixed end."
PICKS = "This reads single rows or cells. A score can be composed of their values."
PACKS = "This packs numbers or texts into one number. The digits of a score can then contain cells."
LARGE = "This is a large constant. Check what it is compared with."
RANDOM = "This draws at random. The same answer can get different scores."
INSIDE = "This accesses the internals of Python."
FILES = "This reads or writes files. There are none in the sandbox."


def imports(name: str) -> str:
    return f"This imports {name}, which is not one of numpy, pandas, sklearn, math and statistics."


def calls(name: str) -> str:
    return f"This calls {name}, which can run or reach code that is not shown here."
