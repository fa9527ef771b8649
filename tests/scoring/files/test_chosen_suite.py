"""Which suite scores files follows from their tasks, whatever other suites are installed."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from sightline import score, score_one
from sightline.core import registry
from sightline.core.errors import UsageError
from sightline.interop.importer import known_tasks
from sightline.suites.remote_sensing import RemoteSensingSuite
from tests.scoring.files.worlds import annotations, outputs, write_lines, write_world

PLUG_IN = """
from functools import cached_property
from typing import Annotated

from sightline.core.interfaces import Task
from sightline.core.settings import setting
from sightline.suites.remote_sensing import Options, RemoteSensingSuite
from sightline.core.task_table import TaskTable


class AerialOptions(Options, frozen=True, kw_only=True):
    band: Annotated[str, setting("the band of the pictures")] = "visible"


class AerialSuite(RemoteSensingSuite):
    name = "aerial"
    options_type = AerialOptions

    @cached_property
    def table(self):
        return TaskTable([Task(name="roof count", parser="number", metrics=("accuracy",)), *self.more])

    more = ()


class ZenithSuite(AerialSuite):
    name = "zenith"
    more = (Task(name="tree count", parser="number", metrics=("accuracy",)),)
"""


@pytest.fixture
def plug_in(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two suites are installed whose names come before and after our own, with a task that both have."""
    folder = tmp_path_factory.mktemp("installed")
    (folder / "aerial_suite.py").write_text(PLUG_IN, encoding="utf-8")
    info = folder / "aerial-1.0.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: aerial\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text(
        "[sightline.suites]\naerial = aerial_suite:AerialSuite\nzenith = aerial_suite:ZenithSuite\n"
    )
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(registry, "_installed", registry._installed.__wrapped__)
    monkeypatch.setattr(registry, "_entries", registry._entries.__wrapped__)
    monkeypatch.setattr(registry, "_load", registry._load.__wrapped__)
    assert {"aerial", "zenith"} <= set(registry.names("suites"))


def own_world(folder: Path, task: str, suffix: str = ".txt") -> tuple[Path, Path]:
    rows = annotations(task, ["1", "2"])
    if suffix == ".json":
        (folder / "anno").mkdir(parents=True)
        (folder / "anno" / "a.json").write_text(json.dumps(rows), encoding="utf-8")
    else:
        write_lines(folder / "anno" / f"a{suffix}", rows)
    write_lines(folder / "out" / "a_output.txt", outputs(["1", "3"]))
    return folder / "anno", folder / "out"


def test_one_sample_is_scored_by_the_suite_that_has_its_task(plug_in: None) -> None:
    assert score_one("3", "3", "计数")["score"] == 1
    assert score_one("3", "3", "tree count")["score"] == 1


def test_files_are_scored_by_the_suite_that_has_their_tasks(plug_in: None, tmp_path: Path) -> None:
    anno, out = write_world(tmp_path, {"计数": [("1", "1"), ("2", "3")]})
    report = score(anno, out, output_dir=str(tmp_path / "results"))
    assert [summary.suite for summary in report.summaries.values()] == [RemoteSensingSuite.name]


@pytest.mark.parametrize("suffix", [".txt", ".json"])
def test_files_of_a_plug_in_are_scored_by_it(plug_in: None, tmp_path: Path, suffix: str) -> None:
    anno, out = own_world(tmp_path, "tree count", suffix)
    report = score(anno, out, output_dir=str(tmp_path / "results"))
    assert [summary.suite for summary in report.summaries.values()] == ["zenith"]


def test_a_wanted_task_decides(plug_in: None, tmp_path: Path) -> None:
    anno, out = own_world(tmp_path, "tree count")
    report = score(anno / "a.txt", out, output_dir=str(tmp_path / "results"), task="tree count")
    assert [summary.suite for summary in report.summaries.values()] == ["zenith"]


def test_tasks_of_several_suites_need_a_name(plug_in: None, tmp_path: Path) -> None:
    anno, out = own_world(tmp_path, "roof count")
    with pytest.raises(UsageError, match="aerial, zenith") as told:
        score(anno, out, output_dir=str(tmp_path / "results"))
    assert "--suite" in str(told.value.hint)
    with pytest.raises(UsageError, match="aerial, zenith"):
        score_one("3", "3", "roof count")
    assert score_one("3", "3", "roof count", suite="zenith")["score"] == 1
    report = score(anno, out, suite="aerial", output_dir=str(tmp_path / "results"))
    assert [summary.suite for summary in report.summaries.values()] == ["aerial"]


def test_tasks_of_nobody_are_told_with_the_suites_there_are(plug_in: None, tmp_path: Path) -> None:
    anno, out = own_world(tmp_path, "nobody's")
    with pytest.raises(UsageError, match=f"aerial, zenith|{RemoteSensingSuite.name}"):
        score(anno, out, output_dir=str(tmp_path / "results"))
    with pytest.raises(UsageError, match="aerial"):
        score_one("3", "3", "nobody's")


def test_importing_knows_the_tasks_of_all_suites(plug_in: None) -> None:
    assert known_tasks().find("tree count").name == "tree count"
    assert known_tasks().find("计数").name == "计数"


def test_a_suite_that_scores_no_files_is_refused(tmp_path: Path) -> None:
    anno, out = own_world(tmp_path, "计数")
    with pytest.raises(UsageError, match="does not score annotation files"):
        score(anno, out, suite="simulation", output_dir=str(tmp_path / "results"))
