"""Parsers and metrics of the user's own: what they do wrong is told, and spoils no figure."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Any, get_args

import duckdb
import pytest

from sightline import score, score_one
from sightline.api.score_files import ScoreReport
from sightline.core.errors import ConfigError, UsageError
from sightline.core.reply_formats import SPACES
from sightline.core.task_table import _OPTIONS, TaskTable, read_tasks
from sightline.scoring import metrics
from sightline.scoring.metrics.numbers import NumberState
from tests.scoring.files.worlds import write_world
from tests.support.worlds import sightline

OWN = "tests.scoring.files.own_code"
Pairs = list[tuple[str, str]]


def scored(folder: Path, pairs: Pairs, wanted: list[str], parser: str = "word", **settings: Any) -> ScoreReport:
    """A task `mine` of these pairs, beside one of ours."""
    folder.mkdir(exist_ok=True)
    metrics = [name if name == "accuracy" else f"{OWN}:{name}" for name in wanted]
    rule = {"parser": f"{OWN}:{parser}", "core": metrics}
    (folder / "tasks.json").write_text(json.dumps({"mine": rule}), encoding="utf-8")
    anno, out = write_world(folder, {"mine": pairs, "计数": [("1", "1"), ("2", "3")]})
    return score(anno, out, output_dir=str(folder / "r"), task_config=str(folder / "tasks.json"), **settings)


def figures(report: ScoreReport) -> dict[str, Any]:
    """Every figure of the task `mine` and what it rests on."""
    (told,) = report.to_dict()["models"].values()
    return dict(told["tasks"]["mine"]["metrics"])


def notes(report: ScoreReport) -> str:
    return "\n".join(map(str, report.summary.notes))


@pytest.mark.parametrize(
    ("reply", "shown", "engine"),
    [
        ("nan", "nan", "threads"),
        pytest.param("nan", "nan", "processes", marks=pytest.mark.slow),
        ("endless", "inf", "threads"),
        ("large", "7.5", "threads"),
        ("negative", "-1.0", "threads"),
        ("text", "'0.5'", "threads"),
        ("nothing", "None", "threads"),
        ("list", "[1.0]", "threads"),
    ],
)
def test_what_is_no_mark_is_told_and_never_scored(tmp_path: Path, reply: str, shown: str, engine: str) -> None:
    report = scored(tmp_path, [("a", "a"), ("a", reply)], ["value", "accuracy"], engine=engine)
    assert report.summary.pending == 2 and report.summary.samples == 4
    told = f"The metric '{OWN}:value' of the task 'mine' returned {shown}, not a number from 0 to 1."
    assert told in notes(report) and "2 samples could not be graded" in notes(report)
    assert {row.name for row in report.summary.rows_of("task")} == {"计数"}
    assert report.summary.score is not None and report.summary.score.value == 0.5


def test_rounding_is_no_fault_and_a_truth_value_is_a_mark(tmp_path: Path) -> None:
    report = scored(tmp_path, [("a", "rounded"), ("a", "true"), ("a", "")], ["value"])
    assert report.value("mine", f"{OWN}:value") == 2 / 3 and not report.summary.pending


def test_a_function_has_the_interval_of_the_mean_score(tmp_path: Path) -> None:
    for number, pairs in enumerate(([("a", "a")] * 2, [("a", "a")] * 5 + [("a", "b")] * 3)):
        report = scored(tmp_path / str(number), pairs, ["value"], task="mine")
        (row,) = report.summary.rows_of("task")
        assert row.estimate.low is not None and row.estimate.low < row.estimate.value  # type: ignore[operator]
        mean = report.summary.score
        assert mean is not None and (mean.low, mean.value, mean.high) == (
            row.estimate.low,
            row.estimate.value,
            row.estimate.high,
        )


@pytest.mark.parametrize(
    ("reply", "why", "engine"),
    [
        ("poison", "ValueError: boom", "threads"),
        ("bare", "returned 5, not Parsed or Unparsed", "threads"),
        ("trap", "RuntimeError: oops", "threads"),
        pytest.param("trap", "RuntimeError: oops", "processes", marks=pytest.mark.slow),
    ],
)
def test_code_that_fails_costs_its_batch_and_leaves_no_trace(tmp_path: Path, reply: str, why: str, engine: str) -> None:
    """Whatever was counted of the batch before: all figures are those of the other samples."""
    metrics = ["value", "failing", "Right", "accuracy"]
    pairs = [("a", "a"), ("a", "b"), ("a", "a"), ("c", ""), ("a", "a"), ("a", reply), ("b", "a"), ("a", "a")]
    # a batch is two samples for threads; a shard is two batches, of which there are four
    lost = pairs[4:6] if engine == "threads" else pairs[4:8]
    rest = pairs[:4] + (pairs[6:] if engine == "threads" else [])
    report = scored(tmp_path / "a", pairs, metrics, engine=engine, batch_size=2, collect_sample_details=True)
    assert report.summary.pending == len(lost) and report.summary.samples == len(pairs) + 2
    assert f"{len(lost)} samples could not be graded after three attempts: " in notes(report) and why in notes(report)
    assert "and more" not in notes(report)
    told = figures(report)
    whole = figures(scored(tmp_path / "b", rest, metrics))
    assert told.keys() == whole.keys() and len(told) == len(metrics)
    for name in told:
        assert (told[name]["value"], told[name]["n"]) == (whole[name]["value"], whole[name]["n"])
        assert told[name]["n"] == len(rest)
    grades = duckdb.sql(f"SELECT reply FROM '{tmp_path / 'a/r/grades.parquet'}' WHERE task = 'mine'").fetchall()
    assert sorted(text for (text,) in grades) == sorted(text for _, text in rest)


@pytest.mark.parametrize(
    ("reply", "why"),
    [
        ("unmergeable", "RuntimeError: no merging"),
        ("resultless", "RuntimeError: no result"),
        ("no number", "the metric's result is nan"),
        ("bare result", "the metric's result is 0.5"),
    ],
)
def test_a_metric_that_fails_at_the_end_has_no_figure_and_spoils_no_other(tmp_path: Path, reply: str, why: str) -> None:
    report = scored(tmp_path, [("a", "a"), ("a", reply)], ["Right", "value"])
    assert report.value("mine", f"{OWN}:Right") is None and why in notes(report)
    assert report.value("mine", f"{OWN}:value") == 0.5 and report.value("计数", "accuracy") == 0.5


def test_a_state_of_the_users_own_counts_batches(tmp_path: Path) -> None:
    report = scored(tmp_path, [("a", "a"), ("a", "b")], ["option_mean", "accuracy"])
    assert report.value("mine", f"{OWN}:option_mean") == 100 and report.value("mine", "accuracy") == 0.5


def test_a_fault_of_our_own_costs_the_task_and_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A batch that is counted by half can't be taken back: no figure is made of it."""
    count = NumberState.count
    seen = []

    def fails_after_counting(self: NumberState, batch: Any) -> Any:
        values = count(self, batch)
        seen.append(len(batch))
        if len(seen) == 2:
            raise IndexError("ours")
        return values

    monkeypatch.setattr(NumberState, "count", fails_after_counting)
    anno, out = write_world(tmp_path, {"计数": [("1", "1")] * 6, "VQA1": [("Yes", "yes"), ("No", "Yes")]})
    report = score(anno, out, output_dir=str(tmp_path / "r"), batch_size=2, workers=2)
    assert report.summary.pending == 6 and "6 samples could not be graded" in notes(report)
    assert "IndexError: ours" in notes(report)
    assert {row.name for row in report.summary.rows_of("task")} == {"VQA1"}
    assert report.value("VQA1", "accuracy") == 0.5


def test_the_command_says_it_with_exit_code_3_and_in_chinese(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("def rubbish(truth, reply):\n    return float('nan')\n")
    rule = {"english": "my task", "parser": "text", "core": ["mine:rubbish"]}
    (tmp_path / "t.json").write_text(json.dumps({"mine": rule}))
    write_world(tmp_path, {"my task": [("a", "a")] * 3})
    command = ["score", "--anno-path", "anno", "--model-result-path", "out", "--task-config", "t.json"]
    done = sightline(*command, "--lang", "zh", cwd=tmp_path, COLUMNS="200")
    assert done.returncode == 3 and "Traceback" not in done.stderr, done.stderr
    assert "3 个样本" in done.stdout and "任务“mine”的指标“mine:rubbish”返回了 nan" in done.stdout


def test_a_single_sample_says_it_as_an_error(tmp_path: Path) -> None:
    rule = {"parser": f"{OWN}:word", "core": [f"{OWN}:value"]}
    (tmp_path / "tasks.json").write_text(json.dumps({"mine": rule}))
    with pytest.raises(UsageError, match="returned nan"):
        score_one(gt="a", output="nan", task="mine", task_config=str(tmp_path / "tasks.json"))


@pytest.mark.parametrize(
    ("parser", "metric", "told"),
    [
        (f"{OWN}:VALUES", "accuracy", "is not a parser"),
        (f"{OWN}:Right", "accuracy", "is not a parser"),
        ("number", f"{OWN}:VALUES", "is not a metric"),
        ("number", f"{OWN}:Pairs", "could not be loaded"),
        ("number", "sightline.core.records:Grade", "is not a metric"),
        ("number", "a:b:c", "module:object"),
        ("number", "not there:x", "module:object"),
    ],
)
def test_what_is_no_parser_or_metric_is_told(tmp_path: Path, parser: str, metric: str, told: str) -> None:
    (tmp_path / "tasks.json").write_text(json.dumps({"mine": {"parser": parser, "core": [metric]}}))
    with pytest.raises(UsageError, match=told):
        score_one(gt="1", output="1", task="mine", task_config=str(tmp_path / "tasks.json"))


# Code beside the task file

METRIC = "def same(truth, reply):\n    from {helper} import mark\n    return mark(truth, reply)\n"
HELPER = "def mark(truth, reply):\n    return {mark}\n"


def write_code(folder: Path, module: str, mark: str) -> Path:
    """A task file with a metric of its own beside it, which imports another module when it is called."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{module}.py").write_text(METRIC.format(helper=f"{module}_helper"))
    (folder / f"{module}_helper.py").write_text(HELPER.format(mark=mark))
    table = {"mine": {"parser": "text", "core": [f"{module}:same"]}}
    (folder / "tasks.json").write_text(json.dumps(table))
    return folder / "tasks.json"


@pytest.mark.parametrize("engine", ["threads", pytest.param("processes", marks=pytest.mark.slow)])
def test_a_module_beside_the_task_file_needs_no_installing(tmp_path: Path, engine: str) -> None:
    write_code(tmp_path / "rules", "beside", "float(truth == reply)")
    write_world(tmp_path, {"mine": [("a", "a"), ("a", "b")]})
    command = ["score", "--anno-path", "anno", "--model-result-path", "out", "--task-config", "rules/tasks.json"]
    done = sightline(*command, "--engine", engine, "--json", cwd=tmp_path, PYTHONSAFEPATH="1")
    assert done.returncode == 0, done.stderr + done.stdout
    assert json.loads(done.stdout)["models"]["out"]["tasks"]["mine"]["metrics"]["beside:same"]["value"] == 0.5


@pytest.mark.slow
def test_no_other_folder_is_imported_from(tmp_path: Path) -> None:
    """Neither that of the data nor the current one: data sets come from strangers."""
    table = write_code(tmp_path / "rules", "beside", "1.0")
    for name in ("beside.py", "beside_helper.py"):
        (tmp_path / "rules" / name).unlink()
    anno, out = write_world(tmp_path, {"mine": [("a", "a")]})
    for folder in (tmp_path, anno, out):
        (folder / "beside.py").write_text("raise SystemExit('a stranger was here')")
    command = ["score", "--anno-path", "anno", "--model-result-path", "out", "--task-config", table]
    done = sightline(*command, cwd=tmp_path, PYTHONSAFEPATH="1")
    assert done.returncode == 2 and "stranger" not in done.stderr
    assert "'beside:same' could not be loaded: No module named 'beside'" in done.stderr
    assert "the folder of the task file" in done.stderr and "Install it again" not in done.stderr


@pytest.fixture
def path(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The search path, put back at the end."""
    monkeypatch.setattr(sys, "path", [*sys.path])
    return sys.path


def test_a_task_file_without_code_beside_it_changes_nothing(tmp_path: Path, path: list[str]) -> None:
    before = [*path]
    for metric in ("accuracy", f"{OWN}:value", "sightline.scoring.metrics.state:ACCURACY"):
        (tmp_path / "tasks.json").write_text(json.dumps({"mine": {"parser": "number", "core": [metric]}}))
        read_tasks(tmp_path / "tasks.json")
    assert path == before
    write_code(tmp_path, "found_beside", "1.0")
    read_tasks(tmp_path / "tasks.json")
    assert path == [*before, str(tmp_path.resolve())]  # behind all others: nothing is hidden by it


def test_two_modules_of_one_name_are_never_mistaken(
    tmp_path: Path, path: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = (write_code(tmp_path / mark, "twice_there", mark) for mark in ("1.0", "0.25"))
    common = {"gt": "a", "output": "a", "task": "mine"}
    assert score_one(**common, task_config=str(first))["twice_there:same"] == 1
    with pytest.raises(ConfigError, match="hidden by another"):
        score_one(**common, task_config=str(second))
    for name in ("twice_there", "twice_there_helper"):
        monkeypatch.delitem(sys.modules, name)
    hiding = write_code(tmp_path / "hiding", "json", "1.0")
    with pytest.raises(ConfigError, match="'json' beside it is hidden"):
        score_one(**common, task_config=str(hiding))


def test_a_module_that_fails_when_it_is_imported_is_told(tmp_path: Path, path: list[str]) -> None:
    (tmp_path / "half_written.py").write_text("def same(truth, reply)\n    return 1\n")
    (tmp_path / "tasks.json").write_text(json.dumps({"mine": {"parser": "text", "core": ["half_written:same"]}}))
    with pytest.raises(UsageError, match="SyntaxError"):
        score_one(gt="a", output="a", task="mine", task_config=str(tmp_path / "tasks.json"))


# What a task file says of a task


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"words": [5]}, r"invalid value \[5\] for the option 'words'; expected such as \[15, 20\]"),
        ({"words": [20, 15]}, "'words'"),
        ({"words": ["a", "b"]}, "'words'"),
        ({"words": 5}, "'words'"),
        ({"words": None}, "invalid value null for the option 'words'"),
        ({"ap": "vocc"}, '\'ap\' can\'t be "vocc"; .*"coco" | "voc"'),
        ({"instances": "yes"}, "'instances'"),
        ({"width": 0}, "'width'"),
        ({"height": 2.5}, "'height'"),
        ({"space": "0-10"}, "'space'"),
        ({"wrds": [5, 6]}, "No option is called 'wrds'. Did you mean 'words'"),
        ({"zzzzzz": 1}, "No option is called 'zzzzzz'"),
    ],
)
def test_a_wrong_option_is_told_when_the_file_is_read(tmp_path: Path, options: dict[str, Any], told: str) -> None:
    rule = {"parser": "text", "core": ["length_in_range"], "auxiliary": [f"{OWN}:value"], "options": options}
    (tmp_path / "tasks.json").write_text(json.dumps({"mine": rule}))
    with pytest.raises(ConfigError, match=told) as caught:
        read_tasks(tmp_path / "tasks.json")
    assert "tasks.json" in str(caught.value) and "'mine'" in str(caught.value)


def test_every_option_that_a_metric_of_ours_reads_is_known() -> None:
    sources = [path.read_text(encoding="utf-8") for path in Path(metrics.__file__).parent.rglob("*.py")]
    read = {name for text in sources for name in re.findall(r"options\.get\(\"(\w+)\"\)", text)}
    assert {"words", "ap", "instances"} <= read <= _OPTIONS.keys()
    assert get_args(_OPTIONS["space"][0]) == SPACES


def test_options_that_are_right_reach_our_metrics_and_the_users(tmp_path: Path) -> None:
    table = {
        "short": {"parser": "text", "core": ["length_in_range"], "options": {"words": [2, 3]}},
        "mine": {"parser": f"{OWN}:word", "core": [f"{OWN}:option_mean"], "options": {"full": 1}},
    }
    (tmp_path / "tasks.yaml").write_text(json.dumps(table))
    settings = {"task_config": str(tmp_path / "tasks.yaml")}
    assert score_one(gt="a b", output="one two", task="short", **settings)["length_in_range"] == 1
    assert score_one(gt="a b", output="one", task="short", **settings)["length_in_range"] == 0
    assert score_one(gt="a", output="b", task="mine", **settings)[f"{OWN}:option_mean"] == 1


@pytest.mark.parametrize("more", [{"english": "counting"}, {"aliases": ["Count-ing"]}, {"english": "计数 "}])
def test_a_task_takes_no_name_of_another(tmp_path: Path, more: dict[str, Any]) -> None:
    rule = {"parser": "text", "core": ["rouge_l"], **more}
    (tmp_path / "tasks.json").write_text(json.dumps({"heading": rule}))
    anno, out = write_world(tmp_path, {"计数": [("1", "1")]})
    with pytest.raises(
        ConfigError, match=r"The name .* of the task 'heading' is already used by the task '计数'"
    ) as caught:
        score(anno, out, output_dir=str(tmp_path / "r"), task_config=str(tmp_path / "tasks.json"))
    assert "call yours '计数'" in str(caught.value)
    # what the hint says works: the name itself takes the other's place
    (tmp_path / "tasks.json").write_text(json.dumps({"计数": rule}))
    report = score(anno, out, output_dir=str(tmp_path / "r"), task_config=str(tmp_path / "tasks.json"))
    assert {row.metric for row in report.summary.rows_of("task")} == {"rouge_l"}


def test_two_tasks_of_one_file_share_no_name(tmp_path: Path) -> None:
    rule = {"parser": "number", "core": ["accuracy"], "english": "the same"}
    (tmp_path / "tasks.json").write_text(json.dumps({"one": rule, "other": rule}))
    with pytest.raises(ConfigError, match="The name 'the same' of the task 'other' is already used by the task 'one'"):
        TaskTable(read_tasks(tmp_path / "tasks.json"))


@pytest.mark.slow
def test_other_code_of_the_users_own_finds_no_old_shard(tmp_path: Path) -> None:
    anno, out = write_world(tmp_path, {"mine": [("a", "a"), ("b", "c")]})
    (tmp_path / "tasks.json").write_text(json.dumps({"mine": {"parser": "text", "core": ["own_marks:marks"]}}))
    for mark in ("0.25", "0.75"):
        (tmp_path / "own_marks.py").write_text(f"def marks(truth, reply):\n    return {mark}\n")
        command = ["score", "--anno-path", anno, "--model-result-path", out, "--task-config", tmp_path / "tasks.json"]
        command += ["--engine", "serial", "--json", "--output-dir", tmp_path / "r"]
        done = sightline(*command, cwd=tmp_path)
        figures = json.loads(done.stdout)["models"]
        assert mark in json.dumps(figures), done.stderr
