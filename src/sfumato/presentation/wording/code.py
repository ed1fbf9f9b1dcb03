"""Why a line of an analyst's own function deserves attention."""

from __future__ import annotations

UNREADABLE = "This is not Python: it will have no score"
ABSENT = "There is no `def evaluate(tables)` here: it will have no score"
NOT_PYTHON = f"{UNREADABLE}."
NO_FUNCTION = f"{ABSENT}."
FAILS = "It may fail on purpose: no_score is a message too."
WAITS = "It waits. How long it takes is told to nobody."
CLOCK = "It looks at the clock: how fast the machine is can tell what another run did."
ENDLESS = "A loop without a stated end."
PICKS = "It goes through single rows or cells: a score can be put together from them."
PACKS = "It packs numbers or texts into others: digits of a score can carry cells."
LARGE = "A large constant: what is it compared with?"
RANDOM = "It draws at random: the same answer may have another score."
INSIDE = "It reaches into Python itself."
FILES = "It reads or writes files; there are none in the sandbox."


def imports(name: str) -> str:
    return f"It imports {name}, which is none of numpy, pandas, sklearn, math and statistics."


def calls(name: str) -> str:
    return f"It calls {name}, which runs or reaches what is not written here."
