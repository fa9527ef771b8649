"""A summary as tables of text: made once, shown by terminal, Markdown, HTML and CSV, so that all show the same."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct, UnsetType

from sightline.core.records import Estimate, Unit
from sightline.core.remarks import Remark
from sightline.i18n import tr
from sightline.reports.formatting import (
    format_cost,
    format_count,
    format_interval,
    format_skill,
    format_value,
    row_name,
)
from sightline.scoring.summary import RepeatSummary, Row, Summary
from sightline.stats.repeats import VarianceSplit

MOST_DETAILS = 40
STATUSES = ("answered", "unparsed", "empty", "truncated", "refused", "failed", "invalid")
"""In the order in which reports name them."""
MOST_SEEDS = 10
DETAIL_TITLES = {
    "per_class": "by class",
    "by_size": "by size",
    "by_count": "by number of objects",
    "by_truth": "by true number",
    "presence": "with and without objects",
    "errors": "by kind of error",
}
CONSTANT_SHAPES = {
    "always nothing": Remark("always nothing"),
    "always the whole extent": Remark("always the whole extent"),
    "always the middle": Remark("always the middle"),
    "always the average box": Remark("always the average box"),
    "always a grid of average boxes": Remark("always a grid of average boxes"),
}
"""Baselines whose names are ours, not answers of a data set."""
OWN_WORDS = frozenset({"by_size", "presence", "errors"})
"""Breakdowns whose row names are ours, not those of a data set."""


class Bar(Struct, frozen=True):
    """A figure to be drawn beside its words, all from 0 to 1."""

    value: float
    low: float
    high: float
    baseline: float | None = None


class Table(Struct, kw_only=True):
    """Cells of text; `bars` has one entry per row where a row can be drawn."""

    title: str
    head: list[str]
    rows: list[list[str]]
    bars: list[Bar | None] = []
    note: str = ""
    texts: int = 1
    """How many columns from the left are words."""


def headline(summary: Summary) -> list[tuple[str, str]]:
    """Headline of a report: model, score with interval, baseline, coverage, usage."""
    lines = [(tr("Model"), f"{summary.model} ({summary.params})" if summary.params else summary.model)]
    lines.append((tr("Suite"), f"{summary.suite}: {tr(summary.title)}"))
    if (head := summary.head) is not None:
        estimate = head.estimate
        value = format_value(estimate.value, head.unit)
        lines.append((tr(head.title), f"{value}   (95 %: {format_interval(estimate, head.unit)})"))
        if (best := summary.best_baseline) is not None:
            value = format_value(best.value, head.unit)
            lines.append((tr("Best blind baseline"), f"{_baseline_name(best.name)}: {value}"))
            lines.append((tr("Skill over baseline"), format_skill(best.skill)))
        if not isinstance(head.lenient, UnsetType):
            lenient = format_value(head.lenient.value, head.unit)
            lines.append((tr("Read leniently"), f"{lenient}   (95 %: {format_interval(head.lenient, head.unit)})"))
        if estimate.floor is not None and estimate.floor != estimate.ceiling:
            lines.append((tr("Score bounds"), f"{format_value(estimate.floor)} – {format_value(estimate.ceiling)}"))
    if not isinstance(summary.repeats, UnsetType):
        lines += _repeat_lines(summary.repeats)
    lines.append((tr("Coverage"), f"{format_value(summary.coverage)}  ({_status_counts(summary)})"))
    return [*lines, *_usage(summary)]


def _repeat_lines(repeats: RepeatSummary) -> list[tuple[str, str]]:
    """How the questions were repeated, and how much of the mean's standard error comes from sampling."""
    parts = [tr("{count} per question", count=repeats.count)]
    parts += [tr("temperature {value}", value=f"{repeats.temperature:g}")] if repeats.temperature is not None else []
    if repeats.seeds:
        seeds = ", ".join(map(str, repeats.seeds[:MOST_SEEDS])) + (" …" if len(repeats.seeds) > MOST_SEEDS else "")
        parts.append(tr("seeds {seeds}", seeds=seeds))
    if repeats.ties:
        parts.append(tr("{count} votes tied", count=format_count(repeats.ties)))
    if repeats.threshold != 1:
        parts.append(tr("passed from a score of {threshold}", threshold=f"{repeats.threshold:g}"))
    lines = [(tr("Repeats"), "; ".join(parts))]
    if (text := _describe_split(repeats.variance)) is not None:
        lines.append((tr("Standard error"), text))
    return lines


def _describe_split(variance: VarianceSplit) -> str | None:
    """The standard error in percentage points with the parts of questions and sampling; None where it is not known."""
    if variance.error is None or variance.error_questions is None or variance.error_sampling is None:
        return None
    whole, questions, sampling = (
        f"{100 * part:.2f}" for part in (variance.error, variance.error_questions, variance.error_sampling)
    )
    if variance.sampling_share is None:
        parts = [
            tr(
                "{whole} points (sampling alone: {sampling}; the part of the questions cannot be told from 0)",
                whole=whole,
                sampling=sampling,
            )
        ]
    else:
        parts = [
            tr(
                "{whole} points (questions {questions}, sampling {sampling}: {share} of the variance)",
                whole=whole,
                questions=questions,
                sampling=sampling,
                share=f"{100 * variance.sampling_share:.0f} %",
            )
        ]
    if variance.is_rough:
        parts.append(tr("rough: {count} clusters", count=format_count(variance.clusters)))
    return "; ".join(parts)


def _baseline_name(name: str) -> str:
    if name in CONSTANT_SHAPES:
        return str(CONSTANT_SHAPES[name])
    if name.startswith("always "):
        answer = name.removeprefix("always ")
        return tr("always {answer}", answer=answer if len(answer) <= 24 else f"{answer[:23]}…")
    return tr(name)


def _status_counts(summary: Summary) -> str:
    times = f" × {summary.repeat_count}" if summary.repeat_count > 1 else ""
    parts = [tr("{count} samples", count=format_count(summary.samples)) + times]
    for state in STATUSES:
        if number := summary.statuses.get(state):
            parts.append(f"{format_count(number)} {tr(state)}")
    if summary.pending:
        parts.append(tr("{count} pending", count=format_count(summary.pending)))
    return ", ".join(parts)


def _usage(summary: Summary) -> list[tuple[str, str]]:
    usage = summary.usage
    if not usage.tokens_in and not usage.tokens_out:
        return []
    text = tr(
        "{requests} requests, {tokens_in} input tokens, {tokens_out} output tokens",
        requests=format_count(usage.requests),
        tokens_in=format_count(usage.tokens_in),
        tokens_out=format_count(usage.tokens_out),
    )
    if usage.tokens_reasoning:
        text += tr(" ({count} of them reasoning)", count=format_count(usage.tokens_reasoning))
    if usage.cost:
        text += ", " + tr("cost {cost}", cost=format_cost(usage.cost))
    return [(tr("Usage"), text), *_speed(summary)]


def _speed(summary: Summary) -> list[tuple[str, str]]:
    """Tokens per second, time to the first token and time in the queue."""
    usage = summary.usage
    parts = []
    if usage.tokens_per_second is not None:
        parts.append(tr("{rate} tokens/s per request", rate=format_count(round(usage.tokens_per_second))))
    if usage.total_tokens_per_second is not None:
        parts.append(tr("{rate} tokens/s in all", rate=format_count(round(usage.total_tokens_per_second))))
    if usage.seconds_to_first_token is not None:
        parts.append(tr("first token after {seconds} s", seconds=f"{usage.seconds_to_first_token:.2f}"))
    replies = usage.requests - usage.cached
    if usage.seconds_queued and replies > 0:
        parts.append(tr("{seconds} s in the queue", seconds=f"{usage.seconds_queued / replies:.2f}"))
    return [(tr("Speed"), ", ".join(parts))] if parts else []


def tables(summary: Summary) -> list[Table]:
    """Overall, by task, by tag: one table each."""
    made = [_overall_table(summary)]
    shared = {row.metric for row in summary.rows_of("overall")}
    for scope in summary.scopes():
        rows = summary.rows_of(scope)
        own = {row.metric for row in rows} - shared
        heads = {row.name: row.metric for row in reversed(rows)}  # the first metric of each name
        if scope == "task" and (own or len(set(heads.values())) > 1):
            made.append(_task_table(rows))
        elif scope != "overall" and len({row.name for row in rows}) > 1:
            made.append(_slice_table(scope, rows, summary.headline))
    if any(one.rescued for one in summary.formats):
        made.append(_format_table(summary))
    if summary.baselines:
        made.append(_baseline_table(summary))
    return made


def detail_tables(summary: Summary) -> list[Table]:
    """By class, size and number of objects: what a page has room for and a terminal has not."""
    shown = {row.name: row_name(row) for row in summary.rows_of("task")}
    return [
        Table(
            title=f"{shown.get(one.task, one.task)}: {tr(DETAIL_TITLES[one.name])}",
            head=[tr(cell) for cell in one.head],
            rows=[[_detail_cell(entry, one.name in OWN_WORDS) for entry in row] for row in one.rows[:MOST_DETAILS]],
            note=_omitted_note(len(one.rows) - MOST_DETAILS),
        )
        for one in summary.breakdowns
        if one.name in DETAIL_TITLES
    ]


def _omitted_note(count: int) -> str:
    return tr("{count} more rows are in report.json.", count=format_count(count)) if count > 0 else ""


def _detail_cell(entry: str | float | int | None, own_words: bool) -> str:
    """A cell; names of sizes are ours, those of classes are the data set's."""
    if entry is None:
        return "–"
    if isinstance(entry, str):
        return tr(entry) if own_words else entry
    return f"{entry:.2f}" if isinstance(entry, float) else format_count(entry)


def _overall_table(summary: Summary) -> Table:
    rows = summary.rows_of("overall")
    head = [tr("Metric"), tr("Value"), tr("95 % interval"), "n", tr("Unparsed"), tr("Failed"), tr("Invalid")]
    cells = [[metric_title(row), *_estimate_cells(row)] for row in rows]
    columns = [column for column in range(len(head)) if column < 4 or any(row[column] != "0" for row in cells)]
    notes = [_interval_note(rows)]
    if not isinstance(summary.repeats, UnsetType):
        notes.append(_count_note(summary.repeats, rows))
        if summary.repeats.failed:
            head.append(tr("Score bounds"))
            cells = [[*cell, _bounds_cell(row.estimate)] for cell, row in zip(cells, rows, strict=True)]
            columns.insert(3, len(head) - 1)
    if _have_lenient(rows):
        cells = [[*cell, *_lenient_cells(row)] for cell, row in zip(cells, rows, strict=True)]
        columns[3:3] = [len(head), len(head) + 1]
        head += [tr("Read leniently"), tr("95 % interval")]
    return Table(
        title=tr("All samples"),
        head=[head[column] for column in columns],
        rows=[[row[column] for column in columns] for row in cells],
        bars=[_row_bar(row) for row in rows],
        note=" ".join(filter(None, notes)),
    )


def _bounds_cell(estimate: Estimate) -> str:
    """What the value would be if all failed replies were wrong, and if all failed and unread ones were right."""
    if estimate.floor is None or estimate.ceiling is None:
        return "–"
    return f"{100 * estimate.floor:.2f} – {100 * estimate.ceiling:.2f}"


def _count_note(repeats: RepeatSummary, rows: Sequence[Row]) -> str:
    """What `n` and the other columns of the table count where questions are repeated."""
    if any(row.metric in repeats.pooled for row in rows):
        return tr("n counts questions, or replies where a metric pools them; Unparsed and Failed count replies.")
    return tr("n counts questions; Unparsed and Failed count replies.")


def metric_title(row: Row) -> str:
    """The metric's name in the reader's language; an arrow where less is better."""
    return tr(row.title) + ("" if row.higher_is_better else " ↓")


def _estimate_cells(row: Row) -> list[str]:
    e = row.estimate
    counts = map(format_count, (e.n, e.unparsed, e.failed, e.invalid))
    return [format_value(e.value, row.unit), format_interval(e, row.unit), *counts]


def _interval_note(rows: list[Row]) -> str:
    head = rows[0].estimate if rows else None
    if head is None or not head.method:
        return ""
    if head.method == "wilson":
        return tr("Intervals: Wilson, independent samples.")
    if head.method == "wilson over clusters":
        return tr("Intervals: Wilson over {clusters} clusters of samples.", clusters=format_count(head.clusters))
    return tr("Intervals: Hall over {clusters} clusters of samples.", clusters=format_count(head.clusters))


def _slice_table(scope: str, rows: list[Row], headline_metric: str) -> Table:
    """One line per value of the tag; with columns for the other core metrics."""
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
    both = _have_lenient(heads)
    if both:
        beside = [tr("Read leniently"), tr("95 % interval"), *beside]
    return Table(
        title=tr("By {scope}", scope=tr(scope)),
        head=[tr(scope), titles[head_metric], tr("95 % interval"), *beside, "n", *(titles[m] for m in others)],
        rows=[_slice_cells(head, by_name[head.name], others, controlled, both) for head in heads],
        bars=[_row_bar(head) for head in heads],
    )


def _task_table(rows: list[Row]) -> Table:
    """Tasks with metrics of their own: one line per figure, the task's name on its first."""
    cells = []
    both = _have_lenient(rows)
    for before, row in zip([None, *rows], rows, strict=False):
        best = row.baseline
        beside = ["–", "–"]
        if best:
            beside = [f"{_baseline_name(best.name)}: {format_value(best.value, row.unit)}", format_skill(best.skill)]
        name = row_name(row) if before is None or before.name != row.name else ""
        value, interval, count = _estimate_cells(row)[:3]
        cells.append([name, metric_title(row), value, interval, *(_lenient_cells(row) if both else ()), count, *beside])
    figures = [tr("Value"), tr("95 % interval")]
    if both:
        figures = [tr("As asked"), tr("95 % interval"), tr("Read leniently"), tr("95 % interval")]
    return Table(
        title=tr("By {scope}", scope=tr("task")),
        head=[tr("task"), tr("Metric"), *figures, "n", tr("Best blind baseline"), tr("Skill")],
        rows=cells,
        bars=[] if both else [_row_bar(row) for row in rows],  # two figures leave no room for bars
        texts=2,
    )


def _have_lenient(rows: Sequence[Row]) -> bool:
    """Whether some figure differs where replies are read leniently."""
    return any(not isinstance(row.lenient, UnsetType) for row in rows)


def _lenient_cells(row: Row) -> list[str]:
    """The figure and interval with replies read leniently: the strict ones where no reply is read otherwise."""
    estimate = row.estimate if isinstance(row.lenient, UnsetType) else row.lenient
    return [format_value(estimate.value, row.unit), format_interval(estimate, row.unit)]


def _format_table(summary: Summary) -> Table:
    """Replies that deviate from the asked form, by task and kind of deviation."""
    names = {row.name: row_name(row) for row in summary.rows_of("task")}
    cells = []
    for one in summary.formats:
        for number, (deviation, count) in enumerate(one.rescued.items()):
            name = names.get(one.task, one.task) if number == 0 else ""
            share = format_value(count / one.replies) if one.replies else "–"
            cells.append([name, tr(deviation), format_count(count), share])
    return Table(
        title=tr("Replies not as asked"),
        head=[tr("task"), tr("Deviation"), tr("Replies"), tr("Share")],
        rows=cells,
        texts=2,
        note=tr(
            "Only the lenient reading reads these replies, or reads them otherwise. The headline is the strict score."
        ),
    )


def _slice_cells(head: Row, figures: dict[str, Row], others: list[str], controlled: bool, both: bool) -> list[str]:
    baseline = head.baseline
    beside = [format_value(baseline.value, head.unit), format_skill(baseline.skill)] if baseline else ["–", "–"]
    return [
        row_name(head),
        format_value(head.estimate.value, head.unit),
        format_interval(head.estimate, head.unit),
        *(_lenient_cells(head) if both else ()),
        *(beside if controlled else ()),
        format_count(head.estimate.n),
        *(_cell(figures.get(metric)) for metric in others),
    ]


def _baseline_table(summary: Summary) -> Table:
    ranked = sorted(summary.baselines.items(), key=lambda item: -item[1])
    return Table(
        title=tr("Blind baselines"),
        head=[tr("Blind baseline"), tr("Value")],
        rows=[[_baseline_name(name), format_value(value)] for name, value in ranked],
        bars=[Bar(value, value, value) for _, value in ranked],
    )


def _row_bar(row: Row) -> Bar | None:
    return share_bar(row.estimate, row.unit, row.baseline.value if row.baseline else None)


def share_bar(estimate: Estimate, unit: Unit, baseline: float | None) -> Bar | None:
    """The bar of a share between 0 and 1, with its interval and the best blind baseline; None for other numbers."""
    value = estimate.value
    if value is None or unit == "number" or not 0 <= value <= 1:
        return None
    low = value if estimate.low is None else max(0.0, estimate.low)
    high = value if estimate.high is None else min(1.0, estimate.high)
    return Bar(value, low, high, baseline)


Key = tuple[str, str, str]


def side_by_side_table(summaries: Sequence[Summary]) -> Table:
    """Overall first, then every task's figures."""
    by_model = [rows_by_metric(summary) for summary in summaries]
    rows = []
    for key, row in union_of_rows(by_model).items():
        cells = [_cell(figures.get(key)) for figures in by_model]
        rows.append([row_name(row) or tr("All samples"), metric_title(row), *cells])
    return Table(
        title=tr("Model comparison"),
        head=[tr("task"), tr("Metric"), *(summary.model for summary in summaries)],
        rows=rows,
        texts=2,
    )


def rows_by_metric(summary: Summary) -> dict[Key, Row]:
    """Overall and task rows by scope, name and metric."""
    return {(row.scope, row.name, row.metric): row for row in summary.rows if row.scope in ("overall", "task")}


def union_of_rows(by_model: Sequence[dict[Key, Row]]) -> dict[Key, Row]:
    """Every figure that any model has."""
    return {key: row for figures in reversed(by_model) for key, row in figures.items()}


def _cell(row: Row | None) -> str:
    return "–" if row is None else format_value(row.estimate.value, row.unit)


def overview_table(summaries: Sequence[Summary], marks: Sequence[str] = ()) -> Table:
    """The headline of every run; `marks` are the letters by which a page calls them."""
    head = [tr("Suite"), tr("Model"), tr("Score"), tr("95 % interval"), tr("Best blind baseline"), tr("Skill")]
    rows: list[list[str]] = []
    bars: list[Bar | None] = []
    for summary in summaries:
        score, baseline = summary.score, summary.best_baseline
        unit = summary.head.unit if summary.head else "share"
        figures = [format_value(score.value if score else None, unit), format_interval(score, unit) if score else "–"]
        beside = [format_value(baseline.value, unit), format_skill(baseline.skill)] if baseline else ["–", "–"]
        rows.append([summary.suite, summary.model, *figures, *beside])
        value = score.value if score and score.value is not None and unit == "share" else 0.0
        bars.append(Bar(value, value, value, baseline.value if baseline and unit == "share" else None))
    if marks:
        head, rows = ["", *head], [[mark, *row] for mark, row in zip(marks, rows, strict=True)]
    return Table(title="", head=head, rows=rows, bars=bars, texts=3 if marks else 2)
