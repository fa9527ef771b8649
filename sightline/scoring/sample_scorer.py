"""Scorer of one sample at a time: makes a suite's function (sample, answers) → `Score` a scorer of batches.

A refused, empty or cut-off reply has a status of its own, whatever the suite makes of it.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec.structs import replace

from sightline.core.errors import exception_remark
from sightline.core.interfaces import GradeAttempt, Suite
from sightline.core.records import (
    COUNTED,
    Answer,
    Attempt,
    Failure,
    Grade,
    Invalid,
    Sample,
    Score,
    Status,
    format_tool_calls,
)
from sightline.core.remarks import Explanation, Remark, as_remark
from sightline.scoring.batch import STATUSES, ReplyBatch, SampleBatch, ScoreBatch, score_grades

MAX_CACHED_GRADES = 10_000


class GradeCache:
    """Grades given during inference, so that no attempt is scored twice in a run; limited to `MAX_CACHED_GRADES`."""

    def __init__(self) -> None:
        self._entries: dict[str, list[tuple[Sample, tuple[Answer, ...], Grade]]] = {}
        self._count = 0

    def __call__(self, suite: Suite, sample: Sample, attempt: Attempt) -> Grade:
        """The cached grade of the same answers to the same sample, else a new one."""
        if attempt.failure is not None:
            return grade_attempt(suite, sample, attempt)
        answers = tuple(attempt.answers)
        for known_sample, known_answers, grade in self._entries.get(sample.id, ()):
            if known_answers == answers and (known_sample is sample or known_sample == sample):
                return grade
        grade = grade_attempt(suite, sample, attempt)
        if self._count < MAX_CACHED_GRADES:
            self._entries.setdefault(sample.id, []).append((sample, answers, grade))
            self._count += 1
        return grade


class SampleScorer:
    """Adapter: a suite that scores one sample at a time, as a scorer of batches.

    `grade` grades an attempt; a caching one avoids scoring again what was scored during inference.
    """

    def __init__(self, suite: Suite, grade: GradeAttempt | None = None) -> None:
        self._suite = suite
        self._grade = grade or grade_attempt

    def score(self, samples: SampleBatch, replies: ReplyBatch) -> ScoreBatch:
        """The grade of each sample, and what blind replies to it would have earned."""
        grades = [
            grade_sample(self._suite, position, sample, attempts, self._grade)
            for position, sample, attempts in zip(
                samples.positions.tolist(), samples.records, replies.attempts, strict=True
            )
        ]
        if samples.repeats is not None:
            pairs = zip(grades, samples.repeats.tolist(), strict=True)
            grades = [replace(grade, repeat=repeat) for grade, repeat in pairs]
        blind = [
            blind_scores(self._suite, sample) if grade.status in COUNTED else {}
            for sample, grade in zip(samples.records, grades, strict=True)
        ]
        return score_grades(samples, grades, blind)


def grade_sample(
    suite: Suite, position: int, sample: Sample, attempts: Sequence[Attempt], grade: GradeAttempt | None = None
) -> Grade:
    """The grade of the first attempt, which is the headline, with the scores of later attempts beside it."""
    grades = [(grade or grade_attempt)(suite, sample, attempt) for attempt in attempts]
    later = [grade for grade in grades if grade.status != "failed"] or grades
    return replace(
        grades[0],
        position=position,
        attempts=len(grades),
        last_score=later[-1].score,
        best_score=max(grade.score for grade in grades),
    )


def grade_attempt(suite: Suite, sample: Sample, attempt: Attempt) -> Grade:
    """Grade one attempt; never raises, whatever the reply contains."""
    if attempt.failure is not None:
        return make_grade(sample, Score(status="failed", message=failure_message(attempt.failure)))
    answers = [blank_unusable(suite, answer) for answer in attempt.answers]
    try:
        score = check_score(suite.scorer(sample.task)(sample, answers))
    except Exception as error:  # a fault of the suite must neither end the run nor count against the model
        return make_grade(sample, Score(status="failed", message=_failure_message("scorer", exception_remark(error))))
    if not any(answer.text for answer in answers):
        stops: list[Status] = [answer.stop for answer in attempt.answers if answer.stop != "complete"]
        score = replace(score, status=stops[-1] if stops else "empty", value=0.0)
    return make_grade(sample, score)


def check_score(score: Score) -> Score:
    """The score that a scorer returned; raises where it is none, so that the sample fails instead of miscounting."""
    if not isinstance(score, Score):
        raise TypeError(f"the scorer returned {type(score).__name__}, not a Score")
    if score.status not in STATUSES:
        raise ValueError(f"'{score.status}' is not a status")
    if not isinstance(score.value, int | float) or not 0 <= score.value <= 1:
        raise ValueError(f"the value of a score is between 0 and 1, not {score.value}")
    if score.weight is not None and not 0 <= score.weight < float("inf"):
        raise ValueError(f"a weight is a positive number or 0, not {score.weight}")
    if not isinstance(score.message, str | Remark):
        raise TypeError(f"the message of a score is a text or a Remark, not {type(score.message).__name__}")
    return score


def make_grade(sample: Sample, score: Score) -> Grade:
    """The score of a sample as a row of the grades table."""
    value = score.value if score.status == "answered" else 0.0
    return Grade(
        sample=sample.id,
        task=sample.task,
        status=score.status,
        score=value,
        last_score=value,
        best_score=value,
        values=score.details,
        tags=sample.tags,
        cluster=sample.cluster,
        weight=sample.weight if score.weight is None else score.weight,
        message=score.message,
        source=sample.source,
    )


def failure_message(failure: Failure) -> Remark:
    """Why a request failed: the kind of error and its message."""
    return _failure_message(failure.kind, failure.message)


def _failure_message(kind: str, message: Explanation) -> Remark:
    return Remark("{kind}: {message}", {"kind": kind, "message": as_remark(message)})


def grade_invalid(position: int, sample: Invalid) -> Grade:
    """The grade of a sample that could not be asked."""
    return Grade(
        sample=sample.id,
        task=sample.task,
        status="invalid",
        message=sample.reason,
        tags=sample.tags,
        position=position,
        source=sample.source,
    )


def blind_scores(suite: Suite, sample: Sample) -> Mapping[str, float]:
    """What each reply that can be given without looking at the image would earn."""
    attempts = {text: Attempt([Answer(position=-1, sample=sample.id, text=text)]) for text in suite.choices(sample)}
    return {text: grade_attempt(suite, sample, attempt).score for text, attempt in attempts.items()}


def blank_unusable(suite: Suite, answer: Answer) -> Answer:
    """The answer as a scorer may see it: empty where it was refused, truncated for good, or blank.

    Native tool calls are its text, as the JSON list that models write where they can't call tools natively.
    """
    if answer.tool_calls and answer.stop == "complete":
        return replace(answer, text=format_tool_calls(answer.tool_calls))
    is_cut = answer.stop == "truncated" and not suite.accepts_truncated(answer.text)
    if answer.stop == "refused" or is_cut or not answer.text.strip():
        return replace(answer, text="", tool_calls=())
    return answer
