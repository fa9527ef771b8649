"""The list of runs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from sightline.i18n import tr
from sightline.reports.figures import count
from sightline.web.viewer.app_state import app_state
from sightline.web.viewer.journal_tail import JournalProgress
from sightline.web.viewer.render import apply_language, render_page
from sightline.web.viewer.run_index import RunEntry


class RunLine(Struct, frozen=True):
    """A run in the list."""

    entry: RunEntry
    started: str
    took: str


def runs_page(request: Request) -> Response:
    """All runs, newest first; a word picks those whose model, suite or folder has it."""
    apply_language(request)
    state = app_state(request)
    wanted = request.query_params.get("text", "").strip()[:200]
    entries = state.runs.entries()
    shown = [entry for entry in entries if wanted.casefold() in _search_text(entry).casefold()]
    lines = [_line(entry) for entry in shown]
    live = any(entry.live for entry in shown)
    return render_page(request, "runs.html", lines=lines, total=len(entries), text=wanted, live=live)


def live_runs(request: Request) -> Response:
    """The state of every run, and how far those have come that are going on."""
    apply_language(request)
    state = app_state(request)
    told: dict[str, Any] = {}
    for entry in state.runs.entries():
        course = state.journal_tails.of(entry.folder.journal).poll()[0] if entry.live else None
        told[entry.id] = {"state": entry.manifest.state, "text": format_progress(course) if course else ""}
    return JSONResponse(told)


def format_progress(course: JournalProgress) -> str:
    """How far a run has come, in words."""
    parts = [tr("{count} answered", count=count(course.answered))]
    if course.failed:
        parts.append(tr("{count} failed", count=count(course.failed)))
    if course.idle is not None and course.idle < 120:
        parts.append(tr("last line {seconds} s ago", seconds=course.idle))
    elif course.idle is not None:
        parts.append(tr("last line {minutes} min ago", minutes=count(course.idle // 60)))
    return ", ".join(parts)


def format_start(entry: RunEntry) -> str:
    """When it began, to the minute."""
    try:
        return datetime.fromisoformat(entry.manifest.started).strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return entry.manifest.started


def _line(entry: RunEntry) -> RunLine:
    return RunLine(entry, format_start(entry), _format_duration(entry.manifest.seconds_asking))


def _format_duration(seconds: float) -> str:
    if not seconds:
        return "–"
    if seconds < 60:
        return f"{seconds:.1f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _search_text(entry: RunEntry) -> str:
    return " ".join((entry.manifest.model, entry.manifest.params, entry.manifest.suite, entry.name))
