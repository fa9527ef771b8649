"""A maze that is walked by replies: what can be read from them, what happens, and the shortest way.

A turn is one reply with any number of moves. A move into a wall ends the turn where it happens: walls are to be seen in
the picture, not to be found by bumping into them.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any, Literal

from msgspec import Struct, convert

from sightline.scoring.parsers.thinking import without_thinking

Cell = tuple[int, int]
"""Row and column, counted from 0 at the top left."""
Keys = frozenset[Cell]
"""The keys that have been collected."""
MOVES: dict[str, Cell] = {"up": (-1, 0), "down": (1, 0), "left": (0, -1), "right": (0, 1)}
MOST_MOVES = 200
"""Moves of one reply; what comes after is passed over."""
MOST_CELLS, MOST_KEYS = 64, 8
"""A side of the largest maze, and its keys: the search stays small."""
_SIGNS = dict(zip("↑↓←→⬆⬇⬅➡上下左右", [*MOVES] * 3, strict=True))
_MOVE = re.compile(r"(?<![a-z])(up|down|left|right)(?:wards?)?(?![a-z])|([↑↓←→⬆⬇⬅➡上下左右])")
_BETWEEN = re.compile(
    r"(?:\s|[,，、;；.。:：>|/*\-–—\[\](){}\"'“”‘’`\ufe0f]"
    r"|(?<![a-z])(?:moves?|then|and|go|answer|json|steps?|turn|my|the|is|are)(?![a-z])"
    r"|移动|然后|向|往|走|再|答案|回答|是|为|步|第|(?<!\d)\d{1,3}(?!\d))+"
)
_LEAD = re.compile(
    r"\s*(?:(?:so|now|first|then|next|okay|ok|sure)[\s,]+){0,3}"
    r"(?:(?:i|we)(?:\s+(?:will|would|should|must|shall|am|are)|\s*['’](?:ll|d|m|re))?|let['’]s|let\s+(?:us|me))"
    r"\s+(?:(?:first|then|next|going\s+to)\s+)?(?:go|mov|walk|head|step|turn)(?:e|p?ing)?(?![a-z])"
    r"|\s*(?:(?:首先|接下来|现在|所以)，?){0,3}我们?(?:会|将|要|应该|首先|先|选择|打算)*"
)
"""How a sentence begins that says what its writer does."""
_SENTENCE_END = re.compile(r"[.!。！\n]+")
_TEXTS = {
    "en": {
        "done": "You reached the goal.",
        "unread": "No move could be read. Write moves such as: up, right, right, down.",
        "moved": "Moves made: {count}.",
        "wall": "A wall stopped the move “{move}”; the moves after it were not made.",
        "key": "Keys collected: {held} of {all}.",
        "locked": "This is the goal, but keys are missing.",
        "at": "You are in row {row}, column {column}.",
        "more": "What are your next moves?",
    },
    "zh": {
        "done": "你已到达终点。",
        "unread": "没有读到任何移动。请写出移动，例如：上、右、右、下。",
        "moved": "已移动{count}步。",
        "wall": "移动“{move}”被墙挡住，之后的移动没有执行。",
        "key": "已收集钥匙：{held}/{all}。",
        "locked": "这里是终点，但钥匙还不全。",
        "at": "你现在在第{row}行、第{column}列。",
        "more": "接下来怎么走？",
    },
}
_ZH = {"up": "上", "down": "下", "left": "左", "right": "右"}


class Maze(Struct, frozen=True, kw_only=True, dict=True):
    """A world of kind `maze`; walls stand between two neighbouring cells [row, column, row, column]."""

    rows: int
    columns: int
    walls: tuple[tuple[int, int, int, int], ...]
    start: Cell
    goal: Cell
    keys: tuple[Cell, ...] = ()
    kind: Literal["maze"] = "maze"

    def __post_init__(self) -> None:
        if not (0 < self.rows <= MOST_CELLS and 0 < self.columns <= MOST_CELLS):
            raise ValueError(f"a maze has 1 to {MOST_CELLS} rows and columns")
        if len(self.keys) > MOST_KEYS:
            raise ValueError(f"a maze has at most {MOST_KEYS} keys")
        for row, column in (self.start, self.goal, *self.keys):
            if not (0 <= row < self.rows and 0 <= column < self.columns):
                raise ValueError("start, goal and keys lie inside the maze")

    @cached_property
    def _shut(self) -> frozenset[tuple[Cell, Cell]]:
        pairs = [((a, b), (c, d)) for a, b, c, d in self.walls]
        return frozenset([*pairs, *((second, first) for first, second in pairs)])

    def beyond(self, cell: Cell, move: str) -> Cell | None:
        """The cell that a move leads to; None where a wall or the edge stops it."""
        row, column = cell[0] + MOVES[move][0], cell[1] + MOVES[move][1]
        if not (0 <= row < self.rows and 0 <= column < self.columns) or (cell, (row, column)) in self._shut:
            return None
        return row, column

    def held(self, keys: Keys, cell: Cell) -> Keys:
        """The keys after a cell has been entered."""
        return keys | {cell} if cell in self.keys else keys

    def reached(self, cell: Cell, keys: Keys) -> bool:
        """Whether this is the goal with all keys in hand."""
        return cell == self.goal and len(keys) == len(set(self.keys))


World = Maze | Mapping[str, Any]
"""A maze, or the plain JSON of one."""


def maze_of(world: World) -> Maze:
    """The maze; `msgspec.ValidationError` where the JSON is none."""
    return world if isinstance(world, Maze) else convert(world, Maze)


class Happened(Struct, frozen=True, kw_only=True):
    """What came of one turn."""

    moved: int
    """Moves made."""
    blocked: str = ""
    """The move that a wall stopped."""
    reached: bool = False


class Played(Struct, frozen=True, kw_only=True):
    """What came of all turns."""

    reached: bool
    turns: int
    """Turns taken; none is counted after the goal."""
    read: int
    """Turns in which a move could be read."""
    position: Cell
    keys: Keys
    told: tuple[str, ...]
    """The answer of the maze to each turn."""


def moves_in(text: str) -> list[str] | None:
    """The moves of a reply, in order; None where it holds none.

    Where a line or list of moves stands by itself the last such one counts, so that a reply may think aloud before it.
    Else it may say in a sentence what it does ("I will go right, then down."). Marked thinking is not looked at.
    """
    folded = without_thinking(text).casefold()
    blocks = [block for block in _blocks(folded) if block] or _sentences(folded)
    return blocks[-1][:MOST_MOVES] if blocks else None


def _blocks(text: str) -> list[list[str]]:
    """Runs of moves with nothing but separators between them, over any number of lines."""
    blocks: list[list[str]] = [[]]
    for line in text.splitlines():
        moves = _line(line)
        if moves is None:
            blocks.append([])
        else:
            blocks[-1] += moves
    return blocks


def _sentences(text: str) -> list[list[str]]:
    """The moves of the one run of sentences that say nothing but moves; nothing where there are more such runs.

    Of two plans, the second may mend the first or go on in a later turn: that can't be told apart.
    """
    runs: list[list[str]] = [[]]
    for sentence in _SENTENCE_END.split(text):
        lead = _LEAD.match(sentence)
        moves = _moves(sentence[lead.end() :]) if lead else _moves(sentence) if runs[-1] else None
        if moves is None:
            runs.append([])
        else:
            runs[-1] += moves
    told = [run for run in runs if run]
    return told if len(told) == 1 else []


def _line(line: str) -> list[str] | None:
    """The moves of a line that holds nothing else, or nothing else after its first or last colon; else None."""
    colons = [match.end() for match in re.finditer("[:：]", line)]
    parts = (line, *(line[at:] for at in sorted({*colons[:1], *colons[-1:]})))
    return next((moves for part in parts if (moves := _moves(part)) is not None), None)


def _moves(text: str) -> list[str] | None:
    """The moves of a text that holds nothing else; else None."""
    moves, at = [], 0
    while at < len(text):
        if found := _MOVE.match(text, at):
            word = found[1] or found[2]
            moves.append(_SIGNS.get(word, word))
        else:
            found = _BETWEEN.match(text, at)
        if not found:
            return None
        at = found.end()
    return moves


def step(maze: Maze, position: Cell, keys: Keys, moves: Sequence[str]) -> tuple[Cell, Keys, Happened]:
    """One turn: move by move until a wall, the goal or the end."""
    for count, move in enumerate(moves):
        after = maze.beyond(position, move)
        if after is None:
            return position, keys, Happened(moved=count, blocked=move)
        position, keys = after, maze.held(keys, after)
        if maze.reached(position, keys):
            return position, keys, Happened(moved=count + 1, reached=True)
    return position, keys, Happened(moved=len(moves))


def shortest(world: World, position: Cell | None = None, keys: Keys | None = None) -> list[str]:
    """A shortest way to the goal by way of all keys (breadth first); empty where there is none."""
    maze = maze_of(world)
    at = maze.start if position is None else position
    first = (at, maze.held(frozenset() if keys is None else keys, at))
    before: dict[tuple[Cell, Keys], tuple[tuple[Cell, Keys], str] | None] = {first: None}
    queue = deque([first])
    while queue:
        state = queue.popleft()
        if maze.reached(*state):
            way: list[str] = []
            while link := before[state]:
                state, move = link
                way.append(move)
            return way[::-1]
        for move in MOVES:
            if after := maze.beyond(state[0], move):
                found = (after, maze.held(state[1], after))
                if found not in before:
                    before[found] = (state, move)
                    queue.append(found)
    return []


def play(world: World, replies: Sequence[str], language: str = "en") -> Played:
    """Take the replies one after the other, and stop at the goal."""
    maze = maze_of(world)
    position, keys = maze.start, maze.held(frozenset(), maze.start)
    told: list[str] = []
    read = 0
    done = maze.reached(position, keys)
    for reply in replies:
        if done:
            break
        moves = moves_in(reply)
        if moves is None:
            told.append(_told(maze, position, keys, None, language))
            continue
        read += 1
        position, keys, happened = step(maze, position, keys, moves)
        done = happened.reached
        told.append(_told(maze, position, keys, happened, language))
    return Played(reached=done, turns=len(told), read=read, position=position, keys=keys, told=tuple(told))


def perfect_reply(world: World, replies: Sequence[str] = (), language: str = "en") -> str:
    """The rest of the shortest way after the replies so far."""
    maze = maze_of(world)
    so_far = play(maze, replies)
    return in_words(shortest(maze, so_far.position, so_far.keys), language)


def in_words(moves: Sequence[str], language: str = "en") -> str:
    """Moves as a reply."""
    return "、".join(_ZH[move] for move in moves) if language == "zh" else ", ".join(moves)


def _told(maze: Maze, position: Cell, keys: Keys, happened: Happened | None, language: str) -> str:
    """What the maze answers."""
    texts = _TEXTS["zh" if language == "zh" else "en"]
    if happened and happened.reached:
        return texts["done"]
    parts = [texts["unread"]] if happened is None else [texts["moved"].format(count=happened.moved)]
    if happened and happened.blocked:
        parts.append(texts["wall"].format(move=in_words([happened.blocked], language)))
    if maze.keys:
        parts.append(texts["key"].format(held=len(keys), all=len(set(maze.keys))))
        if position == maze.goal:
            parts.append(texts["locked"])
    parts.append(texts["at"].format(row=position[0] + 1, column=position[1] + 1))
    parts.append(texts["more"])
    return ("" if language == "zh" else " ").join(parts)
