"""Tables and lists as HTML, for every page that is written to a file. Everything from outside is escaped."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape
from importlib.resources import files

from sightline.core.records import Remark
from sightline.reports.sample_view.texts import sentence, visible
from sightline.reports.tables import Bar, Table

_BRIEF = 14
"""Letters of a first column that needs no room for names."""
STYLE = files("sightline.reports").joinpath("report.css").read_text(encoding="utf-8")


def safe(text: object) -> str:
    """Other people's words: no markup, and nothing that hides or turns the direction of writing."""
    return escape(str(visible(str(text))))


def html_table(table: Table, level: int = 2) -> str:
    """A table under its title, with bars where rows can be drawn."""
    drawn = any(table.bars)
    side = [' class="t"' if column < table.texts else "" for column in range(len(table.head))]
    named = zip(side, table.head, strict=True)
    head = "".join(f'<th scope="col"{kind}>{safe(cell)}</th>' if cell else f"<td{kind}></td>" for kind, cell in named)
    head += "<td></td>" if drawn else ""
    bars = table.bars or [None] * len(table.rows)
    rows = "".join(
        "<tr>"
        + "".join(f"<td{kind}>{safe(cell)}</td>" for kind, cell in zip(side, row, strict=True))
        + (f'<td class="bar">{_bar(bar)}</td>' if drawn else "")
        + "</tr>"
        for row, bar in zip(table.rows, bars, strict=True)
    )
    note = f'<p class="note">{safe(table.note)}</p>' if table.note else ""
    # a reader without a mouse must be able to scroll a wide table
    region = f'role="group" tabindex="0" aria-label="{safe(table.title)}"' if table.title else 'tabindex="0"'
    title = f"<h{level}>{safe(table.title)}</h{level}>" if table.title else ""
    brief = ' class="brief"' if all(len(row[0]) <= _BRIEF for row in table.rows if row) else ""
    return (
        f'<div class="block">{title}<div class="wide" {region}><table{brief}>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{note}</div>"
    )


def _bar(bar: Bar | None) -> str:
    """A bar with its interval as a whisker, and the best control as a tick."""
    if bar is None:
        return ""
    value, low, high = (round(180 * x, 1) for x in (bar.value, bar.low, bar.high))
    tick = ""
    if bar.baseline is not None:
        at = round(180 * bar.baseline, 1)
        tick = f'<line x1="{at}" x2="{at}" y1="0" y2="16" stroke="var(--mark)" stroke-width="2"/>'
    return (
        '<svg viewBox="0 0 180 16" preserveAspectRatio="none" aria-hidden="true">'
        '<rect x="0" y="4" width="180" height="8" rx="2" fill="var(--line)" opacity=".5"/>'
        f'<rect x="0" y="4" width="{value}" height="8" rx="2" fill="var(--bar)"/>'
        f'<line x1="{low}" x2="{high}" y1="8" y2="8" stroke="var(--ink)" stroke-width="1.5"/>{tick}</svg>'
    )


def html_list(title: str, lines: Sequence[object], level: int = 2) -> str:
    """A list under its title; nothing where there is nothing to list."""
    if not lines:
        return ""
    told = (sentence(line) if isinstance(line, Remark) else line for line in lines)
    items = "".join(f"<li>{safe(line)}</li>" for line in told)
    return f'<div class="block"><h{level}>{safe(title)}</h{level}><ul>{items}</ul></div>'
