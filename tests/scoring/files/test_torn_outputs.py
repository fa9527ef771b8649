"""An output file that breaks off: what is lost with it was not answered wrongly."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from sightline import score
from tests.scoring.files.worlds import annotations, outputs, write_lines
from tests.support.worlds import sightline


@pytest.mark.parametrize("engine", ["threads", "serial"])
def test_samples_behind_the_damage_are_pending(tmp_path: Path, engine: str) -> None:
    numbers = [str(number * 7919 % 1000) for number in range(20_000)]
    write_lines(tmp_path / "anno" / "a.txt", annotations("计数", numbers, ids=True))
    plain = write_lines(tmp_path / "plain" / "a_output.jsonl", outputs(numbers, ids=True)).read_bytes()
    packed = gzip.compress(plain)
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a_output.jsonl.gz").write_bytes(packed[: len(packed) // 2])
    report = score(tmp_path / "anno", tmp_path / "out", output_dir=str(tmp_path / "r"), engine=engine)
    summary = report.summary
    assert report.value("计数", "accuracy") == 1
    assert 0 < summary.pending < 20_000 and summary.samples == 20_000 and not summary.complete
    assert summary.statuses == {"answered": 20_000 - summary.pending}
    assert f"{summary.pending} samples after the damage are not scored" in " ".join(map(str, summary.notes))


def test_the_exit_code_says_that_it_is_partial(tmp_path: Path) -> None:
    write_lines(tmp_path / "anno" / "a.txt", annotations("计数", ["1"] * 3000, ids=True))
    packed = gzip.compress(write_lines(tmp_path / "p", outputs(["1"] * 3000, ids=True)).read_bytes())
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "a_output.jsonl.gz").write_bytes(packed[:-60])
    done = sightline("score", "--anno-path", "anno", "--model-result-path", "out", "--output-dir", "r", cwd=tmp_path)
    assert done.returncode == 3 and "is damaged" in done.stdout, done.stdout + done.stderr
