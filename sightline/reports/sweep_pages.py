"""Report of a sweep over pixel budgets: a table for terminal and Markdown, report.json, and a plot (PNG and SVG)."""

from __future__ import annotations

from pathlib import Path

from sightline.core.atomic_io import write_json
from sightline.i18n import tr
from sightline.reports.comparison_pages import format_p, format_points, printable_name
from sightline.reports.formatting import format_count, format_interval, format_value
from sightline.reports.markdown import markdown_safe, table_text
from sightline.reports.tables import Table
from sightline.runs.comparison.sweep import Sweep, SweepPoint, describe_budget


def sweep_table(sweep: Sweep) -> Table:
    """One row per budget: score, paired difference to the best, tokens, cost and time."""
    return Table(
        title=f"{sweep.suite}: {printable_name(sweep.model)}",
        head=[
            tr("Max. pixels"),
            "",
            tr(sweep.metric) if sweep.metric else tr("Score"),
            tr("95 % interval"),
            tr("Difference to the best (points)"),
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
    marks = [tr("best")] * (index == sweep.best) + [tr("knee")] * (index == sweep.knee)
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
        f"{point.usage.cost:.2f}" if point.usage.cost else "–",
        f"{point.seconds_asking:,.1f} s" if point.seconds_asking else "–",
    ]


def sweep_rule(sweep: Sweep) -> str:
    """How the knee was found."""
    measure = tr("accuracy") if sweep.measure == "accuracy" else tr("mean score")
    return tr(
        "Knee: the smallest budget for which the whole 95 % interval of the paired difference to the best budget "
        "({measure}, same samples) lies above −{margin} points. Best: the highest {measure}.",
        measure=measure,
        margin=f"{100 * sweep.margin:g}",
    )


def sweep_conclusion(sweep: Sweep) -> str:
    """The knee in one sentence."""
    knee, best = sweep.points[sweep.knee], sweep.points[sweep.best]
    budget, best_budget = (str(describe_budget(point.max_pixels, with_unit=True)) for point in (knee, best))
    if sweep.knee == sweep.best:
        return tr("The knee is the best budget itself: {budget}.", budget=budget)
    if knee.tokens_per_request and best.tokens_per_request:
        share = f"{100 * knee.tokens_per_request / best.tokens_per_request:.0f}"
        return tr(
            "Knee: {budget}, with {share} % of the prompt tokens of the best budget, {best}.",
            budget=budget,
            best=best_budget,
            share=share,
        )
    return tr("Knee: {budget}; best: {best}.", budget=budget, best=best_budget)


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
