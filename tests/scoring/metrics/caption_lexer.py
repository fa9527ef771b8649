"""The automaton inside the official Penn Treebank tokenizer, read from its jar, to compare ours with state by state.

The lexer's tables are strings in the constant pool of its class. The largest of them, in the order of the pool, are the
actions, the rows, the transitions (several strings), the attributes of the states, and the classes of characters.
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from sightline.scoring.metrics.captions.automaton import Tables

LEXER = "edu/stanford/nlp/process/PTBLexer.class"
START = 2
"""The state in which the program starts with the options of the COCO caption code."""
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


def read_lexer(jar: Path) -> Tables:
    """The automaton as ours has it: state 0 is the start, −1 no state; actions are those of the program."""
    large = [text for text in constant_strings(zipfile.ZipFile(jar).read(LEXER)) if len(text) > 1000]
    actions, rows, *transitions, attributes, classes = large
    places = np.array([high << 16 | low for high, low in zip(rows[::2], rows[1::2], strict=True)])
    moves = np.array([value - 1 for text in transitions for value in _runs(text)])
    units = np.array(_runs(classes))
    table = moves[places[:, None] + np.arange(units.max() + 1)]
    accepts = np.array([attribute & 1 for attribute in _runs(attributes)], bool)
    ends = np.where(accepts, _runs(actions), -1)
    # The start as the first state: the numbers of the two are swapped.
    swapped = np.arange(len(table))
    swapped[[0, START]] = START, 0
    table = np.where(table >= 0, swapped[table], -1)[swapped]
    return Tables(units.astype(np.uint8), table.astype(np.int16), ends[swapped].astype(np.int16))


def differences(ours: Tables, theirs: Tables, equal: Mapping[int, set[int]]) -> list[tuple[str, int, int]]:
    """Shortest texts after which only one automaton accepts, or both with actions that are not `equal`.

    All pairs of states that some text leads to are visited, so that no difference means that there is none.
    """
    both = ours.classes.tolist(), theirs.classes.tolist()
    pairs = {(mine, other): unit for unit, (mine, other) in enumerate(zip(*both, strict=True))}
    dead = [_dead_states(tables) for tables in (ours, theirs)]
    found, texts, todo = [], {(0, 0): ""}, [(0, 0)]
    for mine, other in todo:
        for (my_class, other_class), unit in pairs.items():
            after = (
                int(ours.moves[mine, my_class]) if mine >= 0 else -1,
                int(theirs.moves[other, other_class]) if other >= 0 else -1,
            )
            after = tuple(-1 if state in gone else state for state, gone in zip(after, dead, strict=True))
            if after == (-1, -1) or after in texts:
                continue
            texts[after] = texts[mine, other] + chr(unit)
            my_action = int(ours.actions[after[0]]) if after[0] >= 0 else -1
            other_action = int(theirs.actions[after[1]]) if after[1] >= 0 else -1
            if my_action not in equal.get(other_action, set()):
                found.append((texts[after], my_action, other_action))
            todo.append(after)
    return found


def _dead_states(tables: Tables) -> set[int]:
    """States from which nothing is accepted any more."""
    live = tables.actions >= 0
    while True:
        more = live | (live[tables.moves] & (tables.moves >= 0)).any(axis=1)
        if (more == live).all():
            return set(np.flatnonzero(~live).tolist())
        live = more
