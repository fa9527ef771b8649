"""Pages of runs: the list, one run with its samples by filter, and two runs side by side."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import duckdb
from msgspec import Struct
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from sightline.core.errors import SightlineError
from sightline.core.records import Answer, Failure
from sightline.i18n import tr
from sightline.reports.formatting import format_count, row_name
from sightline.reports.sample_view.texts import show_hidden
from sightline.reports.tables import detail_tables, headline, side_by_side_table, tables
from sightline.scoring.summary import Summary
from sightline.web.viewer.app_state import AppState, RunEntry, app_state, find_run
from sightline.web.viewer.grades import PAGE_SIZE, SORTS, Facets, Row, SampleFilter, SamplePairs, read_filter, read_page
from sightline.web.viewer.journal_tail import JournalProgress
from sightline.web.viewer.render import apply_language, render_page


class RunLine(Struct, frozen=True):
    """A run in the list."""

    entry: RunEntry
    started: str
    duration: str


def runs_page(request: Request) -> Response:
    """All runs, newest first; a word picks those whose model, suite or folder has it."""
    apply_language(request)
    state = app_state(request)
    wanted = request.query_params.get("text", "").strip()[:200]
    entries = state.runs.entries()
    shown = [entry for entry in entries if wanted.casefold() in _search_text(entry).casefold()]
    lines = [_line(entry) for entry in shown]
    live = any(entry.is_running for entry in shown)
    return render_page(request, "runs.html", lines=lines, total=len(entries), text=wanted, live=live)


def live_runs(request: Request) -> Response:
    """The state of every run, and the progress of those that are running."""
    apply_language(request)
    state = app_state(request)
    states: dict[str, Any] = {}
    for entry in state.runs.entries():
        progress = state.journal_tails.of(entry.folder.journal).poll()[0] if entry.is_running else None
        states[entry.id] = {"state": entry.manifest.state, "text": format_progress(progress) if progress else ""}
    return JSONResponse(states)


def format_progress(progress: JournalProgress) -> str:
    """How far a run has come, in words."""
    parts = [tr("{count} answered", count=format_count(progress.answered))]
    if progress.failed:
        parts.append(tr("{count} failed", count=format_count(progress.failed)))
    if progress.idle is not None and progress.idle < 120:
        parts.append(tr("last reply {seconds} s ago", seconds=progress.idle))
    elif progress.idle is not None:
        parts.append(tr("last reply {minutes} min ago", minutes=format_count(progress.idle // 60)))
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


_MAX_TAG_CHOICES = 500
_JOURNAL_EXCERPT = 160


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
    if entry.is_graded:
        try:
            context |= _filtered_samples(state, entry, wanted, number)
        except duckdb.Error:
            context["fault"] = tr("Cannot read the grades of this run.")
    if entry.is_running or not entry.is_graded:
        progress, recent = state.journal_tails.of(entry.folder.journal).poll()
        context |= {"progress": format_progress(progress), "recent": [_journal_line(record) for record in recent]}
    return render_page(request, "run.html", **context, **_metrics(entry.summary), others=_comparable_runs(state, entry))


def live_run(request: Request) -> Response:
    """How far a run has come, for the page to show without being loaded again."""
    apply_language(request)
    state, entry = app_state(request), find_run(request, request.path_params["run"])
    progress, recent = state.journal_tails.of(entry.folder.journal).poll()
    lines = [_journal_line(record) for record in recent]
    return JSONResponse({"state": entry.manifest.state, "text": format_progress(progress), "recent": lines})


def _metrics(summary: Summary | None) -> dict[str, Any]:
    if summary is None:
        return {"summary": None, "head": [], "tables": [], "task_names": {}}
    try:
        shown = [*tables(summary), *detail_tables(summary)]
        lines = headline(summary)[2:]
    except (LookupError, TypeError, ValueError, ArithmeticError):  # figures that no run of ours has written
        shown, lines = [], [(tr("Metrics"), tr("Cannot read the report of this run."))]
    return {"summary": summary, "head": lines, "tables": shown, "task_names": task_names(summary)}


def task_names(summary: Summary | None) -> dict[str, str]:
    """What tasks are called in the reader's language."""
    return {row.name: row_name(row) for row in summary.rows_of("task")} if summary else {}


def _filtered_samples(state: AppState, entry: RunEntry, wanted: SampleFilter, number: int) -> dict[str, Any]:
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
    titles = (tr("position in the data set"), tr("lowest score first"), tr("highest score first"), tr("task"))
    return dict(zip(SORTS, titles, strict=True))


def _tag_choices(summary: Summary | None, facets: Facets) -> list[str]:
    """`name=value` of the tags that the report breaks the figures down by; other names without a value."""
    known = [f"{row.scope}={row.name}" for row in summary.rows if row.scope in facets.tags] if summary else []
    named = {choice.partition("=")[0] for choice in known}
    return [*dict.fromkeys(known)][:_MAX_TAG_CHOICES] + [f"{name}=" for name in facets.tags if name not in named]


def _journal_line(record: Answer | Failure) -> dict[str, Any]:
    text = record.text
    kind = "answer" if isinstance(record, Answer) else "failure"
    shown = text[:_JOURNAL_EXCERPT] + ("…" if len(text) > _JOURNAL_EXCERPT else "")
    line = {"kind": kind, "position": record.position, "sample": record.sample, "text": shown}
    return {name: show_hidden(value) for name, value in line.items()} | {"seconds": f"{record.seconds:.1f} s"}


def _comparable_runs(state: AppState, entry: RunEntry) -> list[RunEntry]:
    """Runs of the same suite that this one can be compared with."""
    same = [one for one in state.runs.entries() if one.manifest.suite == entry.manifest.suite and one.is_graded]
    return [one for one in same if one.id != entry.id]


_REPLY_EXCERPT = 300
_OUTCOMES = ("better", "worse", "same")


def compare_page(request: Request) -> Response:
    """The page of two runs."""
    apply_language(request)
    state = app_state(request)
    chosen = request.query_params.getlist("run")
    if len(chosen) != 2:
        why = tr("Select two runs from the list to compare.")
        return render_page(request, "message.html", 200, title=tr("Compare"), text=why)
    first, second = (find_run(request, name) for name in chosen)
    if not (first.is_graded and second.is_graded):
        raise HTTPException(404)
    show = request.query_params.get("show", "")
    context: dict[str, Any] = {"first": first, "second": second, "show": show if show in _OUTCOMES else "", "fault": ""}
    same_data = first.manifest.grading_fingerprint == second.manifest.grading_fingerprint
    try:
        pairs = state.grades.pairs(first.folder.grades, second.folder.grades, same_data)
        context |= _paired_samples(state, (first, second), pairs.only(show), read_page(request.query_params))
        context["counts"] = pairs.counts()
    except duckdb.Error:
        context |= {"fault": tr("Cannot read the grades of this run."), "counts": {}, "rows": [], "found": 0}
        context |= {"number": 1, "pages": 1}
    table = side_by_side_table([first.summary, second.summary]) if first.summary and second.summary else None
    return render_page(
        request, "compare.html", **context, table=table, same_data=same_data, task_names=task_names(first.summary)
    )


def _paired_samples(
    state: AppState, entries: tuple[RunEntry, RunEntry], pairs: SamplePairs, number: int
) -> dict[str, Any]:
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
    if isinstance(reader, SightlineError) or not entry.has_journal:
        return [""] * len(rows)
    excerpts = []
    for row in rows:
        attempts = reader.attempts(row["position"], row["sample"])
        answers = attempts[0].answers if attempts else []
        text = answers[-1].full_text if answers else ""
        excerpts.append(text[:_REPLY_EXCERPT] + ("…" if len(text) > _REPLY_EXCERPT else ""))
    return excerpts
