"""Regular expressions to a minimal deterministic automaton (DFA) that finds the longest match of many rules at once.

Positions of the expressions are the states of a nondeterministic automaton (Glushkov's construction), sets of them are
the states of the deterministic one, which is then minimised (Moore's algorithm).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

UNITS = 1 << 16
"""Characters are UTF-16 code units."""


class Rule(NamedTuple):
    """What a rule matches, and the number of its action. The first rule wins among matches of equal length."""

    action: int
    pattern: str


class Tables(NamedTuple):
    """The automaton: the class of each unit, next states by state and class (−1: no match), the action of each state
    (−1: not accepting). State 0 is the start."""

    classes: NDArray[np.uint8]
    moves: NDArray[np.int16]
    actions: NDArray[np.int16]


class _Node(NamedTuple):
    """A sub-expression as Glushkov's construction needs it: positions are bits of whole numbers."""

    empty: bool
    first: int
    last: int


class _Builder:
    def __init__(self, names: Mapping[str, str], folds: Mapping[str, str], sets: Mapping[str, frozenset[int]]) -> None:
        self.names, self.folds, self.sets = names, folds, sets
        self.symbols: list[frozenset[int]] = []
        self.follow: list[int] = []

    def position(self, units: frozenset[int]) -> _Node:
        bit = 1 << len(self.symbols)
        self.symbols.append(units)
        self.follow.append(0)
        return _Node(False, bit, bit)

    def link(self, last: int, first: int) -> None:
        for place in _bits(last):
            self.follow[place] |= first

    def join(self, left: _Node, right: _Node) -> _Node:
        self.link(left.last, right.first)
        return _Node(
            left.empty and right.empty,
            left.first | (right.first if left.empty else 0),
            right.last | (left.last if right.empty else 0),
        )

    def parse(self, pattern: str) -> _Node:
        node, stop = self._choice(pattern, 0)
        if stop != len(pattern):
            raise ValueError(f"{pattern!r} at {stop}")
        return node

    def _choice(self, text: str, at: int) -> tuple[_Node, int]:
        node, at = self._sequence(text, at)
        while at < len(text) and text[at] == "|":
            other, at = self._sequence(text, at + 1)
            node = _Node(node.empty or other.empty, node.first | other.first, node.last | other.last)
        return node, at

    def _sequence(self, text: str, at: int) -> tuple[_Node, int]:
        node = _Node(True, 0, 0)
        while at < len(text) and text[at] not in "|)":
            start = at
            atom, at = self._atom(text, at)
            source = text[start:at]
            least, most = 1, 1
            if at < len(text) and text[at] in "?*+":
                least, most = {"?": (0, 1), "*": (0, 0), "+": (1, 0)}[text[at]]
                at += 1
            elif at < len(text) and text[at] == "{" and text[at + 1].isdigit():
                stop = text.index("}", at)
                low, _, high = text[at + 1 : stop].partition(",")
                least, most = int(low), int(high or low)
                at = stop + 1
            node = self._repeat(node, atom, source, least, most)
        return node, at

    def _repeat(self, before: _Node, atom: _Node, source: str, least: int, most: int) -> _Node:
        if most == 0:
            self.link(atom.last, atom.first)
            return self.join(before, atom._replace(empty=atom.empty or least == 0))
        node = before
        for number in range(most):
            part = atom if number == 0 else self._atom(source, 0)[0]
            node = self.join(node, part if number < least else part._replace(empty=True))
        return node

    def _atom(self, text: str, at: int) -> tuple[_Node, int]:
        sign = text[at]
        if sign == "(":
            node, at = self._choice(text, at + 1)
            return node, at + 1
        if sign == "[":
            units, at = self._class(text, at + 1)
            return self.position(units), at
        if sign == "{":
            stop = text.index("}", at)
            name = text[at + 1 : stop]
            return (self.position(self.sets[name]) if name in self.sets else self.parse(self.names[name])), stop + 1
        if sign == "\\":
            at += 1
            sign = text[at]
        return self.position(frozenset(map(ord, self.folds.get(sign, sign)))), at + 1

    def _class(self, text: str, at: int) -> tuple[frozenset[int], int]:
        negative = text[at] == "^"
        at += negative
        units: set[int] = set()
        while text[at] != "]":
            at += text[at] == "\\"
            first = last = ord(text[at])
            at += 1
            if text[at] == "-" and text[at + 1] != "]":
                last = ord(text[at + 1])
                at += 2
            units.update(range(first, last + 1))
        return frozenset(set(range(UNITS)) - units if negative else units), at + 1


def _bits(mask: int) -> list[int]:
    found = []
    while mask:
        low = mask & -mask
        found.append(low.bit_length() - 1)
        mask ^= low
    return found


def compile_rules(
    rules: Sequence[Rule], names: Mapping[str, str], folds: Mapping[str, str], sets: Mapping[str, frozenset[int]]
) -> Tables:
    """The minimal automaton of the rules. `names` are sub-patterns, `sets` sets of units, `folds` what a bare letter
    matches beside itself."""
    builder = _Builder(names, folds, sets)
    first = 0
    ends: dict[int, int] = {}
    for number, rule in enumerate(rules):
        node = builder.parse(rule.pattern)
        if node.empty:
            raise ValueError(f"matches nothing: {rule.pattern!r}")
        first |= node.first
        for place in _bits(node.last):
            ends[place] = number
    classes, symbol_classes = _partition(builder.symbols)
    moves, owners = _determine(first, builder.follow, symbol_classes, ends, int(classes.max()) + 1)
    actions = np.array([rules[owner].action if owner >= 0 else -1 for owner in owners], np.int16)
    return Tables(classes, *_minimise(np.array(moves, np.int64), actions))


def _partition(symbols: Sequence[frozenset[int]]) -> tuple[NDArray[np.uint8], list[frozenset[int]]]:
    """Classes of units that no symbol tells apart, and the classes of each symbol."""
    distinct = sorted(set(symbols), key=lambda units: (len(units), min(units)))
    signature = np.zeros(UNITS, np.int64)
    for units in distinct:
        mark = np.zeros(UNITS, np.int64)
        mark[list(units)] = 1
        signature = np.unique(signature * 2 + mark, return_inverse=True)[1].reshape(-1)
    classes = signature.astype(np.uint8)
    assert int(signature.max()) < 256, "classes fit a byte"
    of_set = {units: frozenset(classes[list(units)].tolist()) for units in distinct}
    return classes, [of_set[units] for units in symbols]


def _determine(
    first: int, follow: Sequence[int], symbols: Sequence[frozenset[int]], ends: Mapping[int, int], many: int
) -> tuple[list[list[int]], list[int]]:
    """Transitions of the sets of positions, and the first rule that ends in each."""
    by_class = [0] * many
    for place, classes in enumerate(symbols):
        for number in classes:
            by_class[number] |= 1 << place
    # A state is the set of positions that may come next, and the rule that the last unit completed.
    start = (first, -1)
    numbers = {start: 0}
    todo = [start]
    moves: list[list[int]] = []
    known: dict[int, tuple[int, int]] = {}
    for expected, _ in todo:
        row = []
        for mask in by_class:
            taken = expected & mask
            if not taken:
                row.append(-1)
                continue
            if taken not in known:
                places = _bits(taken)
                after = 0
                for place in places:
                    after |= follow[place]
                known[taken] = after, min((ends[place] for place in places if place in ends), default=-1)
            state = known[taken]
            if state not in numbers:
                numbers[state] = len(todo)
                todo.append(state)
            row.append(numbers[state])
        moves.append(row)
    return moves, [rule for _, rule in todo]


def _minimise(moves: NDArray[np.int64], actions: NDArray[np.int16]) -> tuple[NDArray[np.int16], NDArray[np.int16]]:
    """Merge states that no text tells apart; the start stays the first."""
    groups = np.unique(actions, return_inverse=True)[1].reshape(-1)
    while True:
        targets = np.where(moves >= 0, groups[moves], -1)
        finer = np.unique(np.column_stack((groups, targets)), axis=0, return_inverse=True)[1].reshape(-1)
        if finer.max() == groups.max():
            break
        groups = finer
    order = np.full(groups.max() + 1, -1, np.int64)
    members: list[int] = []
    for state, group in enumerate(groups):
        if order[group] < 0:
            order[group] = len(members)
            members.append(state)
    merged = order[groups]
    kept = np.array(members)
    moves = np.where(moves[kept] >= 0, merged[moves[kept]], -1)
    return moves.astype(np.int16), actions[kept]
