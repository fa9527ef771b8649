"""One run from its first question to its report."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Protocol

from msgspec import Struct, field

from sightline.core.config import RunConfig
from sightline.core.errors import DataError, JournalError, RunStoppedError, UsageError
from sightline.core.interfaces import CountedSuite, IndexedSuite, Model, Suite, TellingModel
from sightline.core.records import Invalid, Remark, Sample, ServerCount
from sightline.data.filtering import select_samples
from sightline.data.sample_cache import SampleCache
from sightline.data.sampling import draw_stratified
from sightline.inference.batch_api.batch_files import load_batch_files
from sightline.inference.cost_estimate import CostEstimate
from sightline.inference.journal.reader import JournalReader
from sightline.inference.journal.writer import JournalWriter
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
from sightline.inference.sharing.claims import WorkClaims
from sightline.inference.sharing.lock import lock_folder
from sightline.inference.sharing.participants import GRADED_MARKER, RunMember
from sightline.models.multi_server import describe_servers
from sightline.runs.folder import RunFolder
from sightline.runs.grader import MOST_FAULTS, grade_run
from sightline.runs.manifest import Manifest
from sightline.scoring.sample_scorer import GradeMemory
from sightline.scoring.summary import Summary, load_summary, save_summary

Selection = Iterator[tuple[int, Sample | Invalid]]


class Progress:
    """What a run tells while it works; this one says nothing."""

    def checking(self, done: int, total: int) -> None:
        """So many bytes of the data set are hashed, of so many."""

    def warning(self, remark: Remark) -> None:
        """Something that the user should know before anything is asked."""

    def finished(self, folder: RunFolder, summary: Summary) -> None:
        """The run of this command is finished already, and nothing is asked."""

    def finished_before_judge(self, folder: RunFolder, summary: Summary) -> None:
        """The run of this command is finished already; its model is not asked again, but a judge is."""

    def begin(self, folder: RunFolder, manifest: Manifest, resumed: bool, torn_bytes: int) -> None:
        """The run folder is open, and asking starts."""

    def connecting(self, servers: Sequence[Remark]) -> None:
        """Which servers will be asked, before the first request."""

    def counted(self, total: int | None) -> None:
        """How many samples there are, where they could be counted quickly."""

    def asking(self, tally: RunProgress) -> None:
        """Something has happened."""

    def asked(self, tally: RunProgress) -> None:
        """Asking has ended."""

    def grading(self, count: int) -> None:
        """So many samples are graded."""

    def forecast(self, expected: CostEstimate) -> None:
        """What the judge is expected to take, before it is asked."""

    def end(self) -> None:
        """Nothing more will be told."""


class ReportWriter(Protocol):
    """What people read of a run; `sightline.reports.write` is one."""

    def write_reports(self, summary: Summary, manifest: Manifest, folder: RunFolder) -> None:
        """Write tables and pages into the run folder."""

    def draw_plots(self, summaries: list[Summary], out: Path) -> object:
        """Draw all plots into a folder."""


class Run(Struct, kw_only=True):
    """A run with its folder: first `ask`, then `grade`, the second as often as one likes."""

    suite: Suite
    config: RunConfig
    data: Path
    folder: RunFolder
    manifest: Manifest
    progress: Progress
    reports: ReportWriter
    notes: list[Remark] = []
    """What all reports are to say beside what grading finds."""
    together: bool = False
    """Whether other processes asked in the same folder, and all is asked."""
    memory: SampleCache | None = None
    """The samples as they were read before the run began; None: they are read when they are first wanted."""
    graded: GradeMemory = field(default_factory=GradeMemory)

    def ask(self, model: Model, resumed: bool) -> RunStoppedError | None:
        """Ask what the journal does not hold yet; returns why it stopped early, if it did."""
        self._refuse_to_ask_twice()
        member = RunMember(self.folder)
        member.enter(self.config.join, exclusive=self.config.batch)
        try:
            self.manifest.state = "running"
            self._save_with_counts(member, {})
            journal = JournalWriter(member.journal)
            self.progress.begin(self.folder, self.manifest, resumed, member.torn_bytes)
            self.progress.connecting(describe_servers(model))
            total, faults = _count(self.suite, self.data, self.config, self.samples)
            for reason, count in faults.most_common(3):
                facts = {"count": count, "reason": reason}
                if total is None:
                    self.progress.warning(Remark("At least {count} samples could not be asked: {reason}", facts))
                else:
                    self.progress.warning(Remark("{count} samples could not be asked: {reason}", facts))
            self.progress.counted(total)
            try:
                stopped = self._ask(model, journal, member)
            finally:
                journal.close()
        finally:
            member.leave()
        self.together = member.had_others and stopped is None
        return stopped

    def _refuse_to_ask_twice(self) -> None:
        if not self.config.batch and any(part.state != "over" for part in load_batch_files(self.folder.batches)):
            raise UsageError(
                "Batches of the run {folder} are at the server.",
                hint="Go on with --batch, or start a new run with --fresh.",
                folder=self.folder.path,
            )

    def _save_with_counts(self, member: RunMember, counts: dict[str, ServerCount]) -> None:
        """Save the manifest, adding to what earlier starts and other processes were served."""
        with _writing(self.folder), member.lock:
            before = self.folder.load().servers if self.folder.manifest.exists() else {}
            self.manifest.servers = add_server_counts(before, counts)
            self.manifest.save(self.folder.manifest)

    def _ask(self, model: Model, journal: JournalWriter, member: RunMember) -> RunStoppedError | None:
        started = monotonic()
        job = InferenceJob(
            suite=self.suite,
            model=model,
            config=self.config,
            samples=self.samples,
            journal=journal,
            open_journal=partial(JournalReader, self.folder.journal),
            claims=WorkClaims(member),
            grade=self.graded,
            report=self.progress.asking,
        )
        if self.config.batch:
            from sightline.inference.batch_api.driver import run_batch_inference

            tally, stopped = run_batch_inference(job, self.folder.batches)
        else:
            tally, stopped = run_inference(job)
        if isinstance(model, TellingModel):
            told = model.remarks()
            again = {remark.text for remark in told}
            self.manifest.facts = [*(fact for fact in self.manifest.facts if fact.text not in again), *told]
        self.manifest.served_models = self._count_models(model.name)
        others = [fact for fact in self.manifest.facts if fact.text not in (ANSWERED_AS, CHANGED_MODEL)]
        self.manifest.facts = [*others, *describe_models(self.manifest.served_models, model.name)]
        self.progress.asked(tally)
        self._save_with_counts(member, tally.servers)  # still as running: it is not graded yet
        self.manifest.seconds_asking = round(self.manifest.seconds_asking + monotonic() - started, 3)
        self.manifest.ended = datetime.now().astimezone().isoformat(timespec="seconds")
        self.manifest.state = "partial" if stopped or tally.failed else "finished"
        self.manifest.why_stopped = str(stopped or "")
        return stopped

    def _count_models(self, asked: str) -> dict[str, int]:
        """How many replies came under which name, of all processes and starts."""
        history = JournalReader(self.folder.journal)
        history.close()
        return {name or asked: count for name, count in history.models.items() if count}

    def grade(self) -> Summary:
        """Grade all that the journal holds; write figures, logs and reports. Of several processes, one does it."""
        with _writing(self.folder), lock_folder(self.folder.path):
            common_end = RunMember(self.folder).claims_dir / GRADED_MARKER
            self.manifest.servers = self.folder.load().servers
            told = [fact for fact in self.manifest.facts if fact.text != SERVER_COUNTS]
            self.manifest.facts = [*told, *describe_server_counts(self.manifest.servers)]
            if self.together and common_end.exists():
                summary = load_summary(self.folder.report_json)
                # this process may have noted the run as going on after another had graded it
                self.manifest.state = "finished" if summary.complete else "partial"
                self.manifest.save(self.folder.manifest)
                return summary
            summary = self._grade()
            if self.together:
                common_end.parent.mkdir(exist_ok=True)
                common_end.touch()
        return summary

    def _grade(self) -> Summary:
        self._index_journal()
        summary = grade_run(self.suite, self.samples, self.folder, self.manifest, self.progress.grading, self.graded)
        summary.notes = [*self.notes, *summary.notes]
        if self.manifest.config.get("batch"):
            summary.usage.cost *= self.manifest.config.get("batch_price", 1.0)
        save_summary(summary, self.folder.report_json)
        self._index_samples()
        self.reports.write_reports(summary, self.manifest, self.folder)
        if self.manifest.state == "finished" and not summary.complete:
            self.manifest.state = "partial"
        self.manifest.save(self.folder.manifest)
        if self.config.vis:
            self.reports.draw_plots([summary], self.folder.path / "plots")
        return summary

    def _index_journal(self) -> None:
        """Read the journal once for all: grading and pages find what stands where."""
        history = JournalReader(self.folder.journal)
        try:
            history.save(self.folder.journal)
        finally:
            history.close()

    def _index_samples(self) -> None:
        """Keep where each sample is in the data set, so that a page opens any of them at once."""
        if not isinstance(self.suite, IndexedSuite):
            return
        index = self.suite.index_samples(self.data, False, lambda size: None)
        if index is not None:
            index.save(self.folder.sample_index)

    def add_notes(self, summary: Summary, notes: list[Remark]) -> None:
        """Put more sentences into the reports."""
        summary.notes += notes
        with _writing(self.folder):
            save_summary(summary, self.folder.report_json)
            self.reports.write_reports(summary, self.manifest, self.folder)

    def samples(self) -> Selection:
        """The samples that are wanted, with their positions."""
        if self.memory is None:
            self.memory = SampleCache(partial(selection, self.suite, self.data, self.config))
        return self.memory()


@contextmanager
def _writing(folder: RunFolder) -> Iterator[None]:
    """A disk that is full or read-only is told in one sentence."""
    try:
        yield
    except OSError as error:
        raise JournalError(
            "Can't write into {folder}: {why}",
            hint="What was asked is kept. Make room, then: sightline regrade {folder}",
            folder=folder.path,
            why=error.strerror or error,
        ) from None


def selection(suite: Suite, data: Path, config: RunConfig) -> Selection:
    """The samples of a data set that the settings want."""
    if config.sample is None:
        return select_samples(suite.read(data), config.filter, config.limit)
    # drawn in a first pass, yielded in a second
    wanted = SampleCache(partial(_wanted, suite, data, config))
    return draw_stratified(wanted, config.sample, config.stratify, config.seed)


def _wanted(suite: Suite, data: Path, config: RunConfig) -> Selection:
    return select_samples(suite.read(data), config.filter, config.limit)


def first_sample(samples: Selection) -> Sample | None:
    """The first sample that can be asked; a selection without any is told before a folder is made."""
    found = False
    for _, sample in samples:
        found = True
        if isinstance(sample, Sample):
            return sample
    if not found:
        raise DataError("No sample is left to ask.", hint="Check --data, --filter and the suite's own options.")
    return None


def _count(
    suite: Suite, data: Path, config: RunConfig, samples: Callable[[], Selection]
) -> tuple[int | None, Counter[str]]:
    """How many samples are wanted, and why some of them can't be asked: without reading any where the suite knows the
    number, else by a short look at them."""
    if isinstance(suite, CountedSuite) and not config.filter:
        wanted = [number for number in (config.limit, config.sample) if number is not None]
        return min([suite.count_samples(data), *wanted]), Counter()
    return _count_quickly(samples())


def _count_quickly(samples: Selection, patience: float = 2.0) -> tuple[int | None, Counter[str]]:
    """How many there are, None when counting takes too long, and why some of them can't be asked."""
    deadline = monotonic() + patience
    count, faults = 0, Counter[str]()
    for count, (_, sample) in enumerate(samples, 1):
        if isinstance(sample, Invalid) and (sample.reason in faults or len(faults) < MOST_FAULTS):
            faults[sample.reason] += 1
        if count % 256 == 0 and monotonic() > deadline:
            return None, faults
    return count, faults
