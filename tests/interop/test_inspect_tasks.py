"""Suites inside Inspect: its own command, and the same scores as ours on the same replies of a server on loopback."""

from __future__ import annotations

import asyncio
import json
import os
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pytest

from sightline.api.evaluation import generate, load_run, score_replies
from sightline.core.records import Grade, Sample
from sightline.core.registry import load_suite
from sightline.data.dataset import open_dataset
from sightline.interop.importing import ImportRequest, import_files
from tests.support.peers import Peer
from tests.support.reply_server import serving
from tests.support.worlds import environment

if TYPE_CHECKING:
    from inspect_ai.log import EvalLog

inspect_log = Peer("inspect_ai.log")
inspect_scorer = Peer("inspect_ai.scorer")
inspect_tasks = Peer("sightline.interop.inspect_tasks")  # which imports Inspect
NO_NETWORK = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9")


def half_right(suite: str, data: Path, **options: Any) -> Iterator[tuple[str, str]]:
    """Ids with replies: the first is right, the second spoiled, and so on."""
    made = load_suite(suite, **options)
    for number, sample in enumerate(one for one in open_dataset(made, data) if isinstance(one, Sample)):
        wrong = next(iter(made.corrupted_replies(sample).values()))
        yield sample.id, made.oracle_reply(sample) if number % 2 == 0 else wrong


def read_log(folder: Path) -> EvalLog:
    (path,) = folder.glob("*.eval")
    log = asyncio.run(
        inspect_log.read_eval_log_async(str(path))
    )  # the function that needs no event loop leaves one open
    assert log.status == "success" and log.samples is not None, log.error
    return log


def run_offline(command: Sequence[str | Path], folder: Path, **variables: str) -> None:
    """A process with no network but loopback."""
    done = subprocess.run(
        [*command],
        cwd=folder,
        env={**environment(), **NO_NETWORK, **variables, "HOME": str(folder), "XDG_DATA_HOME": str(folder)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert "ZeroDivisionError" not in done.stdout + done.stderr


class Asked(NamedTuple):
    """What Inspect has asked: the data set, the replies by sample, and the log."""

    data: Path
    replies: list[tuple[str, str]]
    log: EvalLog


RECIPES: dict[str, dict[str, Any]] = {
    "structural": {"count": 6},
    "simulation": {"count": 2, "fields": "exact"},
    "matrix": {"count": 12},
    "remote-sensing": {"count": 1, "size": 128},
}


@pytest.fixture(scope="module")
def asked(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Asked]:
    """All suites, asked by Inspect in one process; half of the replies to the first two are right."""
    folder = tmp_path_factory.mktemp("inspect")
    data = {suite: generate(suite, folder / "data" / suite, **recipe) for suite, recipe in RECIPES.items()}
    replies = {suite: list(half_right(suite, data[suite])) for suite in ("structural", "simulation")}
    with ExitStack() as servers:
        arguments: list[str] = []
        for suite in RECIPES:
            texts = [reply for _, reply in replies.get(suite, [("", "no idea")])]
            arguments += [suite, str(data[suite]), servers.enter_context(serving(texts))]
        program = Path(__file__).parents[1] / "support" / "inspect_runs.py"
        run_offline([sys.executable, program, "suites", str(folder), *arguments], folder)
    return {suite: Asked(data[suite], replies.get(suite, []), read_log(folder / suite)) for suite in RECIPES}


def figures_of(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["structural", "simulation"])
def test_the_same_replies_earn_the_same_in_both_harnesses(suite: str, asked: dict[str, Asked], tmp_path: Path) -> None:
    data, pairs, log = asked[suite]
    theirs = figures_of(log)

    replies = tmp_path / "replies.jsonl"
    replies.write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in pairs))
    ours = score_replies(suite, str(replies), data=str(data), output_dir=str(tmp_path / "runs")).summary
    for row in ours.rows_of("overall"):
        if row.estimate.value is not None:
            assert theirs[row.metric] == row.estimate.value, row.metric
    assert ours.score is not None and ours.score.value is not None and 0.1 < ours.score.value < 0.9
    assert (theirs.get("low"), theirs.get("high")) == (ours.score.low, ours.score.high)

    by_name = {str(sample.id): sample for sample in log.samples or []}
    for name, reply in pairs:  # pictures, and why a reply is wrong
        sample = by_name[name]
        assert sample.scores is not None
        said = sample.scores["sightline"]
        assert said.answer == reply and said.explanation and said.metadata is not None
        content: Any = sample.messages[0].content
        image = next(part.image for part in content if part.type == "image")
        assert image.startswith("data:image/") or sample.attachments[image.removeprefix("attachment://")]

    # the log comes back as replies, and they earn the same once more
    done = import_files(
        ImportRequest(format="inspect", source=Path(log.location), suite=suite, data=str(data), out=tmp_path / "in")
    )
    assert done.replies == len(pairs) and done.faults == 0
    again = score_replies(suite, str(tmp_path / "in" / "replies.jsonl"), data=str(data), output_dir=str(tmp_path / "b"))
    assert again.summary.rows == ours.rows


@pytest.mark.slow
def test_the_command_of_inspect_itself(tmp_path: Path) -> None:
    """With fresh data and an option of the suite."""
    program = Path(sys.executable).with_name("inspect")
    if not program.is_file():
        pytest.skip("the inspect command is not installed beside this Python")
    reply = "I see a beam."
    with serving([reply]) as base:
        command = [program, "eval", "sightline/structural", "--model", "openai-api/loopback/m", "--display", "plain"]
        command += ["-T", "count=4", "-T", "seed=3", "-T", "prompt_lang=zh", "--log-dir", tmp_path / "logs"]
        run_offline(command, tmp_path, LOOPBACK_BASE_URL=base, LOOPBACK_API_KEY="none")
    log = read_log(tmp_path / "logs")
    assert log.samples is not None and len(log.samples) == 4
    assert figures_of(log)["mean"] == 0
    assert all(one.scores and one.scores["sightline"].metadata["status"] == "unparsed" for one in log.samples)  # type: ignore[index]
    data = generate("structural", tmp_path / "data", count=4, seed=3)
    replies = tmp_path / "replies.jsonl"
    replies.write_text("".join(json.dumps({"id": str(one.id), "text": reply}) + "\n" for one in log.samples))
    result = score_replies("structural", str(replies), data=str(data), output_dir=str(tmp_path / "runs"))
    ours = {row.metric: row.estimate.value for row in load_run(result.folder).summary.rows_of("overall")}
    assert ours == {name: value for name, value in figures_of(log).items() if name in ours}


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["matrix", "remote-sensing"])
def test_every_suite_can_be_asked(suite: str, asked: dict[str, Asked]) -> None:
    log = asked[suite].log
    assert log.samples is not None and len(log.samples) >= 12
    assert figures_of(log)["mean"] < 0.5


def test_no_sample_has_no_standard_error() -> None:
    """Inspect tries every figure on nothing before it asks, and warns of one that fails."""
    assert inspect_tasks.clustered_stderr([]) is None


def test_the_standard_error_is_the_one_of_inspect() -> None:
    rng = np.random.default_rng(5)
    scores = [float(value) for value in rng.random(40)]
    clusters = [f"c{value}" for value in rng.integers(0, 9, 40)]
    grades = [
        Grade(sample=f"{n}", task="", status="answered", score=s, cluster=c)
        for n, (s, c) in enumerate(zip(scores, clusters, strict=True))
    ]
    theirs: Any = inspect_scorer.stderr(cluster="cluster")
    told = theirs(
        [
            inspect_scorer.SampleScore(score=inspect_scorer.Score(value=s), sample_metadata={"cluster": c})
            for s, c in zip(scores, clusters, strict=True)
        ]
    )
    assert inspect_tasks.clustered_stderr(grades) == pytest.approx(told, rel=1e-12)
    assert inspect_tasks.clustered_stderr(grades[:1]) is None


def test_inspect_is_no_part_of_an_ordinary_import() -> None:
    modules = "sys, sightline.interop.importing, sightline.interop.exporting"
    code = f"import {modules}\nprint('inspect_ai' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert told.stdout.strip() == "False"
