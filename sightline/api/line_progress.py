"""Progress as plain lines, for notebooks and logs: no terminal and no widget is needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import monotonic

from sightline.core.records import Remark
from sightline.i18n import tr
from sightline.inference.run_progress import RunProgress
from sightline.reports.formatting import format_value
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest
from sightline.runs.run import Progress
from sightline.scoring.summary import Summary

EVERY_SECONDS = 5.0
Say = Callable[[str], None]


def checking_line(done: int, total: int) -> str:
    """How much of a data set is hashed."""
    return tr("Checking the data set: {done} of {total} MB", done=f"{done // 10**6:,}", total=f"{total // 10**6:,}")


def finished_line(folder: RunFolder, summary: Summary, is_judged: bool = False) -> str:
    """What a finished run came to, and that its model is not asked again."""
    score = format_value(summary.score.value if summary.score else None, summary.head.unit if summary.head else "share")
    if is_judged:
        return tr(
            "The run {folder} of this command is finished: {score}; only missing verdicts of the judge are asked for.",
            folder=folder.path,
            score=score,
        )
    return tr(
        "The run {folder} of this command is finished: {score}; nothing was asked. Use --fresh to run it again.",
        folder=folder.path,
        score=score,
    )


class LineProgress(Progress):
    """Prints a line at the start, one every few seconds, and one at the end of asking."""

    def __init__(self, every: float = EVERY_SECONDS, out: Say = print) -> None:
        self._every = every
        self._out = out
        self._told = monotonic()
        self._total: int | None = None

    def checking(self, done: int, total: int) -> None:
        """See `Progress`."""
        if self._is_due():
            self._out(checking_line(done, total))

    def warning(self, remark: Remark) -> None:
        """See `Progress`."""
        self._out(str(remark))

    def finished(self, folder: RunFolder, summary: Summary) -> None:
        """See `Progress`."""
        self._out(finished_line(folder, summary))

    def finished_before_judge(self, folder: RunFolder, summary: Summary) -> None:
        """See `Progress`."""
        self._out(finished_line(folder, summary, is_judged=True))

    def begin(self, folder: RunFolder, manifest: Manifest, resumed: bool, torn_bytes: int) -> None:
        """See `Progress`."""
        self._out(tr("Going on with {folder}" if resumed else "Run folder: {folder}", folder=folder.path))

    def connecting(self, servers: Sequence[Remark]) -> None:
        """See `Progress`."""
        for server in servers:
            self._out(str(server))

    def counted(self, total: int | None) -> None:
        """See `Progress`."""
        self._total = total

    def asking(self, tally: RunProgress) -> None:
        """See `Progress`."""
        if self._is_due():
            self._out(self._line(tally))

    def asked(self, tally: RunProgress) -> None:
        """See `Progress`."""
        self._out(self._line(tally))

    def grading(self, count: int) -> None:
        """See `Progress`."""
        if self._is_due():
            self._out(tr("{count} graded", count=f"{count:,}"))

    def _is_due(self) -> bool:
        now = monotonic()
        due = now - self._told >= self._every
        self._told = now if due else self._told
        return due

    def _line(self, tally: RunProgress) -> str:
        parts = [f"{tally.done:,}" + (f" / {self._total:,}" if self._total else "")]
        if tally.retried or tally.failed:
            parts.append(tr("{retried} tried again, {failed} failed", retried=tally.retried, failed=tally.failed))
        if tally.cost:
            parts.append(tr("cost {cost}", cost=f"{tally.cost:.2f}"))
        if tally.accuracy is not None:
            parts.append(tr("score {score}", score=f"{100 * tally.accuracy:.1f} %"))
        return " · ".join(parts)
