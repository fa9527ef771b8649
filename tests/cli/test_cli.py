"""The command line as a user types it: what goes well, what goes wrong, and what is said."""

from __future__ import annotations

import ast
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from string import Formatter

import click
import pytest
from click.testing import CliRunner

from sightline.cli import COMMANDS, cli
from sightline.core.registry import names
from sightline.i18n.chinese.click_words import TEXTS as CLICK_WORDS
from tests.support.worlds import environment, only_run, server, sightline, sightline_here, write_questions

RUN = ("run", "simulation", "--model", "baseline/random")
CLICK_ENGLISH = re.compile(
    r"Usage|Options|Commands|Show this|Try '|default:|\[required|Error|Invalid|Missing|No such option"
)


def test_help_has_examples(tmp_path: Path) -> None:
    top = sightline("--help", cwd=tmp_path)
    assert top.returncode == 0
    for command in (*COMMANDS, *names("commands")):
        assert command in top.stdout
        told = sightline_here(command, "--help", cwd=tmp_path)
        assert told.returncode == 0 and "Example" in told.stdout and f"\n  sightline {command}" in told.stdout, command
    suite = sightline("run", "simulation", "--help", cwd=tmp_path)
    assert "Examples:" in suite.stdout and "--video-mode" in suite.stdout and "Exit codes" in suite.stdout


@pytest.mark.parametrize(
    ("args", "told"),
    [
        (("rum",), "Did you mean 'run'"),
        (("run", "simulatoin"), "Did you mean 'simulation'"),
        (("run", "simulation", "--modle", "x"), "--model"),
        (("run", "--model", "x", "simulation"), "Name the suite first"),
        ((*RUN,), "use --data"),
        ((*RUN, "--data", "nowhere"), "no data set at nowhere"),
        ((*RUN, "--data", "empty"), "holds no question file"),
        ((*RUN, "--data", "broken"), "Cannot read"),
        ((*RUN, "--data", "odd"), "form of a question file"),
        ((*RUN, "--data", "good", "--filter", "nothing-like-it"), "No samples to run"),
        ((*RUN, "--data", "good", "--limit", "0"), "at least 1"),
        ((*RUN, "--data", "good", "--modality", "txt"), "Did you mean 'text'"),
        ((*RUN, "--data", "good", "--config", "none.toml"), "Cannot read the settings file"),
        ((*RUN, "--data", "good", "--output-dir", "a-file"), "Cannot create"),
        (("run", "simulation", "--data", "good"), "No model was specified"),
        (("run", "simulation", "--data", "good", "--model", "gpt-4o"), "Neither a server nor an API key"),
        (("run", "simulation", "--data", "good", "--model", "replay/none.jsonl"), "Cannot read the replies"),
        (("show", "good"), "not a run folder"),
        (("show",), "There are no runs in runs."),
        (("show", "nowhere"), "No run matches 'nowhere'"),
        (("regrade", "last"), "There are no runs in runs."),
        (("score",), "Give --anno-path"),
        (("generate", "simulation", "--out", "good"), "not empty"),
        (("generate", "simulatoin", "--out", "new"), "Did you mean 'simulation'"),
    ],
)
def test_bad_input_gets_one_clear_message(tmp_path: Path, args: tuple[str, ...], told: str) -> None:
    write_questions(tmp_path / "good", 4)
    (tmp_path / "empty").mkdir()
    (tmp_path / "a-file").touch()
    for name, text in (("broken", '{"structural": '), ("odd", '{"structural": {"questions": 3}}')):
        (tmp_path / name).mkdir()
        (tmp_path / name / "q.json").write_text(text)
    result = sightline_here(*args, cwd=tmp_path)
    assert result.returncode in ((2, 3) if "Cannot create" in told else (2,)), result.stderr
    assert told in result.stderr
    assert "Traceback" not in result.stderr
    assert not (tmp_path / "runs").exists(), "a call that can't work leaves nothing behind"


def test_every_way_to_set_a_value(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 10)
    (tmp_path / "s.yaml").write_text(f"data: {data}\nmodel: baseline/oracle\nlimit: 5\n")
    told = sightline_here("run", "simulation", "--config", "s.yaml", "--json", SIGHTLINE_LIMIT="4", cwd=tmp_path)
    assert json.loads(told.stdout)["samples"] == 4
    told = sightline_here("run", "simulation", "--config", "s.yaml", "--json", "True", "--limit", "3", cwd=tmp_path)
    assert json.loads(told.stdout)["samples"] == 3
    typo = sightline_here("run", "simulation", "--config", "s.yaml", SIGHTLINE_LIMT="4", cwd=tmp_path)
    assert typo.returncode == 2 and "SIGHTLINE_LIMIT" in typo.stderr


def test_exit_codes(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 20)
    call = ("run", "simulation", "--data", data, "--model", "baseline/constant:True")
    assert sightline_here(*call, "--fail-under", "0.5", cwd=tmp_path).returncode == 0
    assert sightline_here(*call, "--fail-under", "0.51", cwd=tmp_path).returncode == 1


@pytest.mark.slow
def test_debug_needs_no_data_and_must_give_full_marks(tmp_path: Path) -> None:
    told = sightline("run", "simulation", "--debug", "--json", cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    result = json.loads(told.stdout)
    head = next(row for row in result["rows"] if row["metric"] == result["headline"])
    assert head["estimate"]["value"] == 1


def test_a_dry_run_asks_nothing(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 300)
    with server("--log", tmp_path / "log") as base:
        told = sightline_here(
            *("run", "simulation", "--data", data, "--model", "m", "--api-base", base, "--dry-run", "--json"),
            *("--price-in", "2", "--price-out", "8"),
            cwd=tmp_path,
        )
    forecast = json.loads(told.stdout)
    assert (forecast["samples"], forecast["requests"]) == (300, 300)
    assert forecast["tokens_in"] > 300 * 10 and forecast["cost"] > 0
    assert (tmp_path / "log").read_text() == ""
    assert not (tmp_path / "runs").exists()


def test_a_dry_run_expects_replies_as_long_as_the_ideal_ones(tmp_path: Path) -> None:
    """The models of drawings have hundreds of tokens; 64 for each made the cost look a tenth of what it is."""
    assert sightline_here("generate", "structural", "--count", "3", "--out", "data", cwd=tmp_path).returncode == 0
    call = ("run", "structural", "--data", "data", "--model", "m", "--api-base", "http://127.0.0.1:9/v1", "--dry-run")
    forecast = json.loads(sightline_here(*call, "--json", cwd=tmp_path).stdout)
    ideal = sum(len(path.read_text()) for path in (tmp_path / "data" / "raw_models").iterdir())
    assert forecast["tokens_out"] > ideal / 8
    limited = json.loads(sightline_here(*call, "--json", "--max-tokens", "50", cwd=tmp_path).stdout)
    assert limited["tokens_out"] == 3 * 50


def test_where_there_are_no_runs_the_runs_of_the_demo_are_named(tmp_path: Path) -> None:
    for args in (("list",), ("show",), ("show", "x"), ("leaderboard",)):
        told = sightline_here(*args, cwd=tmp_path)
        assert "sightline-demo/runs" in told.stdout + told.stderr, args


def test_a_wrong_number_of_pixels_names_the_accepted_forms(tmp_path: Path) -> None:
    told = sightline_here(*RUN, "--data", "x", "--max-pixels", "banana", cwd=tmp_path)
    assert told.returncode == 2 and "100k" in told.stderr


def test_regrade_grades_again_without_asking(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 30)
    assert sightline_here(*RUN, "--data", data, cwd=tmp_path).returncode == 0
    run = only_run(tmp_path / "runs")
    before = (run / "report.json").read_bytes()
    (run / "report.json").unlink()
    (run / "grades.parquet").unlink()
    assert sightline_here("show", run, cwd=tmp_path).returncode == 2
    assert sightline_here("regrade", run, cwd=tmp_path).returncode == 0
    assert (run / "report.json").read_bytes() == before
    shown = sightline_here("show", run, cwd=tmp_path)
    assert shown.returncode == 0 and "Accuracy" in shown.stdout
    assert json.loads(sightline("show", "--json", cwd=tmp_path).stdout)["samples"] == 30


def test_score_takes_saved_replies_of_any_common_shape(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 6)
    ids = [f"image/structural/File_1/q{k}" for k in range(6)]
    rows = [
        {"sample": ids[0], "text": "False"},
        {"sample_id": ids[1], "model_output": "True"},
        {"id": ids[2], "reply": "False"},
        {"id": ids[3], "response": "wrong at first: False"},
        {"id": ids[3], "response": "True"},
    ]
    lines = "\ufeff" + "\r\n\r\n".join(map(json.dumps, rows)) + '\r\n{"torn'
    (tmp_path / "r.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "r.json").write_text(json.dumps(rows, indent=1))
    for name in ("r.jsonl", "r.json"):
        told = sightline_here(
            "score", "--suite", "simulation", "--data", data, "--replies", name, "--json", cwd=tmp_path
        )
        result = json.loads(told.stdout)
        assert told.returncode == 3, "two samples have no reply"
        assert result["statuses"] == {"answered": 4, "failed": 2}
        assert next(r for r in result["rows"] if r["metric"] == "accuracy")["estimate"]["value"] == 1


def test_chinese_is_spoken(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 6)
    told = sightline(*RUN, "--data", data, "--lang", "zh", cwd=tmp_path)
    assert "准确率" in told.stdout and "最佳盲猜基线" in told.stdout
    run = only_run(tmp_path / "runs")
    assert 'lang="zh"' in (run / "report.html").read_text(encoding="utf-8")
    help_text = sightline("run", "simulation", "--help", SIGHTLINE_LANG="zh", cwd=tmp_path).stdout
    assert "温度" in help_text
    wrong = sightline("run", "simulatoin", SIGHTLINE_LANG="zh", cwd=tmp_path)
    assert "您是不是要找" in wrong.stderr


@pytest.mark.slow
@pytest.mark.parametrize("command", ["", *dict.fromkeys([*COMMANDS, *names("commands")])])
def test_every_command_takes_the_language_and_helps_in_it(tmp_path: Path, command: str) -> None:
    told = sightline(*command.split(), "--lang", "zh", "--help", cwd=tmp_path)
    assert told.returncode == 0 and not told.stderr
    assert "用法: " in told.stdout and "显示本帮助并退出" in told.stdout
    assert not CLICK_ENGLISH.search(told.stdout)
    assert len(re.findall(r"^  --lang ", told.stdout, re.MULTILINE)) == 1


@pytest.mark.slow
@pytest.mark.parametrize("call", ["show", "solve", "run", "run simulation", "generate structural"])
def test_the_language_may_stand_anywhere_and_wins_over_the_environment(tmp_path: Path, call: str) -> None:
    command = call.split()
    wanted = sightline(*command, "--help", SIGHTLINE_LANG="zh", cwd=tmp_path).stdout
    assert "用法" in wanted
    for args in (("--lang", "zh", *command, "--help"), (*command, "--help", "--lang=zh")):
        assert sightline(*args, cwd=tmp_path).stdout == wanted
    english = sightline(*command, "--help", cwd=tmp_path).stdout
    assert english.startswith("Usage: ") and "Show this message and exit." in english
    assert sightline("--lang", "zh", *command, "--lang", "en", "--help", cwd=tmp_path).stdout == english
    assert sightline(*command, "--lang", "en", "--help", SIGHTLINE_LANG="zh", cwd=tmp_path).stdout == english


@pytest.mark.parametrize(
    ("args", "english", "chinese"),
    [
        (("show", "--nope"), "No such option", "没有选项"),
        (("show", "--jsn"), "Did you mean", "您是不是要找"),
        (("show", "a", "b"), "Got unexpected extra argument (b)", "多余的参数：b"),
        (("show", "--json=3"), "does not take a value", "不带值"),
        (("solve",), "Missing argument 'MODEL'", "缺少参数 'MODEL'"),
        (("solve", "--plot"), "requires an argument", "需要 1 个值"),
        (("solve", "none.json"), "Cannot read none.json", "无法读取 none.json"),
        (("generate", "structural"), "Missing option '--out'", "缺少选项 '--out'"),
        (("generate", "structural", "--count", "0"), "0 is not in the range x>=1", "0 不在范围 x>=1 内"),
        (("generate", "structural", "--seed", "x"), "'x' is not a valid integer", "'x' 不是有效的数"),
        (("generate", "structural", "--check-overlap", "none"), "'none' does not exist", "'none' 不存在"),
        (("report", ".", "--lang", "fr"), "'fr' is not one of 'en', 'zh'", "'fr' 不在可选值中：'en', 'zh'"),
        (("doctor", "--lang", "fr"), "Invalid value for '--lang'", "'--lang' 的值无效"),
        (("run", "--model", "x", "simulation"), "Name the suite first", "请先写评测套件名"),
        (("run", "structural"), "use --data", "--data"),
    ],
)
def test_what_is_wrong_is_told_in_the_language_of_the_call(
    tmp_path: Path, args: tuple[str, ...], english: str, chinese: str
) -> None:
    told = sightline_here(*args, cwd=tmp_path)
    assert told.returncode == 2 and english in told.stderr
    told = sightline_here("--lang", "zh", *args, cwd=tmp_path)
    assert told.returncode == 2 and chinese in told.stderr and "错误: " in told.stderr
    assert not CLICK_ENGLISH.search(told.stderr)


def test_a_language_before_the_command_is_that_of_its_run(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 6)
    (tmp_path / "s.toml").write_text('lang = "en"')
    told = sightline_here("--lang", "zh", *RUN, "--data", data, "--config", "s.toml", cwd=tmp_path)
    assert told.returncode == 0 and "准确率" in told.stdout
    assert 'lang="zh"' in (only_run(tmp_path / "runs") / "report.html").read_text(encoding="utf-8")
    assert "准确率" in sightline_here("show", "--lang", "zh", cwd=tmp_path).stdout
    assert "Accuracy" in sightline_here("show", "--lang", "en", SIGHTLINE_LANG="zh", cwd=tmp_path).stdout


def test_a_plain_command_of_a_plug_in_takes_the_language_too(monkeypatch: pytest.MonkeyPatch) -> None:
    @click.command("slowest")
    @click.argument("run")
    def slowest(run: str) -> None:
        click.echo(run)

    monkeypatch.setenv("SIGHTLINE_LANG", "en")  # as before, once the test is over
    monkeypatch.setattr("sightline.cli.names", lambda kind: ["slowest"])
    monkeypatch.setattr("sightline.cli.find", lambda kind, name: slowest)
    assert CliRunner().invoke(cli, ["slowest", "--lang", "en", "here"]).output == "here\n"
    assert "缺少参数 'RUN'" in CliRunner().invoke(cli, ["slowest", "--lang", "zh"]).output


def test_the_chinese_of_click_tells_no_fact_that_click_does_not_give() -> None:
    def facts(text: str) -> set[str]:
        return {name for _, name, *_ in Formatter().parse(text) if name}

    seen = 0
    for path in Path(click.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in ("_", "ngettext"):
                forms = [a.value for a in node.args if isinstance(a, ast.Constant) and isinstance(a.value, str)]
                if forms and forms[0] in CLICK_WORDS:
                    seen += 1
                    assert facts(CLICK_WORDS[forms[0]]) <= set().union(*map(facts, forms)), forms
    assert seen > 30


def test_a_hostile_reply_stays_text(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 3)
    evil = "<script>alert(1)</script> [bold]x[/] \x1b[31m =cmd| \u2028 ../../etc/passwd"
    name = "<img src=x onerror=alert(1)>"
    with server("--reply", evil) as base:
        told = sightline("run", "simulation", "--data", data, "--model", name, "--api-base", base, cwd=tmp_path)
    assert told.returncode == 0, told.stderr
    run = only_run(tmp_path / "runs")
    page = (run / "report.html").read_text(encoding="utf-8")
    assert "<script>" not in page and "<img" not in page
    assert run.parent == tmp_path / "runs"
    assert len((run / "journal.jsonl").read_bytes().splitlines()) == 3


@pytest.mark.skipif(os.name == "nt", reason="needs a limit on file size")
def test_a_full_disk_is_told_and_loses_nothing(tmp_path: Path) -> None:
    """A limit of 8 kB a file stands for the disk: the journal of 300 samples needs 40."""
    data = write_questions(tmp_path / "data", 300)
    with server() as base:
        call = ("run", "simulation", "--data", data, "--model", "m", "--api-base", base, "--json")
        limited = ["bash", "-c", 'ulimit -f 8; exec "$@"', "-", sys.executable, "-m", "sightline", *map(str, call)]
        told = subprocess.run(limited, cwd=tmp_path, env=environment(), capture_output=True, text=True)
        assert told.returncode == 3, told.stderr
        assert "File too large" in told.stderr and "Traceback" not in told.stderr
        run = only_run(tmp_path / "runs")
        kept = (run / "journal.jsonl").read_text().splitlines()
        assert 20 < len(kept) < 100
        done = sightline(*call, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["statuses"] == {"answered": 300}
    assert (run / "journal.jsonl").read_text().splitlines()[: len(kept)] == kept
    assert not (run / "journal.jsonl.torn").exists(), "the line that found no room was taken back"


def test_suites_and_doctor(tmp_path: Path) -> None:
    suites = json.loads(sightline("suites", "--json", cwd=tmp_path).stdout)
    assert set(suites["simulation"]) == {"title", "version", "tasks", "options"}
    assert "simulation" in sightline("suites", cwd=tmp_path).stdout
    doctor = sightline("doctor", OPENAI_API_KEY="sk-hidden", cwd=tmp_path)
    assert doctor.returncode == 0, doctor.stdout
    assert "sk-hidden" not in doctor.stdout


@pytest.mark.parametrize("states", [{}, {"answered": 1}])
def test_a_run_that_a_signal_stopped_is_partial(states: dict[str, int], tmp_path: Path) -> None:
    """Before the first answer too, and while batches are at the server: the same command goes on."""
    from sightline.api.evaluation import Result
    from sightline.cli.output import exit_code
    from sightline.core.config import RunConfig
    from sightline.inference.stop_signals import interruption
    from sightline.scoring.summary import Summary

    summary = Summary(suite="simulation", title="", model="m", params="", samples=2, pending=1, statuses=states)
    assert exit_code(Result(folder=tmp_path, summary=summary, stopped=interruption()), RunConfig(model="m")) == 3


def test_invalid_samples_are_explained_without_names_of_classes(tmp_path: Path) -> None:
    assert sightline_here("generate", "structural", "--count", "3", "--out", "data", cwd=tmp_path).returncode == 0
    broken = sorted((tmp_path / "data" / "raw_models").iterdir())[0]
    broken.write_text("{}")
    told = sightline_here("run", "structural", "--data", "data", "--model", "baseline/oracle", cwd=tmp_path)
    where = f"(first: raw_models/{broken.name})"
    assert f"Invalid samples, not asked: 1 {where}: cannot read the raw model" in " ".join(told.stdout.split())
    chinese = sightline_here("show", "last", "--lang", "zh", cwd=tmp_path).stdout.replace("\n", "")
    assert f"无效样本（未提问）：1 个（首个：raw_models/{broken.name}）：原始模型无法读取" in chinese
