"""Scorer of one sample at a time: makes a suite's `grade` a scorer of batches.

A refused, empty or cut-off reply has a state of its own before any suite sees it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np
from msgspec.structs import replace

from sightline.core.interfaces import Suite
from sightline.core.records import ANSWERED, Answer, Attempt, Grade, Invalid, Sample, State
from sightline.scoring.batch import STATES, ReplyBatch, SampleBatch, ScoreBatch

GradeAttempt = Callable[[Suite, Sample, Attempt], Grade]
MOST_KEPT = 10_000


class GradeMemory:
    """Grades made while asking, so that no attempt is graded twice in a run; the first ten thousand are kept."""

    def __init__(self) -> None:
        self._kept: dict[str, list[tuple[Sample, tuple[Answer, ...], Grade]]] = {}
        self._count = 0

    def __call__(self, suite: Suite, sample: Sample, attempt: Attempt) -> Grade:
        """The grade that was given to the same answers to the same sample, else a new one."""
        if attempt.failure is not None:
            return grade_attempt(suite, sample, attempt)
        answers = tuple(attempt.answers)
        for known, given, grade in self._kept.get(sample.id, ()):
            if given == answers and (known is sample or known == sample):
                return grade
        grade = grade_attempt(suite, sample, attempt)
        if self._count < MOST_KEPT:
            self._kept.setdefault(sample.id, []).append((sample, answers, grade))
            self._count += 1
        return grade


class SampleScorer:
    """Adapter: a suite that grades one sample at a time, as a scorer of batches.

    `grade` grades an attempt; one that remembers what was graded while asking saves doing it again.
    """

    def __init__(self, suite: Suite, grade: GradeAttempt | None = None) -> None:
        self._suite = suite
        self._grade = grade or grade_attempt

    def score(self, samples: SampleBatch, replies: ReplyBatch) -> ScoreBatch:
        """The grade of each sample, and what a guesser's replies to it would have earned."""
        grades = [
            grade_sample(self._suite, position, sample, attempts, self._grade)
            for position, sample, attempts in zip(
                samples.positions.tolist(), samples.records, replies.attempts, strict=True
            )
        ]
        blind = [
            control_scores(self._suite, sample) if grade.state in ANSWERED else {}
            for sample, grade in zip(samples.records, grades, strict=True)
        ]
        weights = np.array([grade.weight for grade in grades], np.float64)
        return ScoreBatch(
            samples=replace(samples, weights=weights if (weights != 1).any() else None),
            states=np.array([STATES.index(grade.state) for grade in grades], np.uint8),
            scores=np.array([grade.score for grade in grades], np.float64),
            grades=grades,
            blind=blind,
        )


def grade_sample(
    suite: Suite, position: int, sample: Sample, attempts: Sequence[Attempt], grade: GradeAttempt | None = None
) -> Grade:
    """The first attempt's grade, which is the headline, with what later attempts came to beside it.

    `grade` grades an attempt where that may have been done before.
    """
    grades = [(grade or grade_attempt)(suite, sample, attempt) for attempt in attempts]
    later = [grade for grade in grades if grade.state != "failed"] or grades
    first = grades[0]
    return replace(
        first,
        # what a suite does not say of a grade is that of the sample
        tags=first.tags or sample.tags,
        cluster=first.cluster or sample.cluster,
        weight=sample.weight if first.weight == 1 else first.weight,
        position=position,
        attempts=len(grades),
        last_score=later[-1].score,
        best_score=max(grade.score for grade in grades),
        source=sample.source,
    )


def grade_attempt(suite: Suite, sample: Sample, attempt: Attempt) -> Grade:
    """The grade of one attempt; whatever the reply holds, this returns."""
    if attempt.failure is not None:
        return _plain(sample, "failed", f"{attempt.failure.kind}: {attempt.failure.message}")
    shown = [usable(suite, answer) for answer in attempt.answers]
    try:
        grade = suite.grade(sample, shown)
    except Exception as error:  # a suite's own fault must neither end the run nor count against the model
        return _plain(sample, "failed", f"grader: {type(error).__name__}: {error}")
    if any(answer.text for answer in shown):
        return grade
    stops: list[State] = [answer.stop for answer in attempt.answers if answer.stop != "complete"]
    return replace(grade, state=stops[-1] if stops else "empty", score=0.0)


def grade_invalid(position: int, sample: Invalid) -> Grade:
    """The grade of a sample that could not be asked."""
    return Grade(
        sample=sample.id,
        task=sample.task,
        state="invalid",
        note=sample.reason,
        tags=sample.tags,
        position=position,
        source=sample.source,
    )


def control_scores(suite: Suite, sample: Sample) -> Mapping[str, float]:
    """What each reply that a guesser could give would earn."""
    return {
        choice: grade_attempt(suite, sample, Attempt([_said(choice, sample)])).score for choice in suite.choices(sample)
    }


def _said(text: str, sample: Sample) -> Answer:
    return Answer(position=-1, sample=sample.id, text=text)


def usable(suite: Suite, answer: Answer) -> Answer:
    """The answer as a suite may see it: empty where it was refused, cut off for good, or says nothing."""
    cut = answer.stop == "truncated" and not suite.accepts_truncated(answer.text)
    if answer.stop == "refused" or cut or not answer.text.strip():
        return replace(answer, text="")
    return answer


def _plain(sample: Sample, state: State, note: str) -> Grade:
    return Grade(
        sample=sample.id,
        task=sample.task,
        state=state,
        note=note,
        tags=sample.tags,
        cluster=sample.cluster,
        weight=sample.weight,
    )
