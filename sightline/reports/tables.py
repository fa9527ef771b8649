"""A summary as tables of text: made once, shown by terminal, Markdown and page alike, so that all say the same."""

from __future__ import annotations

from msgspec import Struct

from sightline.i18n import tr
from sightline.reports.figures import count, figure, interval, shown_name, skill
from sightline.scoring.summary import Row, Summary

MOST_DETAILS = 40
_DETAILS = {
    "per_class": "by class",
    "by_size": "by size",
    "by_count": "by number of objects",
    "by_truth": "by true number",
}


class Bar(Struct, frozen=True):
    """A figure to be drawn beside its words, all from 0 to 1."""

    value: float
    low: float
    high: float
    baseline: float | None = None


class Table(Struct, kw_only=True):
    """Cells of text; `bars` has one entry a row where a row can be drawn."""

    title: str
    head: list[str]
    rows: list[list[str]]
    bars: list[Bar | None] = []
    note: str = ""
    texts: int = 1
    """How many columns from the left are words."""


def headline(summary: Summary) -> list[tuple[str, str]]:
    """The few lines everybody should read, as (name, value)."""
    lines = [(tr("Model"), f"{summary.model} ({summary.params})" if summary.params else summary.model)]
    lines.append((tr("Suite"), f"{summary.suite}: {tr(summary.title)}"))
    if (head := summary.head) is not None:
        estimate = head.estimate
        told = figure(estimate.value, head.unit)
        lines.append((tr(head.title), f"{told}   (95 %: {interval(estimate, head.unit)})"))
        if (best := summary.best_baseline) is not None:
            lines.append((tr("Best blind baseline"), f"{_baseline_name(best.name)}: {figure(best.value)}"))
            lines.append((tr("Skill above it"), skill(best.skill)))
        if estimate.floor is not None and estimate.floor != estimate.ceiling:
            lines.append((tr("Between"), f"{figure(estimate.floor)} – {figure(estimate.ceiling)}"))
    lines.append((tr("Coverage"), f"{figure(summary.coverage)}  ({_states(summary)})"))
    return [*lines, *_usage(summary)]


def _baseline_name(name: str) -> str:
    if name.startswith("always "):
        answer = name.removeprefix("always ")
        return tr("always {answer}", answer=answer if len(answer) <= 24 else f"{answer[:23]}…")
    return tr(name)


def _states(summary: Summary) -> str:
    told = [tr("{count} samples", count=count(summary.samples))]
    for state in ("answered", "unparsed", "empty", "truncated", "refused", "failed", "invalid"):
        if number := summary.statuses.get(state):
            told.append(f"{count(number)} {tr(state)}")
    if summary.pending:
        told.append(tr("{count} not asked yet", count=count(summary.pending)))
    return ", ".join(told)


def _usage(summary: Summary) -> list[tuple[str, str]]:
    usage = summary.usage
    if not usage.tokens_in and not usage.tokens_out:
        return []
    told = tr(
        "{requests} requests, {tokens_in} tokens in, {tokens_out} out",
        requests=count(usage.requests),
        tokens_in=count(usage.tokens_in),
        tokens_out=count(usage.tokens_out),
    )
    return [(tr("Usage"), told + (f", {usage.cost:.2f}" if usage.cost else ""))]


def tables(summary: Summary) -> list[Table]:
    """Overall, by task, by tag: one table each."""
    made = [_metrics(summary)]
    shared = {row.metric for row in summary.rows_of("overall")}
    for scope in summary.scopes():
        rows = summary.rows_of(scope)
        own = {row.metric for row in rows} - shared
        if scope == "task" and (own or len({head.metric for head in _heads(rows)}) > 1):
            made.append(_by_task(rows))
        elif scope != "overall" and len({row.name for row in rows}) > 1:
            made.append(_breakdown(scope, rows, summary.headline))
    if summary.baselines:
        made.append(_controls(summary))
    return made


def detail_tables(summary: Summary) -> list[Table]:
    """By class, size and number of objects: what a page has room for and a terminal has not."""
    shown = {row.name: shown_name(row) for row in summary.rows_of("task")}
    return [
        Table(
            title=f"{shown.get(one.task, one.task)}: {tr(_DETAILS[one.name])}",
            head=[tr(cell) for cell in one.head],
            rows=[[_entry(entry, one.name == "by_size") for entry in row] for row in one.rows[:MOST_DETAILS]],
            note=tr("{count} more rows are in report.json.", count=count(len(one.rows) - MOST_DETAILS))
            if len(one.rows) > MOST_DETAILS
            else "",
        )
        for one in summary.breakdowns
        if one.name in _DETAILS
    ]


def _entry(entry: str | float | int | None, own_words: bool) -> str:
    """A cell; names of sizes are ours, those of classes are the data set's."""
    if entry is None:
        return "–"
    if isinstance(entry, str):
        return tr(entry) if own_words else entry
    return f"{entry:.2f}" if isinstance(entry, float) else count(entry)


def _metrics(summary: Summary) -> Table:
    rows = summary.rows_of("overall")
    head = [tr("Metric"), tr("Value"), tr("95 % interval"), "n", tr("Unread"), tr("Failed"), tr("Invalid")]
    cells = [[metric_title(row), *_cells(row)] for row in rows]
    told = [column for column in range(len(head)) if column < 4 or any(row[column] != "0" for row in cells)]
    return Table(
        title=tr("All samples"),
        head=[head[column] for column in told],
        rows=[[row[column] for column in told] for row in cells],
        bars=[_bar(row) for row in rows],
        note=_method(rows),
    )


def metric_title(row: Row) -> str:
    """The metric's name in the reader's language; an arrow where less is better."""
    return tr(row.title) + ("" if row.higher_is_better else " ↓")


def _cells(row: Row) -> list[str]:
    estimate = row.estimate
    return [
        figure(estimate.value, row.unit),
        interval(estimate, row.unit),
        count(estimate.n),
        count(estimate.unparsed),
        count(estimate.failed),
        count(estimate.invalid),
    ]


def _method(rows: list[Row]) -> str:
    head = rows[0].estimate if rows else None
    if head is None or not head.method:
        return ""
    if head.method == "wilson":
        return tr("Intervals: Wilson, independent samples.")
    if head.method == "wilson over clusters":
        return tr("Intervals: Wilson over {clusters} clusters of samples.", clusters=count(head.clusters))
    if head.clusters == head.n:
        return tr("Intervals: bootstrap over samples.")
    return tr("Intervals: bootstrap over {clusters} clusters of samples.", clusters=count(head.clusters))


def _breakdown(scope: str, rows: list[Row], headline_metric: str) -> Table:
    """One line a value of the tag; the other core metrics stand beside the headline."""
    metrics = list(dict.fromkeys(row.metric for row in rows if row.core))
    titles = {row.metric: metric_title(row) for row in rows}
    by_name: dict[str, dict[str, Row]] = {}
    for row in rows:
        by_name.setdefault(row.name, {})[row.metric] = row
    head_metric = headline_metric if headline_metric in metrics else metrics[0]
    others = [metric for metric in metrics if metric != head_metric]
    heads = [figures[head_metric] for figures in by_name.values() if head_metric in figures]
    controlled = any(head.baseline for head in heads)
    beside = [tr("Best blind baseline"), tr("Skill")] if controlled else []
    return Table(
        title=tr("By {scope}", scope=tr(scope)),
        head=[
            tr(scope),
            titles[head_metric],
            tr("95 % interval"),
            *beside,
            "n",
            *(titles[metric] for metric in others),
        ],
        rows=[_slice(head, by_name[head.name], others, controlled) for head in heads],
        bars=[_bar(head) for head in heads],
    )


def _heads(rows: list[Row]) -> list[Row]:
    """The first figure of each name."""
    return list({row.name: row for row in reversed(rows)}.values())[::-1]


def _by_task(rows: list[Row]) -> Table:
    """Tasks with metrics of their own: one line a figure, the task's name on its first."""
    cells = []
    for before, row in zip([None, *rows], rows, strict=False):
        best = row.baseline
        beside = [f"{_baseline_name(best.name)}: {figure(best.value)}", skill(best.skill)] if best else ["–", "–"]
        name = shown_name(row) if before is None or before.name != row.name else ""
        cells.append([name, metric_title(row), *_cells(row)[:3], *beside])
    return Table(
        title=tr("By {scope}", scope=tr("task")),
        head=[tr("task"), tr("Metric"), tr("Value"), tr("95 % interval"), "n", tr("Best blind baseline"), tr("Skill")],
        rows=cells,
        bars=[_bar(row) for row in rows],
        texts=2,
    )


def _slice(head: Row, figures: dict[str, Row], others: list[str], controlled: bool) -> list[str]:
    baseline = head.baseline
    beside = [figure(baseline.value), skill(baseline.skill)] if baseline else ["–", "–"]
    return [
        shown_name(head),
        figure(head.estimate.value, head.unit),
        interval(head.estimate, head.unit),
        *(beside if controlled else ()),
        count(head.estimate.n),
        *(_value(figures.get(metric)) for metric in others),
    ]


def _value(row: Row | None) -> str:
    return "–" if row is None else figure(row.estimate.value, row.unit)


def _controls(summary: Summary) -> Table:
    ranked = sorted(summary.baselines.items(), key=lambda item: -item[1])
    return Table(
        title=tr("What looking away would score"),
        head=[tr("Control"), tr("Value")],
        rows=[[_baseline_name(name), figure(value)] for name, value in ranked],
        bars=[Bar(value, value, value) for _, value in ranked],
    )


def _bar(row: Row) -> Bar | None:
    estimate = row.estimate
    if estimate.value is None or row.unit == "number" or not 0 <= estimate.value <= 1:
        return None
    low = estimate.value if estimate.low is None else max(0.0, estimate.low)
    high = estimate.value if estimate.high is None else min(1.0, estimate.high)
    return Bar(estimate.value, low, high, row.baseline.value if row.baseline else None)
