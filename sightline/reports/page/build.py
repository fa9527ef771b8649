"""The whole report page: of one run, or of several with a comparison at their head."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from msgspec import Struct

from sightline.i18n import tr
from sightline.reports.compare import comparison as side_by_side
from sightline.reports.comparison_page import comparison_notes, comparison_tables
from sightline.reports.html import html_list, html_table, safe
from sightline.reports.overview import overview
from sightline.reports.page.bilingual import both, phrase
from sightline.reports.page.head import run_head
from sightline.reports.page.layout import one_page
from sightline.reports.page.sections import figures, plots, protocol
from sightline.runs.comparison.records import Comparison
from sightline.runs.manifest import Manifest
from sightline.scoring.summary import Summary


class Reported(Struct, frozen=True, kw_only=True):
    """A run on the page."""

    summary: Summary
    manifest: Manifest
    samples: str = ""
    """Its samples as HTML; empty: none are shown."""


def report_page(runs: Sequence[Reported], comparison: Comparison | None = None, why_not: str = "") -> str:
    """One page of all runs; `why_not` says why several runs are not compared."""
    if len(runs) == 1:
        run = runs[0]
        return one_page(f"{run.summary.model} · {run.summary.suite}", [_run(run, 1)])
    names = " · ".join(run.summary.model for run in runs)
    letters = [side.letter for side in comparison.sides] if comparison else [str(k + 1) for k in range(len(runs))]
    parts = [f"<h1>{phrase(lambda: tr('Report'))}</h1>", f'<p class="sub">{safe(names)}</p>']
    parts.append(both(lambda: html_table(overview([run.summary for run in runs], letters))))
    parts.append(_together(runs, comparison, why_not))
    parts += [_run(run, 2, letter) for run, letter in zip(runs, letters, strict=True)]
    return one_page(names, parts)


def _together(runs: Sequence[Reported], comparison: Comparison | None, why_not: str) -> str:
    summaries = [run.summary for run in runs]
    same = len({summary.suite for summary in summaries}) == 1
    if comparison is None:
        table = both(lambda: html_table(side_by_side(summaries), 3)) if same else ""
        body = f'<p class="note">{why_not}</p>{table}'
    else:
        body = both(lambda: _compared(comparison))
    distinct = len({summary.model for summary in summaries}) == len(summaries)
    drawn = plots(summaries, 3) if same and distinct else ""
    return _section("comparison", lambda: tr("Comparison"), body + drawn, 2)


def _compared(comparison: Comparison) -> str:
    """Runs, differences and agreement; breakdowns are folded up."""
    first, rest = (comparison_tables(comparison)[part] for part in (slice(3), slice(3, None)))
    told = "".join(html_table(table, 3) for table in first)
    told += html_list(tr("Notes"), comparison_notes(comparison), 3)
    if rest:
        words = safe(tr("Differences by task and tag, and samples that changed"))
        more = "".join(html_table(table, 3) for table in rest)
        told += f'<details class="more"><summary>{words}</summary>{more}</details>'
    return told


def _run(run: Reported, level: int, mark: str = "") -> str:
    """A run's head and sections; several runs on a page have addresses of their own."""
    below = level + 1
    name = f"{mark.lower()}-" if mark else ""
    made = {
        "figures": (lambda: tr("Figures"), figures(run.summary, below + 1)),
        "plots": (lambda: tr("Plots"), plots([run.summary], below + 1)),
        "samples": (lambda: tr("Samples worth a look"), run.samples),
        "protocol": (lambda: tr("Protocol"), protocol(run.summary, run.manifest, below + 1)),
    }
    named = f' aria-label="{safe(mark)}"' if mark else ""
    there = {key: part for key, part in made.items() if part[1]}
    links = "".join(f'<li><a href="#{name}{key}">{phrase(words)}</a></li>' for key, (words, _) in there.items())
    return (
        f"<article>{run_head(run.summary, run.manifest, level, mark)}<nav{named}>"
        f'<ul class="contents">{links}</ul></nav>'
        + "".join(_section(f"{name}{key}", words, body, below) for key, (words, body) in there.items())
        + "</article>"
    )


def _section(name: str, words: Callable[[], str], body: str, level: int) -> str:
    return f'<section id="{safe(name)}"><h{level}>{phrase(words)}</h{level}>{body}</section>'
