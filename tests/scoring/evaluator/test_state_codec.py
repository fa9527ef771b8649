"""Values and states as bytes: exact, closed in what they can hold, and clear about what they can't."""

from __future__ import annotations

import random
import re
import struct
import threading
import tracemalloc
from collections import Counter, defaultdict
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays
from msgspec import Struct, msgpack

from sightline import score
from sightline.scoring.state_codec import StateMismatchError, UnsavableStateError, dump_state, load_state
from sightline.scoring.value_codec import (
    MalformedDataError,
    UnsupportedValueError,
    decode_value,
    encode_value,
)
from sightline.stats.cluster_sums import ClusterSums
from tests.scoring.files.worlds import write_world

SINGLE = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(st.characters(exclude_categories=()))  # halves of surrogate pairs too
    | st.binary()
)
KEYS = st.recursive(SINGLE, lambda inner: st.tuples(inner, inner) | st.frozensets(inner, max_size=3), max_leaves=4)
NUMBERS = (
    arrays.boolean_dtypes()
    | arrays.integer_dtypes(endianness="?")
    | arrays.unsigned_integer_dtypes(endianness="?")
    | arrays.floating_dtypes(sizes=(16, 32, 64), endianness="?")
    | arrays.complex_number_dtypes(sizes=(64, 128))
)
ARRAYS = arrays.arrays(NUMBERS, arrays.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=4))
VALUES = st.recursive(
    SINGLE | ARRAYS | st.floats().map(np.float64) | st.integers(0, 255).map(np.uint8),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.lists(inner, max_size=4).map(tuple)
        | st.dictionaries(KEYS, inner, max_size=4)
        | st.sets(KEYS, max_size=4)
        | st.frozensets(KEYS, max_size=4)
        | st.dictionaries(KEYS, st.integers(), max_size=4).map(Counter)
    ),
    max_leaves=12,
)


def spelled(value: Any) -> str:
    """Type and every digit of a value; sets in one order, bytes of arrays in that of this machine."""
    if isinstance(value, np.ndarray | np.generic):
        kind = value.dtype.newbyteorder("=")
        return f"{type(value)}{kind}{value.shape}{value.astype(kind).tobytes()!r}"
    if isinstance(value, dict):
        return f"{type(value)}{[(spelled(key), spelled(item)) for key, item in value.items()]}"
    if isinstance(value, list | tuple):
        return f"{type(value)}{[spelled(item) for item in value]}"
    if isinstance(value, set | frozenset):
        return f"{type(value)}{sorted(spelled(item) for item in value)}"
    return f"{type(value)}{value!r}"


@pytest.mark.slow
@settings(max_examples=400, deadline=None)
@given(VALUES)
def test_a_value_comes_back_as_it_was(value: Any) -> None:
    assert spelled(decode_value(encode_value(value))) == spelled(value)


@settings(max_examples=300, deadline=None)
@given(st.binary(max_size=200))
def test_bytes_are_a_value_or_malformed(data: bytes) -> None:
    with suppress(MalformedDataError):  # any other exception fails
        decode_value(data)


@pytest.mark.parametrize(
    "value",
    [
        object(), print, re.compile("a"), 1j, datetime(2026, 1, 1), np.array([None]), np.array(["a"]),
        [{1: {object()}}],
        np.zeros(2, [("a", "i4")]), np.longdouble(1), range(3), bytearray(b"a"),
    ],
    ids=lambda value: type(value).__name__,
)  # fmt: skip
def test_nothing_else_is_a_value(value: Any) -> None:
    with pytest.raises(UnsupportedValueError):
        encode_value(value)


def extension(code: int, content: bytes) -> bytes:
    return msgpack.encode(msgpack.Ext(code, content))


def array(dtype: int, *shape: int, content: bytes = b"") -> bytes:
    return extension(1, struct.pack("<BB", dtype, len(shape)) + struct.pack(f"<{len(shape)}Q", *shape) + content)


NESTED = b"\xc0"
for _ in range(3000):
    NESTED = extension(3, b"\x91" + NESTED)


@pytest.mark.parametrize(
    "data",
    [
        array(4, 2**61), array(4, 2**32, 2**32), array(4, 2**40, content=b"12345678"), array(99, 0), array(1, *[1] * 9),
        b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff", b"\xc9\xff\xff\xff\xff\x01",
        b"\x91" * 100_000, NESTED, extension(3, b"\x05"), extension(4, b"\x91\x90"), extension(6, b"\x90"),
        extension(7, b"\x91\x93\x01\x02\x03"), extension(7, b"\x91\x92\x90\x01"), extension(77, b""), extension(1, b""),
        extension(2, struct.pack("<BBQ", 5, 1, 1) + b"a"), extension(9, b"\xff\xff"),
    ],
)  # fmt: skip
def test_no_data_allocate_more_than_they_hold(data: bytes) -> None:
    tracemalloc.start()
    with pytest.raises(MalformedDataError):
        decode_value(data)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 100 * len(data) + 1_000_000


def test_a_bool_is_true_or_false_whatever_its_byte_says() -> None:
    found = decode_value(array(0, 3, content=b"\x00\x02\xff"))
    assert found.tobytes() == b"\x00\x01\x01"


class Nested:
    """With slots, as objects of a state may have."""

    __slots__ = ("count", "seen")

    def __init__(self) -> None:
        self.count, self.seen = 0, set[Any]()


class Tables(Struct):
    """A Struct that changes."""

    rows: list[int] = []


class Own:
    """What a user's metric may hold."""

    excluded_from_state = ("path",)

    def __init__(self, path: str = "") -> None:
        self.path = path
        self.total = 0
        self.best: Any = None
        self.words: Counter[str] = Counter()
        self.sums = ClusterSums(2)
        self.parts = [ClusterSums(1), Nested()]
        self.named = {"a": Nested(), "b": 3}
        self.lazy: defaultdict[Any, Nested] = defaultdict(Nested)
        self.deep: defaultdict[str, defaultdict[str, int]] = defaultdict(lambda: defaultdict(int))
        self.pattern = re.compile("a+")  # one and the same for all
        self.tables = Tables()
        self.rows = np.empty((0, 3))


def filled() -> Own:
    own = Own("here")
    own.total += 0.1 + 0.2
    own.best = ("a", {1: 2.5})
    own.words.update(["to", "be", "or", "not", "to", "be"])
    own.sums.add(np.array([3, 3, 9], np.uint64), np.array([[1, 0.1], [0, 0.2], [1, 1 / 3]]))
    own.parts[0].add(np.array([7], np.uint64), np.array([[2.0**30]]))
    own.parts[1].seen |= {1, "b", (2, 3)}
    own.named["a"].count = 7
    own.named["b"] = 4
    own.lazy["x", 1].count = 5
    own.deep["x"]["y"] += 2
    own.tables.rows.append(2)
    own.rows = np.array([[1.0, 2.0, np.nan]])
    return own


def test_a_state_of_nested_objects_comes_back_in_a_new_one() -> None:
    own, back = filled(), Own("there")
    load_state(decode_value(bytes(dump_state(own, Own()))), back)
    assert (back.path, back.total, back.best, back.words) == ("there", own.total, own.best, own.words)
    assert type(back.words) is Counter and back.pattern is own.pattern
    assert back.sums.totals().tobytes() == own.sums.totals().tobytes()
    assert back.parts[0].table().tolist() == own.parts[0].table().tolist() and back.parts[1].seen == own.parts[1].seen
    assert (back.named["a"].count, back.named["b"]) == (7, 4)
    assert back.lazy["x", 1].count == 5 and type(back.lazy["new"]) is Nested
    assert back.deep["x"]["y"] == 2 and back.deep["new"]["new"] == 0
    assert back.tables == own.tables and back.rows.tobytes() == own.rows.tobytes()


class Frozen(Struct, frozen=True):
    """Can't be filled."""

    count: int = 0


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"total": "3"}, "Own.total is str, but int in a new instance"),
        ({"total": None}, "Own.total is NoneType, but int in a new instance"),
        ({"rows": np.zeros((2, 4))}, r"Own.rows is array float64 \(2, 4\), but array float64 \(0, 3\)"),
        ({"rows": np.zeros((2, 3), int)}, "Own.rows is array int64"),
        ({"best": threading.Lock()}, "Own.best holds an object of type lock"),
        ({"best": [Nested()]}, "Own.best holds an object of type Nested"),
        ({"best": defaultdict(int)}, None),
        ({"best": np.array([None])}, "Own.best holds an object of type ndarray of object"),
        ({"sums": random.Random(1)}, "Own.sums holds an object of type Random"),
        ({"tables": Frozen()}, "Own.tables holds an object of type Frozen"),
        ({"later": 1}, "Own.later is not set in __init__"),
        ({"parts": []}, "Own.parts is 0 × …, but 2 × … in a new instance"),
        ({"parts": [ClusterSums(1), Nested(), Nested()]}, r"Own.parts\[2\] holds an object of type Nested"),
    ],
)
def test_what_can_not_be_saved_is_named(change: dict[str, Any], told: str | None) -> None:
    own = Own()
    vars(own).update(change)
    if told is None:
        assert dump_state(own, Own())
        return
    with pytest.raises(UnsavableStateError, match=told):
        dump_state(own, Own())


@pytest.mark.parametrize("make", [lambda: random.Random(1), threading.Lock, Frozen, datetime.now, lambda: {}.keys()])
def test_an_object_with_more_than_attributes_is_never_saved_in_part(make: Any) -> None:
    holder, template = type("Holder", (), {})(), type("Holder", (), {})()
    template.__class__ = type(holder)
    holder.part, template.part = make(), make()
    with pytest.raises(UnsavableStateError):
        dump_state(holder, template)


def test_data_can_not_choose_attributes_or_classes() -> None:
    sound = decode_value(bytes(dump_state(Own(), Own())))
    for wrong in (
        {**sound, "__class__": 1},
        {**sound, "path": "/etc"},
        {name: value for name, value in sound.items() if name != "total"},
        {**sound, "words": {}},
        {**sound, "sums": {**sound["sums"], "columns": 9}},
        {**sound, "sums": []},
        {**sound, "parts": []},
        {**sound, "lazy": [[[], {}]]},
        {**sound, "named": {"a": 1}},
        {**sound, "rows": np.zeros((0, 4))},
        [],
        5,
    ):
        with pytest.raises(StateMismatchError):
            load_state(wrong, Own())


@pytest.mark.parametrize("engine", ["serial", "threads"])
def test_a_metric_whose_state_can_not_be_saved_is_told_by_its_name(tmp_path: Path, engine: str) -> None:
    anno, out = write_world(tmp_path, {"mine": [("a", "a"), ("a", "b")]})
    table = (
        '{"mine": {"parser": "tests.scoring.files.own_code:word", "core": ["tests.scoring.files.own_code:Hoarder"]}}'
    )
    (tmp_path / "tasks.json").write_text(table, encoding="utf-8")
    report = score(anno, out, output_dir=str(tmp_path / "r"), engine=engine, task_config=str(tmp_path / "tasks.json"))
    told = str(report.to_dict())
    if engine == "threads":  # nothing is saved there
        assert report.value("mine", "tests.scoring.files.own_code:Hoarder") == 0.5
    else:
        assert (
            "tests.scoring.files.own_code:Hoarder" in told and "._metric.grades holds an object of type Grade" in told
        )
