"""JSON objects in text that was meant to be JSON: comments, trailing commas, Python's words, other quotes, bare keys.

Objects are built on a stack, never by recursion, and every step is counted, so that no text can take longer than the
allowance or go deeper than the interpreter.
"""

from __future__ import annotations

import re
from typing import Any

from sightline.scoring.parsers.json_builder import Attempt

STEPS = 300_000
"""Pieces of text that are looked at before giving up: about twice what the largest model needs."""

_START = re.compile(r"""\{(?=[\s\ufeff\u200b]*+(?:["'“‘}A-Za-z_]|//|/\*))""")
_PIECE = re.compile(
    r"""[\s\ufeff\u200b]*+(?:
      (?P<mark>[{}\[\],:])
    | (?P<quote>["'“‘])
    | (?P<number>[-+]?(?:\d++(?:\.\d*+)?|\.\d++)(?:[eE][-+]?\d++)?(?![\w.]) | [-+]Infinity\b)
    | (?P<word>[A-Za-z_$][\w$]*+)
    | (?P<line>//[^\n]*+)
    | (?P<block>/\*)
    )""",
    re.VERBOSE,
)
_STRING = {
    '"': re.compile(r'"[^"\\]*+(?:\\.[^"\\]*+)*+"', re.DOTALL),
    "'": re.compile(r"'[^'\\]*+(?:\\.[^'\\]*+)*+'", re.DOTALL),
    "“": re.compile(r'“[^“”"\\]*+[”“]'),
    "‘": re.compile(r"‘[^‘’'\\]*+[’‘]"),
}
_BRACKET = re.compile(r'["{}\[\]]')


class OutOfStepsError(Exception):
    """The allowance is spent; caught by the reader, which then reports an unreadable reply."""


class Found:
    """An object that was read, and whether it had to be mended."""

    __slots__ = ("mended", "value")

    def __init__(self, value: dict[str, Any], mended: bool) -> None:
        self.value = value
        self.mended = mended


class Scanner:
    """Finds the last complete object of a stretch of text; the allowance is shared by all stretches."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps = 0
        self.broken = False
        """Whether something began like an object and was none."""
        self._end = 0
        self._endless: set[str] = set()

    def last(self, begin: int, end: int) -> Found | None:
        """The last complete object between two places; an empty one counts only where there is no other."""
        self._end, self._endless = end, set()
        found: Found | None = None
        wanted = ""
        while start := _START.search(self.text, begin, end):
            self._count()
            attempt = Attempt()
            begin = self._feed(attempt, start.start())
            if attempt.complete and not attempt.too_deep:
                root = attempt.root
                # What follows an object that broke off may be pieces of it: only one that starts over is taken.
                if (not wanted or wanted in root) and (root or found is None):
                    found = Found(root, attempt.mended)
                continue
            self.broken = True
            if attempt.complete or begin >= end:
                continue
            balanced = self._balance(start.start())
            if balanced is None:
                wanted = wanted or attempt.first_key
            else:
                begin = max(begin, balanced)
        return found

    def _count(self, letters: int = 0) -> None:
        """One step, and one more for every hundred letters that were passed."""
        self.steps += 1 + letters // 100
        if self.steps > STEPS:
            raise OutOfStepsError

    def _feed(self, attempt: Attempt, place: int) -> int:
        """Give an attempt all that follows until it is complete or fails; the place from which to look on."""
        while not attempt.complete:
            self._count()
            piece = _PIECE.match(self.text, place, self._end)
            if piece is None:
                return place
            kind = piece.lastgroup or ""
            if kind in ("line", "block"):
                after = piece.end() if kind == "line" else self._after_comment(piece.end())
                if after < 0:
                    return piece.end()
                attempt.mended = True
                place = after
                continue
            if kind == "quote":
                string = self._string(piece.start(kind))
                if string is None or not attempt.take("string", string.group()):
                    return piece.end()  # an object may begin inside what only looked like a string
                place = string.end()
            elif attempt.take(kind, piece.group(kind)):
                place = piece.end()
            else:
                return piece.start(kind)
        return place

    def _string(self, place: int) -> re.Match[str] | None:
        """A string that starts at a quote. One that has no end tells that later ones have none either."""
        quote = self.text[place]
        if quote in self._endless:
            return None
        string = _STRING[quote].match(self.text, place, self._end)
        if string is not None:
            self._count(string.end() - place)
        elif quote in "\"'":
            self._endless.add(quote)
        return string

    def _after_comment(self, place: int) -> int:
        if "*" in self._endless:
            return -1
        end = self.text.find("*/", place, self._end)
        if end < 0:
            self._endless.add("*")
            return -1
        return end + 2

    def _balance(self, place: int) -> int | None:
        """Where the brackets opened at a place are all closed again, so that a sketch is passed as a whole."""
        start, depth = place, 0
        while bracket := _BRACKET.search(self.text, place, self._end):
            self._count()
            place = bracket.end()
            sign = bracket.group()
            if sign == '"':
                string = self._string(bracket.start())
                place = string.end() if string else place
                continue
            depth += 1 if sign in "{[" else -1
            if depth <= 0:
                self._count(place - start)
                return place
        self._count(self._end - start)
        return None
