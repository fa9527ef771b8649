"""The automaton inside the Penn Treebank tokenizer, read from its jar: which words of letters are more than a word.

The lexer's tables are strings in the constant pool of its class. The largest of them, in the order of the pool, are the
actions, the rows, the transitions (several strings), the attributes of the states, and the classes of characters.
"""

from __future__ import annotations

import string
import struct
import zipfile
from collections.abc import Iterator, Sequence
from pathlib import Path

LEXER = "edu/stanford/nlp/process/PTBLexer.class"
LETTERS = string.ascii_letters
BREAKS = " ,\n"
PLAIN = LETTERS + " ,.\n"
_WIDTHS = {3: 5, 4: 5, 9: 5, 10: 5, 11: 5, 12: 5, 17: 5, 18: 5, 5: 9, 6: 9, 7: 3, 8: 3, 15: 4, 16: 3}


def constant_strings(data: bytes) -> list[list[int]]:
    """The string constants of a class file, as their UTF-16 units."""
    count, place, number = struct.unpack(">H", data[8:10])[0], 10, 1
    texts: dict[int, bytes] = {}
    used = []
    while number < count:
        kind = data[place]
        if kind == 1:
            size = struct.unpack(">H", data[place + 1 : place + 3])[0]
            texts[number] = data[place + 3 : place + 3 + size]
            place += 3 + size
        else:
            if kind == 8:
                used.append(struct.unpack(">H", data[place + 1 : place + 3])[0])
            place += _WIDTHS[kind]
        number += 2 if kind in (5, 6) else 1
    return [list(_units(texts[place])) for place in used]


def _units(data: bytes) -> Iterator[int]:
    place = 0
    while place < len(data):
        first = data[place]
        if first < 0x80:
            yield first
            place += 1
        elif first < 0xE0:
            yield (first & 31) << 6 | data[place + 1] & 63
            place += 2
        else:
            yield (first & 15) << 12 | (data[place + 1] & 63) << 6 | data[place + 2] & 63
            place += 3


def _runs(packed: Sequence[int]) -> list[int]:
    """Counts and values, unpacked."""
    return [value for count, value in zip(packed[::2], packed[1::2], strict=True) for _ in range(count)]


class Lexer:
    """The deterministic automaton; −1 is the state that matches nothing."""

    def __init__(self, jar: Path) -> None:
        large = [text for text in constant_strings(zipfile.ZipFile(jar).read(LEXER)) if len(text) > 1000]
        actions, rows, *transitions, attributes, classes = large
        self.actions, self.classes = _runs(actions), _runs(classes)
        self.rows = [high << 16 | low for high, low in zip(rows[::2], rows[1::2], strict=True)]
        self.moves = [value - 1 for text in transitions for value in _runs(text)]
        self.accepts = [attribute & 1 for attribute in _runs(attributes)]
        assert len(self.actions) == len(self.rows) == len(self.accepts) and len(self.classes) == 1 << 16

    def step(self, state: int, sign: str) -> int:
        return self.moves[self.rows[state] + self.classes[ord(sign)]] if state >= 0 else -1

    def run(self, text: str, start: int = 0) -> int:
        state = start
        for sign in text:
            state = self.step(state, sign)
        return state

    def hopeful(self) -> set[int]:
        """States from which plain text leads to a match; they themselves may be one."""
        before: dict[int, set[int]] = {}
        for state in range(len(self.rows)):
            for sign in PLAIN:
                before.setdefault(self.step(state, sign), set()).add(state)
        found = {state for state, accepts in enumerate(self.accepts) if accepts}
        todo = list(found)
        while todo:
            fresh = before.get(todo.pop(), set()) - found
            found |= fresh
            todo += fresh
        return found

    def words(self, wanted: set[int], start: int = 0) -> set[str]:
        """All words of letters that lead to one of the states, in lower case; there must be finitely many."""
        reached = self._by_letters(start)
        leading = set(wanted)
        while True:
            more = {s for s in reached - leading if any(self.step(s, sign) in leading for sign in LETTERS)}
            if not more:
                break
            leading |= more
        found, todo = set(), [(start, "")]
        while todo:
            state, word = todo.pop()
            assert len(word) < 20, "endless"
            for sign in LETTERS:
                after = self.step(state, sign)
                if after in wanted:
                    found.add((word + sign).lower())
                if after in leading:
                    todo.append((after, word + sign))
        return found

    def _by_letters(self, start: int) -> set[int]:
        reached, todo = {start}, [start]
        while todo:
            state = todo.pop()
            fresh = {self.step(state, sign) for sign in LETTERS} - reached - {-1}
            reached |= fresh
            todo += fresh
        return reached

    def word_states(self, start: int = 0) -> set[int]:
        """Where words of letters lead."""
        return {self.step(state, sign) for state in self._by_letters(start) for sign in LETTERS} - {-1}
