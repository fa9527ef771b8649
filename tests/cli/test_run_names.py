"""Runs by name: `last`, `last~1`, a unique part of a name, `sightline list`, `regrade`, and the old `score RUN`."""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path
from time import monotonic

import pytest

from sightline import compare, grade_again, load_run
from sightline.core.errors import DataError
from sightline.runs.run_list import list_runs, nearest_run, resolve_run
from tests.support.worlds import sightline_here, write_questions

MODELS = ("baseline/oracle", "baseline/random", "baseline/constant:True")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which three models were run one after the other."""
    folder = tmp_path_factory.mktemp("made")
    data = write_questions(folder / "data", 4, simulations=3)
    for hour, model in enumerate(MODELS):
        done = sightline_here("run", "simulation", "--data", data, "--model", model, cwd=folder)
        assert done.returncode == 0, done.stderr
        run = next(path for path in (folder / "runs").iterdir() if not path.name.startswith("20260101-"))
        name = f"20260101-{hour:02}0000_{run.name.partition('_')[2]}"
        manifest = json.loads((run / "manifest.json").read_text())
        manifest["started"] = f"2026-01-01T{hour:02}:00:00+00:00"
        (run / "manifest.json").write_text(json.dumps(manifest))
        run.rename(run.with_name(name))
    return folder


@pytest.fixture
def world(made: Path, tmp_path: Path) -> Path:
    shutil.copytree(made / "runs", tmp_path / "runs")
    return tmp_path


def call(*args: str | Path, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    done = sightline_here(*args, cwd=cwd, **more)
    assert "Traceback" not in done.stderr
    return done


def model_shown(told: str) -> str:
    return str(json.loads(told)["model"])


@pytest.mark.parametrize(
    ("name", "model"),
    [
        ("last", MODELS[2]),
        ("last~0", MODELS[2]),
        ("last~1", MODELS[1]),
        ("last~2", MODELS[0]),
        ("oracle", MODELS[0]),
        ("RANDOM", MODELS[1]),
        ("20260101-01", MODELS[1]),
        ("runs/last~1", MODELS[1]),
        ("runs/oracle", MODELS[0]),
    ],
)
def test_a_name_stands_for_a_run(world: Path, name: str, model: str) -> None:
    done = call("show", name, "--json", cwd=world)
    assert done.returncode == 0, done.stderr
    assert model_shown(done.stdout) == model


def test_names_are_searched_in_the_folder_of_the_environment(world: Path) -> None:
    (world / "runs").rename(world / "elsewhere")
    assert call("show", "last", cwd=world).returncode == 2
    for more in ({"SIGHTLINE_OUTPUT_DIR": "elsewhere"}, {}):
        flag = () if more else ("--output-dir", "elsewhere")
        assert model_shown(call("show", "last~1", *flag, "--json", cwd=world, **more).stdout) == MODELS[1]
    assert "oracle" in call("list", cwd=world, SIGHTLINE_OUTPUT_DIR="elsewhere").stdout


@pytest.mark.parametrize(
    ("name", "english", "chinese"),
    [
        (
            "simulation",
            "'simulation' matches 3 runs in runs:\n- 20260101-000000_simulation_baseline-oracle",
            "3 个运行",
        ),
        ("orakle", "Did you mean '20260101-000000_simulation_baseline-oracle'?", "您是不是要找"),
        ("last~3", "No run last~3: runs contains 3 runs.", "共有 3 个运行"),
        ("runs/nothing-alike-at-all", "sightline list runs", "sightline list runs"),
    ],
)
def test_a_name_that_does_not_decide_says_what_there_is(world: Path, name: str, english: str, chinese: str) -> None:
    done = call("show", name, cwd=world)
    assert done.returncode == 2 and english in done.stderr
    assert chinese in call("show", name, "--lang", "zh", cwd=world).stderr


def test_every_command_that_takes_a_run_takes_its_name(world: Path, made: Path) -> None:
    compared = call("compare", "last~2", "random", "--json", cwd=world)
    assert [side["model"] for side in json.loads(compared.stdout)["sides"]] == [MODELS[0], MODELS[1]]
    assert call("report", "last", "--out", "r.md", cwd=world).returncode == 0 and (world / "r.md").is_file()
    assert call("export", "csv", "last", "--out", "g.csv", cwd=world).returncode == 0 and (world / "g.csv").is_file()
    regraded = call("regrade", "oracle", "--data", made / "data", "--json", cwd=world)
    assert regraded.returncode == 0 and model_shown(regraded.stdout) == MODELS[0], regraded.stderr
    for command in (("compare", "last", "nope"), ("report", "nope"), ("regrade", "nope"), ("view", "nope")):
        assert "No run in runs matches 'nope'" in call(*command, cwd=world).stderr


def test_names_in_python(world: Path, made: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(world)
    assert load_run("last").summary.model == MODELS[2]
    assert [side.model for side in compare("oracle", "last").comparison.sides] == [MODELS[0], MODELS[2]]
    assert grade_again("last~1", data=str(made / "data")).summary.model == MODELS[1]
    with pytest.raises(DataError, match="No run in runs matches"):
        load_run("nope")


def test_a_path_wins_over_a_name_and_a_folder_without_runs_does_not(world: Path) -> None:
    shutil.move(world / "runs" / resolve_run("oracle", world / "runs").name, world / "last")
    assert model_shown(call("show", "last", "--json", cwd=world).stdout) == MODELS[0]
    (world / "random").mkdir()  # such as a data set
    assert model_shown(call("show", "random", "--json", cwd=world).stdout) == MODELS[1]
    (world / "empty").mkdir()
    assert "manifest.json" in call("show", "empty", cwd=world).stderr


def test_the_nearest_name() -> None:
    known = ["20260101-000000_simulation_gpt-4o", "20260102-000000_matrix_Qwen-VL"]
    assert nearest_run("gpt4o", known) == known[0]
    assert nearest_run("matrx_qwen", known) == known[1]
    assert nearest_run("zzz", known) == "" == nearest_run("x", [])


def test_score_with_a_run_is_regrade_and_says_so(world: Path, made: Path) -> None:
    options = ("--data", made / "data", "--json", "--fail-under", "0.9")
    old, new = (call(command, "oracle", *options, cwd=world) for command in ("score", "regrade"))
    assert (old.returncode, old.stdout) == (new.returncode, new.stdout) and old.returncode == 0, old.stderr
    notice = "`sightline score RUN` is now `sightline regrade RUN`.\n"
    assert old.stderr.count(notice) == 1 and notice not in new.stderr
    assert old.stderr.replace(notice, "") == new.stderr
    assert call("regrade", "random", "--fail-under", "0.9", "--data", made / "data", cwd=world).returncode == 1
    assert "现已改为" in call("score", "last", "--data", made / "data", "--lang", "zh", cwd=world).stderr


def test_regrade_refuses_changed_data_unless_told(world: Path, tmp_path: Path) -> None:
    other = write_questions(tmp_path / "other", 13)
    for command in ("regrade", "score"):
        assert call(command, "oracle", "--data", other, cwd=world).returncode == 2
        assert call(command, "oracle", "--data", other, "--accept-changed-data", cwd=world).returncode in (0, 3)


def test_a_run_without_a_report_is_sent_to_regrade(world: Path) -> None:
    (resolve_run("last", world / "runs") / "report.json").unlink()
    assert "Grade it: sightline regrade runs/" in call("show", "last", cwd=world).stderr


def test_list_shows_every_run_with_its_score_newest_last(world: Path) -> None:
    told = call("list", cwd=world).stdout.splitlines()
    assert told[0].split() == ["Run", "Suite", "Model", "Samples", "Score", "Status", "Started"]
    assert [line.split()[2] for line in told[1:]] == list(MODELS)
    assert "12  100.00 % [" in told[1] and "finished" in told[1] and told[1].endswith("2026-01-01 00:00")
    rows = json.loads(call("list", "--json", cwd=world).stdout)
    assert [row["model"] for row in rows] == list(MODELS)
    assert rows[0]["value"] == 1 and rows[0]["low"] < 1 == rows[0]["high"] and rows[0]["samples"] == 12
    for back, row in enumerate(reversed(rows)):
        assert resolve_run(f"last~{back}", world / "runs").name == row["name"]
    assert "样本数" in call("list", "runs", "--lang", "zh", cwd=world).stdout


def test_list_goes_on_beside_damaged_and_unfinished_runs(world: Path) -> None:
    runs = [resolve_run(f"last~{back}", world / "runs") for back in range(3)]
    (runs[0] / "report.json").unlink()
    (runs[1] / "report.json").write_text('{"rows": [{"sco')
    (runs[2] / "manifest.json").write_bytes(b"\xff\x00 no json")
    (world / "runs" / "group" / "nested").mkdir(parents=True)
    (world / "runs" / "group" / "nested" / "manifest.json").write_text(
        json.dumps({"suite": "s\x1b[31m", "model": "m", "state": "running", "started": "2026-02-01T00:00:00+00:00"})
    )
    done = call("list", cwd=world)
    assert done.returncode == 0 and "\x1b" not in done.stdout
    assert "finished, not graded" in done.stdout and "running, not graded" in done.stdout and "damaged" in done.stdout
    assert "report.json cannot be read" in done.stdout and "manifest.json cannot be read" in done.stdout
    rows = {row["name"]: row for row in json.loads(call("list", "--json", cwd=world).stdout)}
    assert rows[runs[1].name]["model"] == MODELS[1] and rows[runs[1].name]["value"] is None
    assert rows[runs[2].name]["status"] == "damaged"
    assert rows["group/nested"]["status"] == "running"
    assert resolve_run("nested", world / "runs") == world / "runs" / "group" / "nested"


def test_list_of_nothing(tmp_path: Path) -> None:
    done = call("list", cwd=tmp_path)
    assert done.returncode == 0 and "There are no runs in runs." in done.stdout
    assert json.loads(call("list", "--json", cwd=tmp_path).stdout) == []
    assert call("list", "gone", cwd=tmp_path).returncode == 2


def test_a_thousand_runs_are_listed_quickly(world: Path) -> None:
    source = resolve_run("last", world / "runs")
    many = world / "many"
    for number in range(1000):
        folder = many / f"20260101-{number:06}_simulation_m"
        folder.mkdir(parents=True)
        for name in ("manifest.json", "report.json"):
            shutil.copyfile(source / name, folder / name)
    started = monotonic()
    assert len(list_runs(many)) == 1000
    assert monotonic() - started < 3  # 0.2 s on an idle machine
