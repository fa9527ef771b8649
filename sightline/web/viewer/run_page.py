"""One run: its figures, and its samples by filter and page; or how far it has come."""

from __future__ import annotations

from typing import Any

import duckdb
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from sightline.core.records import Answer, Failure
from sightline.i18n import tr
from sightline.reports.figures import shown_name
from sightline.reports.sample_view.texts import visible
from sightline.reports.tables import detail_tables, headline, tables
from sightline.scoring.summary import Summary
from sightline.web.viewer.app_state import AppState, app_state, find_run
from sightline.web.viewer.filters import PAGE_SIZE, SORTS, Filter, read_filter, read_page
from sightline.web.viewer.grades import Facets
from sightline.web.viewer.render import apply_language, render_page
from sightline.web.viewer.run_index import RunEntry
from sightline.web.viewer.runs_page import format_progress, format_start

_MAX_TAG_CHOICES = 500
_EXCERPT = 160


def run_page(request: Request) -> Response:
    """The page of a run."""
    apply_language(request)
    state, entry = app_state(request), find_run(request, request.path_params["run"])
    wanted, number = read_filter(request.query_params), read_page(request.query_params)
    context: dict[str, Any] = {
        "entry": entry,
        "started": format_start(entry),
        "wanted": wanted,
        "fault": "",
        "found": None,
    }
    if entry.graded:
        try:
            context |= _samples(state, entry, wanted, number)
        except duckdb.Error:
            context["fault"] = tr("The grades of this run can't be read.")
    if entry.live or not entry.graded:
        course, recent = state.journal_tails.of(entry.folder.journal).poll()
        context |= {"course": format_progress(course), "recent": [_journal_line(record) for record in recent]}
    return render_page(request, "run.html", **context, **_metrics(entry.summary), others=_comparable_runs(state, entry))


def live_run(request: Request) -> Response:
    """How far a run has come, for the page to show without being loaded again."""
    apply_language(request)
    state, entry = app_state(request), find_run(request, request.path_params["run"])
    course, recent = state.journal_tails.of(entry.folder.journal).poll()
    lines = [_journal_line(record) for record in recent]
    return JSONResponse({"state": entry.manifest.state, "text": format_progress(course), "recent": lines})


def _metrics(summary: Summary | None) -> dict[str, Any]:
    if summary is None:
        return {"summary": None, "head": [], "tables": [], "task_names": {}}
    try:
        shown = [*tables(summary), *detail_tables(summary)]
        lines = headline(summary)[2:]
    except (LookupError, TypeError, ValueError, ArithmeticError):  # figures that no run of ours has written
        shown, lines = [], [(tr("Figures"), tr("The report of this run can't be read."))]
    return {"summary": summary, "head": lines, "tables": shown, "task_names": task_names(summary)}


def task_names(summary: Summary | None) -> dict[str, str]:
    """What tasks are called in the reader's language."""
    return {row.name: shown_name(row) for row in summary.rows_of("task")} if summary else {}


def _samples(state: AppState, entry: RunEntry, wanted: Filter, number: int) -> dict[str, Any]:
    path = entry.folder.grades
    facets = state.grades.facets(path)
    found = state.grades.apply_filter(path, wanted)
    pages = max(1, -(-len(found) // PAGE_SIZE))
    number = min(number, pages)
    return {
        "facets": facets,
        "found": len(found),
        "rows": state.grades.page(path, found, number),
        "number": number,
        "pages": pages,
        "sorts": _sorts(),
        "tag_choices": _tag_choices(entry.summary, facets),
    }


def _sorts() -> dict[str, str]:
    titles = (tr("place in the data set"), tr("lowest score first"), tr("highest score first"), tr("task"))
    return dict(zip(SORTS, titles, strict=True))


def _tag_choices(summary: Summary | None, facets: Facets) -> list[str]:
    """`name=value` of the tags that the report breaks the figures down by; other names without a value."""
    known = [f"{row.scope}={row.name}" for row in summary.rows if row.scope in facets.tags] if summary else []
    named = {choice.partition("=")[0] for choice in known}
    return [*dict.fromkeys(known)][:_MAX_TAG_CHOICES] + [f"{name}=" for name in facets.tags if name not in named]


def _journal_line(record: Answer | Failure) -> dict[str, Any]:
    text = record.text
    kind = "answer" if isinstance(record, Answer) else "failure"
    shown = text[:_EXCERPT] + ("…" if len(text) > _EXCERPT else "")
    told = {"kind": kind, "position": record.position, "sample": record.sample, "text": shown}
    return {name: visible(value) for name, value in told.items()} | {"seconds": f"{record.seconds:.1f} s"}


def _comparable_runs(state: AppState, entry: RunEntry) -> list[RunEntry]:
    """Runs of the same suite that this one can be held against."""
    same = [one for one in state.runs.entries() if one.manifest.suite == entry.manifest.suite and one.graded]
    return [one for one in same if one.id != entry.id]
