"""Run folders that somebody else has made: nothing that they name is run, and nothing that they hold is trusted."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sightline import evaluate, grade_again
from sightline.core.errors import DataError, SightlineError
from sightline.interop.exporting import ExportSource, export_run
from sightline.reports.sample_cards import CardOptions, sample_cards
from sightline.reports.sample_view.reader import SampleReader
from sightline.reports.sample_view.view import load_sample
from sightline.runs.comparison.graded_runs import load_graded_run
from sightline.runs.folder import RunFolder
from tests.scoring.files.worlds import annotations, write_lines
from tests.support.worlds import sightline

CODE = """from pathlib import Path
from sightline.core.records import Parsed
Path(__file__).with_name("ran").touch()
def read(text):
    return Parsed(text)
"""


@pytest.fixture(autouse=True)
def as_before() -> Iterator[None]:
    path, modules = list(sys.path), set(sys.modules)
    yield
    sys.path[:] = path
    for name in set(sys.modules) - modules:
        if name == "shared_rules":
            del sys.modules[name]


@pytest.fixture(params=["task_config", "defaults"])
def shared(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A run whose manifest was changed to name a file that names code beside it."""
    write_lines(tmp_path / "data" / "anno" / "a.txt", annotations("图片分类", ["car", "ship"]))
    out = tmp_path / "runs"
    done = evaluate("remote-sensing", data=str(tmp_path / "data"), model="baseline/oracle", output_dir=str(out))
    (done.folder / "shared_rules.py").write_text(CODE)
    rule = {"图片分类": {"parser": "shared_rules:read", "core": ["accuracy"]}}
    (done.folder / "task_metric.json").write_text(json.dumps(rule), encoding="utf-8")
    place = done.folder if request.param == "defaults" else done.folder / "task_metric.json"
    change_manifest(done.folder, options={request.param: str(place)})
    return done.folder


def change_manifest(run: Path, options: dict[str, Any] | None = None, **values: Any) -> None:
    manifest = json.loads((run / "manifest.json").read_text(encoding="utf-8"))
    manifest |= values
    manifest["options"] |= options or {}
    (run / "manifest.json").write_text(json.dumps(manifest), encoding="utf-8")


def option(run: Path) -> dict[str, str]:
    options = json.loads((run / "manifest.json").read_text(encoding="utf-8"))["options"]
    return {name: options[name] for name in ("task_config", "defaults") if options[name]}


def ways(run: Path) -> list[Callable[[], object]]:
    def show() -> None:
        folder = RunFolder(run)
        with closing(SampleReader(folder, folder.load_manifest())) as reader:
            shown = load_sample(reader, 0, {"sample": "a:1"})
        assert shown.reply is not None and shown.reply.text == "car"
        assert "shared_rules:read" in shown.faults[0]

    def page() -> None:
        assert "shared_rules:read" in sample_cards(load_graded_run(run), CardOptions())

    return [
        lambda: grade_again(run, accept_changed_data=True),
        show,
        page,
        lambda: export_run("inspect", run, run / "x.eval"),
        lambda: export_run("coco", run, run / "x.json"),
        lambda: ExportSource(run).suite().tasks(),
    ]


def test_code_that_a_shared_folder_names_is_never_imported(shared: Path) -> None:
    for way in ways(shared):
        try:
            way()
        except SightlineError as error:
            assert "shared_rules:read" in str(error), error
        assert not (shared / "ran").exists() and "shared_rules" not in sys.modules
        assert str(shared) not in sys.path
    with pytest.raises(SightlineError, match="shared_rules:read"):
        grade_again(shared, accept_changed_data=True)


def test_code_is_imported_where_the_user_gives_the_option_again(shared: Path) -> None:
    result = grade_again(shared, accept_changed_data=True, **option(shared))
    assert (shared / "ran").exists() and result.summary.samples == 2


@pytest.mark.slow
def test_the_command_line_takes_the_option_again(shared: Path) -> None:
    refused = sightline("regrade", shared, "--accept-changed-data", cwd=shared.parent)
    assert refused.returncode == 2 and not (shared / "ran").exists()
    assert "only the run folder names that file" in refused.stderr and "give the option again" in refused.stderr
    ((name, value),) = option(shared).items()
    flag = f"--{name.replace('_', '-')}"
    taken = sightline("regrade", shared, "--accept-changed-data", flag, value, cwd=shared.parent)
    assert taken.returncode == 0 and (shared / "ran").exists(), taken.stderr


def test_a_manifest_cannot_name_a_suite_that_is_not_registered(shared: Path) -> None:
    change_manifest(shared, suite="shared_rules:read")
    sys.path.append(str(shared))
    for way in ways(shared)[0], ways(shared)[-1]:
        with pytest.raises(DataError, match="not installed"):
            way()
    assert not (shared / "ran").exists()


def test_other_options_of_a_run_cannot_be_changed(shared: Path) -> None:
    with pytest.raises(SightlineError, match="'coords'"):
        grade_again(shared, coords="0-1")
