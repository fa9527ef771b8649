"""A JSON object put together piece by piece on a stack, never by recursion."""

from __future__ import annotations

import json
import re
from typing import Any

DEPTH = 64
"""Deeper objects are passed over: nothing that is asked for needs a tenth of it."""

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


class Attempt:
    """One try at building an object: pieces go in until it is complete or a piece does not fit."""

    def __init__(self) -> None:
        self.root: dict[str, Any] = {}
        self.complete = False
        self.too_deep = False
        self.mended = False
        self.first_key = ""
        self._open: list[dict[str, Any] | list[Any]] = []
        self._keys: list[str] = []
        self._expects = "value"

    def take(self, kind: str, piece: str) -> bool:
        """Whether the piece fits where the attempt stands."""
        if self._expects == "key":
            return self._close(piece) if piece == "}" else self._key(kind, piece)
        if self._expects == "colon":
            self._expects = "value"
            return piece == ":" and kind == "mark"
        if self._expects == "value":
            return self._value(kind, piece)
        if kind == "mark" and piece == ",":
            self._expects = "key" if isinstance(self._open[-1], dict) else "value"
            return True
        return kind == "mark" and self._close(piece)

    def _key(self, kind: str, piece: str) -> bool:
        if kind == "string":
            name = self._text(piece)
            if len(self._open) == 1 and not self.first_key:
                self.first_key = name
        elif kind == "word":
            name, self.mended = piece, True
        else:
            return False
        self._keys[-1] = name
        self._expects = "colon"
        return True

    def _value(self, kind: str, piece: str) -> bool:
        if kind == "mark":
            if piece == "{":
                return self._enter({}, "key")
            if piece == "[":
                return self._enter([], "value")
            return piece == "]" and self._close(piece)
        if kind == "string":
            self._put(self._text(piece))
        elif kind == "number":
            self._put(self._number(piece))
        elif piece in _WORDS:
            self.mended |= piece in _PYTHON
            self._put(_WORDS[piece])
        else:
            return False
        return True

    def _enter(self, container: dict[str, Any] | list[Any], expects: str) -> bool:
        if not self._open and isinstance(container, dict):
            self.root = container
        elif len(self._open) >= DEPTH:
            self.too_deep = True
        if self._open and not self.too_deep:
            self._put(container)
        self._open.append(container)
        self._keys.append("")
        self._expects = expects
        return True

    def _close(self, piece: str) -> bool:
        inner = self._open[-1]
        if isinstance(inner, dict) != (piece == "}") or piece not in "}]":
            return False
        if inner and self._expects != "after":
            self.mended = True  # a comma before the closing bracket
        self._open.pop()
        self._keys.pop()
        self._expects = "after"
        self.complete = not self._open
        return True

    def _put(self, value: object) -> None:
        inner = self._open[-1]
        if isinstance(inner, dict):
            inner[self._keys[-1]] = value
        else:
            inner.append(value)
        self._expects = "after"

    def _text(self, token: str) -> str:
        body = token[1:-1]
        if token[0] != '"':
            self.mended = True
            body = re.sub(r"\\(?=')", "", body)
            body = re.sub(r'(?<!\\)"', '\\"', body)
        try:
            text: str = json.loads(f'"{body}"', strict=False)
        except ValueError:  # an escape that JSON does not know stays as it is written
            text, self.mended = body, True
        return _SURROGATE.sub("\ufffd", text) if _SURROGATE.search(text) else text

    def _number(self, token: str) -> float | int:
        if token.lstrip("-").isdecimal() and len(token) <= 18:
            return int(token)
        self.mended |= token[0] in "+." or token.startswith("-.") or token.endswith(".")
        return float(token)
