"""Extraction of a JSON object from a reply: the last complete object of the most trustworthy kind of block.

The lenient scanner accepts comments, trailing commas, Python literals, other quotes and unquoted keys. Objects are
built on a stack, without recursion, and every step is counted, so that the running time and the nesting depth are
bounded for any text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, NamedTuple

import msgspec

from sightline.core.records import Parsed, Unparsed
from sightline.scoring.parsers.thinking import without_thinking

MAX_DEPTH = 64
"""Maximum nesting depth; deeper objects are skipped."""

_SURROGATE = re.compile(r"[\ud800-\udfff]")
_WORDS: dict[str, Any] = {
    "true": True,
    "false": False,
    "null": None,
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "True": True,
    "False": False,
    "None": None,
}
_PYTHON = ("True", "False", "None")
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
_TAGS = re.compile(r"<(/?)json>", re.IGNORECASE)
_BOXES = re.compile(r"<\|(?:begin|(end))_of_box\|>")
_FENCES = re.compile(r"```+([A-Za-z0-9_+-]*)")


class JsonBuilder:
    """Builds an object from tokens until it is complete or a token does not fit."""

    def __init__(self) -> None:
        self.root: dict[str, Any] = {}
        self.complete = False
        self.too_deep = False
        self.repaired = False
        self.first_key = ""
        self._open: list[dict[str, Any] | list[Any]] = []
        self._keys: list[str] = []
        self._expected = "value"

    def feed(self, kind: str, lexeme: str) -> bool:
        """Add a token; returns whether it fits the grammar at this point."""
        if self._expected == "key":
            return self._close(lexeme) if lexeme == "}" else self._key(kind, lexeme)
        if self._expected == "colon":
            self._expected = "value"
            return lexeme == ":" and kind == "mark"
        if self._expected == "value":
            return self._value(kind, lexeme)
        if kind == "mark" and lexeme == ",":
            self._expected = "key" if isinstance(self._open[-1], dict) else "value"
            return True
        return kind == "mark" and self._close(lexeme)

    def _key(self, kind: str, lexeme: str) -> bool:
        if kind == "string":
            name = self._text(lexeme)
            if len(self._open) == 1 and not self.first_key:
                self.first_key = name
        elif kind == "word":
            name, self.repaired = lexeme, True
        else:
            return False
        self._keys[-1] = name
        self._expected = "colon"
        return True

    def _value(self, kind: str, lexeme: str) -> bool:
        if kind == "mark":
            if lexeme == "{":
                return self._enter({}, "key")
            if lexeme == "[":
                return self._enter([], "value")
            return lexeme == "]" and self._close(lexeme)
        if kind == "string":
            self._add(self._text(lexeme))
        elif kind == "number":
            self._add(self._number(lexeme))
        elif lexeme in _WORDS:
            self.repaired |= lexeme in _PYTHON
            self._add(_WORDS[lexeme])
        else:
            return False
        return True

    def _enter(self, container: dict[str, Any] | list[Any], expects: str) -> bool:
        if not self._open and isinstance(container, dict):
            self.root = container
        elif len(self._open) >= MAX_DEPTH:
            self.too_deep = True
        if self._open and not self.too_deep:
            self._add(container)
        self._open.append(container)
        self._keys.append("")
        self._expected = expects
        return True

    def _close(self, lexeme: str) -> bool:
        inner = self._open[-1]
        if isinstance(inner, dict) != (lexeme == "}") or lexeme not in "}]":
            return False
        if inner and self._expected != "after":
            self.repaired = True  # a comma before the closing bracket
        self._open.pop()
        self._keys.pop()
        self._expected = "after"
        self.complete = not self._open
        return True

    def _add(self, value: object) -> None:
        inner = self._open[-1]
        if isinstance(inner, dict):
            inner[self._keys[-1]] = value
        else:
            inner.append(value)
        self._expected = "after"

    def _text(self, lexeme: str) -> str:
        body = lexeme[1:-1]
        if lexeme[0] != '"':
            self.repaired = True
            body = re.sub(r"\\(?=')", "", body)
            body = re.sub(r'(?<!\\)"', '\\"', body)
        try:
            text: str = json.loads(f'"{body}"', strict=False)
        except ValueError:  # an escape that JSON does not know stays as it is written
            text, self.repaired = body, True
        return _SURROGATE.sub("\ufffd", text) if _SURROGATE.search(text) else text

    def _number(self, lexeme: str) -> float | int:
        if lexeme.lstrip("-").isdecimal() and len(lexeme) <= 18:
            return int(lexeme)
        self.repaired |= lexeme[0] in "+." or lexeme.startswith("-.") or lexeme.endswith(".")
        return float(lexeme)


class ScanLimitError(Exception):
    """The limit of steps is exceeded; caught by `read_json_object`, which then reports an unparsed reply."""


class ScannedObject(NamedTuple):
    """A parsed object, and whether it had to be repaired."""

    value: dict[str, Any]
    repaired: bool


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


def read_json_object(text: str) -> Parsed | Unparsed:
    """The object and the rule that found it: `json tags`, `box`, `fence` or `braces`; `, mended` where it was no JSON.

    Thinking goes first. Then what stands in `<json>` tags is trusted before boxes, boxes before code fences, and these
    before bare braces; within each the last complete object wins. NaN and Infinity are kept, for the reader to refuse.
    """
    reply = without_thinking(text)
    scanner = LooseJsonScanner(reply)
    candidates = {
        "json tags": _between(_TAGS, reply),
        "box": _between(_BOXES, reply),
        "fence": _fenced(reply),
        "braces": iter([(0, len(reply))]),
    }
    try:
        for rule, spans in candidates.items():
            found = None
            for begin, end in spans:
                latest = _strict(reply[begin:end].strip()) or scanner.last_object(begin, end)
                # an empty object never replaces a non-empty one
                found = latest if latest and (latest.value or found is None) else found
            if found:
                return Parsed(found.value, f"{rule}, mended" if found.repaired else rule)
    except ScanLimitError:
        return Unparsed("the reply holds too much that looks like JSON")
    if scanner.broken:
        return Unparsed("the JSON object is broken or cut off")
    return Unparsed("no JSON object")


def _strict(text: str) -> ScannedObject | None:
    """Decode text that is exactly one valid JSON object, without scanning."""
    if not (text.startswith("{") and text.endswith("}")):
        return None
    try:
        value = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        return None
    return ScannedObject(value, repaired=False)


def _between(tags: re.Pattern[str], text: str) -> Iterator[tuple[int, int]]:
    """Spans from each opening tag to the next tag of either kind, or to the end."""
    begin = None
    for tag in tags.finditer(text):
        if begin is not None and begin < tag.start():
            yield begin, tag.start()
        begin = None if tag.group(1) else tag.end()
    if begin is not None:
        yield begin, len(text)


def _fenced(text: str) -> Iterator[tuple[int, int]]:
    """Spans between code fences. A fence with a language always opens; an unclosed one extends to the end."""
    begin = None
    for fence in _FENCES.finditer(text):
        if begin is not None and begin < fence.start():
            yield begin, fence.start()
        begin = fence.end() if begin is None or fence.group(1) else None
    if begin is not None:
        yield begin, len(text)


_VALUE_START = re.compile(r"[\[{](?=\s*+[\[{}\]\"\d-])")
_LIST_START = re.compile(r"\[(?=\s*+[\[{'\"\]])")
_MAX_FAILURES = 64
"""After so many positions that turn out not to be JSON, the search stops."""
_DECODER = json.JSONDecoder()


def find_json_values(text: str) -> list[Any]:
    """Return every outermost object and list of strict JSON, in order."""
    values: list[Any] = []
    position = failures = 0
    while failures < _MAX_FAILURES and (start := _VALUE_START.search(text, position)):
        try:
            value, position = _DECODER.raw_decode(text, start.start())
        except (ValueError, RecursionError):
            position, failures = start.end(), failures + 1
            continue
        values.append(value)
    return values


def repair_json_values(text: str) -> list[Any]:
    """Return the list or object in a text that is almost JSON, after repairing its syntax.

    A list is wrapped in an object, since only objects can be repaired.
    """
    opening, end, brace = _LIST_START.search(text), text.rfind("]"), text.find("{")
    if opening and opening.start() < end and (brace < 0 or opening.start() < brace):
        wrapped = read_json_object(f'{{"list": {text[opening.start() : end + 1]}}}')
        if isinstance(wrapped, Parsed) and set(wrapped.value) == {"list"}:
            return [wrapped.value["list"]]
    parsed = read_json_object(text)
    return [parsed.value] if isinstance(parsed, Parsed) else []
