"""A leaderboard as tables, Markdown and one page."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from sightline.core.records import Estimate
from sightline.i18n import tr
from sightline.reports.comparison_page import clean
from sightline.reports.figures import count, figure, interval, skill
from sightline.reports.html import html_list, html_table
from sightline.reports.markdown import markdown_safe, table_text
from sightline.reports.page.bilingual import both
from sightline.reports.page.layout import one_page
from sightline.reports.tables import Bar, Table
from sightline.runs.comparison.leaderboard import Entry, Group, Leaderboard


def leaderboard_tables(board: Leaderboard) -> list[Table]:
    """All suites side by side, then each group with its ranks."""
    made = [_group(group) for group in board.groups]
    return [_overview(board), *made] if len(board.groups) > 1 else made


def leaderboard_notes(board: Leaderboard) -> list[str]:
    """What could not be ranked."""
    return [clean(str(remark)) for remark in board.left_out]


def _overview(board: Leaderboard) -> Table:
    rows: dict[tuple[str, str, str], dict[str, tuple[Group, Entry]]] = {}
    for group in board.groups:
        for entry in group.entries:
            rows.setdefault(entry.row, {})[group.name] = (group, entry)
    ordered = sorted(rows.items(), key=lambda item: (-len(item[1]), _mean_rank(list(item[1].values())), item[0]))
    return Table(
        title=tr("All suites"),
        head=[tr("Model"), tr("Setting"), *(clean(group.name) for group in board.groups)],
        rows=[[*_named(name), *(_cell(found.get(group.name)) for group in board.groups)] for name, found in ordered],
        note=tr("Runs of other data, versions, options or selections stand in columns of their own."),
        texts=2,
    )


def _mean_rank(found: list[tuple[Group, Entry]]) -> float:
    """Runs without a value last."""
    return sum(float("inf") if entry.rank is None else entry.rank for _, entry in found) / len(found)


def _named(row: tuple[str, str, str]) -> list[str]:
    model, params, setting = row
    return [clean(f"{model} ({params})" if params else model), clean(setting) or tr("standard")]


def _cell(found: tuple[Group, Entry] | None) -> str:
    if found is None:
        return "–"
    group, entry = found
    return f"{figure(entry.value, group.unit)} ({_interval(group, entry)})" + ("" if entry.complete else " *")


def _interval(group: Group, entry: Entry) -> str:
    return interval(Estimate(value=entry.value, low=entry.low, high=entry.high), group.unit)


def _group(group: Group) -> Table:
    title = tr(group.metric_title) if group.metric_title else tr("Score")
    head = [tr("Rank"), tr("Model"), tr("Setting"), title + ("" if group.higher_is_better else " ↓")]
    return Table(
        title=clean(f"{group.name}: {tr(group.title)}"),
        head=[
            *(*head, tr("95 % interval"), tr("Possible ranks"), tr("Coverage")),
            *(tr("Best blind baseline"), tr("Skill"), "n"),
        ],
        rows=[_row(group, entry) for entry in group.entries],
        bars=[_bar(group, entry) for entry in group.entries],
        note=" ".join(_notes(group)),
        texts=3,
    )


def _row(group: Group, entry: Entry) -> list[str]:
    ranks = "–" if entry.rank is None else f"{entry.best_rank} – {entry.worst_rank}"
    model, setting = _named(entry.row)
    return [
        "–" if entry.rank is None else str(entry.rank),
        model if entry.complete else f"{model} *",
        setting,
        figure(entry.value, group.unit),
        _interval(group, entry),
        str(entry.rank) if entry.rank is not None and entry.best_rank == entry.worst_rank else ranks,
        figure(entry.coverage),
        "–" if entry.baseline is None else figure(entry.baseline),
        skill(entry.skill),
        count(entry.n),
    ]


def _bar(group: Group, entry: Entry) -> Bar | None:
    if entry.value is None or group.unit == "number" or not 0 <= entry.value <= 1:
        return None
    low = entry.value if entry.low is None else max(0.0, entry.low)
    high = entry.value if entry.high is None else min(1.0, entry.high)
    return Bar(entry.value, low, high, entry.baseline)


def _notes(group: Group) -> Iterator[str]:
    yield tr("Version {version}, data {data}.", version=clean(group.version), data=clean(group.data[:12]))
    if group.rules:
        yield clean("; ".join(group.rules)) + "."
    if len(group.entries) > 1 and group.paired:
        yield tr("Possible ranks: paired tests, corrected for all pairs (Holm): all hold at once with 95 %.")
    elif len(group.entries) > 1:
        yield tr("Possible ranks: tests by pairs of samples or by both intervals, corrected for all pairs (Holm).")
    if any(not entry.complete for entry in group.entries):
        yield tr("* incomplete: some samples have no answer.")
    if earlier := sum(entry.earlier for entry in group.entries):
        yield tr("{count} other runs of the same model and setting are not shown.", count=count(earlier))


def leaderboard_markdown(board: Leaderboard) -> str:
    """The whole leaderboard."""
    parts = [f"# {tr('Leaderboard')}", *map(table_text, leaderboard_tables(board))]
    if notes := leaderboard_notes(board):
        parts.append(f"## {tr('Notes')}\n\n" + "\n".join(f"- {markdown_safe(line)}" for line in notes))
    return "\n\n".join(parts) + "\n"


def leaderboard_html(board: Leaderboard) -> str:
    """The whole leaderboard as one page in both languages."""
    return one_page(tr("Leaderboard"), [both(lambda: _body(board))])


def _body(board: Leaderboard) -> str:
    told = [f"<h1>{escape(tr('Leaderboard'))}</h1>", *map(html_table, leaderboard_tables(board))]
    return "".join([*told, html_list(tr("Notes"), leaderboard_notes(board))])
