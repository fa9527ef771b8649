"""What is around every page: one file, light and dark, two languages, nothing loaded and nothing run."""

from __future__ import annotations

from collections.abc import Iterable

from sightline.i18n import language, tr
from sightline.reports.html import STYLE, safe
from sightline.reports.page.bilingual import phrase

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""The page may show what it holds; it may load nothing, run nothing and send nothing."""


def one_page(title: str, body: Iterable[str]) -> str:
    """A page that needs nothing beside itself."""
    tongue = language()
    return (
        f'<!doctype html>\n<html lang="{tongue}" class="prefers-{tongue}"><head><meta charset="utf-8">'
        f'<meta http-equiv="Content-Security-Policy" content="{POLICY}">'
        '<meta name="viewport" content="width=device-width,initial-scale=1"><meta name="color-scheme" '
        f'content="light dark"><title>{safe(title)}</title><style>{STYLE}</style></head>'
        f'<body><header class="top">{_switches(tongue)}</header><main>{"".join(body)}</main></body></html>\n'
    )


def _switches(tongue: str) -> str:
    """Radio buttons that style sheets look at: they work without a script, with mouse and keys."""
    languages = [("en", "English"), ("zh", "中文")]
    said = "".join(
        f'<input type="radio" name="language" id="say-{name}"{" checked" if name == tongue else ""}>'
        f'<label for="say-{name}" lang="{name}">{words}</label>'
        for name, words in languages
    )
    looks = "".join(
        f'<input type="radio" name="look" id="look-{name}"{" checked" if name == "auto" else ""}>'
        f'<label for="look-{name}">{words}</label>'
        for name, words in _looks().items()
    )
    legends = phrase(lambda: tr("Language")), phrase(lambda: tr("Look"))
    return (
        f'<fieldset class="switch"><legend>{legends[0]}</legend>{said}</fieldset>'
        f'<fieldset class="switch"><legend>{legends[1]}</legend>{looks}</fieldset>'
    )


def _looks() -> dict[str, str]:
    return {
        "auto": phrase(lambda: tr("as the system")),
        "light": phrase(lambda: tr("light")),
        "dark": phrase(lambda: tr("dark")),
    }
