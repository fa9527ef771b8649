"""The page of a sample after `score` and after `run`: every task has one, with the reply that was graded."""

from __future__ import annotations

import gzip
import json
import os
import shutil
from collections.abc import Callable
from contextlib import closing
from html import unescape
from pathlib import Path

import duckdb
import pytest

from sightline import evaluate, generate, load_suite, score
from sightline.data.position_index import PositionIndex, describe_file, make_records
from sightline.reports.sample_view.reader import SampleReader
from sightline.runs.folder import RunFolder
from sightline.web.viewer.app_state import AppState
from sightline.web.viewer.server import warm_up
from tests.web.viewer.visits import Visit, said

Visits = Callable[[Path], Visit]
TASKS = sorted(load_suite("remote-sensing").tasks())
CHANGED = "has changed since it was scored"


@pytest.fixture(scope="module")
def world(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A generated data set of all nineteen tasks, with the outputs of an imperfect model."""
    place = tmp_path_factory.mktemp("world")
    generate("remote-sensing", place / "data", count=1)
    return place / "data"


@pytest.fixture(scope="module")
def scored(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("scored") / "runs"
    score(world / "anno", world / "output", output_dir=str(place / "scored"))
    return place


@pytest.fixture(scope="module")
def asked(world: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    place = tmp_path_factory.mktemp("asked") / "runs"
    evaluate("remote-sensing", data=str(world), model="baseline/perturbed:0.5", output_dir=str(place))
    return place


def samples(run: Path, task: str) -> list[tuple[int, str]]:
    """Position and id of each graded sample of a task."""
    found = duckdb.sql(f"SELECT position, sample FROM '{run / 'grades.parquet'}' WHERE task = '{task}'").fetchall()
    return [(int(position), str(sample)) for position, sample in found]


def outputs(world: Path) -> dict[str, str]:
    """What the model said, by the sample's id; JSON lines and arrays."""
    rows = []
    for path in (world / "output").glob("*_output.*"):
        text = path.read_text(encoding="utf-8")
        rows += json.loads(text) if text.startswith("[") else [json.loads(line) for line in text.splitlines()]
    return {row["sample_id"]: row["model_output"] for row in rows}


def test_the_suite_has_nineteen_tasks() -> None:
    assert len(TASKS) == 19


@pytest.mark.parametrize("task", TASKS)
def test_a_scored_sample_of_every_task_shows_its_reply(task: str, world: Path, scored: Path, visit: Visits) -> None:
    visitor, replies = visit(scored), outputs(world)
    graded = samples(scored / "scored", task)
    assert graded
    for position, sample in graded[:3]:
        page = visitor.page(f"/run/{visitor.runs()[0]}/sample/{position}")
        text = replies[sample].strip()
        assert text.splitlines()[0] in unescape(page) if text else "The reply is empty." in page


@pytest.mark.parametrize("task", TASKS)
def test_an_asked_sample_of_every_task_shows_its_reply(task: str, asked: Path, visit: Visits) -> None:
    visitor = visit(asked)
    run = next(asked.iterdir())
    for position, _ in samples(run, task)[:3]:
        page = unescape(visitor.page(f"/run/{visitor.runs()[0]}/sample/{position}"))
        text = said(run, position).strip()
        assert text.splitlines()[0] in page if text else "The reply is empty." in page


def test_a_sample_of_which_no_reply_can_be_found_has_a_page(scored: Path, tmp_path: Path, visit: Visits) -> None:
    """As folders were scored before replies could be found again."""
    shutil.copytree(scored / "scored", tmp_path / "runs" / "old")
    (tmp_path / "runs" / "old" / "replies.index").unlink()
    visitor = visit(tmp_path / "runs")
    for task in TASKS:
        position, _ = samples(tmp_path / "runs" / "old", task)[0]
        assert "No reply was stored" in visitor.page(f"/run/{visitor.runs()[0]}/sample/{position}")


def test_the_offsets_lead_to_every_reply(world: Path, scored: Path) -> None:
    """Also to those that stand in arrays, have escapes, or are no strings."""
    reader = SampleReader(RunFolder(scored / "scored"), RunFolder(scored / "scored").load_manifest())
    with closing(reader):
        replies = outputs(world)
        for task in TASKS:
            for position, sample in samples(scored / "scored", task):
                assert reader.saved_reply(position) == replies.get(sample)


@pytest.fixture
def own(world: Path, tmp_path: Path) -> Path:
    """A scored folder whose outputs may be changed."""
    shutil.copytree(world / "output", tmp_path / "all" / "output")
    score(world / "anno", tmp_path / "all" / "output", output_dir=str(tmp_path / "all" / "runs" / "A"))
    return tmp_path / "all"


def counting(folder: Path, visit: Visits) -> str:
    visitor = visit(folder / "runs")
    position, _ = samples(folder / "runs" / "A", "计数")[0]
    return visitor.page(f"/run/{visitor.runs()[0]}/sample/{position}")


def test_an_output_file_that_has_changed_is_told(own: Path, visit: Visits) -> None:
    path = own / "output" / "counting_prompt_output.json"
    path.write_text(path.read_text(encoding="utf-8") + "\n", encoding="utf-8")
    assert CHANGED in counting(own, visit)


def test_an_output_file_with_the_same_size_and_another_date_has_changed(own: Path, visit: Visits) -> None:
    os.utime(own / "output" / "counting_prompt_output.json", (0, 0))
    assert CHANGED in counting(own, visit)


def test_an_output_file_that_is_gone_is_told(own: Path, visit: Visits) -> None:
    (own / "output" / "counting_prompt_output.json").unlink()
    assert "The output file is no longer at" in counting(own, visit)


def test_outputs_that_moved_together_with_the_run_are_found(own: Path, tmp_path: Path, visit: Visits) -> None:
    reply = json.loads((own / "output" / "counting_prompt_output.json").read_text(encoding="utf-8"))[0]["model_output"]
    moved = own.rename(tmp_path / "moved")
    page = counting(moved, visit)
    assert reply in unescape(page) and CHANGED not in page and "no longer" not in page


def test_an_index_can_not_show_a_file_that_is_no_output(own: Path, visit: Visits) -> None:
    """A run folder from elsewhere names paths; only a value of a JSON file is ever shown."""
    secret = own / "secret.txt"
    secret.write_text("a secret of the user", encoding="utf-8")
    path = own / "runs" / "A" / "replies.index"
    index = PositionIndex.load(path)
    assert index is not None
    files = [describe_file(secret, "secret", one.count) for one in index.files]
    PositionIndex(files, make_records([0] * len(index), [20] * len(index), [2] * len(index))).save(path)
    page = counting(own, visit)
    assert "a secret" not in page and CHANGED in page


def test_replies_of_packed_outputs_are_found(world: Path, tmp_path: Path, visit: Visits) -> None:
    (tmp_path / "output").mkdir()
    for path in (world / "output").glob("*_output.*"):
        (tmp_path / "output" / f"{path.name}.gz").write_bytes(gzip.compress(path.read_bytes()))
    score(world / "anno", tmp_path / "output", output_dir=str(tmp_path / "runs" / "A"))
    replies = outputs(world)
    position, sample = samples(tmp_path / "runs" / "A", "VQA1")[0]
    visitor = visit(tmp_path / "runs")
    assert replies[sample] in unescape(visitor.page(f"/run/{visitor.runs()[0]}/sample/{position}"))


@pytest.mark.parametrize("kind", ["scored", "asked"])
def test_a_run_without_an_index_gets_one(kind: str, request: pytest.FixtureRequest, tmp_path: Path) -> None:
    """As earlier versions left it: the first look builds the index and keeps it."""
    runs: Path = request.getfixturevalue(kind)
    copy = shutil.copytree(next(runs.iterdir()), tmp_path / "run")
    (copy / "samples.index").unlink()
    folder = RunFolder(copy)
    with closing(SampleReader(folder, folder.load_manifest())) as reader:
        for task in TASKS:
            for position, sample in samples(copy, task):
                found = reader.sample(position, sample)
                assert found is not None and found.id == sample
    assert folder.sample_index.read_bytes() == next(runs.iterdir()).joinpath("samples.index").read_bytes()


@pytest.mark.parametrize("kind", ["scored", "asked"])
def test_a_sample_is_opened_without_reading_those_before_it(
    kind: str, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = next(request.getfixturevalue(kind).iterdir())
    folder = RunFolder(run)
    with closing(SampleReader(folder, folder.load_manifest())) as reader:
        monkeypatch.setattr(type(reader.dataset), "__iter__", None)
        monkeypatch.setattr(type(reader.dataset), "make_index", None)
        for task in TASKS:
            position, sample = samples(run, task)[-1]
            assert getattr(reader.sample(position, sample), "id", "") == sample


def test_a_warm_up_opens_the_newest_runs(scored: Path) -> None:
    desk = AppState(scored)
    try:
        warm_up(desk)
        entry = desk.runs.entries()[0]
        reader = desk.reader_cache.of(entry)
        assert isinstance(reader, SampleReader) and len(reader._kept) == 1
    finally:
        desk.close()


def test_a_warm_up_of_nothing_or_of_a_broken_run_is_quiet(scored: Path, tmp_path: Path) -> None:
    shutil.copytree(scored / "scored", tmp_path / "runs" / "broken")
    (tmp_path / "runs" / "broken" / "grades.parquet").write_bytes(b"PAR1 nothing PAR1")
    for place in (tmp_path / "nowhere", tmp_path / "runs"):
        desk = AppState(place)
        warm_up(desk)
        desk.close()


def test_the_report_shows_replies_of_a_scored_folder(world: Path, scored: Path, tmp_path: Path) -> None:
    from sightline.cli import cli

    out = tmp_path / "page.html"
    cli.main(["report", str(scored / "scored"), "--out", str(out)], standalone_mode=False)
    page = unescape(out.read_text(encoding="utf-8"))
    assert "No reply was stored" not in page
    assert sum(text.strip() in page for text in outputs(world).values() if text.strip()) >= 5
