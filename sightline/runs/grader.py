"""Offline grading of a run: stream samples and journal once and score them in batches by task.

Metrics that need all targets first (`fit`) cause one additional pass over the samples. No request is sent.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.core.errors import DataError
from sightline.core.interfaces import ColumnSuite, GradeAttempt, Suite, Task
from sightline.core.records import Attempt, Invalid, Sample
from sightline.core.remarks import Remark, format_remark
from sightline.data.columns import TextColumn
from sightline.inference.journal import JournalReader
from sightline.runs.folder import RunFolder
from sightline.runs.invalid_samples import InvalidSampleCounter
from sightline.runs.manifest import Manifest, recorded_repeats
from sightline.runs.repeats import describe_repeats, make_repeat_evaluator, repeat_notes
from sightline.runs.run_notes import describe_image_changes, describe_truncation, image_changes_of
from sightline.runs.usage import UsageCounter, compute_usage
from sightline.scoring.batch import INVALID, ReplyBatch, SampleBatch, ScoreBatch, batch_grades, batch_samples
from sightline.scoring.column_scorer import batch_replies, size_reader
from sightline.scoring.evaluator import Evaluator, add_conclusions
from sightline.scoring.failures import FailureCounter, after_feedback_notes
from sightline.scoring.grades.influences import write_influences
from sightline.scoring.grades.writer import GradesWriter
from sightline.scoring.repeats import RepeatEvaluator
from sightline.scoring.sample_scorer import failure_message
from sightline.scoring.summary import Summary

ProgressCallback = Callable[[int], None]
Samples = Callable[[], Iterable[tuple[int, Sample | Invalid]]]
_COLUMN_BATCH, _RECORD_BATCH = 1000, 64
"""Batch sizes. Suites that score record by record use a small one, so that progress is visible."""


class _QueuedSample(Struct, frozen=True):
    """A sample and its attempts, queued for the next batch."""

    position: int
    sample: Sample
    attempts: list[Attempt]
    repeat: int


class RunGrader:
    """Batches samples with their attempts, scores each batch and writes the grades."""

    def __init__(
        self,
        evaluator: Evaluator,
        writer: GradesWriter,
        repeats: RepeatEvaluator | None = None,
        with_sizes: bool = False,
        model: str = "",
    ) -> None:
        self.evaluator, self._writer, self.repeats = evaluator, writer, repeats
        self._model = evaluator.model = model
        self._with_sizes = with_sizes
        """Whether images may have been resized, so that the grades need the sizes that were sent."""
        self._tasks = evaluator.suite.tasks()
        self._size = _COLUMN_BATCH if evaluator.scores_columns else _RECORD_BATCH
        self._queued: dict[tuple[str, str], list[_QueuedSample]] = {}
        self.failures = FailureCounter()
        self.after_feedback = FailureCounter()
        """Failures of attempts after the first; the headline score is based on the first attempt."""
        self.invalid_samples = InvalidSampleCounter()

    def fit(self, samples: Samples) -> None:
        """Pass all targets to the metrics that need them before scoring."""
        if not self.evaluator.scores_columns:
            return
        pending: dict[str, list[str]] = {}
        keys: Counter[str] = Counter()

        def flush(task: str) -> None:
            self.evaluator.task(task).fit(TextColumn.of(pending.pop(task)), keys[task])
            keys[task] += 1

        for _, sample in samples():
            if isinstance(sample, Sample) and self.evaluator.task(sample.task).needs_fit:
                truths = pending.setdefault(sample.task, [])
                truths.append(str(sample.target))
                if len(truths) == self._size:
                    flush(sample.task)
        for task in list(pending):
            flush(task)

    def add_invalid(self, position: int, sample: Invalid) -> None:
        """Add a sample that is invalid and was not sent to the model."""
        self.invalid_samples.add(sample)
        grade = self.evaluator.count_invalid(position, sample)
        if not self.evaluator.scores_columns:
            self._writer.add(batch_grades([grade]))
        elif sample.task in self._tasks:
            self._writer.add(_invalid_score_batch(self._tasks[sample.task], position, sample))
        else:
            source = sample.tags.get("picture", sample.source)
            self._writer.log_invalid(source, sample.task, format_remark(sample.reason), sample.id)

    def add(self, position: int, sample: Sample, repeats: Mapping[int, list[Attempt]]) -> None:
        """Add a sample with the attempts of each repeat, all in one batch; a full batch is scored at once."""
        file = sample.tags.get("file", "") if self.evaluator.scores_columns else ""
        queue = self._queued.setdefault((sample.task, file), [])
        queue += [_QueuedSample(position, sample, attempts, repeat) for repeat, attempts in repeats.items()]
        if len(queue) >= self._size:
            self._score((sample.task, file))

    def _score(self, key: tuple[str, str]) -> None:
        queue = self._queued.pop(key)
        is_columns = self.evaluator.scores_columns
        samples = batch_samples(
            self.evaluator.declared_task(key[0]),
            [item.position for item in queue],
            [item.sample for item in queue],
            as_columns=is_columns,
            repeats=[item.repeat for item in queue] if self.repeats is not None else None,
        )
        if isinstance(suite := self.evaluator.suite, ColumnSuite):
            attempts = [item.attempts[0] for item in queue]
            replies = batch_replies(suite, attempts, self._model)
            read_sizes = size_reader([item.sample for item in queue], attempts, suite.reading.image_sizes)
            samples = replace(samples, size_reader=read_sizes)
        else:
            replies = ReplyBatch(attempts=[item.attempts for item in queue])
        scores = self.evaluator.update(samples, replies)
        self._count_failures(scores, queue)
        if self.repeats is not None:
            self.repeats.update(scores, [item.attempts[0] for item in queue])
        sizes = [_sent_sizes(item.attempts[0]) for item in queue] if self._with_sizes else []
        are_resized = any(is_resized for _, is_resized in sizes)
        self._writer.add(replace(scores, sent_sizes=[sent for sent, _ in sizes]) if sizes else scores, are_resized)

    def _count_failures(self, scores: ScoreBatch, queue: list[_QueuedSample]) -> None:
        for row, item in enumerate(queue):
            if scores.status(row) == "failed":
                self.failures.add(scores.message(row))
            last = item.attempts[-1].failure
            if len(item.attempts) > 1 and last is not None:
                self.after_feedback.add(failure_message(last))

    def close(self) -> None:
        """Score the queued samples and close the output files."""
        for key in list(self._queued):
            self._score(key)
        self._writer.close()

    def release(self) -> None:
        """Release all files and worker processes; unfinished files are deleted."""
        self._writer.close_logs()
        self._writer.delete_temporary_files()
        self.evaluator.close()


def grade_run(
    suite: Suite,
    samples: Samples,
    folder: RunFolder,
    manifest: Manifest,
    watch: ProgressCallback = lambda count: None,
    grade: GradeAttempt | None = None,
) -> Summary:
    """Score the journaled replies of the given samples; write grades and logs, return the summary.

    `grade` grades one attempt; a caching function avoids grading again what was graded during inference.
    """
    history = JournalReader(folder.journal)
    evaluator = Evaluator(suite, feedback=bool(manifest.config.get("max_retries")), grade=grade)
    count_repeats = recorded_repeats(manifest)
    repeats = make_repeat_evaluator(evaluator, manifest) if count_repeats > 1 else None
    writer = GradesWriter(folder, has_repeats=repeats is not None)
    with_sizes = any(manifest.config.get(name) not in (None, 1) for name in _RESIZING)
    scorer = RunGrader(evaluator, writer, repeats, with_sizes, manifest.model)
    usage, count, pending, answered = UsageCounter(), 0, 0, 0
    image_changes: Counter[str] = Counter()
    try:
        scorer.fit(samples)
        for count, (position, sample) in enumerate(samples(), 1):
            if isinstance(sample, Invalid):
                scorer.add_invalid(position, sample)
                watch(count)
                continue
            complete: dict[int, list[Attempt]] = {}
            for repeat in range(1, count_repeats + 1):
                attempts = history.attempts(position, sample.id, repeat)
                answered += bool(attempts)
                if attempts and _is_complete(suite, sample, attempts[0]):
                    usage.add(attempts)
                    complete[repeat] = attempts
                else:
                    pending += 1
            if complete:
                image_changes.update(image_changes_of(next(iter(complete.values()))[0]))
                scorer.add(position, sample, complete)
            watch(count)
        if count == 0:
            raise DataError("No samples to grade.", hint="Check --data, --filter and the options of the suite.")
        if len(history) and pending and not answered:
            raise DataError(
                "The journal in {folder} does not match the samples at {data}.",
                hint="Give the data set that the run used.",
                folder=folder.path,
                data=manifest.data,
            )
        scorer.close()
        summary = _summarize(scorer, manifest, history)
        write_influences(folder.influences, evaluator.influences)
    finally:
        scorer.release()
        history.close()
    summary.samples, summary.pending = count, pending
    summary.usage = compute_usage(usage.usage(manifest.seconds_asking), history, manifest)
    summary.deviations = [*summary.deviations, *describe_image_changes(image_changes)]
    return add_conclusions(suite, summary)


def _is_complete(suite: Suite, sample: Sample, attempt: Attempt) -> bool:
    return attempt.failure is not None or suite.next_prompt(sample, attempt.answers) is None


_RESIZING = ("max_pixels", "min_pixels", "pixel_multiple")
"""Settings that resize images."""


def _sent_sizes(attempt: Attempt) -> tuple[list[tuple[int, int]], bool]:
    """Width and height of the images of the first prompt with images as they were sent; whether one was resized."""
    pictures = next((answer.pictures for answer in attempt.answers if answer.pictures), ())
    return [picture.sent_size for picture in pictures], any(picture.sent is not None for picture in pictures)


def _invalid_score_batch(task: Task, position: int, sample: Invalid) -> ScoreBatch:
    """Build a columnar score batch of one invalid sample."""
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
        statuses=np.array([INVALID], np.uint8),
        scores=np.zeros(1),
        reason_indices=np.ones(1, np.int64),
        reasons=("", sample.reason),
    )


def _summarize(scorer: RunGrader, manifest: Manifest, history: JournalReader) -> Summary:
    summary = scorer.evaluator.summary()
    summary.suite, summary.title = manifest.suite, manifest.title
    summary.model, summary.params = manifest.model, manifest.params
    summary.failures = scorer.failures.groups()
    summary.failed_after_feedback = scorer.after_feedback.total
    summary.facts, summary.deviations = manifest.facts, manifest.deviations
    if scorer.repeats is not None:
        summary.repeats = describe_repeats(scorer.repeats.summary(summary.headline), manifest, summary.rows)
        summary.rows = scorer.repeats.add_rows(summary.rows)
        summary.notes = [*repeat_notes(summary.repeats), *summary.notes]
    notes = [*scorer.failures.notes(), *after_feedback_notes(scorer.after_feedback), *summary.notes]
    if history.counts.unreadable:
        lines = {"count": history.counts.unreadable}
        notes.append(Remark("{count} lines of the journal cannot be read; their samples count as pending.", lines))
    notes += describe_truncation(history.counts, manifest)
    if history.counts.uncounted:
        counts = {"count": history.counts.uncounted, "total": history.counts.requests}
        notes.append(
            Remark("The server did not count the tokens of {count} of {total} requests; totals leave them out.", counts)
        )
    summary.notes = [*notes, *scorer.invalid_samples.remarks()]
    return summary
