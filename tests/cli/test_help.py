"""What `--help` shows: options under headings, those of one suite, examples."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import get_args

import click
import pytest

from sightline.cli import cli
from sightline.core.config import RunConfig
from sightline.core.registry import find, names
from sightline.core.score_config import ScoreConfig
from sightline.core.settings import Group, table
from tests.scoring.files.worlds import write_world
from tests.support.worlds import sightline, sightline_here, write_questions

GROUPS = ["Model", "Images", "Data", "Scoring", "Budget", "Batch", "Judge", "Output"]


def sections(told: str) -> dict[str, list[str]]:
    """The flags under every heading of a help page."""
    found: dict[str, list[str]] = {}
    for line in told.splitlines():
        if heading := re.fullmatch(r"(\S.*):", line):
            found[heading[1]] = []
        elif flag := re.match(r"  (?:-\w, )?(--[\w-]+)", line):
            found[list(found)[-1]].append(flag[1])
    return found


@pytest.mark.parametrize("suite", names("suites"))
def test_run_groups_its_options(suite: str, tmp_path: Path) -> None:
    told = sections(sightline_here("run", suite, "--help", cwd=tmp_path).stdout)
    title = find("suites", suite).title
    assert [heading for heading in told if heading != "Examples"] == [title, *GROUPS, "Common options"]
    assert told[title] == [row.flag for row in table(find("suites", suite).options_type)]
    assert told["Judge"] == ["--judge", "--judge-api-base", "--judge-api-key"]
    assert told["Common options"] == ["--config", "--help"]
    places = {"--launch-timeout": "Model", "--repeats": "Data", "--pass-threshold": "Scoring", "--join": "Budget"}
    assert all(flag in told[heading] for flag, heading in places.items())


@pytest.mark.parametrize("record", [RunConfig, ScoreConfig])
def test_every_setting_declares_its_group(record: type[RunConfig] | type[ScoreConfig]) -> None:
    for row in table(record):
        assert row.group and row.group in get_args(Group), row.name


def test_the_headings_are_in_the_language_of_the_call(tmp_path: Path) -> None:
    told = sightline("run", "structural", "--help", "--lang", "zh", cwd=tmp_path).stdout
    assert all(f"\n{heading}:" in told for heading in ("模型", "数据", "预算", "批处理", "评审模型", "输出"))


@pytest.mark.parametrize("args", [("--suite", "simulation"), ("--suite=simulation",)])
def test_score_shows_the_options_of_the_chosen_suite(args: tuple[str, ...], tmp_path: Path) -> None:
    for call in (("score", *args, "--help"), ("score", "--help", *args)):
        told = sightline_here(*call, cwd=tmp_path).stdout
        flags = {flag for found in sections(told).values() for flag in found}
        assert flags >= {"--video-mode", "--replies", "--data"}
        assert not flags & {"--anno-path", "--prompt-lang", "--accept-changed-data", "--dimension"}
        assert "RUN" not in told.splitlines()[0]


def test_score_alone_shows_those_of_annotation_files(tmp_path: Path) -> None:
    told = sightline_here("score", "--help", cwd=tmp_path).stdout
    flags = {flag for found in sections(told).values() for flag in found}
    assert flags >= {"--anno-path", "--limit", "--limit-per-task", "--coords", "--suite"}
    assert not flags & {"--video-mode", "--prompt-lang", "--dimension", "--accept-changed-data"}


def test_an_option_of_another_suite_or_an_unknown_suite_is_refused(tmp_path: Path) -> None:
    wrong = sightline_here("score", "--suite", "structural", "--video-mode", "vote", cwd=tmp_path)
    assert wrong.returncode == 2 and "--video-mode" in wrong.stderr
    typo = sightline_here("score", "--suite", "simulatoin", "--help", cwd=tmp_path)
    assert typo.returncode == 2 and "Did you mean 'simulation'" in typo.stderr


def test_replies_are_scored_with_a_settings_file(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 6)
    replies = [{"id": f"image/structural/File_1/q{k}", "reply": "True"} for k in range(6)]
    (tmp_path / "r.jsonl").write_text("\n".join(map(json.dumps, replies)))
    (tmp_path / "s.toml").write_text(f'data = "{data.as_posix()}"\nlimit = 4\n')
    call = ("score", "--suite", "simulation", "--replies", "r.jsonl", "--config", "s.toml", "--json")
    done = sightline_here(*call, cwd=tmp_path)
    assert done.returncode == 0 and json.loads(done.stdout)["samples"] == 4, done.stderr


@pytest.mark.parametrize(
    ("flags", "samples"),
    [
        ((), {"计数": 5, "VQA1": 3}),
        (("--limit", "6"), {"计数": 5, "VQA1": 1}),
        (("--limit", "2"), {"计数": 2}),
        (("--limit-per-task", "2"), {"计数": 2, "VQA1": 2}),
        (("--limit", "3", "--limit-per-task", "2"), {"计数": 2, "VQA1": 1}),
    ],
)
@pytest.mark.parametrize("engine", ["threads", "serial"])
def test_limit_counts_samples_in_all_and_limit_per_task_those_of_each(
    tmp_path: Path, flags: tuple[str, ...], samples: dict[str, int], engine: str
) -> None:
    write_world(tmp_path, {"计数": [("1", "1")] * 5, "VQA1": [("Yes", "Yes")] * 3})
    call = ("score", "--anno-path", "anno", "--model-result-path", "out", "--engine", engine, *flags)
    done = sightline_here(*call, cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    report = json.loads((tmp_path / "eval_results" / "report.json").read_text())
    found = {row["name"]: row["estimate"]["n"] for row in report["rows"] if row["scope"] == "task"}
    assert found == samples and report["samples"] == sum(samples.values())
    said = [remark["text"] for remark in report["deviations"]]
    assert ("only the first {count} samples" in said) == ("--limit" in flags)
    assert ("only the first {count} samples of each task" in said) == ("--limit-per-task" in flags)


DIFFERENT_BY_NATURE = {
    "--anno-path": "another name of --data in `run`, the annotation files in `score`",
    "--count": "items in all, or per suite in `demo`",
    "--data": "where the data set was moved to in `regrade`, that of another suite in `import`",
    "--field-mapping": "a file in `score`, pairs or a file in `import`",
    "--lang": "also the language of the page in `report`",
    "--language": "options of two generators",
    "--max-pixels": "one budget in `run`, several in `sweep`",
    "--out": "a file in `report` and `export`, a folder elsewhere",
    "--output-dir": "the folder of the run folders, or of the results in `score`",
    "--plot": "plots of two commands",
    "--port": "two servers with different defaults",
    "--scoring": "the original's rule in `structural`, a known fault of published scorers in `remote-sensing`",
    "--seed": "of a run, or of generated data",
    "--suite": "of what is scored, or imported",
    "--task": "several in `score`, one in `import`",
    "--tolerance": "the same share in `run` and `diagnose`",
    "--workers": "of `score`, or of the service",
    "--json": "of a setting, or of a command",
}
"""Flags whose help differs between commands, and why; `--limit` and all others mean the same everywhere."""


def test_the_same_flag_means_the_same_everywhere() -> None:
    found: dict[str, set[str]] = {}

    def collect(command: click.Command, parent: click.Context | None) -> None:
        context = click.Context(command, parent=parent, info_name=command.name)
        for option in command.get_params(context):
            if isinstance(option, click.Option) and not option.hidden:
                for flag in option.opts:
                    found.setdefault(flag, set()).add((option.help or "").partition("  [")[0])
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                below = command.get_command(context, name)
                assert below is not None
                collect(below, context)

    collect(cli, None)
    assert "--limit" in found and "--limit-per-task" in found
    assert {flag for flag, meanings in found.items() if len(meanings) > 1} == set(DIFFERENT_BY_NATURE)


@pytest.mark.parametrize("command", ["run", "sweep"])
@pytest.mark.parametrize("suite", names("suites"))
def test_the_default_of_max_tokens_is_that_of_the_suite(command: str, suite: str, tmp_path: Path) -> None:
    told = " ".join(sightline_here(command, suite, "--help", cwd=tmp_path).stdout.split())
    shown = re.search(r"--max-tokens N .*?\[default: (\d+)\]", told)
    assert shown is not None and int(shown[1]) == find("suites", suite).max_reply_tokens


def test_generate_says_what_every_suite_is(tmp_path: Path) -> None:
    told = sightline_here("generate", "--help", cwd=tmp_path).stdout
    assert all(find("suites", suite).title[:20] in told for suite in names("suites"))


def test_regrade_shows_options_of_a_suite_under_its_title_and_refuses_them_for_others(tmp_path: Path) -> None:
    told = sections(sightline_here("regrade", "--help", cwd=tmp_path).stdout)
    assert "--label-mapping" in told[find("suites", "remote-sensing").title] and "Scoring" not in told
    data = write_questions(tmp_path / "data", 5)
    assert (
        sightline_here("run", "simulation", "--data", data, "--model", "baseline/random", cwd=tmp_path).returncode == 0
    )
    refused = sightline_here("regrade", "last", "--label-mapping", "x.json", cwd=tmp_path)
    assert refused.returncode == 2
    assert "Runs of the suite simulation cannot be regraded with 'label_mapping'." in refused.stderr
