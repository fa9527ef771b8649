"""HTML of self-contained pages: escaping, tables, lists, both languages in one file, page frame."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextvars import copy_context
from html import escape
from importlib.resources import files
from typing import TypeVar

from sightline.core.remarks import Remark, format_remark
from sightline.i18n import LANGUAGES, language, set_language, tr
from sightline.reports.sample_view.texts import show_hidden
from sightline.reports.tables import Bar, Table, headline, side_by_side_table, tables
from sightline.scoring.dataframes import html_block, html_rows
from sightline.scoring.summary import Summary

_MAX_BRIEF_LETTERS = 14
"""Letters of a first column that needs no room for names."""
STYLE = files("sightline.reports").joinpath("report.css").read_text(encoding="utf-8")


def safe(text: object) -> str:
    """Escape untrusted text for HTML; hidden and bidi characters are made visible."""
    return escape(str(show_hidden(str(text))))


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
        + (f'<td class="bar">{_bar_svg(bar)}</td>' if drawn else "")
        + "</tr>"
        for row, bar in zip(table.rows, bars, strict=True)
    )
    note = f'<p class="note">{safe(table.note)}</p>' if table.note else ""
    # a reader without a mouse must be able to scroll a wide table
    region = f'role="group" tabindex="0" aria-label="{safe(table.title)}"' if table.title else 'tabindex="0"'
    title = f"<h{level}>{safe(table.title)}</h{level}>" if table.title else ""
    brief = ' class="brief"' if all(len(row[0]) <= _MAX_BRIEF_LETTERS for row in table.rows if row) else ""
    return (
        f'<div class="block">{title}<div class="wide" {region}><table{brief}>'
        f"<thead><tr>{head}</tr></thead><tbody>{rows}</tbody></table></div>{note}</div>"
    )


def _bar_svg(bar: Bar | None) -> str:
    """A bar with its interval as a whisker, and the best blind baseline as a tick."""
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
    texts = (format_remark(line) if isinstance(line, Remark) else line for line in lines)
    items = "".join(f"<li>{safe(line)}</li>" for line in texts)
    return f'<div class="block"><h{level}>{safe(title)}</h{level}><ul>{items}</ul></div>'


_TAGS = {"en": "en", "zh": "zh-Hans"}
T = TypeVar("T")


def in_language(lang: str, make: Callable[[], T]) -> T:
    """What `make` says in a language; the language in force outside stays as it is."""
    context = copy_context()
    context.run(set_language, lang)
    return context.run(make)


def bilingual(make: Callable[[], str], tag: str = "div") -> str:
    """HTML in both languages, each in an element of its own; once where they don't differ."""
    versions = {lang: in_language(lang, make) for lang in LANGUAGES}
    if len(set(versions.values())) == 1:
        return versions["en"]
    return "".join(f'<{tag} class="{lang}" lang="{_TAGS[lang]}">{text}</{tag}>' for lang, text in versions.items())


def bilingual_text(make: Callable[[], str]) -> str:
    """A few plain words in both languages, in the flow of a line."""
    return bilingual(lambda: safe(make()), "span")


POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""The page may show what it holds; it may load nothing, run nothing and send nothing."""


def html_page(title: str, body: Iterable[str]) -> str:
    """A page that needs nothing beside itself."""
    lang = language()
    return (
        f'<!doctype html>\n<html lang="{lang}" class="prefers-{lang}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" '
        f'content="light dark"><title>{safe(title)}</title><style>{STYLE}</style></head>'
        f'<body><header class="top">{_switches(lang)}</header><main>{"".join(body)}</main></body></html>\n'
    )


_THEMES = {"auto": lambda: tr("System"), "light": lambda: tr("Light"), "dark": lambda: tr("Dark")}


def _switches(lang: str) -> str:
    """Radio buttons for language and theme, driven by CSS only."""
    languages = "".join(
        f'<input type="radio" name="language" id="say-{name}"{" checked" if name == lang else ""}>'
        f'<label for="say-{name}" lang="{name}">{words}</label>'
        for name, words in (("en", "English"), ("zh", "中文"))
    )
    looks = "".join(
        f'<input type="radio" name="look" id="look-{name}"{" checked" if name == "auto" else ""}>'
        f'<label for="look-{name}">{bilingual_text(words)}</label>'
        for name, words in _THEMES.items()
    )
    legends = bilingual_text(lambda: tr("Language")), bilingual_text(lambda: tr("Theme"))
    return (
        f'<fieldset class="switch"><legend>{legends[0]}</legend>{languages}</fieldset>'
        f'<fieldset class="switch"><legend>{legends[1]}</legend>{looks}</fieldset>'
    )


def summaries_html(summaries: Sequence[Summary]) -> str:
    """One model with its figures, or several side by side; nothing in it is run or loaded."""
    if len(summaries) == 1:
        return _summary_html(summaries[0])
    return html_block(tr("Model comparison"), [_rows_html(side_by_side_table(summaries))])


def _summary_html(summary: Summary) -> str:
    shown = [table for table in tables(summary) if table.rows][:2]
    lines = html_rows((), headline(summary), texts=2)
    return html_block(f"{summary.suite}: {summary.model}", [lines, *map(_rows_html, shown)])


def _rows_html(table: Table) -> str:
    return html_rows(table.head, table.rows, table.texts)
