"""Rows as columns: what `json.loads` gives on good files, and faults that are told, not raised, on bad ones."""

from __future__ import annotations

import gzip
import json
import re
import sys
import threading
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sightline.core.errors import DataError
from sightline.data.columns import TextColumn
from sightline.data.lines import FAULT_KINDS, LineIndex, hash_texts, index_file, scanning
from sightline.data.lines import index as index_module

zstandard = pytest.importorskip("zstandard")
relaxed = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=60, derandomize=True
)

WANTED = ["gt", "中文 \U0001f600", 'q"\\/\n']
SURROGATES = re.compile("[\ud800-\udfff]")
words = st.text(alphabet=st.characters(), max_size=12) | st.text(
    alphabet='ab"\\{}[],: \n\r\té中/\ud800\udc00', max_size=90
)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
values = st.recursive(
    scalars | words,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words | st.sampled_from(WANTED), inner, max_size=3),
    max_leaves=8,
)
rows = st.dictionaries(words | st.sampled_from(WANTED), values, max_size=6)
separators = st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", "\r: ")])


def dump(row: Any, ascii_only: bool, **options: Any) -> bytes:
    """JSON in UTF-8; a lone surrogate can only be written escaped."""
    text = json.dumps(row, ensure_ascii=ascii_only, **options)
    return SURROGATES.sub(lambda found: f"\\u{ord(found[0]):04x}", text).encode()


def indexed(path: Path, content: bytes, fields: list[str] = WANTED, **options: Any) -> LineIndex:
    path.write_bytes(content)
    return index_file(path, fields, hashed=fields[::2], **options)


def texts(index: LineIndex, field: str) -> list[str]:
    return list(index.texts(field, np.arange(len(index))))


def check(index: LineIndex, expected: list[dict[str, Any]]) -> None:
    """The index holds what `json.loads` gave."""
    assert len(index) == len(expected)
    for field in index.fields:
        has, hashes = index.has(field), index.hashes(field)
        for k, (text, row) in enumerate(zip(texts(index, field), expected, strict=True)):
            value = row.get(field)
            assert has[k] == (value is not None and not (isinstance(value, str) and not value.strip()))
            if value is None:
                assert text == ""
            elif isinstance(value, str):
                assert text == SURROGATES.sub("\N{REPLACEMENT CHARACTER}", value)
            else:
                assert json.loads(text) == value
            assert hashes[k] == hash_texts(TextColumn.of([text]))[0]
            assert (hashes[k] != 0) == has[k]


@pytest.fixture(params=["small blocks", "one block"])
def block(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Blocks of a few bytes, and tables of a few rows, must give what large ones give."""
    if request.param == "small blocks":
        monkeypatch.setattr(scanning, "BUFFER_BYTES", 7)
        monkeypatch.setattr(scanning, "TABLE_ROWS", 2)
        monkeypatch.setattr(index_module, "STAGE_BYTES", 16)
        monkeypatch.setattr(index_module, "GAP_BYTES", 8)


@pytest.mark.usefixtures("block")
@relaxed
@given(
    st.lists(rows, max_size=5), st.booleans(), separators, st.sampled_from([b"\n", b"\r\n", b" \n \n"]), st.booleans()
)
def test_lines_read_as_json_reads_them(
    tmp_path: Path, data: list[Any], ascii_only: bool, marks: Any, end: bytes, closed: bool
) -> None:
    lines = [dump(row, ascii_only, separators=marks) for row in data]
    content = end.join(lines) + (end if closed else b"")
    with indexed(tmp_path / "a.txt", content) as index:
        check(index, [json.loads(line) for line in lines])
        assert index.row_count == len(data) and not index.faults
        assert index.lines.tolist() == [1 + k * end.count(b"\n") for k in range(len(data))]
        assert index.row_numbers.tolist() == list(range(len(data)))


@pytest.mark.usefixtures("block")
@relaxed
@given(st.lists(rows, max_size=4), st.sampled_from([None, 0, 3]), st.sampled_from(["a.json", "a.txt", "a.json.gz"]))
def test_arrays_read_as_json_reads_them(tmp_path: Path, data: list[Any], indent: int | None, name: str) -> None:
    content = dump(data, True, indent=indent)
    with indexed(tmp_path / name, gzip.compress(content) if name.endswith("gz") else content) as index:
        check(index, json.loads(content))
        assert not index.faults
        if indent == 3:
            begins = [k for k, line in enumerate(content.split(b"\n"), 1) if re.match(rb"   \{", line)]
            assert index.lines.tolist() == begins


@pytest.mark.usefixtures("block")
@relaxed
@given(rows, st.sampled_from([None, 2]))
def test_one_object_in_a_json_file_is_an_array_of_one(tmp_path: Path, row: Any, indent: int | None) -> None:
    content = b"\n " + dump(row, True, indent=indent) + b"\n"
    with indexed(tmp_path / "a.json", content) as index:
        check(index, [json.loads(content)])
        assert index.lines.tolist() == [2] and not index.faults


@st.composite
def mutated(draw: st.DrawFn) -> bytes:
    """Good lines with some bytes removed, replaced or put in."""
    lines = draw(st.lists(rows.map(lambda row: dump(row, True)), min_size=1, max_size=4))
    content = bytearray(b"\n".join(lines))
    for _ in range(draw(st.integers(0, 4))):
        place = draw(st.integers(0, len(content)))
        content[place : place + draw(st.integers(0, 2))] = draw(
            st.sampled_from(
                [b"", b"\\", b'"', b"\n", b"{", b"}", b"[", b"]", b",", b":", b"\0", b"\xff", b"0", b"e", b"nul"]
            )
        )
    return bytes(content)


def loaded(line: bytes) -> Any:
    try:
        return json.loads(line.decode("utf-8", "replace"), strict=False)
    except (ValueError, RecursionError):
        return None


@pytest.mark.usefixtures("block")
@relaxed
@given(mutated() | st.binary(max_size=120) | st.text(alphabet='{}[]",:\\ gt\n1nul-.eE0', max_size=90).map(str.encode))
def test_a_line_is_valid_if_json_parses_an_object_and_reported_otherwise(tmp_path: Path, content: bytes) -> None:
    content = b"\n{}\n" + content  # so that it is no array
    lines = [(k, line) for k, line in enumerate(content.split(b"\n"), 1) if line.strip(b" \t\r")]
    sound = [(k, row) for k, line in lines if isinstance(row := loaded(line), dict)]
    with indexed(tmp_path / "a.txt", content) as index:
        assert index.row_count == len(lines)
        assert index.lines.tolist() == [k for k, _ in sound]
        told = [fault.line for fault in index.faults if fault.kind != "invalid UTF-8"]
        assert told == [k for k, _ in lines if k not in dict(sound)]
        for field in WANTED:
            for text, (_, row) in zip(texts(index, field), sound, strict=True):
                if isinstance(row.get(field), str):
                    assert text == SURROGATES.sub("\N{REPLACEMENT CHARACTER}", row[field])


@pytest.mark.usefixtures("block")
@relaxed
@given(
    mutated() | st.binary(max_size=80) | st.text(alphabet='{}[]",: gt\n1nul', max_size=60).map(str.encode),
    st.sampled_from(["a.json", "a.jsonl", "a.txt.gz", "a.json.zst", "b.json.gz"]),
    st.sampled_from([b"", b"[", b'[{"gt": 1},', b"{}"]),
)
def test_no_bytes_raise(tmp_path: Path, content: bytes, name: str, head: bytes) -> None:
    content = head + content
    if name.startswith("b"):
        content = gzip.compress(content)[: len(content)]
    with indexed(tmp_path / name, content) as index:
        assert len(index) <= index.row_count
        for field in WANTED:
            assert len(texts(index, field)) == len(index)
        assert sum(index.fault_counts.values()) == len(index.faults)


GOOD = b'{"gt": "1", "x": [{"gt": 2}]}\n'


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize(
    ("content", "told", "lines", "places"),
    [
        (b"\xef\xbb\xbf" + GOOD, [], [1], 1),
        (GOOD + b"\n  \n" + GOOD, [], [1, 4], 2),
        (GOOD.replace(b"\n", b"\r\n") * 2, [], [1, 2], 2),
        (GOOD + GOOD[:20], [("torn last line", 2)], [1], 2),
        (GOOD + GOOD.rstrip(), [], [1, 2], 2),
        (GOOD[:20] + b"\n" + GOOD, [("broken JSON", 1)], [2], 2),
        (GOOD.rstrip() + GOOD + GOOD, [("broken JSON", 1)], [2], 2),
        (b'{"gt": "\xff"}\n' + GOOD, [("invalid UTF-8", 1)], [1, 2], 2),
        (b'{"y": "\xff"}\n' + GOOD, [], [1, 2], 2),
        (b'{"gt": "\xed\xa0\x80"}\n{"gt": "\xc0\x80"}\n', [("invalid UTF-8", 1), ("invalid UTF-8", 2)], [1, 2], 2),
        (b"3\nabc\n[1]\n" + GOOD, [("not a JSON object", k) for k in (1, 2, 3)], [4], 4),
        (b"[1]\n" + GOOD, [("not a JSON object", 1)], [2], 2),
        (b"[INFO] start\n" + GOOD, [("broken JSON", 1)], [2], 2),
        (b'{"gt": "a\0b\x01"}\n\0\n' + GOOD, [("not a JSON object", 2)], [1, 3], 3),
        (b'{"x":' * 100_000 + b"\n" + GOOD, [("broken JSON", 1)], [2], 2),
        (b"", [], [], 0),
        (b" \r\n\n", [], [], 0),
        (b"\xef\xbb", [("not a JSON object", 1)], [], 1),
    ],
)
def test_each_fault_is_reported_with_its_line(
    tmp_path: Path, content: bytes, told: list[tuple[str, int]], lines: list[int], places: int
) -> None:
    with indexed(tmp_path / "a.txt", content) as index:
        assert [(fault.kind, fault.line) for fault in index.faults] == told
        assert index.lines.tolist() == lines
        assert index.row_count == places
        assert index.fault_counts.keys() <= set(FAULT_KINDS)


@pytest.mark.usefixtures("block")
@pytest.mark.parametrize(
    ("content", "told", "lines", "places"),
    [
        (b'[{"gt":1},\n2,{"gt":3}]', [("not a JSON object", 2)], [1, 2], 3),
        (b'[{"gt":1},\n{"gt"', [("torn last line", 2)], [1], 2),
        (b'[{"gt":1}', [("torn last line", 1)], [1], 1),
        (b'[{"gt":1},\n{"gt" 2},\n{"gt":3}]', [("broken JSON", 2)], [1], 2),
        (b'[{"gt":1} {"gt":2}]', [("broken JSON", 1)], [1], 2),
        (b'[{"gt":1},]', [("broken JSON", 1)], [1], 2),
        (b'[]\n{"gt":1}', [], [2], 1),
        (b'{"gt":1}\n{"gt": 2\n{"gt":3}\n', [("broken JSON", 2)], [1, 3], 3),
        (b'{"gt":1,\n', [("torn last line", 1)], [], 1),
    ],
)
def test_a_json_file_is_read_as_far_as_it_goes(
    tmp_path: Path, content: bytes, told: list[tuple[str, int]], lines: list[int], places: int
) -> None:
    with indexed(tmp_path / "a.json", content) as index:
        assert [(fault.kind, fault.line) for fault in index.faults] == told
        assert (index.lines.tolist(), index.row_count) == (lines, places)


def test_names_are_changed_and_ours_win(tmp_path: Path) -> None:
    lines = [
        {"ground_truth": "theirs", "gt": "ours"},
        {"gt": "ours", "ground_truth": "theirs"},
        {"ground_truth": "theirs", "answer": "second"},
        {"answer": "second", "source": "s"},
    ]
    content = "\n".join(map(json.dumps, lines)).encode()
    rename = {"ground_truth": "gt", "answer": "gt", "source": "picture"}
    with indexed(tmp_path / "a.txt", content, ["gt", "source", "picture", "gt"], rename=rename) as index:
        assert texts(index, "gt") == ["ours", "ours", "theirs", "second"]
        assert not index.has("source").any()
        assert texts(index, "picture") == ["", "", "", "s"]


def test_of_a_repeated_key_the_last_counts_however_it_is_written(tmp_path: Path) -> None:
    content = (
        b'{"gt": 1, "\\u0067\\u0074": null, "g\\u0074": "x\\ud83d\\ude00\\/\\"", "g\\\\t": 5}\n{"gt": "a", "gt": null}'
    )
    with indexed(tmp_path / "a.txt", content) as index:
        assert texts(index, "gt") == ['x\U0001f600/"', ""]
        assert index.has("gt").tolist() == [True, False]


def test_a_hash_is_of_the_trimmed_text_alone(tmp_path: Path) -> None:
    spaces = [chr(code) for code in range(sys.maxunicode + 1) if chr(code).isspace()]
    assert hash_texts(TextColumn.of([f"{space}é7{space}{space}" for space in spaces])).tolist() == [
        hash_texts(TextColumn.of(["é7"]))[0]
    ] * len(spaces)
    assert not hash_texts(TextColumn.of(["", *spaces, "".join(spaces)])).any()
    content = b'{"id": 7}\n{"id": "7"}\n{"id": " 7\\n"}\n{"id": "\\u0037\\u3000"}\n{"id": "\\t\\u2003"}\n{"id": 7.0}'
    with indexed(tmp_path / "a.txt", content, ["id"]) as index:
        hashes = index.hashes("id")
        assert len(set(hashes[:4].tolist())) == 1 and hashes[4] == 0 and hashes[5] not in hashes[:4]
        assert index.has("id").tolist() == [True] * 4 + [False, True]
    many = TextColumn.of([str(k) for k in range(200_000)])
    assert len(np.unique(hash_texts(many))) == len(many)


def test_texts_come_in_any_order_and_spans_are_of_the_file(tmp_path: Path) -> None:
    values = ["short", "long " * 30_000, "中" * 40, "", 'a "b"', 3.5]
    content = b"\n".join(dump({"x": "f" * 90_000, "gt": value}, False) for value in values)
    with indexed(tmp_path / "a.txt", content, ["gt"]) as index:
        assert index.has_file_spans()
        wanted = np.array([5, 1, 1, 0, 3, 2, 4])
        assert list(index.texts("gt", wanted)) == [str(values[k]) for k in wanted]
        assert list(index.texts("gt", wanted[:0])) == []
        for row, value in enumerate(values):
            offset, length = index.spans("gt", row)
            assert json.loads(content[offset : offset + length]) == value


def test_threads_may_read_at_once_with_and_without_positioned_reads(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    count = 300
    content = b"\n".join(dump({"x": "f" * 70_000, "gt": f"text {k}"}, True) for k in range(count))
    for positioned in (True, False):
        if not positioned:
            monkeypatch.delattr(index_module.os, "preadv", raising=False)
        with indexed(tmp_path / "a.txt", content, ["gt"]) as index:
            wrong: list[int] = []

            def read(seed: int, index: LineIndex = index, wrong: list[int] = wrong) -> None:
                order = np.random.default_rng(seed).permutation(count)
                if list(index.texts("gt", order)) != [f"text {k}" for k in order]:
                    wrong.append(seed)

            threads = [threading.Thread(target=read, args=(seed,)) for seed in range(4)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert not wrong


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
def test_compressed_files_read_like_uncompressed_ones(tmp_path: Path, pack: Any) -> None:
    name = "a.txt.gz" if pack is gzip.compress else "a.txt.zst"
    content = b"\xef\xbb\xbf" + b"".join(
        dump({"frames": "f" * 500, "gt": f"é{k}", "n": k}, True) + b"\n" for k in range(999)
    )
    half = len(content) // 2  # packed in two members, the cut inside a line
    with indexed(tmp_path / name, pack(content[:half]) + pack(content[half:]), ["gt", "n", "no"]) as index:
        assert not index.has_file_spans() and not index.faults
        assert texts(index, "gt") == [f"é{k}" for k in range(999)]
        assert texts(index, "n") == [str(k) for k in range(999)]
        assert not index.has("no").any()
        assert index.lines.tolist() == list(range(1, 1000))


@pytest.mark.parametrize("pack", [gzip.compress, zstandard.compress])
@pytest.mark.parametrize("harm", ["cut", "garbage"])
def test_rows_before_the_damage_are_kept(tmp_path: Path, pack: Any, harm: str) -> None:
    name = "a.txt.gz" if pack is gzip.compress else "a.txt.zst"
    noise = np.random.default_rng(0).bytes(300_000).hex()
    packed = pack(b"".join(dump({"gt": noise[k : k + 300]}, True) + b"\n" for k in range(0, 600_000, 300)))
    harmed = packed[: len(packed) * 2 // 3] if harm == "cut" else packed + b"garbage that is no member"
    with indexed(tmp_path / name, harmed) as index:
        assert index.fault_counts["damaged file"] == 1
        assert index.faults[-1].kind == "damaged file" and index.faults[-1].detail
        assert len(index) == 2000 if harm == "garbage" else 500 < len(index) < 2000
        assert texts(index, "gt") == [noise[k * 300 : k * 300 + 300] for k in range(len(index))]


def test_a_line_too_long_is_passed_over(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "BUFFER_BYTES", 1000)
    monkeypatch.setattr(scanning, "MAX_ROW_BYTES", 5000)
    content = GOOD + dump({"x": "y" * 50_000}, True) + b"\n" + GOOD
    with indexed(tmp_path / "a.txt", content) as index:
        assert [(fault.kind, fault.line) for fault in index.faults] == [("line too long", 2)]
        assert index.lines.tolist() == [1, 3] and index.row_count == 3
    with indexed(tmp_path / "a.json", b"[" + content.replace(b"\n", b",")[:-1] + b"]") as index:
        assert [fault.kind for fault in index.faults] == ["line too long"] and len(index) == 1


def test_faults_are_counted_beyond_those_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(index_module, "MAX_KEPT", 10)
    with indexed(tmp_path / "a.txt", b"x\n" * 50_000 + GOOD + b'{"gt"\n' * 7) as index:
        assert len(index.faults) == 10
        assert index.fault_counts == {"not a JSON object": 50_000, "broken JSON": 7}
        assert index.lines.tolist() == [50_001] and index.row_count == 50_008


def test_watch_is_called_with_the_progress(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "BUFFER_BYTES", 4096)
    monkeypatch.setattr(scanning, "REPORT_BYTES", 10_000)
    told: list[int] = []
    content = GOOD * 10_000
    with indexed(tmp_path / "a.txt", content, watch=told.append) as index:
        assert len(index) == 10_000
    assert told == sorted(told) and told[-1] == len(content) and len(told) > 20


def test_closing_twice_is_safe_and_a_missing_file_is_explained(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    index = indexed(tmp_path / "a.txt", GOOD)
    index.close()
    index.close()
    with pytest.raises(DataError, match=r"Cannot read .*none\.txt"):
        index_file(tmp_path / "none.txt", ["gt"])
    monkeypatch.setitem(sys.modules, "zstandard", None)
    with pytest.raises(DataError, match="pip install zstandard"):
        indexed(tmp_path / "a.txt.zst", b"")


def test_a_file_that_shrank_is_reported(tmp_path: Path) -> None:
    with indexed(tmp_path / "a.txt", GOOD * 100) as index:
        (tmp_path / "a.txt").write_bytes(GOOD)
        with pytest.raises(DataError, match="was changed"):
            texts(index, "gt")
