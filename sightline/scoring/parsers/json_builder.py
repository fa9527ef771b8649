"""Push parser for a JSON object: built from tokens on an explicit stack, without recursion."""

from __future__ import annotations

import json
import re
from typing import Any

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
