"""A check of an engine in text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Any

from sfumato.model.engine_check import EngineCheck, FactDifference
from sfumato.presentation.document import Document, FactRows

CHECKING = "Checking the engine"
_SHOWN = 10  # differences in text; JSON has all


def text(check: EngineCheck) -> str:
    lines = [("Engine", check.engine), ("Facts", f"{check.facts:,}"), ("Different", f"{len(check.differences):,}")]
    lines += [line for difference in check.differences[:_SHOWN] for line in _lines(difference)]
    left = len(check.differences) - _SHOWN
    more = [("More", f"{left:,} differences; --json lists all")] if left > 0 else []
    return Document("", (FactRows([*lines, *more, ("Result", _result(check))]),)).text()


def _lines(difference: FactDifference) -> Iterator[tuple[str, str]]:
    yield "Query", f"{difference.query or 'none: how the table fits its schema'} ({difference.people})"
    if difference.failed:
        yield "Fact", f"{difference.fact}: the query failed or was refused"
    else:
        yield "Fact", f"{difference.fact}: {_short(difference.found)} instead of {_short(difference.expected)}"


def _short(value: Any) -> str:
    written = str(value)
    return written if len(written) <= 60 else f"{written[:57]}..."


def _result(check: EngineCheck) -> str:
    if check.passed:
        return "passed: every fact is as expected, totals to the last bit. This version of the engine is supported."
    return "not passed: the engine computes something else. Do not release anything from data in this engine."


def as_dict(check: EngineCheck) -> dict[str, Any]:
    return {"engine": check.engine, "facts": check.facts, "passed": check.passed,
            "differences": [asdict(difference) for difference in check.differences]}  # fmt: skip
