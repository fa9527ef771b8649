"""Two runs side by side, sample by sample, those that differ most first."""

from __future__ import annotations

from typing import Any

import duckdb
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from sightline.core.errors import SightlineError
from sightline.i18n import tr
from sightline.reports.compare import comparison
from sightline.web.viewer.app_state import AppState, app_state, find_run
from sightline.web.viewer.filters import PAGE_SIZE, read_page
from sightline.web.viewer.grades import Row, SamplePairs
from sightline.web.viewer.render import apply_language, render_page
from sightline.web.viewer.run_index import RunEntry
from sightline.web.viewer.run_page import task_names

_EXCERPT = 300
_OUTCOMES = ("better", "worse", "same")


def compare_page(request: Request) -> Response:
    """The page of two runs."""
    apply_language(request)
    state = app_state(request)
    chosen = request.query_params.getlist("run")
    if len(chosen) != 2:
        why = tr("Choose two runs of the list to compare.")
        return render_page(request, "message.html", 200, title=tr("Compare"), text=why)
    first, second = (find_run(request, name) for name in chosen)
    if not (first.graded and second.graded):
        raise HTTPException(404)
    show = request.query_params.get("show", "")
    context: dict[str, Any] = {"first": first, "second": second, "show": show if show in _OUTCOMES else "", "fault": ""}
    same_data = first.manifest.grading_fingerprint == second.manifest.grading_fingerprint
    try:
        pairs = state.grades.pairs(first.folder.grades, second.folder.grades, same_data)
        context |= _samples(state, (first, second), pairs.only(show), read_page(request.query_params))
        context["counts"] = pairs.counts()
    except duckdb.Error:
        context |= {"fault": tr("The grades of this run can't be read."), "counts": {}, "rows": [], "found": 0}
        context |= {"number": 1, "pages": 1}
    table = comparison([first.summary, second.summary]) if first.summary and second.summary else None
    return render_page(
        request, "compare.html", **context, table=table, same_data=same_data, task_names=task_names(first.summary)
    )


def _samples(state: AppState, entries: tuple[RunEntry, RunEntry], pairs: SamplePairs, number: int) -> dict[str, Any]:
    pages = max(1, -(-len(pairs.positions) // PAGE_SIZE))
    number = min(number, pages)
    part = slice((number - 1) * PAGE_SIZE, number * PAGE_SIZE)
    sides = (pairs.positions[part].tolist(), pairs.others[part].tolist())
    rows = [state.grades.rows_at(entry.folder.grades, side) for entry, side in zip(entries, sides, strict=True)]
    replies = [_replies(state, entry, side) for entry, side in zip(entries, rows, strict=True)]
    lines = zip(*rows, *replies, pairs.differences[part].tolist(), strict=True)
    return {"rows": list(lines), "found": len(pairs.positions), "number": number, "pages": pages}


def _replies(state: AppState, entry: RunEntry, rows: list[Row]) -> list[str]:
    """How the first attempt's last reply begins."""
    reader = state.reader_cache.of(entry)
    if isinstance(reader, SightlineError) or not entry.journaled:
        return [""] * len(rows)
    told = []
    for row in rows:
        attempts = reader.attempts(row["position"], row["sample"])
        answers = attempts[0].answers if attempts else []
        text = answers[-1].text if answers else ""
        told.append(text[:_EXCERPT] + ("…" if len(text) > _EXCERPT else ""))
    return told
