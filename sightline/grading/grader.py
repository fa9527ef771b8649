"""Grades a run: samples and journal stream by once; nothing is asked, nothing is held."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import msgspec
from msgspec import Struct

from sightline.contracts import Suite
from sightline.errors import DataError
from sightline.grading.conclusion import concluded
from sightline.grading.failures import FailureTally, after_feedback_notes
from sightline.grading.ledger import Ledger
from sightline.grading.one import GradeAttempt, control_scores, grade_attempt, grade_invalid, grade_sample
from sightline.grading.scoreboard import Scoreboard
from sightline.grading.spending import spent
from sightline.grading.summary import Summary, Usage
from sightline.records import ANSWERED, Grade, Invalid, Remark, Sample
from sightline.runs.folder import RunFolder
from sightline.runs.history import Attempt, History
from sightline.runs.manifest import Manifest

Watcher = Callable[[int], None]
MOST_FAULTS = 100


class Graded(Struct):
    """A summary in the making."""

    board: Scoreboard
    usage: Usage
    grade: GradeAttempt
    samples: int = 0
    pending: int = 0
    heard: int = 0
    """Samples of which the journal holds at least one answer or failure."""
    failures: FailureTally = msgspec.field(default_factory=FailureTally)
    after_feedback: FailureTally = msgspec.field(default_factory=FailureTally)
    """Why later attempts failed; the first attempt, which is the headline, has its answer."""
    faults: Counter[str] = msgspec.field(default_factory=Counter)
    """Why samples are invalid; the first few reasons."""


def grade_run(
    suite: Suite,
    samples: Iterable[tuple[int, Sample | Invalid]],
    folder: RunFolder,
    manifest: Manifest,
    watch: Watcher = lambda count: None,
    grade: GradeAttempt = grade_attempt,
) -> Summary:
    """Grade what a journal holds for the given samples; write grades and logs, return the summary.

    `grade` grades an attempt; one that remembers what was graded while asking saves doing it again.
    """
    history = History(folder.journal)
    graded = Graded(Scoreboard(suite, feedback=bool(manifest.config.get("max_retries"))), Usage(), grade=grade)
    ledger = Ledger(folder)
    try:
        for position, sample in samples:
            graded.samples += 1
            _grade_one(suite, position, sample, history, graded, ledger)
            watch(graded.samples)
        if graded.samples == 0:
            raise DataError("No sample is left to grade.", hint="Check --data, --filter and the suite's own options.")
        if len(history) and graded.pending and not graded.heard:
            raise DataError(
                "The journal in {folder} is about other samples than those at {data}.",
                hint="Give the data set that the run was made with.",
                folder=folder.path,
                data=manifest.data,
            )
        ledger.close()
    finally:
        ledger.abandon()
        history.close()
    graded.usage = spent(graded.usage, history, manifest)
    return concluded(suite, _summary(graded, manifest, history))


def _grade_one(
    suite: Suite, position: int, sample: Sample | Invalid, history: History, graded: Graded, ledger: Ledger
) -> None:
    if isinstance(sample, Invalid):
        if sample.reason in graded.faults or len(graded.faults) < MOST_FAULTS:
            graded.faults[sample.reason] += 1
        _enter(grade_invalid(position, sample), {}, graded, ledger)
        return
    attempts = history.of(position, sample.id)
    graded.heard += bool(attempts)
    if not attempts or not _is_over(suite, sample, attempts[0]):
        graded.pending += 1
        return
    for attempt in attempts:
        for answer in attempt.answers:
            graded.usage.cached += answer.cached
            graded.usage.seconds_in_model += answer.seconds
    grade = grade_sample(suite, position, sample, attempts, graded.grade)
    last = attempts[-1].failure
    if len(attempts) > 1 and last is not None:
        graded.after_feedback.add(f"{last.kind}: {last.message}")
    scores = control_scores(suite, sample) if grade.state in ANSWERED else {}
    _enter(grade, scores, graded, ledger)


def _is_over(suite: Suite, sample: Sample, attempt: Attempt) -> bool:
    return attempt.failure is not None or suite.turn(sample, attempt.answers) is None


def _enter(grade: Grade, scores: Mapping[str, float], graded: Graded, ledger: Ledger) -> None:
    graded.board.add(grade, scores)
    if grade.state == "failed":
        graded.failures.add(grade.note)
    ledger.add(grade)


def _summary(graded: Graded, manifest: Manifest, history: History) -> Summary:
    board = graded.board
    notes = [*graded.failures.notes(), *after_feedback_notes(graded.after_feedback)]
    if history.unreadable:
        lines = {"count": history.unreadable}
        notes.append(Remark("{count} lines of the journal can't be read; their samples count as not asked.", lines))
    for reason, count in graded.faults.most_common(3):
        notes.append(Remark("{count} samples could not be asked: {reason}", {"count": count, "reason": reason}))
    for tag in sorted(board.crowded):
        notes.append(
            Remark("The tag '{tag}' has too many values for a table; grades.parquet has them all.", {"tag": tag})
        )
    return Summary(
        suite=manifest.suite,
        title=manifest.title,
        model=manifest.model,
        params=manifest.params,
        headline=board.headline,
        samples=graded.samples,
        pending=graded.pending,
        states=dict(board.states),
        failures=graded.failures.groups(),
        failed_after_feedback=graded.after_feedback.total,
        controls=board.controls(),
        rows=board.rows(),
        usage=graded.usage,
        facts=manifest.facts,
        deviations=manifest.deviations,
        notes=notes,
    )
