"""Arrow values as the engine can hold them. A value that it cannot hold is null: no query fails because of one."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sfumato.errors import SourceError, instead

if TYPE_CHECKING:
    import pyarrow as pa

_PER_SECOND = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
_DAY = 86_400  # seconds
_FIRST, _END = -62_135_596_800, 253_402_300_800  # seconds from 1970 to the years 1 and 10,000
_LARGEST = 2**63 - 2  # the engine means infinity by a moment beyond it
_LONGEST_TEXT = 2**32 - 1  # bytes of one value


def readable(table: pa.Table, source: str) -> pa.Table:
    """The table with each value that the engine cannot hold replaced by null; its types depend on its types alone.

    A column whose type or whose buffers cannot be read at all is refused by its name.
    """
    import pyarrow as pa

    for field in table.schema:
        if any(map(_unread, _types(field.type))):
            raise SourceError.because("column-type", column=field.name, source=source, type=str(field.type))
    columns = {}
    for name, column in zip(table.column_names, table.columns, strict=True):
        broken = SourceError.because("column-damaged", column=name, source=source)
        columns[name] = instead(broken, (pa.ArrowException, ValueError), lambda c=column: _column(c))  # type: ignore[misc]
    return pa.table(columns)


def _types(kind: pa.DataType) -> Iterator[pa.DataType]:
    """A type and the types in it."""
    import pyarrow as pa

    yield kind
    inside = [getattr(kind, name) for name in ("value_type", "storage_type") if hasattr(kind, name)]
    for inner in [*inside, *(kind.field(i).type for i in range(kind.num_fields))]:
        if isinstance(inner, pa.DataType):
            yield from _types(inner)


def _unread(kind: pa.DataType) -> bool:
    import pyarrow as pa

    wide = pa.types.is_decimal256(kind) or (pa.types.is_decimal(kind) and kind.scale < 0)
    return bool(wide or pa.types.is_union(kind))


def _column(column: pa.ChunkedArray) -> pa.ChunkedArray:
    import pyarrow as pa

    chunks = column.chunks or [pa.nulls(0, column.type)]
    readable = pa.chunked_array([_readable_array(chunk) for chunk in chunks])
    readable.validate(full=True)
    return readable


def _readable_array(array: pa.Array) -> pa.Array:
    """An array of values that the engine can hold."""
    import pyarrow as pa
    import pyarrow.compute as pc

    kind, types = array.type, pa.types
    if isinstance(kind, pa.BaseExtensionType):
        return array if isinstance(kind, pa.UuidType) else _readable_array(array.storage)
    if types.is_date64(kind):  # may hold a time of day, although it should not
        return _readable_array(array.view(pa.timestamp("ms"))).cast(pa.date32())
    if types.is_timestamp(kind) or types.is_duration(kind) or types.is_time(kind):
        return _within(array, *_limits(kind))
    if types.is_float16(kind):
        return array.cast(pa.float32())
    if types.is_decimal128(kind):
        return _decimals(array)
    if types.is_decimal(kind):
        return _within(array, 1 - 10**kind.precision, 10**kind.precision - 1)
    if types.is_string(kind) or types.is_large_string(kind) or types.is_string_view(kind):
        return _text(array)
    if types.is_large_binary(kind):
        return _short(array)
    if types.is_dictionary(kind):
        values = _readable_array(array.dictionary)
        codes = _within(array.indices, 0, len(values) - 1)
        return pa.DictionaryArray.from_arrays(codes, values, ordered=kind.ordered)
    if types.is_run_end_encoded(kind):
        return _readable_array(pc.run_end_decode(array))
    if types.is_struct(kind) and kind.num_fields:
        children = [_readable_array(array.field(i)) for i in range(kind.num_fields)]
        fields = [pa.field(kind.field(i).name, child.type) for i, child in enumerate(children)]
        return pa.StructArray.from_arrays(children, fields=fields, mask=array.is_null())
    return _list(array) if types.is_nested(kind) and kind.num_fields else array


def _list(array: pa.Array) -> pa.Array:
    """Lists of whatever layout. A map becomes a list of its pairs: the engine's maps have no key twice."""
    import pyarrow as pa

    kind, values = array.type, _readable_array(array.values)
    types: dict[type[pa.DataType], tuple[Any, int]] = {  # with how many buffers each has beside its values'
        pa.MapType: (pa.list_, 2),
        pa.ListType: (pa.list_, 2),
        pa.LargeListType: (pa.large_list, 2),
        pa.ListViewType: (pa.list_view, 3),
        pa.LargeListViewType: (pa.large_list_view, 3),
        pa.FixedSizeListType: (lambda inner: pa.list_(inner, kind.list_size), 1),
    }
    list_type, buffers = types[type(kind)]
    own = array.buffers()[:buffers]
    return pa.Array.from_buffers(list_type(values.type), len(array), own, array.null_count, array.offset, [values])


def _limits(kind: pa.DataType) -> tuple[int, int]:
    """The lowest and the highest value of a moment, a duration or a time of day, in its own unit.

    Moments are of the years 1 to 9999; a duration must be a 64-bit number of microseconds.
    """
    import pyarrow as pa

    a_second = _PER_SECOND[kind.unit]
    if pa.types.is_timestamp(kind):
        return max(_FIRST * a_second, -_LARGEST), min(_END * a_second - 1, _LARGEST)
    if pa.types.is_duration(kind):
        most = _LARGEST // max(10**6 // a_second, 1)
        return -most, most
    return 0, _DAY * a_second - 1


def _within(array: pa.Array, low: int, high: int) -> pa.Array:
    """Whole numbers, or what is stored as such, of which those beyond the limits are null.

    What lies in the place of a null counts too: the engine converts it like any other.
    """
    import pyarrow as pa
    import pyarrow.compute as pc

    kind = array.type if pa.types.is_integer(array.type) else getattr(pa, f"int{array.type.bit_width}")()
    stored = pa.Array.from_buffers(kind, len(array), [None, array.buffers()[1]], 0, array.offset)
    whole = stored.cast(pa.int64(), safe=False)
    inside = pc.and_(pc.greater_equal(whole, low), pc.less_equal(whole, high))
    if pc.all(inside, min_count=0).as_py():
        return array
    there = pc.and_(inside, array.is_valid())
    nulls, zeros = (pc.if_else(there, stored, pa.scalar(other, kind)) for other in (None, 0))
    return pa.Array.from_buffers(array.type, len(array), [nulls.buffers()[0], zeros.buffers()[1]])


def _null_unless(array: pa.Array, keep: pa.Array) -> pa.Array:
    """The array with null where `keep` is false; itself where it is false nowhere."""
    import pyarrow as pa
    import pyarrow.compute as pc

    everything = pc.all(keep, min_count=0).as_py()
    return array if everything else pc.if_else(keep, array, pa.scalar(None, array.type))


def _text(array: pa.Array) -> pa.Array:
    """Texts, of which those that are not UTF-8 are null."""
    import pyarrow as pa

    if not _is_bad(array):
        return _short(array)
    binary = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}
    stored = array.view(binary[array.type])
    stored.validate(full=True)  # the buffers themselves; what is left is the encoding
    return _short(pa.array([_decode(value.as_py()) for value in stored], array.type))


def _decode(stored: bytes | None) -> str | None:
    try:
        return None if stored is None else stored.decode()
    except UnicodeDecodeError:
        return None


def _short(array: pa.Array) -> pa.Array:
    """Values of which those that are too long for the engine are null."""
    import pyarrow.compute as pc

    return (
        array
        if array.nbytes <= _LONGEST_TEXT
        else _null_unless(array, pc.less_equal(pc.binary_length(array), _LONGEST_TEXT))
    )


def _is_bad(array: pa.Array) -> bool:
    import pyarrow as pa

    try:
        array.validate(full=True)
    except pa.ArrowInvalid:
        return True
    return False


def _decimals(array: pa.Array) -> pa.Array:
    """Decimals of 128 bits, of which those that have more digits than their type says are null."""
    import pyarrow as pa
    import pyarrow.compute as pc

    data = array.buffers()[1]
    halves = pa.Array.from_buffers(pa.int64(), 2 * len(array), [None, data], 0, 2 * array.offset)
    if not _is_bad(array) and not pc.any(pc.equal(halves, -(2**63)), min_count=0).as_py():  # Arrow misses the smallest
        return array
    bytes_ = pa.Array.from_buffers(pa.binary(16), len(array), array.buffers(), offset=array.offset).to_pylist()
    whole = [None if value is None else int.from_bytes(value, "little", signed=True) for value in bytes_]
    most = 10**array.type.precision
    return _null_unless(array, pa.array([None if value is None else abs(value) < most for value in whole], pa.bool_()))
