"""A pandas table whose columns have types of their own, so that no value changes how another is read."""

from __future__ import annotations

from typing import Any


def columns_of_one_type(source: Any) -> Any:
    """Columns of mixed objects become text, value by value; DuckDB would guess one type for all from some of them."""
    if not type(source).__module__.startswith("pandas"):
        return source
    import pandas as pd

    typed = source.copy(deep=False)
    typed.columns = [str(name) for name in source.columns]
    for name, dtype in typed.dtypes.items():
        if str(dtype) == "object":
            typed[name] = pd.array([_as_text(value) for value in typed[name]], dtype="string")
    return typed


def _as_text(value: object) -> str | None:
    """A value as text; what has none is missing, whatever it does when it is asked."""
    try:
        missing = value is None or bool(value != value)  # noqa: PLR0124 - only what is not a number differs from itself
        return None if missing else str(value).encode("utf-8", "replace").decode("utf-8")
    except Exception:  # noqa: BLE001 - an object of the user's may raise anything
        return None
