"""Runs against each other: which may be compared, which samples count, and what comes out."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from msgspec.structs import replace

from sightline import evaluate
from sightline.core.errors import DataError, UsageError
from sightline.core.records import Grade
from sightline.reports.comparison_pages import comparison_tables
from sightline.runs.comparison.compare import compare_runs
from sightline.runs.comparison.records import Comparison, Flip
from sightline.runs.folder import RunFolder
from tests.runs.comparison.worlds import graded, make_run
from tests.support.peers import Peer
from tests.support.worlds import write_questions

contingency_tables = Peer("statsmodels.stats.contingency_tables")
multitest = Peer("statsmodels.stats.multitest")

FIRST = [1.0] * 60 + [0.0] * 20 + [1.0] * 15 + [0.0] * 5
SECOND = [1.0] * 60 + [0.0] * 20 + [0.0] * 15 + [1.0] * 5


def pair_of(tmp_path: Path, first: list[Grade], second: list[Grade], **more: Any) -> Comparison:
    return compare_runs([make_run(tmp_path / "a", first, **more), make_run(tmp_path / "b", second, **more)])


def test_right_or_wrong_by_itself_is_mcnemars(tmp_path: Path) -> None:
    found = pair_of(tmp_path, graded(FIRST), graded(SECOND)).versus[0]
    assert (found.both_right, found.first_only, found.second_only, found.both_wrong) == (60, 15, 5, 20)
    assert found.measure == "accuracy" and found.main.test == "mcnemar exact"
    assert found.main.p == pytest.approx(contingency_tables.mcnemar([[60, 15], [5, 20]], exact=True).pvalue)
    assert found.main.value == pytest.approx(-0.10)
    assert (found.main.first, found.main.second) == pytest.approx((0.75, 0.65))
    assert found.main.low is not None and found.main.high is not None
    assert -0.20 < found.main.low < -0.15 and -0.05 < found.main.high < 0.02
    assert found.main.least is not None and 0.10 < found.main.least < 0.14
    assert found.mean_score.value == found.accuracy.value


def test_samples_that_share_something_are_drawn_together(tmp_path: Path) -> None:
    first, second = graded(FIRST, clusters=10), graded(SECOND, clusters=10)
    found = pair_of(tmp_path, first, second).versus[0].main
    assert (found.method, found.test) == ("tango over clusters", "score t")
    assert (found.clusters, found.n) == (10, 100)
    assert found.mid_p is None


def test_weights_count(tmp_path: Path) -> None:
    heavy = [replace(grade, weight=9.0 if place < 50 else 1.0) for place, grade in enumerate(graded([0.5] * 100))]
    other = [replace(grade, score=1.0 if place < 50 else 0.0) for place, grade in enumerate(heavy)]
    found = pair_of(tmp_path, heavy, other, metric="mean_score").versus[0]
    assert found.measure == "mean_score" and found.main.test == "student t"
    assert found.main.value == pytest.approx((9 * 50 * 0.5 - 50 * 0.5) / 500)


@pytest.mark.parametrize(
    ("scores", "others", "clusters", "told"),
    [
        (FIRST, SECOND, 0, "Tango's score interval; p: exact McNemar test"),
        (FIRST, SECOND, 10, "Tango's score test over 10 clusters"),
        ([0.5] * 40 + [0.2] * 40, [0.6] * 40 + [0.9] * 40, 0, "Student's t over 80 clusters"),
        ([0.25] * 8, [0.75] * 8, 0, "All 8 clusters differ by the same amount. Interval: Wilson; p: McNemar"),
    ],
)
def test_the_page_names_the_method_that_was_used(
    tmp_path: Path, scores: list[float], others: list[float], clusters: int, told: str
) -> None:
    found = pair_of(tmp_path, graded(scores, clusters), graded(others, clusters), metric="mean_score")
    assert told in comparison_tables(found)[1].note


def test_slices_have_corrected_chances(tmp_path: Path) -> None:
    found = pair_of(tmp_path, graded(FIRST, tasks=4), graded(SECOND, tasks=4)).versus[0]
    assert [part.scope for part in found.slices] == ["task"] * 4 + ["half"] * 2
    assert found.crowded == ("id",)
    chances = [part.difference.p for part in found.slices]
    assert [part.difference.p_holm for part in found.slices] == pytest.approx(
        multitest.multipletests(chances, method="holm")[1]
    )
    assert [part.difference.p_bh for part in found.slices] == pytest.approx(
        multitest.multipletests(chances, method="fdr_bh")[1]
    )
    assert sum(part.first_only for part in found.slices if part.scope == "task") == found.first_only


def test_one_of_each_cluster_is_independent_within_its_slice(tmp_path: Path) -> None:
    first = [replace(grade, tags={"turn": str(k // 10)}) for k, grade in enumerate(graded(FIRST, clusters=10))]
    second = [replace(grade, score=score) for grade, score in zip(first, SECOND, strict=True)]
    found = pair_of(tmp_path, first, second).versus[0]
    assert found.main.test == "score t"
    assert {part.difference.test for part in found.slices} == {"mcnemar exact"}


def test_the_same_parts_under_another_name_are_told_once(tmp_path: Path) -> None:
    first = [replace(grade, tags={"kind": grade.task.upper()}) for grade in graded(FIRST, tasks=3)]
    second = [replace(grade, score=score) for grade, score in zip(first, SECOND, strict=True)]
    assert {part.scope for part in pair_of(tmp_path, first, second).versus[0].slices} == {"task"}


def test_what_can_not_be_paired_is_counted(tmp_path: Path) -> None:
    first, second = graded(FIRST), graded(SECOND)
    first[0] = replace(first[0], status="failed", score=0.0)
    second[1] = replace(second[1], status="invalid", score=0.0)
    first[2], second[2] = (replace(run[2], status="failed") for run in (first, second))
    second[3] = replace(second[3], status="unparsed", score=0.0)
    told = pair_of(tmp_path, first[:90], second[5:95] + second[:5]).versus[0]
    pairing = told.pairing
    assert (pairing.pairs, pairing.only_first, pairing.only_second) == (87, 0, 5)
    assert (pairing.unanswered_first, pairing.unanswered_second, pairing.unanswered_both) == (1, 1, 1)
    assert told.main.n == 87 and told.first_only == 11


def test_the_order_of_rows_does_not_matter(tmp_path: Path) -> None:
    rng = random.Random(1)
    scores = [[rng.random() for _ in range(300)] for _ in range(2)]
    first, second = (graded(run, clusters=23, tasks=3) for run in scores)
    there = compare_runs([make_run(tmp_path / "a", first), make_run(tmp_path / "b", second)])
    rng.shuffle(first), rng.shuffle(second)
    again = compare_runs([make_run(tmp_path / "x" / "a", first), make_run(tmp_path / "x" / "b", second)])
    assert there.versus == again.versus


def test_swapping_the_runs_turns_every_sign(tmp_path: Path) -> None:
    first = make_run(tmp_path / "a", graded(FIRST, clusters=12, tasks=2))
    second = make_run(tmp_path / "b", graded(SECOND, clusters=12, tasks=2))
    there, back = compare_runs([first, second]).versus[0], compare_runs([second, first]).versus[0]
    assert there.first_only == back.second_only
    pairs = [(there.main, back.main)]
    pairs += [(one.difference, two.difference) for one, two in zip(there.slices, back.slices, strict=True)]
    for one, two in pairs:
        assert one.value == pytest.approx(-two.value)  # type: ignore[operator]
        assert one.low == pytest.approx(-two.high)  # type: ignore[operator]
        assert one.p == pytest.approx(two.p)


@pytest.mark.parametrize(
    ("about", "told"),
    [
        ({"suite": "structural"}, "suite: simulation and structural"),
        ({"suite_version": "2"}, "suite version: 1 and 2"),
        ({"data_sha256": "e" * 64}, "data set: dddddddddddd… and eeeeeeeeeeee…"),
        ({"graded_data_sha256": "d" * 64}, "fingerprints by different algorithms cannot be compared"),
        ({"data_fingerprint_version": 2}, "fingerprints by different algorithms cannot be compared"),
        ({"options": {"modality": ["text"]}}, "option modality: image and text"),
        ({"config": {"limit": 10}}, "selection by limit: – and 10"),
        ({"config": {"filter": ["fluid", "x=1"]}}, "selection by filter: – and fluid, x=1"),
        ({"config": {"sample": 5, "seed": 3}}, "selection by seed: – and 3"),
        ({"config": {"label_mapping": "m.json"}}, "label_mapping: – and m.json"),
    ],
)
def test_runs_that_differ_are_refused_and_told_why(tmp_path: Path, about: dict[str, Any], told: str) -> None:
    options = {"options": {"modality": ["image"]}}
    runs = [make_run(tmp_path / "a", graded(FIRST), **options)]
    runs.append(make_run(tmp_path / "b", graded(SECOND), **{**options, **about}))
    with pytest.raises(DataError) as caught:
        compare_runs(runs)
    assert told in str(caught.value) and "--force" in str(caught.value)
    forced = compare_runs(runs, force=True)
    assert any(told in str(remark) for remark in forced.differences)
    assert forced.versus[0].main.value == pytest.approx(-0.10)


def test_all_differences_are_told_in_one_message(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / "a", graded(FIRST))]
    runs.append(make_run(tmp_path / "b", graded(FIRST), suite_version="2", config={"limit": 5}))
    runs.append(make_run(tmp_path / "c", graded(FIRST), data_sha256="e" * 64))
    with pytest.raises(DataError) as caught:
        compare_runs(runs)
    assert str(caught.value).count("\n- ") == 3 and "A, C: data set" in str(caught.value)


def test_what_is_left_alone_makes_no_difference(tmp_path: Path) -> None:
    settings = {"limit": None, "filter": [], "seed": 5, "temperature": 0.7, "blind": True}
    runs = [make_run(tmp_path / "a", graded(FIRST)), make_run(tmp_path / "b", graded(SECOND), config=settings)]
    assert compare_runs(runs).differences == ()


def test_ids_used_twice_are_paired_by_place(tmp_path: Path) -> None:
    first, second = ([replace(g, sample=f"s{g.position // 2}") for g in graded(run)] for run in (FIRST, SECOND))
    found = pair_of(tmp_path, first, second).versus[0]
    assert found.pairing.pairs == 100 and found.pairing.repeated == 50
    assert (found.first_only, found.second_only) == (15, 5)
    assert len(found.flips) == 15


def test_flips_come_in_the_order_of_the_data(tmp_path: Path) -> None:
    kept: dict[str, list[Flip]] = {}
    runs = [make_run(tmp_path / "a", graded(FIRST)), make_run(tmp_path / "b", graded(SECOND))]
    found = compare_runs(runs, flip_sink=lambda letter, flips: kept.update({letter: list(flips)})).versus[0]
    assert [one.sample for one in kept["B"]] == [f"s{place}" for place in range(80, 100)]
    assert list(found.flips) == [*kept["B"][:10], *kept["B"][15:]], "at most ten either way"
    assert kept["B"][0] == Flip(sample="s80", task="task0", source="data.json#80", first=1.0, second=0.0)


def test_several_runs_are_corrected_together(tmp_path: Path) -> None:
    third = [1.0] * 60 + [0.0] * 40
    runs = [make_run(tmp_path / name, graded(scores)) for name, scores in (("a", FIRST), ("b", SECOND), ("c", third))]
    found = compare_runs(runs)
    assert [(one.first, one.second) for one in found.versus] == [("A", "B"), ("A", "C")]
    chances = [one.accuracy.p for one in found.versus]
    expected = multitest.multipletests(chances, method="holm")[1]
    assert [one.accuracy.p_holm for one in found.versus] == pytest.approx(expected)
    assert found.worse() == ("B", "C") and found.worse(0.05) == ("C",) and found.worse(0.5) == ()


def test_more_clusters_than_are_kept_apart_are_folded(tmp_path: Path) -> None:
    rng = np.random.default_rng(4)
    base = rng.random(9000)
    first, second = ((base + rng.random(9000) < share).astype(float).tolist() for share in (0.9, 1.0))
    found = pair_of(tmp_path, graded(first), graded(second)).versus[0]
    moved = np.array(second) - np.array(first)
    assert found.main.value == pytest.approx(moved.mean())
    assert found.main.test == "mcnemar exact" and found.main.n == 9000
    reach = 1.96 * moved.std() / np.sqrt(9000)
    assert found.main.low == pytest.approx(moved.mean() - reach, abs=0.1 * reach)
    assert found.main.high == pytest.approx(moved.mean() + reach, abs=0.1 * reach)


def test_strange_names_are_only_names(tmp_path: Path) -> None:
    """Quotes, brackets and stars in folders and tags are neither SQL nor patterns."""
    grades = [replace(g, tags={"it's": "x'); DROP TABLE pairs; --" if g.position % 2 else "é"}) for g in graded(FIRST)]
    other = [replace(grade, score=score) for grade, score in zip(grades, SECOND, strict=True)]
    runs = [make_run(tmp_path / "it's [1]", grades), make_run(tmp_path / "it's 1", other)]
    found = compare_runs(runs).versus[0]
    assert {part.name for part in found.slices} == {"x'); DROP TABLE pairs; --", "é"}
    assert found.main.value == pytest.approx(-0.10)


def test_what_can_not_be_compared_is_said(tmp_path: Path) -> None:
    run = make_run(tmp_path / "a", graded(FIRST))
    with pytest.raises(UsageError, match="two runs"):
        compare_runs([run])
    with pytest.raises(DataError, match="not a run folder"):
        compare_runs([run, tmp_path])
    strangers = make_run(tmp_path / "b", [replace(grade, sample=f"x{grade.sample}") for grade in graded(FIRST)])
    with pytest.raises(DataError, match="no answered sample in common"):
        compare_runs([run, strangers])
    bare = make_run(tmp_path / "c", graded(FIRST))
    RunFolder(bare).grades.unlink()
    with pytest.raises(DataError, match="has no grades"):
        compare_runs([run, bare])
    RunFolder(bare).grades.write_bytes(b"no parquet at all")
    with pytest.raises(DataError, match="Cannot read"):
        compare_runs([run, bare])
    with duckdb.connect() as base:
        base.execute(f"COPY (SELECT 1 AS sample) TO '{RunFolder(bare).grades}' (FORMAT parquet)")
    with pytest.raises(DataError, match="lacks"):
        compare_runs([run, bare])


def test_an_incomplete_run_is_told(tmp_path: Path) -> None:
    runs = [make_run(tmp_path / "a", graded(FIRST)), make_run(tmp_path / "b", graded(SECOND), state="partial")]
    found = compare_runs(runs)
    assert [side.complete for side in found.sides] == [True, False]
    assert any("B is incomplete" in str(note) for note in found.notes)
    assert found.sides[0].usage.tokens_in == 1234 and found.sides[0].seconds_asking == 12.5


def test_real_runs_compare(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 20, simulations=6)
    runs = [
        evaluate("simulation", data=str(data), model=f"baseline/{model}", output_dir=str(tmp_path / "runs"))
        for model in ("oracle", "perturbed:0.4")
    ]
    found = compare_runs([run.folder for run in runs])
    assert found.differences == ()
    for side, run in zip(("first", "second"), runs, strict=True):
        score = run.summary.score
        assert score is not None and getattr(found.versus[0].accuracy, side) == pytest.approx(score.value)
    assert found.worse() == ("B",)
