"""A page taken apart, as a browser would read it."""

from __future__ import annotations

import re
from html.parser import HTMLParser

VOID = {"meta", "img", "input", "br", "hr", "link"}
SHAPES = {"line", "rect", "circle", "path", "polygon"}


class Page(HTMLParser):
    """Elements, attributes, and texts by the language that their element names."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[str] = []
        self.ids: list[str] = []
        self.targets: list[str] = []
        self.texts: dict[str, list[str]] = {"en": [], "zh": [], "": []}
        self.handlers: list[str] = []
        self.parts: dict[str, int] = {"en": 0, "zh": 0}
        self._open: list[tuple[str, str]] = []
        self.feed(text)
        self.close()
        assert not self._open, self._open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        self._note(tag, given)
        if tag not in VOID | SHAPES:
            self._open.append((tag, self._language(given)))

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._note(tag, {name: value or "" for name, value in attrs})

    def handle_endtag(self, tag: str) -> None:
        if tag not in SHAPES:
            opened, _ = self._open.pop()
            assert opened == tag, (opened, tag, self.getpos())

    def handle_data(self, data: str) -> None:
        inside = self._open[-1] if self._open else ("", "")
        if inside[0] != "style" and data.strip():
            self.texts[inside[1]].append(data)

    def _note(self, tag: str, given: dict[str, str]) -> None:
        self.tags.append(tag)
        self.ids += [given["id"]] if "id" in given else []
        self.targets += [given[name] for name in ("src", "href", "srcset", "action", "data", "poster") if name in given]
        self.handlers += [name for name in given if name.startswith("on")]
        language = self._language(given)
        for name in ("alt", "aria-label", "title"):
            if given.get(name):
                self.texts[language].append(given[name])
        if given.get("class") in self.parts:
            self.parts[given["class"]] += 1

    def _language(self, given: dict[str, str]) -> str:
        kind = given.get("class", "")
        return kind if kind in ("en", "zh") else self._open[-1][1] if self._open else ""

    def said(self, language: str) -> str:
        """What a reader of the language sees."""
        return "\n".join([*self.texts[language], *self.texts[""]])


def numbers(text: str) -> set[str]:
    """Every figure of a text, with sign and decimals."""
    return set(re.findall(r"[+-]?\d[\d,]*\.\d+|\b\d[\d,]*\b", text))
