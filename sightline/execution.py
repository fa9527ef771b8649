"""One run from its first question to its report."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from pathlib import Path
from time import monotonic

from msgspec import Struct

from sightline.asking.asker import Job, ask_all
from sightline.asking.batches.parts import load_parts
from sightline.asking.estimate import Forecast
from sightline.asking.tally import OF_SERVERS, Tally, add_counts, told_of_servers
from sightline.config import RunConfig
from sightline.contracts import ColumnSuite, Model, Suite, TellingModel
from sightline.errors import DataError, JournalError, RunStoppedError, UsageError
from sightline.grading.columns.journal import grade_in_columns
from sightline.grading.grader import grade_run
from sightline.grading.one import grade_attempt
from sightline.grading.summary import Summary, load_summary, save_summary
from sightline.records import Invalid, Remark, Sample
from sightline.reports.write import draw_plots, write_reports
from sightline.runs.company import GRADED, Company
from sightline.runs.folder import RunFolder
from sightline.runs.history import History
from sightline.runs.journal import Journal
from sightline.runs.lock import one_at_a_time
from sightline.runs.manifest import Manifest, ServerCount
from sightline.runs.shares import Shares
from sightline.sources.sampling import draw
from sightline.sources.select import select

Selection = Iterator[tuple[int, Sample | Invalid]]


class Progress:
    """What a run tells while it works; this one says nothing."""

    def begin(self, folder: RunFolder, manifest: Manifest, resumed: bool, torn_bytes: int) -> None:
        """The run folder is open, and asking starts."""

    def counted(self, total: int | None) -> None:
        """How many samples there are, where they could be counted quickly."""

    def asking(self, tally: Tally) -> None:
        """Something has happened."""

    def asked(self, tally: Tally) -> None:
        """Asking has ended."""

    def grading(self, count: int) -> None:
        """So many samples are graded."""

    def forecast(self, expected: Forecast) -> None:
        """What the judge is expected to take, before it is asked."""

    def end(self) -> None:
        """Nothing more will be told."""


class Run(Struct, kw_only=True):
    """A run with its folder: first `ask`, then `grade`, the second as often as one likes."""

    suite: Suite
    config: RunConfig
    data: Path
    folder: RunFolder
    manifest: Manifest
    progress: Progress
    together: bool = False
    """Whether other processes asked in the same folder, and all is asked."""

    def ask(self, model: Model, resumed: bool) -> RunStoppedError | None:
        """Ask what the journal does not hold yet; returns why it stopped early, if it did."""
        self._refuse_to_ask_twice()
        company = Company(self.folder)
        company.enter(self.config.join, alone=self.config.batch)
        try:
            self.manifest.state = "running"
            self._save_with_counts(company, {})
            journal = Journal(company.journal)
            self.progress.begin(self.folder, self.manifest, resumed, company.torn_bytes)
            self.progress.counted(_count_quickly(self.samples()))
            try:
                stopped = self._ask(model, journal, company)
            finally:
                journal.close()
        finally:
            company.leave()
        self.together = company.had_others and stopped is None
        return stopped

    def _refuse_to_ask_twice(self) -> None:
        if not self.config.batch and any(part.state != "over" for part in load_parts(self.folder.batches)):
            raise UsageError(
                "Batches of the run {folder} are at the server.",
                hint="Go on with --batch, or start a new run with --fresh.",
                folder=self.folder.path,
            )

    def _save_with_counts(self, company: Company, counts: dict[str, ServerCount]) -> None:
        """Save the manifest, adding to what earlier starts and other processes were served."""
        with _writing(self.folder), company.lock:
            before = self.folder.load().servers if self.folder.manifest.exists() else {}
            self.manifest.servers = add_counts(before, counts)
            self.manifest.save(self.folder.manifest)

    def _ask(self, model: Model, journal: Journal, company: Company) -> RunStoppedError | None:
        started = monotonic()
        job = Job(
            suite=self.suite,
            model=model,
            config=self.config,
            samples=self.samples,
            journal=journal,
            history=partial(History, self.folder.journal),
            shares=Shares(company),
            grade=grade_attempt,
            watch=self.progress.asking,
        )
        if self.config.batch:
            from sightline.asking.batches.driver import ask_in_batches

            tally, stopped = ask_in_batches(job, self.folder.batches)
        else:
            tally, stopped = ask_all(job)
        if isinstance(model, TellingModel):
            told = model.remarks()
            again = {remark.text for remark in told}
            self.manifest.facts = [*(fact for fact in self.manifest.facts if fact.text not in again), *told]
        self.progress.asked(tally)
        self._save_with_counts(company, tally.servers)  # still as running: it is not graded yet
        self.manifest.seconds_asking = round(self.manifest.seconds_asking + monotonic() - started, 3)
        self.manifest.ended = datetime.now().astimezone().isoformat(timespec="seconds")
        self.manifest.state = "partial" if stopped or tally.failed else "finished"
        self.manifest.why_stopped = str(stopped or "")
        return stopped

    def grade(self) -> Summary:
        """Grade all that the journal holds; write figures, logs and reports. Of several processes, one does it."""
        with _writing(self.folder), one_at_a_time(self.folder.path):
            common_end = Company(self.folder).place / GRADED
            self.manifest.servers = self.folder.load().servers
            told = [fact for fact in self.manifest.facts if fact.text != OF_SERVERS]
            self.manifest.facts = [*told, *told_of_servers(self.manifest.servers)]
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
        if isinstance(self.suite, ColumnSuite):
            told = self.folder, self.manifest, self.progress.grading
            summary = grade_in_columns(self.suite, self.samples, *told)
        else:
            summary = grade_run(self.suite, self.samples(), self.folder, self.manifest, self.progress.grading)
        if self.manifest.config.get("batch"):
            summary.usage.cost *= self.manifest.config.get("batch_price", 1.0)
        save_summary(summary, self.folder.report_json)
        write_reports(summary, self.manifest, self.folder)
        if self.manifest.state == "finished" and not summary.complete:
            self.manifest.state = "partial"
        self.manifest.save(self.folder.manifest)
        if self.config.vis:
            draw_plots([summary], self.folder.path / "plots")
        return summary

    def add_notes(self, summary: Summary, notes: list[Remark]) -> None:
        """Put more sentences into the reports."""
        summary.notes += notes
        with _writing(self.folder):
            save_summary(summary, self.folder.report_json)
            write_reports(summary, self.manifest, self.folder)

    def samples(self) -> Selection:
        """The samples that are wanted, with their positions."""
        return selection(self.suite, self.data, self.config)


@contextmanager
def _writing(folder: RunFolder) -> Iterator[None]:
    """A disk that is full or read-only is told in one sentence."""
    try:
        yield
    except OSError as error:
        raise JournalError(
            "Can't write into {folder}: {why}",
            hint="What was asked is kept. Make room, then: sightline score {folder}",
            folder=folder.path,
            why=error.strerror or error,
        ) from None


def selection(suite: Suite, data: Path, config: RunConfig) -> Selection:
    """The samples of a data set that the settings want."""
    if config.sample is None:
        return select(suite.read(data), config.filter, config.limit)
    wanted = partial(_wanted, suite, data, config)
    return draw(wanted, config.sample, config.stratify, config.seed)


def _wanted(suite: Suite, data: Path, config: RunConfig) -> Selection:
    return select(suite.read(data), config.filter, config.limit)


def first_sample(suite: Suite, data: Path, config: RunConfig) -> Sample | None:
    """The first sample that can be asked; a selection without any is told before a folder is made."""
    found = False
    for _, sample in selection(suite, data, config):
        found = True
        if isinstance(sample, Sample):
            return sample
    if not found:
        raise DataError("No sample is left to ask.", hint="Check --data, --filter and the suite's own options.")
    return None


def _count_quickly(samples: Selection, patience: float = 2.0) -> int | None:
    """How many there are, or None when counting takes too long to be worth it."""
    deadline = monotonic() + patience
    count = 0
    for count, _ in enumerate(samples, 1):
        if count % 256 == 0 and monotonic() > deadline:
            return None
    return count
