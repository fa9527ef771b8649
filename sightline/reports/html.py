"""A report as one page: no network, no script, light and dark, prints well. Everything from outside is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from sightline.grading.summary import Summary
from sightline.language import language, say
from sightline.reports.tables import Bar, Table, detail_tables, headline, tables
from sightline.runs.manifest import Manifest

STYLE = files("sightline.reports").joinpath("report.css").read_text(encoding="utf-8")


def to_html(summary: Summary, manifest: Manifest) -> str:
    """The whole page."""
    title = f"{summary.model} · {summary.suite}"
    body = [f"<h1>{escape(summary.model)}</h1>", f'<p class="sub">{escape(_subtitle(summary, manifest))}</p>']
    body.append(_headline(summary))
    body += [html_table(table) for table in (*tables(summary), *detail_tables(summary))]
    body.append(
        f'<p class="note">{escape(say("Bars: the value, its 95 % interval (line), the best control (mark)."))}</p>'
    )
    body.append(html_list(say("Deviations from the standard protocol"), summary.deviations or [say("none")]))
    body.append(html_list(say("How the data were read"), summary.facts))
    body.append(html_list(say("Notes"), summary.notes))
    body.append(html_list(say("What was run"), _provenance(manifest)))
    return (
        f'<!doctype html><html lang="{language()}"><head><meta charset="utf-8">'
        '<meta name="viewport" content="width=device-width,initial-scale=1">'
        f"<title>{escape(title)}</title><style>{STYLE}</style></head><body>{''.join(body)}</body></html>\n"
    )


def _subtitle(summary: Summary, manifest: Manifest) -> str:
    return " · ".join(filter(None, (summary.params, say(summary.title), manifest.started)))


def _headline(summary: Summary) -> str:
    cells = "".join(
        f"<div><span>{escape(name)}</span><b>{escape(value)}</b></div>" for name, value in headline(summary)[2:]
    )
    return f'<section class="score">{cells}</section>'


def html_table(table: Table) -> str:
    """A table under its title, with bars where rows can be drawn."""
    drawn = any(table.bars)
    side = ['class="t"' if column < table.texts else "" for column in range(len(table.head))]
    named = zip(side, table.head, strict=True)
    head = "".join(f'<th scope="col" {kind}>{escape(cell)}</th>' for kind, cell in named)
    head += "<th></th>" if drawn else ""
    bars = table.bars or [None] * len(table.rows)
    rows = "".join(
        "<tr>"
        + "".join(f"<td {kind}>{escape(cell)}</td>" for kind, cell in zip(side, row, strict=True))
        + (f'<td class="bar">{_bar(bar)}</td>' if drawn else "")
        + "</tr>"
        for row, bar in zip(table.rows, bars, strict=True)
    )
    note = f'<p class="note">{escape(table.note)}</p>' if table.note else ""
    return (
        f'<h2>{escape(table.title)}</h2><div class="wide"><table><thead><tr>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>{note}"
    )


def _bar(bar: Bar | None) -> str:
    """A bar with its interval as a whisker, and the best control as a tick."""
    if bar is None:
        return ""
    value, low, high = (round(180 * x, 1) for x in (bar.value, bar.low, bar.high))
    tick = ""
    if bar.control is not None:
        at = round(180 * bar.control, 1)
        tick = f'<line x1="{at}" x2="{at}" y1="0" y2="16" stroke="var(--mark)" stroke-width="2"/>'
    return (
        '<svg viewBox="0 0 180 16" preserveAspectRatio="none" role="img" aria-hidden="true">'
        '<rect x="0" y="4" width="180" height="8" rx="2" fill="var(--line)" opacity=".5"/>'
        f'<rect x="0" y="4" width="{value}" height="8" rx="2" fill="var(--bar)"/>'
        f'<line x1="{low}" x2="{high}" y1="8" y2="8" stroke="var(--ink)" stroke-width="1.5"/>{tick}</svg>'
    )


def html_list(title: str, lines: Sequence[object]) -> str:
    """A list under its title; nothing where there is nothing to list."""
    if not lines:
        return ""
    items = "".join(f"<li>{escape(str(line))}</li>" for line in lines)
    return f"<h2>{escape(title)}</h2><ul>{items}</ul>"


def _provenance(manifest: Manifest) -> list[str]:
    options = ", ".join(f"{key}={value}" for key, value in manifest.options.items())
    versions = ", ".join(f"{name} {number}" for name, number in manifest.versions.items())
    prompt = f"{say('prompt of the first sample')}: SHA-256 {manifest.prompt_sha256[:16]}…"
    return [
        f"{say('data')}: {manifest.data} (SHA-256 {manifest.data_sha256[:16]}…)",
        *([prompt] if manifest.prompt_sha256 else ()),
        f"{manifest.suite} {manifest.suite_version}: {options}",
        versions,
    ]
