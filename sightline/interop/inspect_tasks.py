"""Inspect tasks for all suites: `inspect eval sightline/SUITE -T data=DIR --model …`.

Inspect loads this module through its entry point. No other module imports it, since Inspect is an optional extra.
"""

from __future__ import annotations

import atexit
import tempfile
from collections import defaultdict
from collections.abc import Mapping, Sequence
from functools import cache
from math import fsum, sqrt
from pathlib import Path
from typing import Any

import msgspec
from inspect_ai import Task, task
from inspect_ai.dataset import MemoryDataset
from inspect_ai.dataset import Sample as InspectSample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentText,
    ContentVideo,
    ModelOutput,
)
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from sightline.core.errors import DataError
from sightline.core.interfaces import ColumnSuite, Suite, require_generator
from sightline.core.records import COUNTED, Answer, Attempt, Grade, Media, Message, Prompt, Sample, Stop, Text
from sightline.core.registry import load_suite, names
from sightline.core.remarks import format_remark
from sightline.data.dataset import open_dataset
from sightline.data.media import data_uri, load_text, mime_type
from sightline.data.pictures import prepare_picture
from sightline.interop.exporting import first_prompt_text
from sightline.scoring.evaluator import Evaluator
from sightline.scoring.sample_scorer import blind_scores, grade_attempt

_STOP_REASONS: dict[str, Stop] = {"max_tokens": "truncated", "model_length": "truncated", "content_filter": "refused"}
_VIDEO_FORMATS: dict[str, Any] = {"video/mpeg": "mpeg", "video/quicktime": "mov"}


def to_inspect_messages(prompt: Prompt) -> list[ChatMessage]:
    """Convert a prompt to Inspect messages, with media as data URIs."""
    return [_message(message) for message in prompt.messages]


def _message(message: Message) -> ChatMessage:
    content: Any = [_content(part) for part in message.parts]
    if all(isinstance(part, ContentText) for part in content):
        content = "\n\n".join(part.text for part in content)
    classes = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    converted: ChatMessage = classes[message.role](content=content)
    return converted


def _content(part: Text | Media) -> ContentText | ContentImage | ContentVideo:
    if isinstance(part, Text):
        return ContentText(text=part.text)
    if part.kind == "text":
        return ContentText(text=load_text(part))
    uri = (prepare_picture(part).uri if part.kind == "image" else data_uri(part)).decode()
    if part.kind == "video":
        return ContentVideo(video=uri, format=_VIDEO_FORMATS.get(mime_type(part), "mp4"))
    return ContentImage(image=uri)


def from_inspect_output(output: ModelOutput, sample: Sample, turn: int) -> Answer:
    """Convert Inspect's model output to an `Answer`."""
    usage = output.usage
    return Answer(
        position=-1,
        sample=sample.id,
        turn=turn,
        text=output.completion,
        stop=_STOP_REASONS.get(str(output.stop_reason), "complete"),
        tokens_in=usage.input_tokens if usage else None,
        tokens_out=usage.output_tokens if usage else None,
    )


SCORER = "sightline"


def suite_task(name: str, data: str, seed: int, count: int, options: Mapping[str, Any]) -> Task:
    """Build an Inspect task from a suite: dataset, solver and scorer."""
    suite = load_suite(name, **options)
    entries = list(iter(open_dataset(suite, Path(data) if data else _generate_dataset(suite, seed, count))))
    samples = {sample.id: sample for sample in entries if isinstance(sample, Sample)}
    if not samples:
        raise DataError("No samples to grade.", hint="Check --data, --filter and the options of the suite.")
    return Task(
        name=name,
        dataset=MemoryDataset(
            [_inspect_sample(suite, sample) for sample in samples.values()], name=name, location=data or None
        ),
        solver=_solver(suite, samples),
        scorer=_scorer(suite, samples),
        metadata={"suite": name, "suite_version": suite.version, "invalid_samples": len(entries) - len(samples)},
    )


def _inspect_sample(suite: Suite, sample: Sample) -> InspectSample:
    """Convert a sample without its media, which are loaded when the prompt is built."""
    metadata = {"task": sample.task, "cluster": sample.cluster or sample.id, "source": sample.source, **sample.tags}
    target = sample.target if isinstance(sample.target, str) else msgspec.json.encode(sample.target).decode()
    return InspectSample(id=sample.id, input=first_prompt_text(suite, sample), target=target, metadata=metadata)


def _solver(suite: Suite, samples: Mapping[str, Sample]) -> Solver:
    """Solver that sends the suite's prompts turn by turn."""

    @solver(name="sightline_turns")
    def turns() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            sample = samples[str(state.sample_id)]
            answers: list[Answer] = []
            while (prompt := suite.next_prompt(sample, answers)) is not None:
                state.messages = to_inspect_messages(prompt)
                state = await generate(state)
                answers.append(from_inspect_output(state.output, sample, len(answers) + 1))
            state.store.set("answers", msgspec.to_builtins(answers))
            return state

        return solve

    return turns()


def _scorer(suite: Suite, samples: Mapping[str, Sample]) -> Scorer:
    """Scorer that grades like a Sightline run."""

    @scorer(metrics=[mean(), _metrics(suite, samples)], name=SCORER)
    def suite_scorer() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            sample = samples[str(state.sample_id)]
            answers = msgspec.convert(state.store.get("answers", []), list[Answer])
            grade = grade_attempt(suite, sample, Attempt(answers))
            if grade.status == "failed":
                raise RuntimeError(f"{sample.id}: {format_remark(grade.message)}")
            return Score(
                value=grade.score,
                answer=answers[-1].text if answers else "",
                explanation=format_remark(grade.message) or grade.status,
                metadata={"status": grade.status, "grade": msgspec.to_builtins(grade)},
            )

        return score

    return suite_scorer()


def _metrics(suite: Suite, samples: Mapping[str, Sample]) -> Metric:
    """Metric with the clustered standard error and the suite's metrics, interval and blind baseline of the headline."""
    # Inspect computes metrics repeatedly while samples arrive
    blind = cache(lambda name: blind_scores(suite, samples[name]))

    @metric(name="sightline_figures")
    def figures() -> Metric:
        def compute(scores: list[SampleScore]) -> dict[str, float | None]:
            grades = [msgspec.convert((entry.score.metadata or {})["grade"], Grade) for entry in scores]
            values = {"stderr": clustered_stderr(grades)}
            if isinstance(suite, ColumnSuite):
                return values
            evaluator = Evaluator(suite)
            evaluator.add_grades(grades, [blind(entry.sample) if entry.status in COUNTED else {} for entry in grades])
            rows = [row for row in evaluator.rows() if row.scope == "overall"]
            values |= {row.metric: row.estimate.value for row in rows}
            if (head := next((row for row in rows if row.metric == evaluator.headline), None)) is not None:
                values |= {"low": head.estimate.low, "high": head.estimate.high}
                values |= {"baseline": head.baseline.value} if head.baseline is not None else {}
            return values

        return compute  # Inspect omits metrics without a value

    return figures()


def clustered_stderr(grades: Sequence[Grade]) -> float | None:
    """Cluster-robust standard error of the mean score; None for fewer than two clusters."""
    if len({grade.cluster or grade.sample for grade in grades}) < 2:  # Inspect also calls this before the first sample
        return None
    mean_score = fsum(grade.score for grade in grades) / len(grades)
    sums: defaultdict[str, float] = defaultdict(float)
    for grade in grades:
        sums[grade.cluster or grade.sample] += grade.score - mean_score
    spread = fsum(value * value for value in sums.values()) * len(sums) / (len(sums) - 1)
    return sqrt(spread) / len(grades)


def _generate_dataset(suite: Suite, seed: int, count: int) -> Path:
    """Generate a dataset that is deleted when the process exits."""
    temporary = tempfile.TemporaryDirectory(prefix="sightline-")
    atexit.register(temporary.cleanup)
    folder = Path(temporary.name) / suite.name
    require_generator(suite).generate(folder, count, seed, suite.demo_config)
    return folder


def _register(name: str) -> None:
    def make(data: str = "", seed: int = 0, count: int = 8, **kwargs: Any) -> Task:
        return suite_task(name, data, seed, count, kwargs)

    task(name=name)(make)


for _name in names("suites"):
    _register(_name)
