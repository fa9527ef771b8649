"""One sample: picture with truth and reply over it, what was asked, every attempt, the grade and why."""

from __future__ import annotations

from typing import Any

import duckdb
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from sightline.core.errors import SightlineError
from sightline.reports.sample_view.drawings import data_uri
from sightline.reports.sample_view.shown import LARGEST, Shown, load_reply, load_sample
from sightline.reports.sample_view.texts import clip, pretty
from sightline.web.viewer.app_state import AppState, app_state, find_run
from sightline.web.viewer.diff import diff_lines
from sightline.web.viewer.filters import Filter, read_filter
from sightline.web.viewer.grades import Row
from sightline.web.viewer.render import apply_language, render_page
from sightline.web.viewer.run_index import RunEntry
from sightline.web.viewer.run_page import task_names

Neighbours = tuple[int, int | None, int | None, int]
_NO_NEIGHBOURS: Neighbours = (-1, None, None, 0)


def sample_page(request: Request) -> Response:
    """The page of a sample."""
    apply_language(request)
    state, entry = app_state(request), find_run(request, request.path_params["run"])
    position, wanted = request.path_params["position"], read_filter(request.query_params)
    row, around = find_grade(state, entry, position, wanted)
    attempt = _requested_attempt(request)
    shown = _view_sample(state, entry, position, row, attempt)
    if shown.grade is None and shown.sample is None:
        raise HTTPException(404)
    values = clip(pretty(shown.grade["values"] or "")) if shown.grade else None
    return render_page(
        request,
        "sample.html",
        entry=entry,
        position=position,
        wanted=wanted,
        around=around,
        shown=shown,
        attempt=min(attempt, max(1, len(shown.attempts))),
        row=shown.grade,
        values=values,
        difference=None if shown.drawn else diff_lines(shown.truth, shown.reply),
        drawings=[(drawing, data_uri(drawing) if drawing.svg else "") for drawing in shown.drawings],
        beside=_other_run(request, position, row),
        task_names=task_names(entry.summary),
    )


def find_grade(state: AppState, entry: RunEntry, position: int, wanted: Filter | None) -> tuple[Row | None, Neighbours]:
    """The grade of a sample, and its place among those that a filter finds."""
    if not entry.graded or position > LARGEST:
        return None, _NO_NEIGHBOURS
    try:
        row = state.grades.row(entry.folder.grades, position)
        if wanted is None:
            return row, _NO_NEIGHBOURS
        found = state.grades.apply_filter(entry.folder.grades, wanted)
    except duckdb.Error:
        return None, _NO_NEIGHBOURS
    return row, (*found.neighbours(position), len(found))


def _requested_attempt(request: Request) -> int:
    """The attempt that an address asks for; the first, on which the headline rests, where it asks for none."""
    given = request.query_params.get("attempt", "")
    return max(1, int(given)) if given.isascii() and given.isdigit() and len(given) < 6 else 1


def _view_sample(state: AppState, entry: RunEntry, position: int, row: Row | None, attempt: int = 1) -> Shown:
    reader = state.reader_cache.of(entry)
    if isinstance(reader, SightlineError):
        return Shown(grade=row, faults=(str(reader),))
    return load_sample(reader, position, row, attempt)


def _other_run(request: Request, position: int, row: Row | None) -> dict[str, Any] | None:
    """What another run made of the same sample, where the address names one."""
    state = app_state(request)
    other = state.runs.find(request.query_params.get("beside", ""))
    if other is None or row is None:
        return None
    theirs, reader = find_grade(state, other, position, None)[0], state.reader_cache.of(other)
    if theirs is None or theirs["sample"] != row["sample"] or isinstance(reader, SightlineError):
        return None
    return {"entry": other, "row": theirs, "reply": load_reply(reader, position, theirs)}
