"""Every suite as a task of Inspect: `inspect eval sightline/SUITE -T data=DIR --model …`.

Inspect finds this module through its entry point; it is imported by nobody else, for Inspect is an extra.
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
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, mean, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver

from sightline.core.errors import DataError
from sightline.core.interfaces import ColumnSuite, Suite
from sightline.core.records import ANSWERED, Answer, Attempt, Grade, Sample
from sightline.core.registry import load_suite, names
from sightline.interop.first_prompt import first_words
from sightline.interop.inspect_messages import answer_of, messages_of
from sightline.scoring.evaluator import Evaluator
from sightline.scoring.sample_scorer import control_scores, grade_attempt

SCORER = "sightline"


def suite_task(name: str, data: str, seed: int, count: int, options: Mapping[str, Any]) -> Task:
    """A suite with its samples, its turns and its grader."""
    suite = load_suite(name, **options)
    found = list(suite.read(Path(data) if data else _fresh(suite, seed, count)))
    samples = {sample.id: sample for sample in found if isinstance(sample, Sample)}
    if not samples:
        raise DataError("No sample is left to grade.", hint="Check --data, --filter and the suite's own options.")
    return Task(
        name=name,
        dataset=MemoryDataset([_asked(suite, sample) for sample in samples.values()], name=name, location=data or None),
        solver=_turns(suite, samples),
        scorer=_grader(suite, samples),
        metadata={"suite": name, "suite_version": suite.version, "invalid_samples": len(found) - len(samples)},
    )


def _asked(suite: Suite, sample: Sample) -> InspectSample:
    """A sample without its pictures: these are loaded when it is asked."""
    told = {"task": sample.task, "cluster": sample.cluster or sample.id, "source": sample.source, **sample.tags}
    target = sample.target if isinstance(sample.target, str) else msgspec.json.encode(sample.target).decode()
    return InspectSample(id=sample.id, input=first_words(suite, sample), target=target, metadata=told)


def _turns(suite: Suite, samples: Mapping[str, Sample]) -> Solver:
    """Ask what the suite asks, turn by turn."""

    @solver(name="sightline_turns")
    def turns() -> Solver:
        async def solve(state: TaskState, generate: Generate) -> TaskState:
            sample = samples[str(state.sample_id)]
            answers: list[Answer] = []
            while (prompt := suite.turn(sample, answers)) is not None:
                state.messages = messages_of(prompt)
                state = await generate(state)
                answers.append(answer_of(state.output, sample, len(answers) + 1))
            state.store.set("answers", msgspec.to_builtins(answers))
            return state

        return solve

    return turns()


def _grader(suite: Suite, samples: Mapping[str, Sample]) -> Scorer:
    """Grade as a run of our own does."""

    @scorer(metrics=[mean(), _figures(suite, samples)], name=SCORER)
    def graded() -> Scorer:
        async def score(state: TaskState, target: Target) -> Score:
            sample = samples[str(state.sample_id)]
            answers = msgspec.convert(state.store.get("answers", []), list[Answer])
            grade = grade_attempt(suite, sample, Attempt(answers))
            if grade.state == "failed":
                raise RuntimeError(f"{sample.id}: {grade.note}")
            return Score(
                value=grade.score,
                answer=answers[-1].text if answers else "",
                explanation=grade.note or grade.state,
                metadata={"state": grade.state, "grade": msgspec.to_builtins(grade)},
            )

        return score

    return graded()


def _figures(suite: Suite, samples: Mapping[str, Sample]) -> Metric:
    """The standard error over clusters, and the suite's own figures with interval and control of its headline."""
    # Inspect asks for figures again and again while samples come in
    beside = cache(lambda name: control_scores(suite, samples[name]))

    @metric(name="sightline_figures")
    def figures() -> Metric:
        def compute(scores: list[SampleScore]) -> dict[str, float | None]:
            grades = [msgspec.convert((one.score.metadata or {})["grade"], Grade) for one in scores]
            told = {"stderr": clustered_stderr(grades)}
            if isinstance(suite, ColumnSuite):
                return told
            evaluator = Evaluator(suite)
            evaluator.add_grades(grades, [beside(one.sample) if one.state in ANSWERED else {} for one in grades])
            rows = [row for row in evaluator.rows() if row.scope == "overall"]
            told |= {row.metric: row.estimate.value for row in rows}
            if (head := next((row for row in rows if row.metric == evaluator.headline), None)) is not None:
                told |= {"low": head.estimate.low, "high": head.estimate.high}
                told |= {"control": head.control.value} if head.control is not None else {}
            return told

        return compute  # type: ignore[return-value]  # figures that have no value are left out by Inspect

    return figures()


def clustered_stderr(grades: Sequence[Grade]) -> float | None:
    """The standard error of the mean score where samples of a cluster share their luck; None below two clusters."""
    if len({grade.cluster or grade.sample for grade in grades}) < 2:  # Inspect asks before any sample is there, too
        return None
    mean_score = fsum(grade.score for grade in grades) / len(grades)
    sums: defaultdict[str, float] = defaultdict(float)
    for grade in grades:
        sums[grade.cluster or grade.sample] += grade.score - mean_score
    spread = fsum(value * value for value in sums.values()) * len(sums) / (len(sums) - 1)
    return sqrt(spread) / len(grades)


def _fresh(suite: Suite, seed: int, count: int) -> Path:
    """A data set that lasts as long as the process."""
    made = tempfile.TemporaryDirectory(prefix="sightline-")
    atexit.register(made.cleanup)
    folder = Path(made.name) / suite.name
    suite.generate(folder, count, seed, suite.quick_recipe)
    return folder


def _register(name: str) -> None:
    def make(data: str = "", seed: int = 0, count: int = 8, **kwargs: Any) -> Task:
        return suite_task(name, data, seed, count, kwargs)

    task(name=name)(make)


for _name in names("suites"):
    _register(_name)
