"""Progress of a run on standard error: a live line in a terminal, plain lines in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING

import click

from sightline.api.line_progress import LineProgress, checking_line
from sightline.cli.progress import EVERY_SECONDS
from sightline.core.remarks import Remark
from sightline.i18n import tr
from sightline.i18n.printable import printable
from sightline.inference.cost import CostEstimate
from sightline.inference.run_progress import RunProgress
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest
from sightline.runs.run import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

_REDRAW = 0.1
_QUIET = 1.0
"""Seconds of hashing before its progress is printed."""


def make_progress() -> Progress:
    """A progress bar in a terminal, plain lines otherwise."""
    return _Bar() if sys.stderr.isatty() else _Lines()


class _TerminalProgress(LineProgress):
    """Progress on standard error: what both kinds print."""

    _notices = 0
    _hashing_printed: float | None = None

    def __init__(self) -> None:
        super().__init__(EVERY_SECONDS, self.print_line)
        self._started = monotonic()

    def checking(self, done: int, total: int) -> None:
        now = monotonic()
        if self._hashing_printed is None:
            self._hashing_printed = now - EVERY_SECONDS + _QUIET
        elif now - self._hashing_printed >= EVERY_SECONDS:
            self._hashing_printed = now
            self.print_line(checking_line(done, total))

    def warning(self, remark: Remark) -> None:
        click.secho(printable(str(remark)), fg="yellow", err=True)

    def begin(self, folder: RunFolder, manifest: Manifest, resumed: bool, torn_bytes: int) -> None:
        super().begin(folder, manifest, resumed, torn_bytes)
        if torn_bytes:
            text = tr(
                "The last line of the journal was incomplete ({bytes} bytes) and has been set aside.", bytes=torn_bytes
            )
            click.echo(text, err=True)

    def launching(self, remark: Remark) -> None:
        self.print_line(printable(str(remark)))

    def connecting(self, servers: Sequence[Remark]) -> None:
        for server in servers:
            click.echo(printable(str(server)), err=True)

    def notice(self, progress: RunProgress) -> None:
        """Print the new notices."""
        for remark in progress.notices[self._notices :]:
            self.print_line(printable(str(remark)))
        self._notices = len(progress.notices)

    def print_line(self, line: str) -> None:
        """One line on standard error."""
        click.echo(line, err=True)

    def inference_finished(self, progress: RunProgress) -> None:
        self.notice(progress)

    def forecast(self, expected: CostEstimate) -> None:
        from sightline.reports.formatting import format_cost

        cost = (
            format_cost(expected.cost) if expected.cost is not None else tr("unknown; set --price-in and --price-out")
        )
        args = {"requests": f"{expected.requests:,}", "tokens": f"{expected.tokens_in:,}", "cost": cost}
        click.echo(tr("Judge: {requests} requests, about {tokens} prompt tokens, cost {cost}", **args), err=True)


class _Lines(_TerminalProgress):
    """A line every few seconds."""

    def inference_updated(self, progress: RunProgress) -> None:
        self.notice(progress)
        super().inference_updated(progress)

    def _line(self, progress: RunProgress) -> str:
        return status(progress, self._total, monotonic() - self._started)


class _Bar(_TerminalProgress):
    """A bar with rate, time left, errors, cost and running score."""

    _bar: RichProgress | None = None
    _drawn = 0.0

    def counted(self, total: int | None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress
        from rich.table import Column

        self._total = total
        self._bar = RichProgress(
            TextColumn("{task.description}"),
            BarColumn(bar_width=20),
            MofNCompleteColumn(table_column=Column(no_wrap=True, min_width=len(f"{total} / {total}"))),
            TimeRemainingColumn(compact=True),
            # what a server says is shown as it is, never read as markup
            TextColumn("{task.fields[status]}", markup=False, table_column=Column(no_wrap=True, overflow="ellipsis")),
            console=Console(stderr=True),
            transient=True,
            refresh_per_second=8,
        )
        self._task = self._bar.add_task(tr("inference"), total=total, status="")
        self._bar.start()

    def print_line(self, line: str) -> None:
        if self._bar is None:
            super().print_line(line)
        else:
            self._bar.console.print(line, markup=False, highlight=False)

    def inference_updated(self, progress: RunProgress) -> None:
        self.notice(progress)
        now = monotonic()
        if self._bar is None or (now - self._drawn < _REDRAW and progress.done != self._total):
            return
        self._drawn = now
        self._bar.update(self._task, completed=progress.done, status=details(progress, now - self._started))

    def grading(self, count: int) -> None:
        now = monotonic()
        if self._bar is not None and now - self._drawn >= _REDRAW:
            self._drawn = now
            self._bar.update(self._task, description=tr("grading"), completed=count, status="")

    def end(self) -> None:
        if self._bar is not None:
            self._bar.stop()


def status(progress: RunProgress, total: int | None, seconds: float) -> str:
    """One line: samples done, time left, rate."""
    parts = [f"{progress.done:,}" + (f" / {total:,}" if total else "")]
    asked = progress.answered + progress.failed
    if total and asked:
        left = (total - progress.done) * seconds / asked + (progress.outage.next_probe_in if progress.outage else 0.0)
        parts.append(tr("{time} left", time=_time(left)))
    return " · ".join([*parts, details(progress, seconds)])


def details(progress: RunProgress, seconds: float) -> str:
    """Rate, errors, cost, running score."""
    rate = (progress.answered + progress.failed) / seconds if seconds > 0 else 0.0
    parts = [
        f"{rate:.1f}/s" if rate >= 1 or not rate else f"{60 * rate:.1f}/min",
        tr("{count} in flight", count=progress.in_flight),
    ]
    if progress.retried or progress.failed:
        parts.append(tr("{retried} retried, {failed} failed", retried=progress.retried, failed=progress.failed))
    if len(progress.servers) > 1:
        shown = (
            f"{count.requests:,}" + (f" (−{count.errors:,})" if count.errors else "")
            for count in progress.servers.values()
        )
        parts.append(tr("servers {counts}", counts=" + ".join(shown)))
    if progress.cost:
        from sightline.reports.formatting import format_cost

        parts.append(tr("cost {cost}", cost=format_cost(progress.cost)))
    if progress.accuracy is not None:
        parts.append(tr("score {score}", score=f"{100 * progress.accuracy:.1f} %"))
    if progress.outage is not None:
        args = {"seconds": _time(progress.outage.seconds), "next": _time(progress.outage.next_probe_in)}
        parts.append(tr("no response for {seconds}, next attempt in {next}", **args))
        parts.append(printable(progress.outage.reason.partition("\n")[0][:60]))
    elif progress.retried and progress.waiting_for:
        parts.append(printable(progress.waiting_for.splitlines()[0][:60]))
    return " · ".join(parts)


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
