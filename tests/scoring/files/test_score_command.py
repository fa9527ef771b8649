"""`sightline score` on files, as people type it."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path

import pytest

from sightline import score
from tests.scoring.files.worlds import outputs, write_lines, write_world
from tests.support.worlds import sightline

WORLD = {"计数": [("1", "1"), ("2", "3")], "水平区域检测": [("<box><1><1><9><9></box>", "<box><1><1><9><9></box>")] * 2}


def run(*args: str | Path, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    return sightline("score", *args, cwd=cwd, **more)


@pytest.mark.slow
def test_the_command_of_the_field_works_as_typed(tmp_path: Path) -> None:
    write_world(tmp_path, WORLD)
    typed = "--anno-path ./anno --model-result-path ./out --output-dir ./eval_results --calc-aux-metric True --vis True"
    done = run(*typed.split(), cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    results = tmp_path / "eval_results"
    names = {path.name for path in results.iterdir()}
    assert names >= {
        "report.json",
        "report.csv",
        "report.html",
        "grades.parquet",
        "error_log.txt",
        "plots",
        "manifest.json",
    }
    assert (results / "plots" / "bars.png").exists() and (results / "plots" / "bars.pdf").exists()
    shown = sightline("show", "eval_results", cwd=tmp_path)
    assert shown.returncode == 0 and "50.00 %" in shown.stdout


def test_switches_without_a_value_and_off(tmp_path: Path) -> None:
    write_world(tmp_path, WORLD)
    done = run(
        "--anno-path", "anno", "--model-result-path", "out", "--calc-aux-metric", "False", "--json", cwd=tmp_path
    )
    told = json.loads(done.stdout)["models"]["out"]["tasks"]
    assert told["计数"]["metrics"].keys() == {"accuracy"}


def test_a_configuration_file_with_the_other_tools_keys(tmp_path: Path) -> None:
    write_world(tmp_path, WORLD)
    settings = {
        "task": "水平区域检测",
        "annotation_dir": "anno",
        "model_output_dir": "out",
        "pattern": "t*.txt",
        "recursive": False,
        "calc_aux_metric": True,
        "collect_sample_details": True,
        "output_json": "all.json",
    }
    (tmp_path / "cfg.json").write_text(json.dumps(settings), encoding="utf-8")
    done = run("--config", "cfg.json", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads((tmp_path / "all.json").read_text())["models"]["out"]["tasks"].keys() == {"水平区域检测"}
    assert (tmp_path / "eval_results" / "grades.csv").exists()
    (tmp_path / "cfg.yaml").write_text("annotation_dirr: anno\n")
    wrong = run("--config", "cfg.yaml", cwd=tmp_path)
    assert wrong.returncode == 2 and "annotation_dir" in wrong.stderr


def test_two_models_are_compared_in_chinese(tmp_path: Path) -> None:
    anno, _ = write_world(tmp_path, WORLD)
    write_lines(tmp_path / "b" / "t0_output.txt", outputs(["1", "2"]))
    done = run(
        *("--anno-path", anno, "--model-result-path", "A=out", "--model-result-path", "B=b", "--task", "counting"),
        cwd=tmp_path,
        SIGHTLINE_LANG="zh",
    )
    assert done.returncode == 0, done.stderr
    assert "计数" in done.stdout and "50.00 %" in done.stdout and "100.00 %" in done.stdout
    assert (tmp_path / "eval_results" / "comparison.md").exists()


@pytest.mark.slow
def test_exit_codes_and_messages(tmp_path: Path) -> None:
    write_world(tmp_path, WORLD)
    (tmp_path / "out" / "t1_output.txt").unlink()
    common = ("--anno-path", "anno", "--model-result-path", "out")
    assert run(*common, cwd=tmp_path).returncode == 3
    assert run(*common, "--task", "counting", "--fail-under", "0.9", cwd=tmp_path).returncode == 1
    for args, told in (
        (("--anno-path", "anno"), "--model-result-path"),
        ((*common, "--task", "conting"), "counting"),
        ((*common, "--coords", "0-10"), "0-1"),
        ((*common, "--task-config", "gone.json"), "gone.json"),
        (("--anno-path", "gone", "--model-result-path", "out"), "gone"),
        ((*common, "--batch-size", "0"), "at least 1"),
    ):
        done = run(*args, cwd=tmp_path)
        assert done.returncode == 2, (args, done.stderr)
        assert told in done.stderr and "Traceback" not in done.stderr, done.stderr


def test_figures_as_a_table(tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    anno, out = write_world(tmp_path, WORLD)
    table = score(anno, out, output_dir=str(tmp_path / "r")).to_dataframe()
    assert isinstance(table, pandas.DataFrame)
    row = table[(table.name == "计数") & (table.metric == "accuracy")]
    assert row.value.tolist() == [0.5] and row.n.tolist() == [2]


def test_the_metrics_have_plain_functions() -> None:
    from sightline.scoring import metrics

    box = [[0, 0, 10, 10]]
    assert metrics.calculate_detection_ap([box, box], [box, []]) == pytest.approx(51 / 101)
    assert metrics.calculate_mae([1, 2], [1, 4]) == 1
    assert metrics.calculate_macro_f1(["a", "b"], ["a", "b"]) == 1
    assert metrics.calculate_accuracy([1, 2], [1, 3]) == 0.5
    assert metrics.calculate_caption_rouge_l(["a ship"], ["a ship"]) == 1
    assert all(callable(getattr(metrics, name)) for name in metrics.__all__)


def test_where_nothing_is_scored_the_exit_code_and_a_message_say_so(tmp_path: Path) -> None:
    write_world(tmp_path, {"计数": [("many", "1"), ("x", "2")]})
    done = run("--anno-path", "anno", "--model-result-path", "out", cwd=tmp_path)
    assert done.returncode == 2, done.stdout
    assert "No sample of out was scored: all 2 samples are invalid" in done.stderr
    write_world(tmp_path, {"no such task": [("1", "1")]})
    assert run("--anno-path", "anno", "--model-result-path", "out", cwd=tmp_path).returncode == 2
    write_world(tmp_path, {"计数": [("1", "1")]})
    (tmp_path / "anno" / "t0.txt").write_text("")
    (tmp_path / "out" / "t0_output.txt").write_text("")
    done = run("--anno-path", "anno", "--model-result-path", "out", cwd=tmp_path)
    assert done.returncode == 2 and "have no sample" in done.stderr
