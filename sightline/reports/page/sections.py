"""The parts of a run's report below its head: tables, plots, protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from sightline.i18n import tr
from sightline.reports.charts.kinds import charts
from sightline.reports.charts.svg import Chart, colour
from sightline.reports.html import html_list, html_table, safe
from sightline.reports.page.bilingual import both
from sightline.reports.plots.from_summary import plot_data
from sightline.reports.tables import detail_tables, tables
from sightline.runs.manifest import Manifest
from sightline.scoring.summary import Summary

SHARED = ("bars", "radar")
LONGEST = 300
"""Characters of a setting that a page shows."""


def figures(summary: Summary, level: int) -> str:
    """All tables: overall, by task, tag and level, then the details."""

    def made() -> str:
        shown = "".join(html_table(table, level) for table in tables(summary))
        note = tr("Bars: value, 95 % interval (line), best blind baseline (mark).")
        details = "".join(html_table(table, level) for table in detail_tables(summary))
        if details:
            words = safe(tr("Details: by class, size and number"))
            details = f'<details class="more"><summary>{words}</summary>{details}</details>'
        return f'{shown}<p class="note">{safe(note)}</p>{details}'

    return both(made)


def plots(summaries: Sequence[Summary], level: int) -> str:
    """Every plot that the figures have, or nothing; of several models those alone that show all of them."""

    def made() -> str:
        found = charts(plot_data(summaries))
        drawn = [_figure(chart, level) for chart in found if len(summaries) == 1 or chart.kind in SHARED]
        return f'<div class="charts">{"".join(drawn)}</div>' if drawn else ""

    return both(made)


def _figure(chart: Chart, level: int) -> str:
    keys = "".join(
        f'<li><i style="background:{colour(index)}"></i>{safe(name)}</li>' for index, name in enumerate(chart.legend)
    )
    if chart.marks:
        keys += f'<li><i class="mark"></i>{safe(chart.marks)}</li>'
    legend = f'<ul class="keys">{keys}</ul>' if keys else ""
    note = f'<p class="note">{safe(chart.note)}</p>' if chart.note else ""
    kind = f"chart {'full' if chart.wide else ''}".strip()
    plate = f'<div class="plate" role="group" tabindex="0" aria-label="{safe(chart.title)}">{chart.svg}</div>'
    head = f"<figcaption><h{level}>{safe(chart.title)}</h{level}></figcaption>"
    return f'<figure class="{kind}">{head}{plate}{legend}{note}</figure>'


def protocol(summary: Summary, manifest: Manifest, level: int) -> str:
    """Deviations, how the data were read, notes, and what was run."""

    def made() -> str:
        return (
            html_list(tr("Deviations from the standard protocol"), summary.deviations or [tr("none")], level)
            + html_list(tr("How the data were read"), summary.facts, level)
            + html_list(tr("Notes"), summary.notes, level)
            + _provenance(manifest, level)
        )

    return both(made)


def _provenance(manifest: Manifest, level: int) -> str:
    asking = f"{manifest.seconds_asking:,.1f} s" if manifest.seconds_asking else ""
    rows = {
        tr("Suite"): f"{manifest.suite} {manifest.suite_version}",
        tr("Model"): manifest.model,
        tr("State"): tr(manifest.state),
        tr("Stopped early"): manifest.why_stopped,
        tr("Started"): manifest.started,
        tr("Ended"): manifest.ended,
        tr("Inference time"): asking,
        tr("data"): f"{manifest.data} (SHA-256 {manifest.data_sha256})",
        tr("data that was graded"): manifest.graded_data_sha256 and f"SHA-256 {manifest.graded_data_sha256}",
        tr("prompt of the first sample"): manifest.prompt_sha256 and f"SHA-256 {manifest.prompt_sha256}",
        tr("Options of the suite"): _pairs(manifest.options),
        tr("Model and server"): _pairs(manifest.identity),
        tr("Settings"): _pairs(manifest.config),
        tr("Versions"): _pairs(manifest.versions),
    }
    cells = "".join(
        f'<tr><th scope="row">{safe(name)}</th><td>{safe(value)}</td></tr>' for name, value in rows.items() if value
    )
    title = safe(tr("What was run"))
    return f'<div class="block"><h{level}>{title}</h{level}><table class="facts"><tbody>{cells}</tbody></table></div>'


def _pairs(values: Mapping[str, Any]) -> str:
    """Settings in one line; what is empty says nothing."""
    return ", ".join(
        f"{name} = {_short(value)}" for name, value in values.items() if value not in (None, "", [], {}, ())
    )


def _short(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= LONGEST else f"{text[:LONGEST]}…"
