"""Scores a run: samples and journal stream by once, in batches by task; nothing is asked, nothing is held.

Where a metric must know all truths first, the samples are read once more before that.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable

import numpy as np
from msgspec import Struct

from sightline.core.errors import DataError
from sightline.core.interfaces import Suite, Task
from sightline.core.records import Attempt, Invalid, Remark, Sample
from sightline.data.columns import TextColumn
from sightline.inference.journal.reader import JournalReader
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest
from sightline.runs.usage import spent
from sightline.scoring.batch import INVALID, ReplyBatch, SampleBatch, ScoreBatch, batch_grades, batch_samples
from sightline.scoring.column_scorer import batch_replies
from sightline.scoring.conclusion import concluded
from sightline.scoring.evaluator import Evaluator
from sightline.scoring.failures import FailureTally, after_feedback_notes
from sightline.scoring.grades.writer import GradesWriter
from sightline.scoring.sample_scorer import GradeAttempt
from sightline.scoring.summary import Summary, Usage

Watcher = Callable[[int], None]
Samples = Callable[[], Iterable[tuple[int, Sample | Invalid]]]
MOST_FAULTS = 100
_COLUMN_BATCH, _RECORD_BATCH = 1000, 64
"""Samples that are scored together. Records may take long each, and progress should be seen."""


class _Waiting(Struct, frozen=True):
    """A sample with its attempts, waiting for its batch."""

    position: int
    sample: Sample
    attempts: list[Attempt]


class RunScorer:
    """Collects samples with their attempts, scores them a batch at a time, and writes their grades."""

    def __init__(self, evaluator: Evaluator, writer: GradesWriter) -> None:
        self.evaluator, self._writer = evaluator, writer
        self._tasks = evaluator.suite.tasks()
        self._size = _COLUMN_BATCH if evaluator.scores_columns else _RECORD_BATCH
        self._waiting: dict[tuple[str, str], list[_Waiting]] = {}
        self.failures = FailureTally()
        self.after_feedback = FailureTally()
        """Why later attempts failed; the first attempt, which is the headline, has its answer."""
        self.faults: Counter[str] = Counter()
        """Why samples are invalid; the first few reasons."""

    def fit(self, samples: Samples) -> None:
        """Show the truths to metrics that must know all of them first."""
        if not self.evaluator.scores_columns:
            return
        waiting: dict[str, list[str]] = {}
        keys: Counter[str] = Counter()

        def show(task: str) -> None:
            self.evaluator.task(task).fit(TextColumn.of(waiting.pop(task)), keys[task])
            keys[task] += 1

        for _, sample in samples():
            if isinstance(sample, Sample) and self.evaluator.task(sample.task).needs_fit:
                truths = waiting.setdefault(sample.task, [])
                truths.append(str(sample.target))
                if len(truths) == self._size:
                    show(sample.task)
        for task in list(waiting):
            show(task)

    def add_invalid(self, position: int, sample: Invalid) -> None:
        """Take a sample that could not be asked."""
        if sample.reason in self.faults or len(self.faults) < MOST_FAULTS:
            self.faults[sample.reason] += 1
        grade = self.evaluator.count_invalid(position, sample)
        if not self.evaluator.scores_columns:
            self._writer.add(batch_grades([grade]))
        elif sample.task in self._tasks:
            self._writer.add(_invalid_column(self._tasks[sample.task], position, sample))
        else:
            source = sample.tags.get("picture", sample.source)
            self._writer.refuse(source, sample.task, sample.reason, sample.id)

    def add(self, position: int, sample: Sample, attempts: list[Attempt]) -> None:
        """Take a sample that was asked."""
        file = sample.tags.get("file", "") if self.evaluator.scores_columns else ""
        waiting = self._waiting.setdefault((sample.task, file), [])
        waiting.append(_Waiting(position, sample, attempts))
        if len(waiting) >= self._size:
            self._score((sample.task, file))

    def _score(self, key: tuple[str, str]) -> None:
        waiting = self._waiting.pop(key)
        is_columns = self.evaluator.scores_columns
        samples = batch_samples(
            self.evaluator.declared_task(key[0]),
            [one.position for one in waiting],
            [one.sample for one in waiting],
            as_columns=is_columns,
        )
        if is_columns:
            replies = batch_replies(self.evaluator.suite, [one.attempts[0] for one in waiting])
        else:
            replies = ReplyBatch(attempts=[one.attempts for one in waiting])
        scores = self.evaluator.update(samples, replies)
        self._count_failures(scores, waiting)
        self._writer.add(scores)

    def _count_failures(self, scores: ScoreBatch, waiting: list[_Waiting]) -> None:
        for row, one in enumerate(waiting):
            if scores.state(row) == "failed":
                self.failures.add(scores.note(row))
            last = one.attempts[-1].failure
            if len(one.attempts) > 1 and last is not None:
                self.after_feedback.add(f"{last.kind}: {last.message}")

    def close(self) -> None:
        """Score what is waiting, and finish the files."""
        for key in list(self._waiting):
            self._score(key)
        self._writer.close()

    def abandon(self) -> None:
        """Release all files and processes."""
        self._writer.abandon()
        self._writer.discard()
        self.evaluator.close()


def grade_run(
    suite: Suite,
    samples: Samples,
    folder: RunFolder,
    manifest: Manifest,
    watch: Watcher = lambda count: None,
    grade: GradeAttempt | None = None,
) -> Summary:
    """Score what a journal holds for the given samples; write grades and logs, return the summary.

    `grade` grades an attempt; one that remembers what was graded while asking saves doing it again.
    """
    history = JournalReader(folder.journal)
    evaluator = Evaluator(suite, feedback=bool(manifest.config.get("max_retries")), grade=grade)
    scorer = RunScorer(evaluator, GradesWriter(folder))
    usage, count, pending, heard = Usage(), 0, 0, 0
    try:
        scorer.fit(samples)
        for count, (position, sample) in enumerate(samples(), 1):
            if isinstance(sample, Invalid):
                scorer.add_invalid(position, sample)
                watch(count)
                continue
            attempts = history.attempts(position, sample.id)
            heard += bool(attempts)
            if attempts and _is_over(suite, sample, attempts[0]):
                _count_usage(usage, attempts)
                scorer.add(position, sample, attempts)
            else:
                pending += 1
            watch(count)
        if count == 0:
            raise DataError("No sample is left to grade.", hint="Check --data, --filter and the suite's own options.")
        if len(history) and pending and not heard:
            raise DataError(
                "The journal in {folder} is about other samples than those at {data}.",
                hint="Give the data set that the run was made with.",
                folder=folder.path,
                data=manifest.data,
            )
        scorer.close()
        summary = _summarize(scorer, manifest, history)
    finally:
        scorer.abandon()
        history.close()
    summary.samples, summary.pending = count, pending
    summary.usage = spent(usage, history, manifest)
    return concluded(suite, summary)


def _is_over(suite: Suite, sample: Sample, attempt: Attempt) -> bool:
    return attempt.failure is not None or suite.turn(sample, attempt.answers) is None


def _count_usage(usage: Usage, attempts: list[Attempt]) -> None:
    for attempt in attempts:
        for answer in attempt.answers:
            usage.cached += answer.cached
            usage.seconds_in_model += answer.seconds


def _invalid_column(task: Task, position: int, sample: Invalid) -> ScoreBatch:
    """A sample that could not be asked, in the form of batches of columns."""
    samples = SampleBatch(
        task=task,
        positions=np.array([position], np.int64),
        clusters=np.zeros(1, np.uint64),
        file=sample.tags.get("file", ""),
        ids=[sample.id],
        sources=[sample.tags.get("picture", sample.source)],
    )
    return ScoreBatch(
        samples=samples,
        states=np.array([INVALID], np.uint8),
        scores=np.zeros(1),
        notes=np.ones(1, np.int64),
        reasons=("", sample.reason),
    )


def _summarize(scorer: RunScorer, manifest: Manifest, history: JournalReader) -> Summary:
    summary = scorer.evaluator.summary()
    summary.suite, summary.title = manifest.suite, manifest.title
    summary.model, summary.params = manifest.model, manifest.params
    summary.failures = scorer.failures.groups()
    summary.failed_after_feedback = scorer.after_feedback.total
    summary.facts, summary.deviations = manifest.facts, manifest.deviations
    notes = [*scorer.failures.notes(), *after_feedback_notes(scorer.after_feedback), *summary.notes]
    if history.unreadable:
        lines = {"count": history.unreadable}
        notes.append(Remark("{count} lines of the journal can't be read; their samples count as not asked.", lines))
    for reason, times in scorer.faults.most_common(3):
        notes.append(Remark("{count} samples could not be asked: {reason}", {"count": times, "reason": reason}))
    summary.notes = notes
    return summary
