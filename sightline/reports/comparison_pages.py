"""Comparison and leaderboard of runs as tables, Markdown and HTML; names from outside are escaped in all of them."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from sightline.core.records import Estimate, Unit
from sightline.i18n import language, tr
from sightline.reports.formatting import format_cost, format_count, format_interval, format_skill, format_value
from sightline.reports.html import bilingual, html_list, html_page, html_table
from sightline.reports.markdown import markdown_safe, table_text
from sightline.reports.tables import Table, share_bar
from sightline.runs.comparison.leaderboard import Entry, Group, Leaderboard
from sightline.runs.comparison.records import (
    ComparedRun,
    Comparison,
    Difference,
    FigureDifference,
    PairwiseComparison,
    Slice,
    tag_name,
)

TERMINAL_ROWS = 12
"""Lines of a breakdown that a terminal shows."""


def comparison_tables(comparison: Comparison, most: int | None = None) -> list[Table]:
    """Tables of runs, differences, agreement, breakdowns (at most `most` rows each) and changed samples."""
    made = [_runs_table(comparison), _difference_table(comparison), _agreement_table(comparison)]
    for versus in comparison.versus:
        made += [_figure_table(versus, most)] if versus.figures else []
        for scope in dict.fromkeys(part.scope for part in versus.slices):
            made.append(_breakdown_table(versus, scope, most))
        made += _flip_tables(versus)
    return made


def comparison_notes(comparison: Comparison) -> list[str]:
    """All that a reader must know beside the figures."""
    notes = [tr("Compared despite: {what}", what=remark) for remark in comparison.differences]
    notes += map(str, comparison.notes)
    for versus in comparison.versus:
        notes += [f"{_pair_name(versus)}: {line}" for line in _pairing_notes(versus)]
    return [printable_name(line) for line in notes]


def printable_name(text: str) -> str:
    """Without control characters and signs that turn the direction of writing."""
    return "".join(sign if sign.isprintable() else "·" for sign in text)


def format_points(value: float | None, digits: int = 2) -> str:
    """A difference of shares in percentage points, with its sign."""
    if value is None:
        return "–"
    shown = f"{100 * value:+.{digits}f}"
    return shown[1:] if float(shown) == 0 else shown


def format_p(p: float | None) -> str:
    """A p-value."""
    if p is None:
        return "–"
    return "< 0.0001" if p < 0.0001 else f"{p:.4f}"


def _pair_name(versus: PairwiseComparison) -> str:
    return f"{versus.second} − {versus.first}"


def _runs_table(comparison: Comparison) -> Table:
    head = ["", tr("Model"), tr("Setting"), tr("Samples"), tr("Coverage"), tr("Input tokens"), tr("Output tokens")]
    return Table(
        title=tr("Runs"),
        head=[*head, tr("Cost"), tr("Inference time")],
        rows=[_run_cells(side) for side in comparison.sides],
        note=" · ".join(printable_name(f"{side.letter}: {side.folder}") for side in comparison.sides),
        texts=3,
    )


def _run_cells(side: ComparedRun) -> list[str]:
    usage = side.usage
    setting = "; ".join(map(str, side.deviations)) or tr("standard")
    cells = [
        side.letter,
        f"{side.model} ({side.params})" if side.params else side.model,
        setting if side.complete else f"{setting}; {tr('incomplete')}",
        format_count(side.samples),
        format_value(side.coverage),
        format_count(usage.tokens_in),
        format_count(usage.tokens_out),
        format_cost(usage.cost) if usage.cost else "–",
        f"{side.seconds_asking:,.1f} s" if side.seconds_asking else "–",
    ]
    return [printable_name(cell) for cell in cells]


def _difference_table(comparison: Comparison) -> Table:
    several = len(comparison.versus) > 1
    head = ["", tr("Measure"), tr("First"), tr("Second"), tr("Difference (points)"), tr("95 % interval"), "p"]
    rows = []
    for versus in comparison.versus:
        other = versus.mean_score if versus.measure == "accuracy" else versus.accuracy
        shown = [versus.main] if versus.accuracy.value == versus.mean_score.value else [versus.main, other]
        rows += [[_pair_name(versus), *_difference_cells(one, several)] for one in shown]
    return Table(
        title=tr("Difference"),
        head=[*head, *([tr("p, Holm")] if several else []), tr("Minimum detectable"), tr("Pairs")],
        rows=rows,
        note=_method_note(comparison.versus[0].main),
        texts=2,
    )


def _difference_cells(one: Difference, several: bool) -> list[str]:
    return [
        _measure_name(one),
        format_value(one.first),
        format_value(one.second),
        format_points(one.value),
        _difference_interval(one),
        format_p(one.p),
        *([format_p(one.p_holm)] if several else []),
        "–" if one.least is None else f"{100 * one.least:.2f}",
        format_count(one.n),
    ]


def _measure_name(one: Difference) -> str:
    if one.weighted:
        return tr("Weighted accuracy") if one.measure == "accuracy" else tr("Weighted mean score")
    return tr("Accuracy") if one.measure == "accuracy" else tr("Mean score")


def _difference_interval(one: Difference) -> str:
    return "–" if one.low is None or one.high is None else f"{format_points(one.low)} … {format_points(one.high)}"


def _method_note(one: Difference) -> str:
    power = tr("Minimum detectable: the difference that these samples detect with 80 % power, in percentage points.")
    clusters = format_count(one.clusters)
    if not one.method:
        return tr("Only one cluster of samples: no interval.")
    if one.method == "tango":
        method = tr("Interval: Tango's score interval; p: exact McNemar test.")
    elif one.method == "tango over clusters":
        method = tr("Interval and p: Tango's score test over {clusters} clusters of samples.", clusters=clusters)
    elif one.method == "wilson over clusters":
        method = tr(
            "All {clusters} clusters differ by the same amount. Interval: Wilson; p: McNemar.", clusters=clusters
        )
    else:
        method = tr("Interval and p: Student's t over {clusters} clusters of samples.", clusters=clusters)
    return f"{method} {power}"


def _agreement_table(comparison: Comparison) -> Table:
    return Table(
        title=tr("Agreement table"),
        head=["", tr("Both correct"), tr("Only the first"), tr("Only the second"), tr("Neither")],
        rows=[
            [_pair_name(one), *map(format_count, (one.both_right, one.first_only, one.second_only, one.both_wrong))]
            for one in comparison.versus
        ],
    )


def _breakdown_table(versus: PairwiseComparison, scope: str, most: int | None) -> Table:
    """The surest differences first."""
    parts = sorted((part for part in versus.slices if part.scope == scope), key=_surest)
    left = 0 if most is None else max(0, len(parts) - most)
    named = printable_name(tag_name(scope))
    return Table(
        title=f"{_pair_name(versus)}: " + tr("By {scope}", scope=named),
        head=[
            *(named, tr("Pairs"), tr("First"), tr("Second"), tr("Difference (points)"), tr("95 % interval")),
            *("p", tr("p, Holm"), tr("p, BH"), tr("Only the first"), tr("Only the second")),
        ],
        rows=[_slice_cells(part) for part in (parts if most is None else parts[:most])],
        note=tr("{count} more rows; --out DIR writes all of them.", count=format_count(left)) if left else "",
    )


def _figure_table(versus: PairwiseComparison, most: int | None) -> Table:
    """Every other figure in the order of the report."""
    left = 0 if most is None else max(0, len(versus.figures) - most)
    more = tr("{count} more rows; --out DIR writes all of them.", count=format_count(left)) if left else ""
    note = tr(
        "Each figure is that of its report, over all samples of its run; interval and p: Student's t over "
        "clusters, paired. Shares differ by percentage points."
    )
    return Table(
        title=f"{_pair_name(versus)}: " + tr("Figures"),
        head=[
            *(tr("task"), tr("Metric"), tr("First"), tr("Second"), tr("Difference"), tr("95 % interval")),
            *("p", tr("p, Holm"), tr("p, BH"), tr("Clusters")),
        ],
        rows=[_figure_cells(one) for one in (versus.figures if most is None else versus.figures[:most])],
        note=f"{note} {more}".strip(),
        texts=2,
    )


def _figure_cells(one: FigureDifference) -> list[str]:
    interval = "–"
    if one.low is not None and one.high is not None:
        interval = f"{_change(one.low, one.unit)} … {_change(one.high, one.unit)}"
    name = one.english if one.english and language() == "en" else one.name
    return [
        printable_name(name) or tr("overall"),
        printable_name(tr(one.title)) + ("" if one.higher_is_better else " ↓"),
        format_value(one.first, one.unit),
        format_value(one.second, one.unit),
        _change(one.value, one.unit),
        interval,
        *map(format_p, (one.p, one.p_holm, one.p_bh)),
        format_count(one.clusters),
    ]


def _change(value: float, unit: Unit) -> str:
    """A difference with its sign: of shares in percentage points, of other figures as it is."""
    return format_points(value if unit == "share" else value / 100)


def _surest(part: Slice) -> tuple[float, float, str]:
    one = part.difference
    return (2.0 if one.p is None else one.p), -abs(one.value or 0.0), part.name


def _slice_cells(part: Slice) -> list[str]:
    one = part.difference
    values = (format_value(one.first), format_value(one.second), format_points(one.value), _difference_interval(one))
    p_values = map(format_p, (one.p, one.p_holm, one.p_bh))
    only = map(format_count, (part.first_only, part.second_only))
    return [printable_name(part.name), format_count(one.n), *values, *p_values, *only]


def _flip_tables(versus: PairwiseComparison) -> Iterator[Table]:
    """What only the first got right, then what only the second did."""
    lost, won = ([one for one in versus.flips if (one.first >= 1) is first] for first in (True, False))
    for shown, total, whose in (
        (lost, versus.first_only, tr("Only the first")),
        (won, versus.second_only, tr("Only the second")),
    ):
        left = total - len(shown)
        note = tr("{count} more; --out DIR writes all of them to flips.csv.", count=format_count(left))
        if shown:
            yield Table(
                title=f"{_pair_name(versus)}: {tr('Changed samples')} ({whose})",
                head=[tr("Sample"), tr("task"), tr("First"), tr("Second"), tr("Source")],
                rows=[
                    list(map(printable_name, (f.sample, f.task, f"{f.first:.2f}", f"{f.second:.2f}", f.source)))
                    for f in shown
                ],
                note=note if left else "",
                texts=2,
            )


def _pairing_notes(versus: PairwiseComparison) -> Iterator[str]:
    found = versus.pairing
    yield tr("{count} samples are paired.", count=format_count(found.pairs))
    if found.only_first or found.only_second:
        facts = {"first": format_count(found.only_first), "second": format_count(found.only_second)}
        yield tr("Excluded because only one run has them: {first} of the first, {second} of the second.", **facts)
    if found.unanswered_first or found.unanswered_second or found.unanswered_both:
        yield tr(
            "Excluded because failed or invalid: {first} in the first, {second} in the second, {both} in both.",
            first=format_count(found.unanswered_first),
            second=format_count(found.unanswered_second),
            both=format_count(found.unanswered_both),
        )
    if found.repeated:
        yield tr("Some sample ids occur more than once: samples are also matched by their position in the data set.")
    if versus.crowded:
        yield tr("Too many values for a breakdown: {tags}", tags=", ".join(map(tag_name, versus.crowded)))


def comparison_markdown(comparison: Comparison) -> str:
    """The whole comparison as Markdown."""
    return _markdown(tr("Comparison"), comparison_tables(comparison), comparison_notes(comparison))


def _markdown(title: str, tables: list[Table], notes: list[str]) -> str:
    parts = [f"# {title}", *map(table_text, tables)]
    if notes:
        parts.append(f"## {tr('Notes')}\n\n" + "\n".join(f"- {markdown_safe(line)}" for line in notes))
    return "\n\n".join(parts) + "\n"


def comparison_html(comparison: Comparison) -> str:
    """The whole comparison as one page in both languages."""
    names = " · ".join(printable_name(f"{side.letter}: {side.model}") for side in comparison.sides)

    def body() -> str:
        head = f'<h1>{escape(tr("Comparison"))}</h1><p class="sub">{escape(names)}</p>'
        return head + _tables_html(comparison_tables(comparison), comparison_notes(comparison))

    return html_page(names, [bilingual(body)])


def _tables_html(tables: list[Table], notes: list[str]) -> str:
    return "".join(map(html_table, tables)) + html_list(tr("Notes"), notes)


def leaderboard_tables(board: Leaderboard) -> list[Table]:
    """All suites side by side, then each group with its ranks."""
    made = [_group_table(group) for group in board.groups]
    return [_suites_table(board), *made] if len(board.groups) > 1 else made


def leaderboard_notes(board: Leaderboard) -> list[str]:
    """What could not be ranked."""
    return [printable_name(str(remark)) for remark in board.left_out]


def _suites_table(board: Leaderboard) -> Table:
    rows: dict[tuple[str, str, str], dict[str, tuple[Group, Entry]]] = {}
    for group in board.groups:
        for entry in group.entries:
            rows.setdefault(entry.row, {})[group.name] = (group, entry)
    ordered = sorted(rows.items(), key=lambda item: (-len(item[1]), _mean_rank(list(item[1].values())), item[0]))
    return Table(
        title=tr("All suites"),
        head=[tr("Model"), tr("Setting"), *(printable_name(group.name) for group in board.groups)],
        rows=[
            [*_model_cells(name), *(_suite_cell(found.get(group.name)) for group in board.groups)]
            for name, found in ordered
        ],
        note=tr("Runs with different data, versions, options or selections are in separate columns."),
        texts=2,
    )


def _mean_rank(found: list[tuple[Group, Entry]]) -> float:
    """Runs without a value last."""
    return sum(float("inf") if entry.rank is None else entry.rank for _, entry in found) / len(found)


def _model_cells(row: tuple[str, str, str]) -> list[str]:
    model, params, setting = row
    return [printable_name(f"{model} ({params})" if params else model), printable_name(setting) or tr("standard")]


def _suite_cell(found: tuple[Group, Entry] | None) -> str:
    if found is None:
        return "–"
    group, entry = found
    interval = format_interval(_estimate(entry), group.unit)
    return f"{format_value(entry.value, group.unit)} ({interval}){'' if entry.complete else ' *'}"


def _estimate(entry: Entry) -> Estimate:
    return Estimate(value=entry.value, low=entry.low, high=entry.high)


def _group_table(group: Group) -> Table:
    title = tr(group.metric_title) if group.metric_title else tr("Score")
    head = [tr("Rank"), tr("Model"), tr("Setting"), title + ("" if group.higher_is_better else " ↓")]
    return Table(
        title=printable_name(f"{group.name}: {tr(group.title)}"),
        head=[
            *(*head, tr("95 % interval"), tr("Possible ranks"), tr("Coverage")),
            *(tr("Best blind baseline"), tr("Skill"), "n"),
        ],
        rows=[_entry_cells(group, entry) for entry in group.entries],
        bars=[share_bar(_estimate(entry), group.unit, entry.baseline) for entry in group.entries],
        note=" ".join(_group_notes(group)),
        texts=3,
    )


def _entry_cells(group: Group, entry: Entry) -> list[str]:
    ranks = "–" if entry.rank is None else f"{entry.best_rank} – {entry.worst_rank}"
    model, setting = _model_cells(entry.row)
    return [
        "–" if entry.rank is None else str(entry.rank),
        model if entry.complete else f"{model} *",
        setting,
        format_value(entry.value, group.unit),
        format_interval(_estimate(entry), group.unit),
        str(entry.rank) if entry.rank is not None and entry.best_rank == entry.worst_rank else ranks,
        format_value(entry.coverage),
        "–" if entry.baseline is None else format_value(entry.baseline),
        format_skill(entry.skill),
        format_count(entry.n),
    ]


def _group_notes(group: Group) -> Iterator[str]:
    version, data = printable_name(group.version), printable_name(group.data[:12])
    yield tr("Version {version}, data {data}.", version=version, data=data)
    if group.rules:
        yield printable_name("; ".join(group.rules)) + "."
    if len(group.entries) > 1 and group.paired:
        yield tr("Possible ranks: paired tests, Holm-corrected over all pairs, valid simultaneously at 95 %.")
    elif len(group.entries) > 1:
        yield tr(
            "Possible ranks: paired tests where samples are shared, otherwise both intervals; "
            "Holm-corrected over all pairs."
        )
    if any(not entry.complete for entry in group.entries):
        yield tr("* incomplete: some samples have no reply.")
    if earlier := sum(entry.earlier for entry in group.entries):
        yield tr("{count} other runs of the same model and setting are not shown.", count=format_count(earlier))


def leaderboard_markdown(board: Leaderboard) -> str:
    """The whole leaderboard as Markdown."""
    return _markdown(tr("Leaderboard"), leaderboard_tables(board), leaderboard_notes(board))


def leaderboard_html(board: Leaderboard) -> str:
    """The whole leaderboard as one page in both languages."""

    def body() -> str:
        tables = _tables_html(leaderboard_tables(board), leaderboard_notes(board))
        return f"<h1>{escape(tr('Leaderboard'))}</h1>{tables}"

    return html_page(tr("Leaderboard"), [bilingual(body)])
