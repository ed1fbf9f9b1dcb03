"""What the columns of a table look like, for the draft of a schema."""

from __future__ import annotations

from collections.abc import Sequence

from sfumato.model.fit import Seen
from sfumato.model.schema import Format, Type
from sfumato.ports import Engine
from sfumato.sql.plans import inspect


def seen_columns(engine: Engine, *, values: bool) -> list[Seen]:
    """What each column looks like. The formats of texts are tried where they do not all read without one."""

    def read(names: Sequence[str], formats: Sequence[Format | None]) -> dict[str, inspect.TextReadings]:
        if not names:
            return {}
        sql = engine.spell(inspect.text_readings(names, engine.raw, formats))
        return inspect.read_text_readings(engine.rows(sql), names, formats)

    plain = read([name for name, stored in engine.columns.items() if stored in (Type.TEXT, None)], [None])
    formatted = read([name for name, readings in plain.items() if not readings.is_settled], [*Format])
    columns = []
    for name, stored in engine.columns.items():
        readings = plain.get(name)
        type_, format_ = (stored or Type.TEXT, None) if readings is None else readings.guess(formatted.get(name))
        missing = readings.missing if readings is not None and readings.there else ()
        if type_ is Type.TEXT:
            missing = tuple(word for word in missing if word in inspect.MISSING_IN_TEXTS)
        texts = _few_values(engine, name) if values and type_ is Type.TEXT else ()
        columns.append(Seen(name, type_, texts, format_, missing))
    return columns


def _few_values(engine: Engine, column: str) -> tuple[str, ...]:
    texts = [str(row[0]) for row in engine.rows(engine.spell(inspect.values(column, engine.raw)))]
    return tuple(sorted(texts)) if len(texts) <= inspect.MOST_VALUES else ()
