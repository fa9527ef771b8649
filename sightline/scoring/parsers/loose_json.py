"""Lenient JSON scanner: accepts comments, trailing commas, Python literals, other quotes and unquoted keys.

Objects are built on a stack, without recursion, and every step is counted, so that the running time and the nesting
depth are bounded for any text.
"""

from __future__ import annotations

import re
from typing import Any

from sightline.scoring.parsers.json_builder import JsonBuilder

MAX_STEPS = 300_000
"""Maximum number of tokens scanned: about twice what the largest model needs."""

_START = re.compile(r"""\{(?=[\s\ufeff\u200b]*+(?:["'“‘}A-Za-z_]|//|/\*))""")
_TOKEN = re.compile(
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


class ScanLimitError(Exception):
    """The limit of steps is exceeded; caught by `read_json_object`, which then reports an unparsed reply."""


class ScannedObject:
    """A parsed object, and whether it had to be repaired."""

    __slots__ = ("repaired", "value")

    def __init__(self, value: dict[str, Any], repaired: bool) -> None:
        self.value = value
        self.repaired = repaired


class LooseJsonScanner:
    """Finds the last complete object within a span of text; the limit of steps is shared by all spans."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps = 0
        self.broken = False
        """Whether something started like an object but could not be parsed."""
        self._end = 0
        self._unterminated: set[str] = set()

    def last_object(self, begin: int, end: int) -> ScannedObject | None:
        """The last complete object between two positions; an empty one only if there is no other."""
        self._end, self._unterminated = end, set()
        found: ScannedObject | None = None
        required_key = ""
        while start := _START.search(self.text, begin, end):
            self._count_step()
            builder = JsonBuilder()
            begin = self._feed(builder, start.start())
            if builder.complete and not builder.too_deep:
                root = builder.root
                # What follows an object that broke off may be pieces of it: only one that starts over is taken.
                if (not required_key or required_key in root) and (root or found is None):
                    found = ScannedObject(root, builder.repaired)
                continue
            self.broken = True
            if builder.complete or begin >= end:
                continue
            balanced = self._skip_balanced(start.start())
            if balanced is None:
                required_key = required_key or builder.first_key
            else:
                begin = max(begin, balanced)
        return found

    def _count_step(self, letters: int = 0) -> None:
        """Count one step, and one more for every hundred characters skipped."""
        self.steps += 1 + letters // 100
        if self.steps > MAX_STEPS:
            raise ScanLimitError

    def _feed(self, builder: JsonBuilder, position: int) -> int:
        """Feed a builder with tokens until it is complete or fails; returns the position at which to continue."""
        while not builder.complete:
            self._count_step()
            token = _TOKEN.match(self.text, position, self._end)
            if token is None:
                return position
            kind = token.lastgroup or ""
            if kind in ("line", "block"):
                after = token.end() if kind == "line" else self._after_comment(token.end())
                if after < 0:
                    return token.end()
                builder.repaired = True
                position = after
                continue
            if kind == "quote":
                string = self._string(token.start(kind))
                if string is None or not builder.feed("string", string.group()):
                    return token.end()  # an object may begin inside what only looked like a string
                position = string.end()
            elif builder.feed(kind, token.group(kind)):
                position = token.end()
            else:
                return token.start(kind)
        return position

    def _string(self, position: int) -> re.Match[str] | None:
        """Match a string at a quote. If it is unterminated, later ones with this quote are too."""
        quote = self.text[position]
        if quote in self._unterminated:
            return None
        string = _STRING[quote].match(self.text, position, self._end)
        if string is not None:
            self._count_step(string.end() - position)
        elif quote in "\"'":
            self._unterminated.add(quote)
        return string

    def _after_comment(self, position: int) -> int:
        if "*" in self._unterminated:
            return -1
        end = self.text.find("*/", position, self._end)
        if end < 0:
            self._unterminated.add("*")
            return -1
        return end + 2

    def _skip_balanced(self, position: int) -> int | None:
        """Position after the matching closing bracket, so that an unparsable object is skipped as a whole."""
        start, depth = position, 0
        while bracket := _BRACKET.search(self.text, position, self._end):
            self._count_step()
            position = bracket.end()
            sign = bracket.group()
            if sign == '"':
                string = self._string(bracket.start())
                position = string.end() if string else position
                continue
            depth += 1 if sign in "{[" else -1
            if depth <= 0:
                self._count_step(position - start)
                return position
        self._count_step(self._end - start)
        return None
