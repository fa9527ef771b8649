"""The list of runs."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from msgspec import Struct
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from sightline.i18n import say
from sightline.reports.figures import count
from sightline.web.viewer.app_state import desk_of
from sightline.web.viewer.journal_tail import Course
from sightline.web.viewer.render import page, speak
from sightline.web.viewer.run_index import Entry


class Line(Struct, frozen=True):
    """A run in the list."""

    entry: Entry
    started: str
    took: str


def runs_page(request: Request) -> Response:
    """All runs, newest first; a word picks those whose model, suite or folder has it."""
    speak(request)
    desk = desk_of(request)
    wanted = request.query_params.get("text", "").strip()[:200]
    entries = desk.shelf.entries()
    shown = [entry for entry in entries if wanted.casefold() in _named(entry).casefold()]
    lines = [_line(entry) for entry in shown]
    live = any(entry.live for entry in shown)
    return page(request, "runs.html", lines=lines, total=len(entries), text=wanted, live=live)


def live_runs(request: Request) -> Response:
    """The state of every run, and how far those have come that are going on."""
    speak(request)
    desk = desk_of(request)
    told: dict[str, Any] = {}
    for entry in desk.shelf.entries():
        course = desk.watches.of(entry.folder.journal).look()[0] if entry.live else None
        told[entry.id] = {"state": entry.manifest.state, "text": progress(course) if course else ""}
    return JSONResponse(told)


def progress(course: Course) -> str:
    """How far a run has come, in words."""
    parts = [say("{count} answered", count=count(course.answered))]
    if course.failed:
        parts.append(say("{count} failed", count=count(course.failed)))
    if course.idle is not None and course.idle < 120:
        parts.append(say("last line {seconds} s ago", seconds=course.idle))
    elif course.idle is not None:
        parts.append(say("last line {minutes} min ago", minutes=count(course.idle // 60)))
    return ", ".join(parts)


def started(entry: Entry) -> str:
    """When it began, to the minute."""
    try:
        return datetime.fromisoformat(entry.manifest.started).strftime("%Y-%m-%d %H:%M")
    except ValueError:
        return entry.manifest.started


def _line(entry: Entry) -> Line:
    return Line(entry, started(entry), _took(entry.manifest.seconds_asking))


def _took(seconds: float) -> str:
    if not seconds:
        return "–"
    if seconds < 60:
        return f"{seconds:.1f} s"
    hours, minutes = divmod(round(seconds / 60), 60)
    return f"{hours} h {minutes} min" if hours else f"{minutes} min"


def _named(entry: Entry) -> str:
    return " ".join((entry.manifest.model, entry.manifest.params, entry.manifest.suite, entry.name))
