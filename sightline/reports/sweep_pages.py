"""Report of a sweep over pixel budgets: a table for terminal and Markdown, report.json, and a plot (PNG and SVG)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from sightline.core.atomic_io import write_json
from sightline.i18n import tr
from sightline.reports.comparison_pages import format_p, format_points, printable_name
from sightline.reports.formatting import format_cost, format_count, format_interval, format_value
from sightline.reports.markdown import markdown_safe, table_text
from sightline.reports.tables import Table
from sightline.runs.comparison.sweep import Budget, Sweep, SweepPoint, describe_budget


def sweep_table(sweep: Sweep) -> Table:
    """One row per budget: score, paired difference to the largest, tokens, cost and time."""
    return Table(
        title=f"{sweep.suite}: {printable_name(sweep.model)}",
        head=[
            tr("Max. pixels"),
            "",
            tr(sweep.metric) if sweep.metric else tr("Score"),
            tr("95 % interval"),
            tr("Difference to the largest (points)"),
            tr("95 % interval"),
            "p",
            tr("Mean pixels sent"),
            tr("Prompt tokens per request"),
            tr("Cost"),
            tr("Inference time"),
        ],
        rows=[_cells(sweep, index, point) for index, point in enumerate(sweep.points)],
        note=sweep_rule(sweep),
        texts=2,
    )


def _cells(sweep: Sweep, index: int, point: SweepPoint) -> list[str]:
    marks = [tr("largest")] * (point is sweep.largest) + [tr("knee")] * (index == sweep.knee)
    difference, tokens = point.difference, point.tokens_per_request
    low, high = (None, None) if difference is None else (difference.low, difference.high)
    has_interval = low is not None and high is not None
    return [
        str(describe_budget(point.max_pixels)),
        " · ".join(marks),
        format_value(point.score.value if point.score else None, sweep.unit),
        format_interval(point.score, sweep.unit) if point.score else "–",
        "–" if difference is None else format_points(difference.value),
        f"{format_points(low)} – {format_points(high)}" if has_interval else "–",
        "–" if difference is None else format_p(difference.p),
        "–" if point.mean_pixels is None else format_count(round(point.mean_pixels)),
        "–" if tokens is None else f"{tokens:,.0f}",
        format_cost(point.usage.cost) if point.usage.cost else "–",
        f"{point.seconds_asking:,.1f} s" if point.seconds_asking else "–",
    ]


def terminal_tables(sweep: Sweep) -> list[Table]:
    """Scores, then tokens, cost and time, each narrow enough for 80 columns; report.md has all columns and digits."""
    full = sweep_table(sweep)
    scores = Table(
        title=full.title,
        head=[full.head[0], "", full.head[2], tr("95 % interval"), tr("Δ to largest"), tr("95 % interval")],
        rows=[_score_cells(sweep, index, point) for index, point in enumerate(sweep.points)],
        note=tr("Δ: paired difference to the largest budget, in points."),
        texts=2,
    )
    shown = (0, 7, 8, 9, 10)
    costs = Table(
        title="",
        head=[full.head[column] for column in shown],
        rows=[[row[column] for column in shown] for row in full.rows],
        note=full.note,
        texts=1,
    )
    return [scores, costs]


def _score_cells(sweep: Sweep, index: int, point: SweepPoint) -> list[str]:
    """One row of the scores, in percent or points with one digit."""
    score, difference = point.score, point.difference
    is_share = sweep.unit != "number"
    if score is None or score.value is None or not is_share:
        value, interval = _cells(sweep, index, point)[2:4]
    else:
        value, interval = f"{100 * score.value:.1f} %", _short_interval(score.low, score.high)
    return [
        str(describe_budget(point.max_pixels)),
        tr("knee") if index == sweep.knee else "",
        value,
        interval,
        tr("largest") if point is sweep.largest else "–" if difference is None else format_points(difference.value, 1),
        "–" if difference is None else _short_interval(difference.low, difference.high, signed=True),
    ]


def _short_interval(low: float | None, high: float | None, signed: bool = False) -> str:
    if low is None or high is None:
        return "–"
    if signed:
        return f"{format_points(low, 1)} – {format_points(high, 1)}"
    return f"{100 * low:.1f} – {100 * high:.1f}"


class Forecast(Protocol):
    """Requests, tokens and cost that are expected."""

    requests: int
    tokens_in: int
    tokens_out: int
    cost: float | None


class BudgetForecast(Forecast, Protocol):
    """What is expected at one pixel budget."""

    max_pixels: Budget


def estimate_table(budgets: Sequence[BudgetForecast], total: Forecast) -> Table:
    """One row per budget, and the total."""
    head = [
        tr("Max. pixels"),
        tr("Requests"),
        tr("Prompt tokens (approx.)"),
        tr("Reply tokens (approx.)"),
        tr("Cost (approx.)"),
    ]
    named = [*((str(describe_budget(row.max_pixels)), row) for row in budgets), (tr("Total"), total)]
    rows = [
        [
            name,
            format_count(row.requests),
            format_count(row.tokens_in),
            format_count(row.tokens_out),
            "–" if row.cost is None else format_cost(row.cost),
        ]
        for name, row in named
    ]
    return Table(title="", head=head, rows=rows)


def sweep_rule(sweep: Sweep) -> str:
    """How the knee was found."""
    measure = tr("accuracy") if sweep.measure == "accuracy" else tr("mean score")
    return tr(
        "Knee: the last budget, in steps down from the largest, for which the whole 95 % interval of the paired "
        "difference to the largest budget ({measure}, same samples) lies above −{margin} points.",
        measure=measure,
        margin=f"{100 * sweep.margin:g}",
    )


def sweep_conclusion(sweep: Sweep) -> str:
    """The knee in one sentence."""
    knee, largest = sweep.points[sweep.knee], sweep.largest
    budget, largest_budget = (str(describe_budget(point.max_pixels, with_unit=True)) for point in (knee, largest))
    if knee is largest:
        return tr("The knee is the largest budget itself: {budget}.", budget=budget)
    if knee.tokens_per_request and largest.tokens_per_request:
        share = f"{100 * knee.tokens_per_request / largest.tokens_per_request:.0f}"
        return tr(
            "Knee: {budget}, with {share} % of the prompt tokens of the largest budget, {largest}.",
            budget=budget,
            largest=largest_budget,
            share=share,
        )
    return tr("Knee: {budget}; largest: {largest}.", budget=budget, largest=largest_budget)


def sweep_markdown(sweep: Sweep) -> str:
    """The whole report as Markdown."""
    parts = [
        f"# {tr('Sweep over pixel budgets')}",
        markdown_safe(sweep_conclusion(sweep)),
        table_text(sweep_table(sweep)),
    ]
    if sweep.notes:
        parts.append(f"## {tr('Notes')}\n\n" + "\n".join(f"- {markdown_safe(str(note))}" for note in sweep.notes))
    folders = "\n".join(
        f"- {describe_budget(point.max_pixels)}: {markdown_safe(point.folder)}" for point in sweep.points
    )
    parts += [f"![{tr('Sweep over pixel budgets')}](sweep.png)", f"## {tr('Runs')}\n\n{folders}"]
    return "\n\n".join(parts) + "\n"


def write_sweep(sweep: Sweep, folder: Path) -> None:
    """Write report.json, report.md, sweep.png and sweep.svg into a folder."""
    from sightline.reports.plots.sweep import draw_sweep

    folder.mkdir(parents=True, exist_ok=True)
    write_json(folder / "report.json", sweep)
    (folder / "report.md").write_text(sweep_markdown(sweep), encoding="utf-8")
    draw_sweep(sweep, folder)
