"""Progress of a run as plain lines, for notebooks and logs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from sightline.core.remarks import Remark
from sightline.i18n import tr
from sightline.inference.run_progress import RunProgress
from sightline.reports.formatting import format_value
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest
from sightline.runs.run import Progress
from sightline.scoring.summary import Summary

EVERY_SECONDS = 5.0


def checking_line(done: int, total: int) -> str:
    """Progress of hashing the data set."""
    return tr("Checking the data set: {done} of {total} MB", done=f"{done // 10**6:,}", total=f"{total // 10**6:,}")


def finished_line(folder: RunFolder, summary: Summary, is_judged: bool = False) -> str:
    """Score of a run that is already finished, and what is still requested."""
    score = format_value(summary.score.value if summary.score else None, summary.head.unit if summary.head else "share")
    return tr(
        "Run {folder} of this command is already finished: {score}. Only missing verdicts are requested."
        if is_judged
        else "Run {folder} of this command is already finished: {score}. "
        "No request was sent; use --fresh to run it again.",
        folder=folder.path,
        score=score,
    )


class LineProgress(Progress):
    """Prints a line at the start, one every few seconds, and one at the end of inference."""

    def __init__(self, every: float = EVERY_SECONDS, out: Callable[[str], None] = print) -> None:
        self._every = every
        self._out = out
        self._printed = monotonic()
        self._total: int | None = None

    def checking(self, done: int, total: int) -> None:
        if self._is_due():
            self._out(checking_line(done, total))

    def warning(self, remark: Remark) -> None:
        self._out(str(remark))

    def finished(self, folder: RunFolder, summary: Summary) -> None:
        self._out(finished_line(folder, summary))

    def finished_before_judge(self, folder: RunFolder, summary: Summary) -> None:
        self._out(finished_line(folder, summary, is_judged=True))

    def begin(self, folder: RunFolder, manifest: Manifest, resumed: bool, torn_bytes: int) -> None:
        self._out(tr("Resuming {folder}" if resumed else "Run folder: {folder}", folder=folder.path))

    def launching(self, remark: Remark) -> None:
        self._out(str(remark))

    def connecting(self, servers: Sequence[Remark]) -> None:
        for server in servers:
            self._out(str(server))

    def counted(self, total: int | None) -> None:
        self._total = total

    def inference_updated(self, progress: RunProgress) -> None:
        if self._is_due():
            self._out(self._line(progress))

    def inference_finished(self, progress: RunProgress) -> None:
        self._out(self._line(progress))

    def grading(self, count: int) -> None:
        if self._is_due():
            self._out(tr("{count} graded", count=f"{count:,}"))

    def _is_due(self) -> bool:
        now = monotonic()
        due = now - self._printed >= self._every
        self._printed = now if due else self._printed
        return due

    def _line(self, progress: RunProgress) -> str:
        parts = [f"{progress.done:,}" + (f" / {self._total:,}" if self._total else "")]
        if progress.retried or progress.failed:
            parts.append(tr("{retried} retried, {failed} failed", retried=progress.retried, failed=progress.failed))
        if progress.cost:
            parts.append(tr("cost {cost}", cost=f"{progress.cost:.2f}"))
        if progress.accuracy is not None:
            parts.append(tr("score {score}", score=f"{100 * progress.accuracy:.1f} %"))
        return " · ".join(parts)
