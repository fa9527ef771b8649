"""The report page (report.html): one run, or several runs with a comparison at the top."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec
from msgspec import Struct

from sightline.i18n import tr
from sightline.reports.comparison_pages import comparison_notes, comparison_tables
from sightline.reports.formatting import format_interval, format_value
from sightline.reports.html import bilingual, bilingual_text, html_list, html_page, html_table, safe
from sightline.reports.plots.data import plot_data
from sightline.reports.plots.page_charts import page_charts
from sightline.reports.plots.svg import Chart, colour
from sightline.reports.tables import STATUSES, detail_tables, headline, overview_table, tables
from sightline.reports.tables import side_by_side_table as side_by_side
from sightline.runs.comparison.records import Comparison
from sightline.runs.manifest import Manifest
from sightline.scoring.summary import Summary


class ReportedRun(Struct, frozen=True, kw_only=True):
    """A run on the page."""

    summary: Summary
    manifest: Manifest
    samples: str = ""
    """Its samples as HTML; empty: none are shown."""


def report_page(runs: Sequence[ReportedRun], comparison: Comparison | None = None, why_not: str = "") -> str:
    """One page of all runs; `why_not` says why several runs are not compared."""
    if len(runs) == 1:
        run = runs[0]
        return html_page(f"{run.summary.model} · {run.summary.suite}", [_run_article(run, 1)])
    names = " · ".join(run.summary.model for run in runs)
    letters = [side.letter for side in comparison.sides] if comparison else [str(k + 1) for k in range(len(runs))]
    parts = [f"<h1>{bilingual_text(lambda: tr('Report'))}</h1>", f'<p class="sub">{safe(names)}</p>']
    parts.append(bilingual(lambda: html_table(overview_table([run.summary for run in runs], letters))))
    parts.append(_comparison_section(runs, comparison, why_not))
    parts += [_run_article(run, 2, letter) for run, letter in zip(runs, letters, strict=True)]
    return html_page(names, parts)


def _comparison_section(runs: Sequence[ReportedRun], comparison: Comparison | None, why_not: str) -> str:
    summaries = [run.summary for run in runs]
    same = len({summary.suite for summary in summaries}) == 1
    if comparison is None:
        table = bilingual(lambda: html_table(side_by_side(summaries), 3)) if same else ""
        body = f'<p class="note">{why_not}</p>{table}'
    else:
        body = bilingual(lambda: _comparison_html(comparison))
    distinct = len({summary.model for summary in summaries}) == len(summaries)
    drawn = _plots_html(summaries, 3) if same and distinct else ""
    return _section("comparison", lambda: tr("Comparison"), body + drawn, 2)


def _comparison_html(comparison: Comparison) -> str:
    """Runs, differences and agreement; breakdowns are folded up."""
    first, rest = (comparison_tables(comparison)[part] for part in (slice(3), slice(3, None)))
    html = "".join(html_table(table, 3) for table in first)
    html += html_list(tr("Notes"), comparison_notes(comparison), 3)
    if rest:
        words = safe(tr("Differences by task and tag, and changed samples"))
        more = "".join(html_table(table, 3) for table in rest)
        html += f'<details class="more"><summary>{words}</summary>{more}</details>'
    return html


def _run_article(run: ReportedRun, level: int, mark: str = "") -> str:
    """A run's head and sections; several runs on a page have addresses of their own."""
    below = level + 1
    name = f"{mark.lower()}-" if mark else ""
    made = {
        "figures": (lambda: tr("Metrics"), _metrics_html(run.summary, below + 1)),
        "plots": (lambda: tr("Plots"), _plots_html([run.summary], below + 1)),
        "samples": (lambda: tr("Notable samples"), run.samples),
        "protocol": (lambda: tr("Protocol"), _protocol_html(run.summary, run.manifest, below + 1)),
    }
    named = f' aria-label="{safe(mark)}"' if mark else ""
    there = {key: part for key, part in made.items() if part[1]}
    links = "".join(f'<li><a href="#{name}{key}">{bilingual_text(words)}</a></li>' for key, (words, _) in there.items())
    return (
        f"<article>{_run_head(run.summary, run.manifest, level, mark)}<nav{named}>"
        f'<ul class="contents">{links}</ul></nav>'
        + "".join(_section(f"{name}{key}", words, body, below) for key, (words, body) in there.items())
        + "</article>"
    )


def _section(name: str, words: Callable[[], str], body: str, level: int) -> str:
    return f'<section id="{safe(name)}"><h{level}>{bilingual_text(words)}</h{level}>{body}</section>'


def _run_head(summary: Summary, manifest: Manifest, level: int, mark: str = "") -> str:
    """Names, badges and the headline; `mark` is the letter by which a comparison calls the run."""
    title = f"{mark}: {summary.model}" if mark else summary.model
    badges = "".join(f'<span class="badge {kind}">{text}</span>' for kind, text in _badges(summary, manifest))

    def about() -> tuple[str, ...]:
        suite = f"{summary.suite} {manifest.suite_version}: {tr(summary.title)}"
        return summary.params, suite, manifest.started

    return (
        f"<h{level}>{safe(title)}</h{level}>"
        + bilingual(lambda: f'<p class="sub">{safe(" · ".join(filter(None, about())))}</p>')
        + f'<p class="badges">{badges}</p>'
        + bilingual(lambda: _headline(summary))
    )


def _badges(summary: Summary, manifest: Manifest) -> list[tuple[str, str]]:
    count = len(summary.deviations)
    badges = [
        ("", bilingual_text(lambda: tr("{count} deviations from the standard protocol", count=count)))
        if count
        else ("good", bilingual_text(lambda: tr("standard protocol")))
    ]
    if manifest.state == "running":
        badges.append(("bad", bilingual_text(lambda: tr("still running when graded"))))
    if not summary.complete:
        badges.append(("bad", bilingual_text(lambda: tr("incomplete"))))
    return badges


def _headline(summary: Summary) -> str:
    """The same words as everywhere; the main figure is large, with its interval drawn."""
    lines = headline(summary)[2:]
    cells = ""
    if (head := summary.head) is not None:
        name, lines = lines[0][0], lines[1:]
        interval = format_interval(head.estimate, head.unit)
        beside = "" if interval == "–" else f"<small>95 %: {safe(interval)}</small>"
        cells = (
            f'<div class="main"><dt>{safe(name)}</dt><dd>'
            f"<b>{safe(format_value(head.estimate.value, head.unit))}</b>{beside}{_gauge(summary)}</dd></div>"
        )
    cells += "".join(
        f"<div><dt>{safe(name)}</dt><dd>{safe(value)}"
        f"{_status_bar(summary) if name == tr('Coverage') else ''}</dd></div>"
        for name, value in lines
    )
    return f'<dl class="score">{cells}</dl>'


def _gauge(summary: Summary) -> str:
    """Value, interval and best blind baseline on a line from 0 to 100 %."""
    head = summary.head
    if head is None or head.estimate.value is None or head.unit == "number" or not 0 <= head.estimate.value <= 1:
        return ""
    value, low, high = head.estimate.value, head.estimate.low, head.estimate.high
    parts = f'<rect x="0" y="7" width="{300 * value:.1f}" height="8" rx="3" fill="var(--bar)"/>'
    if low is not None and high is not None:
        ends = max(0.0, low) * 300, min(1.0, high) * 300
        parts += f'<line x1="{ends[0]:.1f}" x2="{ends[1]:.1f}" y1="11" y2="11" stroke="var(--ink)" stroke-width="2"/>'
    if (best := summary.best_baseline) is not None:
        at = 300 * min(1.0, max(0.0, best.value))
        parts += f'<line x1="{at:.1f}" x2="{at:.1f}" y1="2" y2="20" stroke="var(--mark)" stroke-width="3"/>'
    back = '<rect x="0" y="7" width="300" height="8" rx="3" fill="var(--line)"/>'
    return f'<svg class="gauge" viewBox="0 0 300 22" preserveAspectRatio="none" aria-hidden="true">{back}{parts}</svg>'


def _status_bar(summary: Summary) -> str:
    """How the samples ended, as one divided bar; the words beside it say the same."""
    counts = {state: summary.statuses.get(state, 0) for state in STATUSES} | {"pending": summary.pending}
    total, at, parts = sum(counts.values()), 0.0, ""
    for state, count in counts.items():
        if count:
            width = 300 * count / total
            parts += f'<rect x="{at:.1f}" y="0" width="{width:.1f}" height="8" fill="var(--{state})"/>'
            at += width
    if not parts:
        return ""
    return f'<svg class="states" viewBox="0 0 300 8" preserveAspectRatio="none" aria-hidden="true">{parts}</svg>'


_MULTI_MODEL_CHARTS = ("bars", "radar")
_MAX_SETTING_LETTERS = 300
"""Characters of a setting that a page shows."""


def _metrics_html(summary: Summary, level: int) -> str:
    """All tables: overall, by task, tag and level, then the details."""

    def render() -> str:
        shown = "".join(html_table(table, level) for table in tables(summary))
        note = tr("Bars: value; line: 95 % interval; mark: best blind baseline.")
        details = "".join(html_table(table, level) for table in detail_tables(summary))
        if details:
            words = safe(tr("Details by class, size and count"))
            details = f'<details class="more"><summary>{words}</summary>{details}</details>'
        return f'{shown}<p class="note">{safe(note)}</p>{details}'

    return bilingual(render)


def _plots_html(summaries: Sequence[Summary], level: int) -> str:
    """Every plot that the figures have, or nothing; of several models those alone that show all of them."""

    def render() -> str:
        found = page_charts(plot_data(summaries))
        drawn = [
            _chart_html(chart, level) for chart in found if len(summaries) == 1 or chart.kind in _MULTI_MODEL_CHARTS
        ]
        return f'<div class="charts">{"".join(drawn)}</div>' if drawn else ""

    return bilingual(render)


def _chart_html(chart: Chart, level: int) -> str:
    keys = "".join(
        f'<li><i style="background:{colour(index)}"></i>{safe(name)}</li>' for index, name in enumerate(chart.legend)
    )
    if chart.marks:
        keys += f'<li><i class="mark"></i>{safe(chart.marks)}</li>'
    legend = f'<ul class="keys">{keys}</ul>' if keys else ""
    note = f'<p class="note">{safe(chart.note)}</p>' if chart.note else ""
    kind = f"chart {'full' if chart.wide else ''}".strip()
    drawing = f'<div class="plate" role="group" tabindex="0" aria-label="{safe(chart.title)}">{chart.svg}</div>'
    head = f"<figcaption><h{level}>{safe(chart.title)}</h{level}></figcaption>"
    return f'<figure class="{kind}">{head}{drawing}{legend}{note}</figure>'


def _protocol_html(summary: Summary, manifest: Manifest, level: int) -> str:
    """Deviations, how the data were read, notes, and what was run."""

    def render() -> str:
        return (
            html_list(tr("Deviations from the standard protocol"), summary.deviations or [tr("none")], level)
            + html_list(tr("Data set notes"), summary.facts, level)
            + html_list(tr("Notes"), summary.notes, level)
            + _provenance(manifest, level)
        )

    return bilingual(render)


def _provenance(manifest: Manifest, level: int) -> str:
    asking = f"{manifest.seconds_asking:,.1f} s" if manifest.seconds_asking else ""
    rows = {
        tr("Suite"): f"{manifest.suite} {manifest.suite_version}",
        tr("Model"): manifest.model,
        tr("Status"): tr(manifest.state),
        tr("Stopped early"): manifest.why_stopped,
        tr("Started"): manifest.started,
        tr("Ended"): manifest.ended,
        tr("Inference time"): asking,
        tr("data"): f"{manifest.data} (SHA-256 {manifest.data_sha256})",
        tr("data that was graded"): manifest.graded_data_sha256 and f"SHA-256 {manifest.graded_data_sha256}",
        tr("prompt of the first sample"): manifest.prompt_sha256 and f"SHA-256 {manifest.prompt_sha256}",
        tr("Suite options"): _settings_text(manifest.options),
        tr("Model and server"): _settings_text(manifest.identity),
        tr("Settings"): _settings_text(manifest.config),
        tr("Versions"): _settings_text(manifest.versions),
    }
    cells = "".join(
        f'<tr><th scope="row">{safe(name)}</th><td>{safe(value)}</td></tr>' for name, value in rows.items() if value
    )
    title = safe(tr("Run details"))
    return f'<div class="block"><h{level}>{title}</h{level}><table class="facts"><tbody>{cells}</tbody></table></div>'


def _settings_text(values: Mapping[str, Any]) -> str:
    """Settings in one line; what is empty says nothing."""
    return ", ".join(
        f"{name} = {_setting_text(value)}" for name, value in values.items() if value not in (None, "", [], {}, ())
    )


def _setting_text(value: Any) -> str:
    text = value if isinstance(value, str) else msgspec.json.encode(value).decode()
    return text if len(text) <= _MAX_SETTING_LETTERS else f"{text[:_MAX_SETTING_LETTERS]}…"
