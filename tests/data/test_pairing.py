"""Pairing of rows: equal to the rules told plainly, one row after the other, on any two files."""

from __future__ import annotations

import json
from collections import defaultdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sightline.data.lines import LineIndex, index_file
from sightline.data.pairing import Pairing, pair_rows

relaxed = settings(
    suppress_health_check=[HealthCheck.function_scoped_fixture], deadline=None, max_examples=100, derandomize=True
)
FIELDS = ["sample_id", "source"]


def indexed(path: Path, rows: list[Any]) -> LineIndex:
    """A row that is a string is written as it is."""
    path.write_text("".join((row if isinstance(row, str) else json.dumps(row)) + "\n" for row in rows))
    return index_file(path, FIELDS)


def paired(folder: Path, annotation: list[Any], output: list[Any]) -> Pairing:
    with indexed(folder / "a.txt", annotation) as mine, indexed(folder / "b.txt", output) as theirs:
        return pair_rows(mine, theirs)


def key(row: Any, field: str) -> str:
    value = row.get(field)
    return "" if value is None else str(value).strip()


def as_told(mine: list[tuple[int, Any]], theirs: list[tuple[int, Any]], field: str) -> list[int]:
    """The k-th of a name with the k-th of that name; whoever tells none goes into the gaps."""
    waiting = defaultdict(list)
    for k, (_, row) in enumerate(theirs):
        waiting[key(row, field)].append(k)
    silent = waiting.pop("", [])
    partners = [waiting[key(row, field)].pop(0) if waiting[key(row, field)] else -1 for _, row in mine]
    return [silent.pop(0) if partner < 0 and silent else partner for partner in partners]


def plainly(annotation: list[Any], output: list[Any]) -> tuple[str, list[int], set[int]]:
    """The way, the partners and the replaced rows, among the sound rows."""
    mine = [(place, row) for place, row in enumerate(annotation) if isinstance(row, dict)]
    theirs = [(place, row) for place, row in enumerate(output) if isinstance(row, dict)]
    by_id = all(key(row, "sample_id") for _, row in mine + theirs)
    if not by_id and len(annotation) == len(output):
        rows = {place: k for k, (place, _) in enumerate(theirs)}
        in_order = [rows.get(place, -1) for place, _ in mine]
        for field in ("sample_id", "source"):
            pairs = [(row, theirs[k][1]) for k, (_, row) in zip(in_order, mine, strict=True) if k >= 0]
            if any("" != key(one, field) != key(other, field) != "" for one, other in pairs):
                told = as_told(mine, theirs, field)
                if set(told) >= set(range(len(theirs))):
                    return field, told, set()
        return "order", in_order, set()
    field = "sample_id" if by_id else "source"
    waiting, wanted = defaultdict(list), defaultdict(int)
    for k, (_, row) in enumerate(theirs):
        waiting[key(row, field)].append(k)
    for _, row in mine:
        wanted[key(row, field)] += 1
    partners, replaced = [], set()
    for _, row in mine:
        text = key(row, field)
        if not text or not waiting[text]:
            partners.append(-1)
        elif by_id and wanted[text] == 1:
            *others, last = waiting[text]
            partners.append(last)
            replaced.update(others)
        else:
            partners.append(waiting[text].pop(0))
    return field, partners, replaced


ids = st.sampled_from([1, "1", " 2 ", "b", "c", "中"])
sources = st.sampled_from(["x.png", "y.png", "z.png", "", None])
broken = st.sampled_from(["nonsense", '{"sample_id": '])
with_ids = st.fixed_dictionaries({"sample_id": ids, "source": sources})
without = st.fixed_dictionaries({"source": sources})
files = st.lists(with_ids | broken, max_size=9) | st.lists(with_ids | without | broken, max_size=9)


@relaxed
@given(files, files)
def test_pairs_are_those_of_the_rules(tmp_path: Path, annotation: list[Any], output: list[Any]) -> None:
    found = paired(tmp_path, annotation, output)
    way, partners, replaced = plainly(annotation, output)
    assert found.method == way
    assert found.partner.tolist() == partners
    assert set(found.duplicates.tolist()) == replaced
    taken = [row for row in partners if row >= 0]
    assert len(taken) == len(set(taken))
    sound = sum(isinstance(row, dict) for row in output)
    assert sorted([*taken, *found.unpaired.tolist(), *found.duplicates.tolist()]) == list(range(sound))


@relaxed
@given(st.permutations(range(8)))
def test_by_id_the_order_of_outputs_does_not_matter(tmp_path: Path, order: list[int]) -> None:
    found = paired(tmp_path, [{"sample_id": k} for k in range(8)], [{"sample_id": str(k)} for k in order])
    assert found.method == "sample_id"
    assert [order[row] for row in found.partner.tolist()] == list(range(8))


def test_the_last_output_of_an_id_counts_and_repeats_go_in_turn(tmp_path: Path) -> None:
    annotation = [{"sample_id": name} for name in ("once", "twice", "twice", "never")]
    output = [{"sample_id": name} for name in ("once", "twice", "once", "twice", "twice", "strange", "strange")]
    found = paired(tmp_path, annotation, output)
    assert found.partner.tolist() == [2, 1, 3, -1]
    assert found.duplicates.tolist() == [0]
    assert found.unpaired.tolist() == [4, 5, 6]


def test_a_row_whose_twin_is_unreadable_has_no_partner(tmp_path: Path) -> None:
    row = {"source": "x"}
    found = paired(tmp_path, [row, row, "broken", row], [row, "broken", row, row])
    assert found.method == "order"
    assert found.partner.tolist() == [0, -1, 2]
    assert found.unpaired.tolist() == [1]


@pytest.mark.parametrize("count", [0, 3])
def test_nothing_pairs_with_nothing(tmp_path: Path, count: int) -> None:
    found = paired(tmp_path, [{"sample_id": k} for k in range(count)], [])
    assert found.partner.tolist() == [-1] * count
    assert not len(found.unpaired) and not len(found.duplicates)


def test_without_the_fields_no_rows_are_paired_by_source(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("{}\n{}\n")
    (tmp_path / "b.txt").write_text("{}\n")
    with index_file(tmp_path / "a.txt", ["gt"]) as mine, index_file(tmp_path / "b.txt", ["gt"]) as theirs:
        found = pair_rows(mine, theirs)
    assert (found.method, found.partner.tolist(), found.unpaired.tolist()) == ("source", [-1, -1], [0])


def test_many_rows_with_gaps_pair_as_sets_do(tmp_path: Path) -> None:
    generator = np.random.default_rng(0)
    mine = generator.permutation(60_000)[:40_000].tolist()
    theirs = generator.permutation(60_000)[:40_001].tolist()
    found = paired(tmp_path, [{"source": f"s/{k}.png"} for k in mine], [{"source": f"s/{k}.png"} for k in theirs])
    where = {number: row for row, number in enumerate(theirs)}
    assert found.method == "source"
    assert found.partner.tolist() == [where.get(number, -1) for number in mine]
    assert {theirs[row] for row in found.unpaired.tolist()} == set(theirs) - set(mine)


def test_order_is_not_trusted_where_sources_contradict_it(tmp_path: Path) -> None:
    annotation = [{"source": f"{name}.png"} for name in "abcd"]
    shuffled = paired(tmp_path, annotation, [{"source": f"{name}.png"} for name in "dbac"])
    assert shuffled.method == "source" and shuffled.partner.tolist() == [2, 1, 3, 0]
    moved = paired(tmp_path, annotation, [{"source": f"/elsewhere/{name}.png"} for name in "abcd"])
    assert (moved.method, moved.partner.tolist(), moved.differing) == ("order", [0, 1, 2, 3], 4)


def test_one_missing_id_does_not_spoil_the_others(tmp_path: Path) -> None:
    annotation = [{"sample_id": name} for name in "abcd"]
    output: list[Any] = [{"sample_id": "d"}, {"source": "?"}, {"sample_id": "a"}, {"sample_id": "c"}]
    found = paired(tmp_path, annotation, output)
    assert found.method == "sample_id" and found.partner.tolist() == [2, 1, 3, 0]
