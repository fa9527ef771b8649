"""Which samples a page shows: a rule that anybody can follow, and the same choice every time."""

from __future__ import annotations

import random
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.reports.sample_selection import CORRECT, MAX_CORRECT, Candidate, notable_samples, select
from sightline.runs.folder import RunFolder

candidates = st.lists(
    st.builds(
        Candidate,
        position=st.integers(0, 10**6),
        sample=st.just("s"),
        task=st.sampled_from("abcd"),
        status=st.sampled_from(["answered", "unparsed", "refused", CORRECT]),
        score=st.sampled_from([0.0, 0.25, 0.5]),
        gap=st.sampled_from([0.0, 0.5]),
    ),
    max_size=60,
    unique_by=lambda one: one.position,
)


@given(candidates, st.integers(1, 20), st.integers(0, 99))
@settings(max_examples=150)
def test_laws_of_the_choice(found: list[Candidate], most: int, seed: int) -> None:
    chosen = select(found, most)
    shuffled = random.Random(seed).sample(found, len(found))
    assert select(shuffled, most) == chosen
    assert len(chosen) <= most and len({one.position for one in chosen}) == len(chosen)
    wrong = [one for one in found if one.status != CORRECT]
    # full marks are shown only after all that is wrong, and never more than a few
    assert sum(one.status != CORRECT for one in chosen) == min(most, len(wrong))
    assert sum(one.status == CORRECT for one in chosen) <= MAX_CORRECT
    # states come in turn: none is shown a second time before each has been shown once
    states = {one.status for one in wrong}
    first = [one.status for one in chosen[: len(states)]]
    assert len(set(first)) == len(first) == min(most, len(states))
    for state in states:
        for task in {one.task for one in wrong}:
            mine = [one for one in wrong if (one.status, one.task) == (state, task)]
            shown = [one for one in chosen if (one.status, one.task) == (state, task)]
            assert shown == sorted(mine, key=lambda one: (one.score, -one.gap, one.position))[: len(shown)]


def write_grades(folder: Path, rows: int) -> RunFolder:
    folder.mkdir()
    path = folder / "grades.parquet"
    duckdb.execute(
        f"""COPY (SELECT i AS position, 's' || i AS sample, 'task' || i % 7 AS task,
        CASE WHEN i % 11 = 3 THEN 'unparsed' WHEN i % 13 = 5 THEN 'failed' WHEN i % 17 = 2 THEN 'invalid'
        ELSE 'answered' END AS status, CASE WHEN i % 11 = 3 THEN 0 ELSE (i * 7919 % 101) / 100 END AS score,
        score AS last_score,
        CASE WHEN i % 5 = 0 THEN 1 ELSE score END AS best_score, 1 AS attempts, 1.0 AS weight, '' AS cluster,
        'n' AS message, '' AS remark, 'f:' || i AS source, MAP {{'tag': 'x'}} AS tags,
        '{{}}'::JSON AS values FROM range({rows}) t(i))
        TO '{path}' (FORMAT parquet)"""
    )
    return RunFolder(folder)


@pytest.mark.slow
def test_the_data_base_chooses_as_a_plain_loop_would(tmp_path: Path) -> None:
    folder = write_grades(tmp_path / "run", 2000)
    plain = []
    for row in duckdb.execute(f"SELECT * FROM '{folder.grades}'").fetchall():
        position, sample, task, state, score, last, best = row[:7]
        if state != "invalid":
            ended = CORRECT if state == "answered" and score >= 1 else state
            gap = abs(best - score) + abs(last - score)
            plain.append(Candidate(position, sample, task, ended, float(score), float(gap)))
    for most in (1, 5, 12, 40):
        assert [row["sample"] for row in notable_samples(folder, most)] == [one.sample for one in select(plain, most)]
    assert notable_samples(folder, 0) == []
