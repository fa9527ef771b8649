"""A large JSON document element by element: the members of its arrays are yielded as they are read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

from sightline.core.errors import DataError

CHUNK = 2**20
LONGEST = 256 * 2**20
"""Characters of one element."""
_decoder = json.JSONDecoder()
_BLANK = " \t\r\n"
_LONGEST_NUMBER = 400


def stream_json(path: Path) -> Iterator[tuple[str, Any]]:
    """Members of the document as (key, value); an array's elements come one by one under its key.

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
    """The part of a file that is being decoded."""

    def __init__(self, file: TextIO, path: Path) -> None:
        self._file = file
        self._path = path
        self._text = ""
        self._at = 0
        self._passed = 0

    def peek(self) -> str:
        """The next sign that is not blank; at the end of the file, an error."""
        while True:
            while self._at < len(self._text):
                if self._text[self._at] not in _BLANK:
                    return self._text[self._at]
                self._at += 1
            if not self._more(CHUNK):
                raise self._broken("the file ends too early")

    def expect(self, sign: str) -> None:
        """Step over a sign that must come next."""
        if self.peek() != sign:
            raise self._broken(f"{sign!r} expected")
        self._at += 1

    def next_or(self, end: str) -> None:
        """Step over the comma before another member; without one, the end must come."""
        if self.peek() != end:
            self.expect(",")

    def elements(self) -> Iterator[Any]:
        """The elements of the array that comes next."""
        self.expect("[")
        while self.peek() != "]":
            yield self.value()
            self.next_or("]")
        self.expect("]")

    def value(self) -> Any:
        """The value that comes next, whole."""
        self.peek()
        size = CHUNK
        while True:
            try:
                value, end = _decoder.raw_decode(self._text, self._at)
            except RecursionError:
                raise self._broken("too deeply nested") from None
            except ValueError as error:
                # a value cut off by the window's end looks like a broken one: read on, each time twice as much
                if len(self._text) - self._at > LONGEST or not self._more(size):
                    raise self._broken(str(error)) from None
                size *= 2
                continue
            # a number near the window's end may go on beyond it, and "8.25e" is read as 8.25
            if end < len(self._text) - _LONGEST_NUMBER or not self._more(CHUNK):
                self._at = end
                return value

    def _more(self, size: int) -> bool:
        read = self._file.read(size)
        if not read:
            return False
        self._passed += self._at
        self._text, self._at = self._text[self._at :] + read, 0
        return True

    def _broken(self, why: str) -> DataError:
        return DataError(
            "{path} can't be read: {why}", path=self._path, why=f"{why} (character {self._passed + self._at})"
        )
