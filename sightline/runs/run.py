"""A run: inference into the journal, then grading and reports."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime
from functools import partial
from pathlib import Path
from threading import Timer
from time import monotonic
from typing import Protocol

import msgspec
from msgspec import Struct, field

from sightline.core.config import RunConfig
from sightline.core.errors import DataError, RunStoppedError, StorageError, UsageError
from sightline.core.interfaces import (
    ColumnSuite,
    Dataset,
    Model,
    ModelWithDeviations,
    ModelWithRemarks,
    Suite,
    oracle_reply,
)
from sightline.core.records import Answer, Attempt, Invalid, Sample, ServerCount
from sightline.core.remarks import Remark
from sightline.data.dataset import IndexedDataset, SampleCache
from sightline.data.selection import Selection, select_samples
from sightline.inference.batch_files import load_batch_files
from sightline.inference.cost import CostEstimate
from sightline.inference.journal import JournalReader, JournalWriter
from sightline.inference.run_progress import (
    ANSWERED_AS,
    CHANGED_MODEL,
    SERVER_COUNTS,
    RunProgress,
    add_server_counts,
    describe_models,
    describe_server_counts,
)
from sightline.inference.runner import InferenceJob, run_inference
from sightline.inference.sharing import GRADED_MARKER, RunMember, WorkClaims, lock_folder
from sightline.models.endpoints import describe_servers
from sightline.runs.folder import RunFolder
from sightline.runs.grader import grade_run
from sightline.runs.invalid_samples import InvalidSampleCounter
from sightline.runs.manifest import Manifest, recorded_repeats
from sightline.runs.repeats import repeat_warnings
from sightline.scoring.sample_scorer import GradeCache, grade_attempt
from sightline.scoring.summary import Summary, load_summary, save_summary

_MAX_READ_AHEAD = 2.0
"""Seconds of reading ahead in the data set before the first request."""


class Progress:
    """Progress callbacks of a run; this base class ignores all events."""

    def checking(self, done: int, total: int) -> None:
        """`done` of `total` bytes of the dataset are hashed."""

    def warning(self, remark: Remark) -> None:
        """A warning issued before the first request."""

    def finished(self, folder: RunFolder, summary: Summary) -> None:
        """The run of this command is already finished; no request is sent."""

    def finished_before_judge(self, folder: RunFolder, summary: Summary) -> None:
        """The run of this command is already finished; only the judge model is called."""

    def begin(self, folder: RunFolder, manifest: Manifest, resumed: bool, torn_bytes: int) -> None:
        """The run folder is open and inference starts."""

    def launching(self, remark: Remark) -> None:
        """The server of `--launch` is starting, or answers."""

    def connecting(self, servers: Sequence[Remark]) -> None:
        """The servers in use, before the first request."""

    def counted(self, total: int | None) -> None:
        """The number of samples; None if they could not be counted quickly."""

    def inference_updated(self, progress: RunProgress) -> None:
        """Inference has progressed."""

    def inference_finished(self, progress: RunProgress) -> None:
        """Inference has ended."""

    def grading(self, count: int) -> None:
        """`count` samples are graded."""

    def forecast(self, expected: CostEstimate) -> None:
        """Cost estimate of the judge, before its first request."""

    def end(self) -> None:
        """The run is over; no further callbacks follow."""


class ReportWriter(Protocol):
    """Interface of the report writer; implemented by the module `sightline.reports.write`."""

    def write_reports(self, summary: Summary, manifest: Manifest, folder: RunFolder) -> None:
        """Write tables and pages into the run folder."""

    def draw_plots(self, summaries: list[Summary], out: Path) -> object:
        """Draw all plots into a folder."""


class Run(Struct, kw_only=True):
    """A run and its folder: `run_inference` once, then `grade` any number of times."""

    suite: Suite
    config: RunConfig
    data: Path
    dataset: Dataset
    folder: RunFolder
    manifest: Manifest
    progress: Progress
    reports: ReportWriter
    notes: list[Remark] = []
    """Additional notes for all reports."""
    shared: bool = False
    """Whether other processes worked on the same run and inference is complete."""
    sample_cache: SampleCache | None = None
    """Samples already read before the run; None: they are read on first use."""
    grade_cache: GradeCache = field(default_factory=GradeCache)

    def run_inference(self, model: Model, resumed: bool) -> RunStoppedError | None:
        """Run inference for all samples not yet in the journal; returns the error that stopped it early, if any."""
        self._check_no_pending_batches()
        member = RunMember(self.folder)
        member.enter(self.config.join, exclusive=self.config.batch)
        try:
            if member.had_others and recorded_repeats(self.folder.load_manifest()) != self.config.repeats:
                raise UsageError(
                    "All processes of a run need the same --repeats.", hint="Wait for the others to finish."
                )
            for warning in repeat_warnings(self.manifest):
                self.progress.warning(warning)
            self.manifest.state = "running"
            self._save_with_counts(member, {})
            journal = JournalWriter(member.journal)
            self.progress.begin(self.folder, self.manifest, resumed, member.torn_bytes)
            self.progress.connecting(describe_servers(model))
            total, invalid_samples = _count(self.dataset, self.config, self.samples)
            for warning in invalid_samples.remarks(counted_all=total is not None):
                self.progress.warning(warning)
            self.progress.counted(None if total is None else total * self.config.repeats)
            self._warm_up_scorers()
            try:
                stopped = self._run_inference(model, journal, member)
            finally:
                journal.close()
        finally:
            member.leave()
        self.shared = member.had_others and stopped is None
        return stopped

    def _warm_up_scorers(self) -> None:
        """Compile or load the kernels that score the tasks of the run, before the first request is sent.

        Replies are scored while others are awaited. Compiling inside the event loop, up to a minute on a new machine,
        would keep replies waiting until requests time out and servers close their connections.
        """
        if not isinstance(self.suite, ColumnSuite):
            return
        notice = Timer(3.0, self.progress.warning, [Remark("Compiling the scorers; only the first run has to wait.")])
        notice.daemon = True
        notice.start()
        try:
            for sample in _first_of_each_task(self.samples()):
                with suppress(Exception):  # a fault of a plug-in shows where its replies are graded
                    answer = Answer(position=0, sample=sample.id, text=oracle_reply(self.suite, sample))
                    grade_attempt(self.suite, sample, Attempt([answer]))
        finally:
            notice.cancel()

    def _check_no_pending_batches(self) -> None:
        if not self.config.batch and any(part.state != "over" for part in load_batch_files(self.folder.batches)):
            raise UsageError(
                "Run {folder} has batches pending at the server.",
                hint="Resume with --batch, or start a new run with --fresh.",
                folder=self.folder.path,
            )

    def _save_with_counts(self, member: RunMember, counts: dict[str, ServerCount]) -> None:
        """Save the manifest with request counts added to those of earlier starts and other processes."""
        with _write_errors_reported(self.folder), member.lock:
            previous = self.folder.load_manifest().servers if self.folder.manifest.exists() else {}
            self.manifest.servers = add_server_counts(previous, counts)
            self.manifest.save(self.folder.manifest)

    def _run_inference(self, model: Model, journal: JournalWriter, member: RunMember) -> RunStoppedError | None:
        started = monotonic()
        job = InferenceJob(
            suite=self.suite,
            model=model,
            config=self.config,
            samples=self.samples,
            journal=journal,
            open_journal=partial(JournalReader, self.folder.journal),
            claims=WorkClaims(member),
            grade=self.grade_cache,
            report=self.progress.inference_updated,
        )
        if self.config.batch:
            from sightline.inference.batch_driver import run_batch_inference

            progress, stopped = run_batch_inference(job, self.folder.batches)
        else:
            progress, stopped = run_inference(job)
        if isinstance(model, ModelWithRemarks):
            remarks = model.remarks()
            replaced = {remark.text for remark in remarks}
            self.manifest.facts = [*(fact for fact in self.manifest.facts if fact.text not in replaced), *remarks]
        if isinstance(model, ModelWithDeviations):
            known = list(self.manifest.deviations)
            self.manifest.deviations = [*known, *(remark for remark in model.deviations() if remark not in known)]
        self.manifest.served_models = self._count_models(model.name)
        facts = [fact for fact in self.manifest.facts if fact.text not in (ANSWERED_AS, CHANGED_MODEL)]
        self.manifest.facts = [*facts, *describe_models(self.manifest.served_models, model.name)]
        self.progress.inference_finished(progress)
        self._save_with_counts(member, progress.servers)  # state stays "running" until graded
        self.manifest.seconds_asking = round(self.manifest.seconds_asking + monotonic() - started, 3)
        self.manifest.ended = datetime.now().astimezone().isoformat(timespec="seconds")
        self.manifest.state = "partial" if stopped or progress.failed else "finished"
        self.manifest.why_stopped = str(stopped or "")
        return stopped

    def _count_models(self, requested: str) -> dict[str, int]:
        """Count the replies per reported model name, over all processes and starts."""
        history = JournalReader(self.folder.journal)
        history.close()
        return {name or requested: count for name, count in history.counts.models.items() if count}

    def grade(self) -> Summary:
        """Grade the journal and write metrics, logs and reports. Of several processes, only one does so."""
        self.folder.refuse_links()
        with _write_errors_reported(self.folder), lock_folder(self.folder.path):
            graded_marker = RunMember(self.folder).claims_dir / GRADED_MARKER
            self.manifest.servers = self.folder.load_manifest().servers
            facts = [fact for fact in self.manifest.facts if fact.text != SERVER_COUNTS]
            self.manifest.facts = [*facts, *describe_server_counts(self.manifest.servers)]
            if self.shared and graded_marker.exists():
                summary = load_summary(self.folder.report_json)
                # this process may have saved the state "running" after another had graded the run
                self.manifest.state = "finished" if summary.complete else "partial"
                self.manifest.save(self.folder.manifest)
                return summary
            summary = self._grade()
            if self.shared:
                graded_marker.parent.mkdir(exist_ok=True)
                graded_marker.touch()
        return summary

    def _grade(self) -> Summary:
        history = JournalReader(self.folder.journal)  # its byte-offset index serves grading and pages
        try:
            history.save(self.folder.journal)
        finally:
            history.close()
        summary = grade_run(
            self.suite, self.samples, self.folder, self.manifest, self.progress.grading, self.grade_cache
        )
        summary.notes = [*self.notes, *summary.notes]
        if self.manifest.config.get("batch"):
            summary.usage.cost *= self.manifest.config.get("batch_price", 1.0)
        self.manifest.usage = msgspec.to_builtins(summary.usage)
        save_summary(summary, self.folder.report_json)
        if isinstance(self.dataset, IndexedDataset) and (index := self.dataset.build_index()) is not None:
            index.save(self.folder.sample_index)  # gives pages random access to samples
        self.reports.write_reports(summary, self.manifest, self.folder)
        if self.manifest.state == "finished" and not summary.complete:
            self.manifest.state = "partial"
        self.manifest.save(self.folder.manifest)
        if self.config.vis:
            self.reports.draw_plots([summary], self.folder.path / "plots")
        return summary

    def add_notes(self, summary: Summary, notes: list[Remark]) -> None:
        """Append notes to the summary and rewrite the reports."""
        summary.notes += notes
        with _write_errors_reported(self.folder):
            save_summary(summary, self.folder.report_json)
            self.reports.write_reports(summary, self.manifest, self.folder)

    def samples(self) -> Selection:
        """The selected samples with their positions in the dataset."""
        if self.sample_cache is None:
            self.sample_cache = SampleCache(partial(select_samples, self.dataset, self.config))
        return self.sample_cache()


@contextmanager
def _write_errors_reported(folder: RunFolder) -> Iterator[None]:
    """Convert an `OSError` while writing (full or read-only disk) into a `StorageError`."""
    try:
        yield
    except OSError as error:
        raise StorageError(
            "Cannot write into {folder}: {why}",
            hint="Replies are kept. Free disk space, then run: sightline regrade {folder}",
            folder=folder.path,
            why=error.strerror or error,
        ) from None


def first_sample(samples: Selection) -> Sample | None:
    """Return the first valid sample; raises `DataError` if the selection is empty."""
    has_samples = False
    for _, sample in samples:
        has_samples = True
        if isinstance(sample, Sample):
            return sample
    if not has_samples:
        raise DataError("No samples to run.", hint="Check --data, --filter and the options of the suite.")
    return None


def _first_of_each_task(samples: Selection) -> list[Sample]:
    """Return the first sample of each task that is found within `_MAX_READ_AHEAD` seconds."""
    deadline = monotonic() + _MAX_READ_AHEAD
    found: dict[str, Sample] = {}
    for count, (_, sample) in enumerate(samples, 1):
        if isinstance(sample, Sample):
            found.setdefault(sample.task, sample)
        if count % 256 == 0 and monotonic() > deadline:
            break
    return list(found.values())


def _count(
    dataset: Dataset, config: RunConfig, samples: Callable[[], Selection]
) -> tuple[int | None, InvalidSampleCounter]:
    """Count the selected samples and the reasons for invalid ones.

    Uses the length of the dataset if reading is slow, else iterates for a limited time.
    """
    if dataset.is_slow and dataset.has_random_access and not config.filter:
        limits = [number for number in (config.limit, config.sample) if number is not None]
        return min([len(dataset), *limits]), InvalidSampleCounter()
    return _count_quickly(samples())


def _count_quickly(samples: Selection) -> tuple[int | None, InvalidSampleCounter]:
    """Count samples by iteration, None after `_MAX_READ_AHEAD` seconds, and the reasons for invalid ones."""
    deadline = monotonic() + _MAX_READ_AHEAD
    count, invalid_samples = 0, InvalidSampleCounter()
    for count, (_, sample) in enumerate(samples, 1):
        if isinstance(sample, Invalid):
            invalid_samples.add(sample)
        if count % 256 == 0 and monotonic() > deadline:
            return None, invalid_samples
    return count, invalid_samples
