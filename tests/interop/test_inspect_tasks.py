"""Suites inside Inspect: its own command, and the same scores as ours on the same replies."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("inspect_ai")

from inspect_ai import eval as inspect_eval
from inspect_ai.log import EvalLog, read_eval_log
from inspect_ai.model import ModelOutput, get_model
from inspect_ai.scorer import SampleScore, Score, stderr

from sightline.api.evaluation import generate, load_run, score_replies
from sightline.core.records import Grade, Sample
from sightline.core.registry import load_suite
from sightline.data.dataset import open_dataset
from sightline.interop.importing import ImportRequest, import_files
from sightline.interop.inspect_tasks import clustered_stderr
from tests.support.worlds import environment

NO_NETWORK = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9")


def half_right(suite: str, data: Path, **options: Any) -> Iterator[tuple[str, str]]:
    """Ids with replies: the first is right, the second spoiled, and so on."""
    made = load_suite(suite, **options)
    for number, sample in enumerate(one for one in open_dataset(made, data) if isinstance(one, Sample)):
        wrong = next(iter(made.corrupted_replies(sample).values()))
        yield sample.id, made.oracle_reply(sample) if number % 2 == 0 else wrong


def asked_by_inspect(suite: str, data: Path, logs: Path, replies: list[str]) -> EvalLog:
    outputs = [ModelOutput.from_content(model="mockllm", content=reply) for reply in replies]
    (log,) = inspect_eval(
        f"sightline/{suite}",
        model=get_model("mockllm/model", custom_outputs=outputs, memoize=False),
        task_args={"data": str(data)},
        log_dir=str(logs),
        display="none",
        max_samples=1,
        max_connections=1,
    )
    assert log.status == "success", log.error
    return log


def figures_of(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    return {name: metric.value for name, metric in log.results.scores[0].metrics.items()}


@pytest.mark.parametrize("suite", ["structural", pytest.param("simulation", marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_the_same_replies_earn_the_same_in_both_harnesses(suite: str, tmp_path: Path) -> None:
    data = generate(suite, tmp_path / "data", count=6 if suite == "structural" else 2)
    pairs = list(half_right(suite, data))
    log = asked_by_inspect(suite, data, tmp_path / "logs", [reply for _, reply in pairs])
    theirs = figures_of(log)

    replies = tmp_path / "replies.jsonl"
    replies.write_text("".join(json.dumps({"id": name, "text": text}) + "\n" for name, text in pairs))
    ours = score_replies(suite, str(replies), data=str(data), output_dir=str(tmp_path / "runs")).summary
    for row in ours.rows_of("overall"):
        if row.estimate.value is not None:
            assert theirs[row.metric] == row.estimate.value, row.metric
    assert ours.score is not None and ours.score.value is not None and 0.1 < ours.score.value < 0.9
    assert (theirs.get("low"), theirs.get("high")) == (ours.score.low, ours.score.high)

    # the log comes back as replies, and they earn the same once more
    done = import_files(
        ImportRequest(format="inspect", source=Path(log.location), suite=suite, data=str(data), out=tmp_path / "in")
    )
    assert done.replies == len(pairs) and done.faults == 0
    again = score_replies(suite, str(tmp_path / "in" / "replies.jsonl"), data=str(data), output_dir=str(tmp_path / "b"))
    assert again.summary.rows == ours.rows


@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_log_has_the_pictures_and_why_a_reply_is_wrong(tmp_path: Path) -> None:
    data = generate("structural", tmp_path / "data", count=2)
    pairs = list(half_right("structural", data))
    log = asked_by_inspect("structural", data, tmp_path / "logs", [reply for _, reply in pairs])
    assert log.samples is not None
    for sample, (name, reply) in zip(log.samples, pairs, strict=True):
        assert sample.id == name and sample.scores is not None
        said = sample.scores["sightline"]
        assert said.answer == reply and said.explanation and said.metadata is not None
        asked: Any = sample.messages[0].content
        image = next(part.image for part in asked if part.type == "image")
        assert image.startswith("data:image/") or sample.attachments[image.removeprefix("attachment://")]


@pytest.mark.slow
def test_the_command_of_inspect_itself(tmp_path: Path) -> None:
    """`inspect eval` in a process of its own, with no network to be had; the mock model's reply is no structure."""
    program = Path(sys.executable).with_name("inspect")
    if not program.is_file():
        pytest.skip("the inspect command is not installed beside this Python")
    told = subprocess.run(
        [
            *(program, "eval", "sightline/structural", "--model", "mockllm/model", "--display", "plain"),
            *("-T", "count=4", "-T", "seed=3", "-T", "prompt_lang=zh", "--log-dir", tmp_path / "logs"),
        ],
        cwd=tmp_path,
        env={**environment(), **NO_NETWORK, "HOME": str(tmp_path), "XDG_DATA_HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert told.returncode == 0, told.stdout + told.stderr
    assert "ZeroDivisionError" not in told.stdout + told.stderr
    (path,) = (tmp_path / "logs").glob("*.eval")
    log = read_eval_log(str(path))
    assert log.samples is not None and len(log.samples) == 4
    assert figures_of(log)["mean"] == 0
    assert all(one.scores and one.scores["sightline"].metadata["status"] == "unparsed" for one in log.samples)  # type: ignore[index]
    data = generate("structural", tmp_path / "data", count=4, seed=3)
    replies = tmp_path / "replies.jsonl"
    reply = "Default output from mockllm/model"
    replies.write_text("".join(json.dumps({"id": str(one.id), "text": reply}) + "\n" for one in log.samples))
    result = score_replies("structural", str(replies), data=str(data), output_dir=str(tmp_path / "runs"))
    ours = {row.metric: row.estimate.value for row in load_run(result.folder).summary.rows_of("overall")}
    assert ours == {name: value for name, value in figures_of(log).items() if name in ours}


@pytest.mark.slow
@pytest.mark.parametrize("suite", ["matrix", "remote-sensing"])
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_every_suite_can_be_asked(suite: str, tmp_path: Path) -> None:
    data = generate(suite, tmp_path / "data", count=12 if suite == "matrix" else 1)
    log = asked_by_inspect(suite, data, tmp_path / "logs", ["no idea"] * 400)
    assert log.samples is not None and len(log.samples) >= 12
    assert figures_of(log)["mean"] < 0.5


def test_no_sample_has_no_standard_error() -> None:
    """Inspect tries every figure on nothing before it asks, and warns of one that fails."""
    assert clustered_stderr([]) is None


def test_the_standard_error_is_the_one_of_inspect() -> None:
    rng = np.random.default_rng(5)
    scores = [float(value) for value in rng.random(40)]
    clusters = [f"c{value}" for value in rng.integers(0, 9, 40)]
    grades = [
        Grade(sample=f"{n}", task="", status="answered", score=s, cluster=c)
        for n, (s, c) in enumerate(zip(scores, clusters, strict=True))
    ]
    theirs: Any = stderr(cluster="cluster")
    told = theirs(
        [
            SampleScore(score=Score(value=s), sample_metadata={"cluster": c})
            for s, c in zip(scores, clusters, strict=True)
        ]
    )
    assert clustered_stderr(grades) == pytest.approx(told, rel=1e-12)
    assert clustered_stderr(grades[:1]) is None


def test_inspect_is_no_part_of_an_ordinary_import() -> None:
    modules = "sys, sightline.interop.importing, sightline.interop.exporting"
    code = f"import {modules}\nprint('inspect_ai' in sys.modules)"
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=os.environ)
    assert told.stdout.strip() == "False"
