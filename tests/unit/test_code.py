"""What of an analyst's own function deserves attention, line by line."""

from __future__ import annotations

import pytest

from sfumato.errors import BadInput
from sfumato.escrow.submissions.code_review import LONGEST, Reason, checked, fingerprint, marks
from sfumato.presentation.escrow import submission_view
from sfumato.presentation.wording import code as of_code

HARMLESS = """import numpy as np
from sklearn.linear_model import LogisticRegression
import statistics

def evaluate(tables):
    table = tables[0]
    for k in [2, 3]:
        table = table.head(10 - k)
    return float(np.mean(table["n"] > 100))
"""


def test_what_is_plain_is_not_marked() -> None:
    assert marks(HARMLESS) == []


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("import os", of_code.imports("os")),
        ("import pandas.io, socket", of_code.imports("socket")),
        ("from ctypes import CDLL", of_code.imports("ctypes")),
        ("from . import x", of_code.imports(".")),
        ("open('/etc/passwd')", of_code.calls("open")),
        ("f = getattr", of_code.calls("getattr")),
        ("().__class__.__bases__", of_code.INSIDE),
        ("__builtins__", of_code.INSIDE),
        ("t.eval('n')", of_code.calls("eval")),
        ("for r in t.iterrows(): pass", of_code.PICKS),
        ("x = sum(v for v in t['n'])", of_code.PICKS),
        ("x = t.iloc[0, 1]", of_code.PICKS),
        ("x = 1000 ** 2", of_code.PACKS),
        ("x = t['n'][0] << 8", of_code.PACKS),
        ("x = ord('a')", of_code.PACKS),
        ("time.sleep(3)", of_code.WAITS),
        ("pd.Timestamp.now()", of_code.CLOCK),
        ("pd.to_datetime('now')", of_code.CLOCK),
        ("while True: pass", of_code.ENDLESS),
        ("x = 123456789", of_code.LARGE),
        (f"x = {'a' * 201!r}", of_code.LARGE),
        (f"x = {list(range(51))}", of_code.LARGE),
        ("raise ValueError", of_code.FAILS),
        ("exit(1)", of_code.FAILS),
        ("np.random.rand()", of_code.RANDOM),
        ("pd.read_csv('x')", of_code.FILES),
    ],
)
def test_a_line_that_deserves_attention(line: str, why: str) -> None:
    found = submission_view.marks(marks(f"def evaluate(tables):\n    t = tables[0]\n    {line}\n    return 1\n"))
    assert {"line": 3, "why": why} in found
    assert {mark["line"] for mark in found} == {3}


@pytest.mark.parametrize("code", ["def evaluate(", "x = " + "(" * 10_000, "-" * 19_000 + "1", "x" + "+x" * 9_000])
def test_what_cannot_be_read_is_said_to_be_so(code: str) -> None:
    assert {mark.reason for mark in marks(code)} & {Reason.NOT_PYTHON, Reason.NO_FUNCTION}


def test_a_function_that_is_not_there() -> None:
    assert submission_view.marks(marks("x = 1")) == [{"line": 1, "why": of_code.NO_FUNCTION}]


@pytest.mark.parametrize("code", ["", " \n", "x" * (LONGEST + 1), "x = 1 # \u202e", "x = '\x1b[2K'", "x = 1\x0c"])
def test_code_that_would_not_show_what_it_says_is_not_kept(code: str) -> None:
    with pytest.raises(BadInput):
        checked(code)


def test_tabs_and_line_ends_are_code() -> None:
    code = "def evaluate(tables):\r\n\treturn 1\r\n"
    assert checked(code) == code
    assert fingerprint(code) != fingerprint(code.replace("\r", ""))
