"""An index of positions finds what a stream of the whole finds, and a damaged one is no index."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sightline import load_suite
from sightline.core.records import Invalid, Sample
from sightline.data.lines import index_file
from sightline.data.lines.row_access import file_entry, index_row, join_index, row_records
from sightline.data.position_index import PositionIndex, make_records

ROWS = [{"gt": f"{number}", "task": "计数", "frames": ["iVBORw0KGgo="], "prompt": "?\n"} for number in range(5)]


def lines(rows: list[object]) -> str:
    return "".join(row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) + "\n" for row in rows)


FILES = {
    "lines.txt": lines([*ROWS[:2], "{torn\n", "\n", "[1]\n", *ROWS[2:], '{"gt": "1", "task": "nobody\'s"}\n']),
    "array.json": json.dumps([ROWS[0], 7, {**ROWS[1], "sample_id": "own"}, ROWS[2]], indent=1),
    "dense.json": json.dumps(ROWS),
    "marked.txt": "\ufeff" + lines([{"ground_truth": "3", **ROWS[1]}, {**ROWS[2], "gt": 7}, {**ROWS[3], "gt": "no"}]),
    "other.txt": lines([{**row, "task": "VQA1", "gt": "Yes"} for row in ROWS] + [ROWS[0]]) + '{"gt": "1", "ta',
}


@pytest.fixture
def data(tmp_path: Path) -> Path:
    for name, text in FILES.items():
        (tmp_path / "anno" / name).parent.mkdir(exist_ok=True)
        (tmp_path / "anno" / name).write_text(text, encoding="utf-8")
    return tmp_path


@pytest.mark.parametrize("task", [(), ("计数",), ("VQA1",), ("计数", "VQA1")])
@pytest.mark.parametrize("is_saved", [False, True])
def test_every_sample_is_found_by_its_position(data: Path, task: tuple[str, ...], is_saved: bool) -> None:
    suite = load_suite("remote-sensing", task=task)
    samples = suite.dataset(data)
    streamed = list(iter(samples))
    index = samples.build_index()
    assert index is not None and len(index) == len(streamed)
    assert {type(sample) for sample in streamed} == {Sample, Invalid}
    if is_saved:
        index.save(data / "samples.index")
        index = PositionIndex.load(data / "samples.index")
        assert index is not None
    assert [samples.load_sample(index, position) for position in range(len(streamed))] == streamed
    assert samples.load_sample(index, len(streamed)) is None
    assert samples.load_sample(index, -1) is None


def test_rows_are_numbered_as_scoring_does(data: Path) -> None:
    """Every row of every file counts, also those that are not wanted and those that can't be read."""
    suite = load_suite("remote-sensing", task=("VQA1",))
    samples = suite.dataset(data)
    index = samples.make_index(lambda size: None, all_rows=True)
    files = sorted((data / "anno").iterdir())
    counts = []
    for path in files:
        with index_file(path, ("gt",)) as rows:
            counts.append(rows.row_count)
    assert index is not None and [one.count for one in index.files] == counts
    sample = samples.load_sample(index, sum(counts[: files.index(data / "anno" / "other.txt")]))
    assert isinstance(sample, Sample) and sample.id == "other:1"


def test_one_row_is_read_as_in_a_scan_of_the_whole(data: Path) -> None:
    for path in (data / "anno").iterdir():
        with index_file(path, ("gt", "task", "frames"), {"ground_truth": "gt"}) as whole:
            every = np.arange(len(whole))
            for row, record in enumerate(row_records(whole, every).tolist()):
                with index_row(path, record, ("gt", "task", "frames"), {"ground_truth": "gt"}) as one:
                    assert len(one) == 1 and one.lines[0] == whole.lines[row]
                    for field in one.fields:
                        assert one.texts(field, every[:1])[0] == whole.texts(field, every[row : row + 1])[0]
                        assert one.spans(field, 0) == whole.spans(field, row)


def test_a_data_set_that_has_changed_is_not_read_by_an_old_index(data: Path) -> None:
    suite = load_suite("remote-sensing")
    samples = suite.dataset(data)
    index = samples.build_index()
    assert index is not None
    with (data / "anno" / "array.json").open("a") as file:
        file.write("\n")
    assert samples.load_sample(index, 0) is None


@pytest.mark.parametrize("relative", ["../anno/lines.txt", "", "/etc/hostname.txt"])
def test_an_index_can_not_lead_out_of_the_data_set(data: Path, relative: str) -> None:
    suite = load_suite("remote-sensing")
    samples = suite.dataset(data)
    index = samples.build_index()
    assert index is not None
    import msgspec

    index.files = [msgspec.structs.replace(one, relative=relative) for one in index.files]
    assert samples.load_sample(index, 0) is None


def test_compressed_files_allow_no_random_access(tmp_path: Path) -> None:
    import gzip

    (tmp_path / "a.txt.gz").write_bytes(gzip.compress(lines([*ROWS]).encode()))
    assert load_suite("remote-sensing").dataset(tmp_path).build_index() is None


def test_a_damaged_index_is_no_index(data: Path) -> None:
    path = data / "samples.index"
    with index_file(data / "anno" / "dense.json", ("gt",)) as rows:
        records = row_records(rows, np.arange(5))
        join_index([(file_entry(rows, "dense", 5, data), records)]).save(path)
    whole = path.read_bytes()
    assert PositionIndex.load(path) is not None
    for size in (0, 10, 20, 60, len(whole) - 1):
        path.write_bytes(whole[:size])
        assert PositionIndex.load(path) is None
    path.write_bytes(whole + b"\0")
    assert PositionIndex.load(path) is None
    assert PositionIndex.load(data / "nowhere.index") is None


def test_a_length_that_does_not_fit_is_cut() -> None:
    assert make_records([0], [2**40], [1])["length"].tolist() == [2**32 - 1]
