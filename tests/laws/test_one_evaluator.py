"""One evaluator: the same replies give the same figures, byte for byte, however they come; a plug-in gets all of it.

Ways: a live run, its journal scored again, saved files on every engine, the HTTP service, and one sample at a time.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from sightline import evaluate, generate, score
from sightline.api.evaluation import Progress, regrade
from sightline.core.interfaces import Scorer, Suite, Task
from sightline.core.records import Answer, Attempt, Failure, Grade, Message, Prompt, Sample, Score, Text
from sightline.core.registry import load_suite
from sightline.data.columns import TextColumn
from sightline.scoring.batch import ANSWERED, FAILED, TRUNCATED, ReplyBatch, SampleBatch, batch_samples, hash_clusters
from sightline.scoring.evaluator import Evaluator
from sightline.scoring.summary import Row, Summary
from sightline.web.service.operations import score_tasks
from sightline.web.service.schemas import TaskPair, TaskScores
from tests.scoring.files.live import Ending, run_live, write_outputs
from tests.support.worlds import sightline

# ---- (a) however replies come


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Annotations of all tasks of the remote-sensing suite."""
    return generate("remote-sensing", tmp_path_factory.mktemp("law") / "data", count=3, seed=5)


def rows_of(data: Path) -> list[dict[str, Any]]:
    paths = sorted(data.rglob("*.txt"))
    files = [path for path in paths if "anno" in path.parent.name]
    return [json.loads(line) for path in files or paths for line in path.read_text(encoding="utf-8").splitlines()]


def encoded(rows: list[Row]) -> bytes:
    return msgspec.json.encode(rows)


def endings(data: Path, *, failures: bool) -> dict[str, Ending]:
    """Right, wrong, unreadable, empty, cut-off, refused and, where wanted, failed replies, by the question."""
    found: dict[str, Ending] = {}
    for number, row in enumerate(rows_of(data)):
        ways: list[Ending] = [
            (row["gt"], "stop"),
            ("I can't tell.", "stop"),
            (row["gt"], "stop"),
            ("", "stop"),
            (row["gt"], "length"),
            (row["gt"], "content_filter"),
            (row["gt"], "fail" if failures else "stop"),
        ]
        found[row["prompt"]] = ways[number % len(ways)]
    return found


@pytest.fixture(scope="module")
def questions(data: Path) -> Iterator[Path]:
    """The same annotations in one folder, with a question of its own each."""
    folder = data.parent / "questions"
    folder.mkdir()
    by_task: dict[str, list[dict[str, Any]]] = {}
    for number, row in enumerate(rows_of(data)):
        by_task.setdefault(row["task"], []).append({**row, "prompt": f"question {number}."})
    for number, rows in enumerate(by_task.values()):
        text = "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows)
        (folder / f"t{number:02d}.txt").write_text(text, encoding="utf-8")
    yield folder


@pytest.mark.parametrize(
    "engine", ["threads", "serial", *(pytest.param(name, marks=pytest.mark.slow) for name in ("processes", "dask"))]
)
def test_a_live_run_and_files_on_every_engine_give_the_same_rows(questions: Path, tmp_path: Path, engine: str) -> None:
    replies = endings(questions, failures=False)
    live = run_live(questions, replies, tmp_path / "runs").summary
    out = write_outputs(questions, replies, tmp_path / "out")
    report = score(questions, out, output_dir=str(tmp_path / "scored"), engine=engine, batch_size=7)
    assert len({row.name for row in live.rows_of("task")}) == 19
    statuses = ("answered", "unparsed", "invalid")
    assert {name: live.statuses.get(name, 0) for name in statuses} == {
        name: report.summary.statuses.get(name, 0) for name in statuses
    }
    # the lenient reading reads lists that were cut off, which these files do not hold
    assert encoded(strict(live.rows)) == encoded(strict(report.summary.rows))
    assert msgspec.json.encode(live.breakdowns) == msgspec.json.encode(report.summary.breakdowns)


def strict(rows: list[Row]) -> list[Row]:
    return [msgspec.structs.replace(row, lenient=msgspec.UNSET) for row in rows]


def deviant(data: Path) -> dict[str, Ending]:
    """Right replies that are not as asked: behind a marker, in a sentence, in plain lists, and as asked."""
    found: dict[str, Ending] = {}
    for number, row in enumerate(rows_of(data)):
        numbers = re.findall(r"-?[0-9.]+", row["gt"].partition(">")[2])
        ways = [
            row["gt"],
            f"Answer: {row['gt']}",
            f"```\n{row['gt']}\n```",
            f"The answer is here. <answer>{row['gt']}</answer>",
            "Nobody knows.",
            json.dumps([{"bbox": [float(one) for one in numbers[:4]]}]) if len(numbers) > 4 else row["gt"],
        ]
        found[row["prompt"]] = (ways[number % len(ways)], "stop")
    return found


@pytest.mark.parametrize(
    "engine", ["threads", "serial", *(pytest.param(name, marks=pytest.mark.slow) for name in ("processes", "dask"))]
)
def test_lenient_figures_are_the_same_however_replies_come(questions: Path, tmp_path: Path, engine: str) -> None:
    replies = deviant(questions)
    live = run_live(questions, replies, tmp_path / "runs").summary
    out = write_outputs(questions, replies, tmp_path / "out")
    report = score(questions, out, output_dir=str(tmp_path / "scored"), engine=engine, batch_size=7)
    assert sum(not isinstance(row.lenient, msgspec.UnsetType) for row in live.rows_of("task")) >= 19
    assert encoded(live.rows) == encoded(report.summary.rows)
    assert msgspec.json.encode(live.formats) == msgspec.json.encode(report.summary.formats)
    again = score(questions, out, output_dir=str(tmp_path / "strict"), reply_format="strict").summary
    assert encoded(again.rows) == encoded(strict(report.summary.rows)), "the strict figures, to the last digit"
    assert all(isinstance(row.lenient, msgspec.UnsetType) for row in again.rows)


def test_lenient_figures_are_those_of_replies_as_asked(questions: Path, tmp_path: Path) -> None:
    """Rewriting every readable reply by hand into the asked form gives the lenient figures as strict ones."""
    asked = {row["prompt"]: row["gt"] for row in rows_of(questions)}
    replies = {prompt: way for prompt, way in deviant(questions).items() if "bbox" not in way[0]}
    replies |= {prompt: (asked[prompt], "stop") for prompt in asked if prompt not in replies}
    by_hand = {prompt: way if way[0] == "Nobody knows." else (asked[prompt], "stop") for prompt, way in replies.items()}
    found = score(questions, write_outputs(questions, replies, tmp_path / "a"), output_dir=str(tmp_path / "x")).summary
    wanted = score(questions, write_outputs(questions, by_hand, tmp_path / "b"), output_dir=str(tmp_path / "y")).summary
    for row, other in zip(found.rows, wanted.rows, strict=True):
        lenient = row.estimate if isinstance(row.lenient, msgspec.UnsetType) else row.lenient
        assert msgspec.json.encode(lenient) == msgspec.json.encode(other.estimate), (row.name, row.metric)


def test_a_journal_scored_again_gives_the_same_summary(questions: Path, tmp_path: Path) -> None:
    """With weights of a stratified sample, failures, and truncated and refused replies among them."""
    replies = endings(questions, failures=True)
    live = run_live(questions, replies, tmp_path / "runs", sample=60, stratify=("task",), max_tries=1)
    assert live.summary.statuses["failed"] > 0 and live.summary.statuses["truncated"] > 0
    again = regrade(live.folder, Progress())
    assert msgspec.json.encode(again.summary) == msgspec.json.encode(live.summary)


def test_one_sample_at_a_time_folded_is_the_whole(questions: Path) -> None:
    """Batches of any size, merged in any order, with weights, failures and two coordinate spaces."""
    for coords in ("pixels", "0-1000"):
        suite = load_suite("remote-sensing", coords=coords)
        rows = rows_of(questions)
        whole, folded = Evaluator(suite), Evaluator(suite)
        for evaluator in (whole, folded):
            fit(evaluator, rows)
        for task in {row["task"] for row in rows}:
            some = [row for row in rows if row["task"] == task]
            whole.update(*batch(suite.tasks()[task], some, list(range(len(some)))))
            for place in reversed(range(len(some))):
                part = folded.task(task).empty_copy()
                part.update(*batch(suite.tasks()[task], some, [place]))
                folded.task(task).merge(part)
        assert msgspec.json.encode(folded.summary()) == msgspec.json.encode(whole.summary())
        whole.close()
        folded.close()


def fit(evaluator: Evaluator, rows: list[dict[str, Any]]) -> None:
    for task in dict.fromkeys(row["task"] for row in rows):
        if evaluator.task(task).needs_fit:
            evaluator.task(task).fit(TextColumn.of(row["gt"] for row in rows if row["task"] == task), 0)


def batch(task: Task, rows: list[dict[str, Any]], places: list[int]) -> tuple[SampleBatch, ReplyBatch]:
    positions = np.array(places, np.int64)
    some = [rows[place] for place in places]
    samples = SampleBatch(
        task=task,
        positions=positions,
        clusters=hash_clusters([row["source"] for row in some], positions, as_in_files=True),
        targets=TextColumn.of(row["gt"] for row in some),
        weights=np.array([1.0 + place % 3 for place in places]),
        sizes=np.full((len(some), 2), 640.0),
        sources=[row["source"] for row in some],
    )
    texts = [(row["gt"], "no idea", f"Answer: {row['gt']}")[place % 3] for place, row in zip(places, some, strict=True)]
    ways = np.array([(ANSWERED, ANSWERED, FAILED, TRUNCATED)[place % 4] for place in places], np.uint8)
    return samples, ReplyBatch(
        texts=TextColumn.of(texts), endings=ways, messages=["timeout: none" if way == FAILED else "" for way in ways]
    )


def test_the_service_gives_the_rows_of_files(questions: Path, tmp_path: Path) -> None:
    replies = endings(questions, failures=False)
    out = write_outputs(questions, replies, tmp_path / "out")
    report = score(questions, out, output_dir=str(tmp_path / "scored"))
    for task in ("计数", "图片分类", "水平区域检测"):
        rows = [row for row in rows_of(questions) if row["task"] == task]
        given = [(replies[row["prompt"]], row) for row in rows]
        pairs = [
            TaskPair(gt=row["gt"], output=text if stop == "stop" else "", source=row["source"])
            for (text, stop), row in given
        ]
        found = {
            figure.metric: figure
            for figure in score_tasks(TaskScores(task=task, samples=pairs, auxiliary=True)).figures
        }
        expected = [row for row in report.summary.rows_of("task") if row.name == task]
        assert expected
        for row in expected:
            figure = found[row.metric]
            assert (figure.value, figure.low, figure.high, figure.n, figure.unparsed) == (
                row.estimate.value,
                row.estimate.low,
                row.estimate.high,
                row.estimate.n,
                row.estimate.unparsed,
            )


# ---- (b) a plug-in


class Colours(Suite):
    """A suite as small as can be: where samples come from, what is asked, and what a reply earns."""

    name = "colours"
    slices = ("place",)

    def tasks(self) -> dict[str, Task]:
        return {"sky": Task(name="sky", parser="text", metrics=("accuracy",))}

    def dataset(self, path: Path) -> list[Sample]:
        lines = [line.split() for line in (path / "questions.txt").read_text().splitlines()]
        return [
            Sample(id=str(number), task="sky", question="Which?", target=target, tags={"place": place})
            for number, (target, place) in enumerate(lines)
        ]

    def next_prompt(self, sample: Sample, answers: Any) -> Prompt | None:
        return None if answers else Prompt((Message("user", (Text(sample.question),)),))

    def scorer(self, task: str) -> Scorer:
        return score_colour


def score_colour(sample: Sample, answers: Any) -> Score:
    """A scorer of a plug-in: ten lines with its suite's method."""
    text = answers[-1].text.strip()
    return Score(value=float(text == sample.target)) if text.isalpha() else Score(status="unparsed")


def summary_of_colours() -> Summary:
    """Nine samples, of which five weigh two: right, wrong, unreadable, and failed ones."""
    suite = Colours()
    texts = ["blue", "blue", "red", "???", "blue", "green", "blue", "", ""]
    samples, attempts = [], []
    for number, text in enumerate(texts):
        weight = 2.0 if number < 5 else 1.0
        tags = {"place": "sea" if number % 2 else "land"}
        samples.append(
            Sample(id=str(number), task="sky", question="?", target="blue", tags=tags, weight=weight, cluster="")
        )
        if number >= 7:
            failure = Failure(position=number, sample=str(number), kind="timeout", message="none", final=True)
            attempts.append([Attempt([], failure)])
        else:
            attempts.append([Attempt([Answer(position=number, sample=str(number), text=text)])])
    evaluator = Evaluator(suite)
    evaluator.update(
        batch_samples(suite.tasks()["sky"], list(range(len(samples))), samples), ReplyBatch(attempts=attempts)
    )
    return evaluator.summary()


def test_a_plug_in_scorer_gets_weights_failures_bounds_slices_baseline_and_interval() -> None:
    summary = summary_of_colours()
    (row,) = (one for one in summary.rows if (one.scope, one.metric) == ("task", "accuracy"))
    found = row.estimate
    right, weight, failed, unread = 2 + 2 + 2 + 1, 2 * 5 + 2, 2, 2
    assert found.value == pytest.approx(right / weight), "weights"
    assert (found.n, found.failed, found.unparsed) == (7, 2, 1), "failures"
    assert found.floor == pytest.approx(right / (weight + failed))
    assert found.ceiling == pytest.approx((right + unread + failed) / (weight + failed))
    assert found.low is not None and found.high is not None and found.low < found.value < found.high
    assert {one.name for one in summary.rows if one.scope == "place"} == {"land", "sea"}
    assert row.baseline is not None and (row.baseline.name, row.baseline.value) == ("always blue", 1.0)
    assert summary.score is not None and summary.score.value == found.value, "the headline"


def test_a_small_suite_runs_from_end_to_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "sky"
    folder.mkdir()
    (folder / "questions.txt").write_text("blue sea\nred land\nblue land\nblue sea\n")
    (tmp_path / "replies.jsonl").write_text(
        "".join(json.dumps({"sample": str(k), "text": text}) + "\n" for k, text in enumerate(["blue", "blue", "blue"]))
    )
    result = evaluate(
        "tests.laws.test_one_evaluator:Colours",
        data=str(folder),
        model=f"replay/{tmp_path / 'replies.jsonl'}",
        output_dir=str(tmp_path / "runs"),
    )
    assert result.summary.score is not None and result.summary.score.value == pytest.approx(2 / 3)
    assert result.summary.statuses == {"answered": 3, "failed": 1}
    assert sightline("show", result.folder, cwd=tmp_path).returncode in (0, 1, 2)


def test_captions_of_records_have_a_corpus() -> None:
    """CIDEr needs all references: those of records are known as they come."""
    texts = ["a ship near the pier", "two grey tanks on green land", "a road through the wood"]
    grades = [
        Grade(
            sample=str(number),
            task="image_description",
            status="answered",
            score=1.0,
            position=number,
            values={"reply": text, "references": [text]},
        )
        for number, text in enumerate(texts)
    ]
    evaluator = Evaluator(load_suite("matrix"))
    evaluator.add_grades(grades)
    found = {row.metric: row.estimate for row in evaluator.rows() if row.scope == "task"}
    assert found["cider"].value == pytest.approx(10) and found["bleu"].value == pytest.approx(1)
