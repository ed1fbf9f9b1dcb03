"""Arrow values that the engine cannot hold are null, wherever they lie; all others stay what they are."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from sfumato.adapters.engines.duckdb import arrow
from sfumato.adapters.engines.duckdb.arrow import readable
from sfumato.errors import SourceError
from tests.property.stored import LARGEST, SMALLEST, STORED, WRAPS, Stored

FIRST, END = -62_135_596_800, 253_402_300_800  # seconds from 1970 to the years 1 and 10,000


def read(array: pa.Array) -> pa.ChunkedArray:
    return readable(pa.table({"v": array}), "the Table")["v"]


def stored(array: pa.ChunkedArray) -> list[Any]:
    """Whole numbers as they are stored, with nothing for null."""
    return list(array.combine_chunks().view(f"int{array.type.bit_width}").to_pylist())


@pytest.mark.parametrize(
    ("name", "kept", "lost"),
    [
        ("moment s", (FIRST, END - 1), (FIRST - 1, END, LARGEST, SMALLEST)),
        ("moment ms UTC", (FIRST * 1000, END * 1000 - 1), (FIRST * 1000 - 1, END * 1000, SMALLEST)),
        ("moment us", (FIRST * 10**6, END * 10**6 - 1), (FIRST * 10**6 - 1, END * 10**6, SMALLEST, LARGEST)),
        ("moment ns", (-LARGEST + 1, LARGEST - 1), (SMALLEST, LARGEST)),
        ("duration s", (LARGEST // 10**6, -LARGEST // 10**6 + 1), (LARGEST // 10**6 + 1, SMALLEST)),
        ("duration ns", (LARGEST - 1, -LARGEST + 1), (SMALLEST,)),
        ("time s", (0, 86_399), (-1, 86_400)),
        ("time ms", (0, 86_399_999), (-1, 86_400_000, -(2**31))),
        ("time us", (0, 86_400 * 10**6 - 1), (-1, 86_400 * 10**6, LARGEST)),
        ("time ns", (0, 86_400 * 10**9 - 1), (-1, 86_400 * 10**9, SMALLEST)),
        ("decimal of 32 bits", (99_999, -99_999), (10**5, -(2**31))),
        ("decimal of 64 bits", (10**10 - 1,), (10**10, SMALLEST)),
    ],
)
def test_what_is_beyond_the_limits_is_null(name: str, kept: tuple[int, ...], lost: tuple[int, ...]) -> None:
    of_type = STORED[name]
    found = read(of_type.array([*lost, *kept, None]))
    assert stored(found) == [*[None] * len(lost), *kept, None]
    assert found.type == of_type.kind
    assert found.null_count == len(lost) + 1


def test_what_lies_under_a_null_is_nothing_to_the_engine() -> None:
    """It converts that like a value, and would fail at it."""
    hidden = pa.Array.from_buffers(pa.duration("s"), 2, [pa.py_buffer(b"\x01"), pa.array([7, SMALLEST]).buffers()[1]])
    (chunk,) = read(hidden).chunks
    assert pa.Array.from_buffers(pa.int64(), 2, [None, chunk.buffers()[1]]).to_pylist() == [7, 0]
    assert chunk.view(pa.int64()).to_pylist() == [7, None]


@pytest.mark.parametrize("digits", [3, 18, 38])
def test_decimals_have_no_more_digits_than_their_type(digits: int) -> None:
    values = [10**digits - 1, 1 - 10**digits, 10**digits, -(2**127), None, 5]
    found = read(Stored(pa.decimal128(digits, 0), (), ()).array(values)).to_pylist()
    assert [value if value is None else int(value) for value in found] == [*values[:2], None, None, None, 5]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string(), pa.string_view()], ids=str)
def test_text_that_is_not_utf_8_is_null(kind: pa.DataType) -> None:
    values = [b"abc", "Ünï".encode(), b"\xff", b"\xed\xa0\x80", None, b"", b"\xc3" * 20, b"x" * 20]
    views = {pa.string(): pa.binary(), pa.large_string(): pa.large_binary(), pa.string_view(): pa.binary_view()}
    array = pa.array(values, views[kind]).view(kind)
    assert read(array).to_pylist() == ["abc", "Ünï", None, None, None, "", None, "x" * 20]
    assert read(array[1:4]).to_pylist() == ["Ünï", None, None]


def test_a_text_that_is_too_long_for_the_engine_is_null(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of four gigabytes; here of five bytes."""
    monkeypatch.setattr(arrow, "_LONGEST_TEXT", 4)
    for kind in (pa.large_string(), pa.string(), pa.large_binary()):
        array = pa.array([b"1234", b"12345", None], pa.large_binary()).cast(kind)
        assert read(array).to_pylist() == [*array[:1].to_pylist(), None, None]


def test_a_date_in_milliseconds_is_its_day() -> None:
    found = read(STORED["date in milliseconds"].array([86_400_000, -1, 5, LARGEST, None]))
    assert found.cast(pa.int32()).to_pylist() == [1, -1, 0, None, None]


def test_codes_of_no_category_are_null() -> None:
    words = pa.array(["a", "b", None])
    for codes in (pa.array([0, 3, -1, 1, None, 2]), pa.array([0, 3, 2**64 - 1, 1, None, 2], pa.uint64())):
        found = read(pa.DictionaryArray.from_arrays(codes, words, safe=False))
        assert found.to_pylist() == ["a", None, None, "b", None, None]
    nothing = pa.DictionaryArray.from_arrays(pa.array([0, None]), pa.array([], pa.string()), safe=False)
    assert read(nothing).to_pylist() == [None, None]


@pytest.mark.parametrize("wrap", ["list", "struct", "dictionary"])
def test_values_inside_of_others_are_null_too(wrap: str) -> None:
    array = WRAPS[wrap](STORED["moment s"].array([2**62, 5, None, 2**62, 7]))
    inside = [None, 5, None, None, 7]
    for part in (slice(None), slice(1, 4), slice(3, 3)):
        found = read(array[part])
        kind = {"list": pa.list_(pa.int64()), "struct": pa.struct([("inside", pa.int64())])}.get(wrap, pa.int64())
        dense = found.combine_chunks() if wrap != "dictionary" else found.cast(pa.timestamp("s"))
        assert dense.cast(kind).to_pylist() == [_wrapped(value, wrap) for value in inside[part]]


def _wrapped(value: int | None, wrap: str) -> object:
    return {"list": [value], "struct": {"inside": value}}.get(wrap, value)


def test_a_map_is_a_list_of_pairs() -> None:
    pairs = [[("a", 1), ("a", 2)], None, [], [("b", None)]]
    for part in (slice(None), slice(1, 4)):
        found = read(pa.array(pairs, pa.map_(pa.string(), pa.int64()))[part])
        assert found.to_pylist() == [p and [{"key": k, "value": v} for k, v in p] if p else p for p in pairs[part]]


def test_types_are_read_as_what_they_stand_for() -> None:
    """Whatever the values are, and where there are none too."""
    extended = pa.ExtensionArray.from_storage(pa.json_(), pa.array(["not JSON", None]))
    runs = pa.RunEndEncodedArray.from_arrays([1, 2], STORED["moment s"].array([2**62, 7]))
    for array, kind in [
        (extended, pa.string()),
        (runs, pa.timestamp("s")),
        (pa.array([1.5, None], pa.float16()), pa.float32()),
        (pa.array([b"x" * 16, None], pa.uuid()), pa.uuid()),
        (pa.array([{}, None], pa.struct([])), pa.struct([])),
    ]:
        assert read(array).type == kind
        assert len(read(array)) == 2
        assert read(array[:0]).type == kind
    assert read(pa.chunked_array([], pa.float16())).type == pa.float32()


@pytest.mark.parametrize(
    "kind",
    [
        pa.decimal256(50, 0),
        pa.decimal128(5, -3),
        pa.sparse_union([pa.field("a", pa.int64())]),
        pa.list_(pa.decimal256(50, 0)),
        pa.dictionary(pa.int8(), pa.decimal256(50, 0)),
    ],
    ids=str,
)
def test_a_type_that_is_not_read_is_refused_by_its_column(kind: pa.DataType) -> None:
    with pytest.raises(SourceError) as refused:
        readable(pa.table({"n": [1], "v": pa.nulls(1, kind)}), "the Table")
    assert str(refused.value).startswith(f"Column 'v' of the Table has type {kind}, which is not supported.")


def test_buffers_that_are_no_array_are_refused_by_their_column() -> None:
    ends = pa.array([0, 9, 4], pa.int32()).buffers()[1]
    broken = pa.Array.from_buffers(pa.string(), 2, [None, ends, pa.py_buffer(b"Anna")])
    with pytest.raises(SourceError) as refused:
        read(broken)
    assert str(refused.value) == "Column 'v' of the Table is not valid Arrow data. Hint: write the table again."
    assert refused.value.__context__ is None
