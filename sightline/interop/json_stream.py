"""Incremental JSON parser: yields the elements of large arrays as they are read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from sightline.core.errors import DataError

CHUNK = 2**20
MAX_ELEMENT_CHARACTERS = 256 * 2**20
"""Characters of one element."""
_decoder = json.JSONDecoder()
_WHITESPACE = " \t\r\n"
_MAX_NUMBER_CHARACTERS = 400


def stream_json(path: Path) -> Iterator[tuple[str, Any]]:
    """Yield the members of the document as (key, value); array elements are yielded one by one under their key.

    A document that is an array itself yields its elements under the empty key.
    """
    with path.open(encoding="utf-8-sig", errors="replace") as file:
        text = _Window(file, path)
        if text.peek() == "[":
            for element in text.elements():
                yield "", element
            return
        text.expect("{")
        while text.peek() != "}":
            key = str(text.value())
            text.expect(":")
            if text.peek() == "[":
                for element in text.elements():
                    yield key, element
            else:
                yield key, text.value()
            text.next_or("}")
        text.expect("}")


class _Window:
    """Sliding window over the file being decoded."""

    def __init__(self, file: TextIO, path: Path) -> None:
        self._file = file
        self._path = path
        self._text = ""
        self._index = 0
        self._consumed = 0

    def peek(self) -> str:
        """Return the next non-whitespace character; raises at the end of the file."""
        while True:
            while self._index < len(self._text):
                if self._text[self._index] not in _WHITESPACE:
                    return self._text[self._index]
                self._index += 1
            if not self._read_more(CHUNK):
                raise self._error("the file ends too early")

    def expect(self, character: str) -> None:
        """Consume a required character."""
        if self.peek() != character:
            raise self._error(f"{character!r} expected")
        self._index += 1

    def next_or(self, end: str) -> None:
        """Consume the comma before another member, unless `end` follows."""
        if self.peek() != end:
            self.expect(",")

    def elements(self) -> Iterator[Any]:
        """Yield the elements of the next array."""
        self.expect("[")
        while self.peek() != "]":
            yield self.value()
            self.next_or("]")
        self.expect("]")

    def value(self) -> Any:
        """Decode the next complete value."""
        self.peek()
        size = CHUNK
        while True:
            try:
                value, end = _decoder.raw_decode(self._text, self._index)
            except RecursionError:
                raise self._error("too deeply nested") from None
            except ValueError as error:
                # a value truncated by the window looks malformed: read more, doubling the size each time
                if len(self._text) - self._index > MAX_ELEMENT_CHARACTERS or not self._read_more(size):
                    raise self._error(str(error)) from None
                size *= 2
                continue
            # a number at the end of the window may continue beyond it: "8.25e" decodes as 8.25
            if end < len(self._text) - _MAX_NUMBER_CHARACTERS or not self._read_more(CHUNK):
                self._index = end
                return value

    def _read_more(self, size: int) -> bool:
        read = self._file.read(size)
        if not read:
            return False
        self._consumed += self._index
        self._text, self._index = self._text[self._index :] + read, 0
        return True

    def _error(self, why: str) -> DataError:
        return DataError(
            "{path} can't be read: {why}", path=self._path, why=f"{why} (character {self._consumed + self._index})"
        )
