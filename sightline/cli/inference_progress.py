"""Progress of a run on standard error: a live line in a terminal, plain lines now and then in a pipe."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from time import monotonic
from typing import TYPE_CHECKING

import click

from sightline.api.line_progress import checking_line, finished_line
from sightline.cli.progress import EVERY_SECONDS
from sightline.core.records import Remark
from sightline.i18n import tr
from sightline.i18n.printable import printable
from sightline.inference.cost_estimate import CostEstimate
from sightline.inference.run_progress import RunProgress
from sightline.runs.folder import RunFolder
from sightline.runs.manifest import Manifest
from sightline.runs.run import Progress
from sightline.scoring.summary import Summary

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

_REDRAW = 0.1
_QUIET = 1.0
"""Seconds that hashing a data set may take before a word is said of it."""


def make_progress() -> Progress:
    """The kind that fits where standard error goes."""
    return _Live() if sys.stderr.isatty() else _Plain()


class _Telling(Progress):
    """What both kinds say at the start."""

    total: int | None = None
    _noticed = 0
    _checking_told: float | None = None

    def checking(self, done: int, total: int) -> None:
        now = monotonic()
        if self._checking_told is None:
            self._checking_told = now - EVERY_SECONDS + _QUIET
        elif now - self._checking_told >= EVERY_SECONDS:
            self._checking_told = now
            self.say_line(checking_line(done, total))

    def warning(self, remark: Remark) -> None:
        click.secho(printable(str(remark)), fg="yellow", err=True)

    def finished(self, folder: RunFolder, summary: Summary) -> None:
        click.echo(finished_line(folder, summary), err=True)

    def finished_before_judge(self, folder: RunFolder, summary: Summary) -> None:
        click.echo(finished_line(folder, summary, is_judged=True), err=True)

    def begin(self, folder: RunFolder, manifest: Manifest, resumed: bool, torn_bytes: int) -> None:
        click.echo(tr("Resuming {folder}" if resumed else "Run folder: {folder}", folder=folder.path), err=True)
        if torn_bytes:
            click.echo(
                tr(
                    "The last line of the journal was incomplete ({bytes} bytes) and has been set aside.",
                    bytes=torn_bytes,
                ),
                err=True,
            )

    def connecting(self, servers: Sequence[Remark]) -> None:
        for server in servers:
            click.echo(printable(str(server)), err=True)

    def counted(self, total: int | None) -> None:
        self.total = total

    def notice(self, tally: RunProgress) -> None:
        """Say what is new and worth a line of its own."""
        for remark in tally.notices[self._noticed :]:
            self.say_line(printable(str(remark)))
        self._noticed = len(tally.notices)

    def say_line(self, line: str) -> None:
        """One line on standard error."""
        click.echo(line, err=True)

    def asked(self, tally: RunProgress) -> None:
        self.notice(tally)

    def forecast(self, expected: CostEstimate) -> None:
        cost = f"{expected.cost:.2f}" if expected.cost is not None else tr("unknown; set --price-in and --price-out")
        told = {"requests": f"{expected.requests:,}", "tokens": f"{expected.tokens_in:,}", "cost": cost}
        click.echo(tr("Judge: {requests} requests, about {tokens} prompt tokens, cost {cost}", **told), err=True)


class _Plain(_Telling):
    """A line every few seconds."""

    def __init__(self) -> None:
        self._started = self._told = monotonic()

    def asking(self, tally: RunProgress) -> None:
        self.notice(tally)
        now = monotonic()
        if now - self._told >= EVERY_SECONDS:
            self._told = now
            click.echo(status(tally, self.total, now - self._started), err=True)

    def grading(self, count: int) -> None:
        if monotonic() - self._told >= EVERY_SECONDS:
            self._told = monotonic()
            click.echo(tr("{count} graded", count=f"{count:,}"), err=True)


class _Live(_Telling):
    """A bar with rate, time left, errors, cost and running score."""

    def __init__(self) -> None:
        self._bar: RichProgress | None = None
        self._drawn = 0.0
        self._started = monotonic()

    def counted(self, total: int | None) -> None:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress
        from rich.table import Column

        self.total = total
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

    def say_line(self, line: str) -> None:
        if self._bar is None:
            super().say_line(line)
        else:
            self._bar.console.print(line, markup=False, highlight=False)

    def asking(self, tally: RunProgress) -> None:
        self.notice(tally)
        now = monotonic()
        if self._bar is None or (now - self._drawn < _REDRAW and tally.done != self.total):
            return
        self._drawn = now
        self._bar.update(self._task, completed=tally.done, status=details(tally, now - self._started))

    def grading(self, count: int) -> None:
        now = monotonic()
        if self._bar is not None and now - self._drawn >= _REDRAW:
            self._drawn = now
            self._bar.update(self._task, description=tr("grading"), completed=count, status="")

    def end(self) -> None:
        if self._bar is not None:
            self._bar.stop()


def status(tally: RunProgress, total: int | None, seconds: float) -> str:
    """One plain line: how far, how fast, how long still."""
    parts = [f"{tally.done:,}" + (f" / {total:,}" if total else "")]
    asked = tally.answered + tally.failed
    if total and asked:
        left = (total - tally.done) * seconds / asked + (tally.outage.next_probe_in if tally.outage else 0.0)
        parts.append(tr("{time} left", time=_time(left)))
    return " · ".join([*parts, details(tally, seconds)])


def details(tally: RunProgress, seconds: float) -> str:
    """Rate, errors, cost, running score."""
    rate = (tally.answered + tally.failed) / seconds if seconds > 0 else 0.0
    parts = [f"{rate:.1f}/s", tr("{count} in flight", count=tally.in_flight)]
    if tally.retried or tally.failed:
        parts.append(tr("{retried} retried, {failed} failed", retried=tally.retried, failed=tally.failed))
    if len(tally.servers) > 1:
        shown = (
            f"{count.requests:,}" + (f" (−{count.errors:,})" if count.errors else "")
            for count in tally.servers.values()
        )
        parts.append(tr("servers {counts}", counts=" + ".join(shown)))
    if tally.cost:
        parts.append(tr("cost {cost}", cost=f"{tally.cost:.2f}"))
    if tally.accuracy is not None:
        parts.append(tr("score {score}", score=f"{100 * tally.accuracy:.1f} %"))
    if tally.outage is not None:
        facts = {"seconds": _time(tally.outage.seconds), "next": _time(tally.outage.next_probe_in)}
        parts.append(tr("no response for {seconds}, next attempt in {next}", **facts))
        parts.append(printable(tally.outage.reason.partition("\n")[0][:60]))
    elif tally.retried and tally.waiting_for:
        parts.append(printable(tally.waiting_for.splitlines()[0][:60]))
    return " · ".join(parts)


def _time(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}"
