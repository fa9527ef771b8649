"""Interactive maze environment: parsing moves from replies, applying them, and breadth-first shortest paths.

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
MAX_MOVES = 200
"""Moves read from one reply; further ones are ignored."""
MAX_SIDE, MAX_KEYS = 64, 8
"""Limits of rows, columns and keys, which bound the search."""
_MOVE_SYMBOLS = dict(zip("↑↓←→⬆⬇⬅➡上下左右", [*MOVES] * 3, strict=True))
_MOVE = re.compile(r"(?<![a-z])(up|down|left|right)(?:wards?)?(?![a-z])|([↑↓←→⬆⬇⬅➡上下左右])")
_SEPARATORS = re.compile(
    r"(?:\s|[,，、;；.。:：>|/*\-–—\[\](){}\"'“”‘’`\ufe0f]"
    r"|(?<![a-z])(?:moves?|then|and|go|answer|json|steps?|turn|my|the|is|are)(?![a-z])"
    r"|移动|然后|向|往|走|再|答案|回答|是|为|步|第|(?<!\d)\d{1,3}(?!\d))+"
)
_SENTENCE_OPENING = re.compile(
    r"\s*(?:(?:so|now|first|then|next|okay|ok|sure)[\s,]+){0,3}"
    r"(?:(?:i|we)(?:\s+(?:will|would|should|must|shall|am|are)|\s*['’](?:ll|d|m|re))?|let['’]s|let\s+(?:us|me))"
    r"\s+(?:(?:first|then|next|going\s+to)\s+)?(?:go|mov|walk|head|step|turn)(?:e|p?ing)?(?![a-z])"
    r"|\s*(?:(?:首先|接下来|现在|所以)，?){0,3}我们?(?:会|将|要|应该|首先|先|选择|打算)*"
)
"""The opening of a sentence that states the writer's next moves."""
_SENTENCE_END = re.compile(r"[.!。！\n]+")
_RESPONSES = {
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
_CHINESE_MOVES = {"up": "上", "down": "下", "left": "左", "right": "右"}


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
        if not (0 < self.rows <= MAX_SIDE and 0 < self.columns <= MAX_SIDE):
            raise ValueError(f"a maze has 1 to {MAX_SIDE} rows and columns")
        if len(self.keys) > MAX_KEYS:
            raise ValueError(f"a maze has at most {MAX_KEYS} keys")
        for row, column in (self.start, self.goal, *self.keys):
            if not (0 <= row < self.rows and 0 <= column < self.columns):
                raise ValueError("start, goal and keys lie inside the maze")

    @cached_property
    def _blocked_pairs(self) -> frozenset[tuple[Cell, Cell]]:
        pairs = [((a, b), (c, d)) for a, b, c, d in self.walls]
        return frozenset([*pairs, *((second, first) for first, second in pairs)])

    def neighbour(self, cell: Cell, move: str) -> Cell | None:
        """Return the cell that a move leads to; None if a wall or the edge blocks it."""
        row, column = cell[0] + MOVES[move][0], cell[1] + MOVES[move][1]
        if not (0 <= row < self.rows and 0 <= column < self.columns) or (cell, (row, column)) in self._blocked_pairs:
            return None
        return row, column

    def collect_keys(self, keys: Keys, cell: Cell) -> Keys:
        """Return the keys held after entering a cell."""
        return keys | {cell} if cell in self.keys else keys

    def is_finished(self, cell: Cell, keys: Keys) -> bool:
        """Whether the cell is the goal and all keys are held."""
        return cell == self.goal and len(keys) == len(set(self.keys))


World = Maze | Mapping[str, Any]
"""A maze, or its JSON data."""


def to_maze(world: World) -> Maze:
    """Convert JSON data to a maze; raises `msgspec.ValidationError` if it is not one."""
    return world if isinstance(world, Maze) else convert(world, Maze)


class TurnResult(Struct, frozen=True, kw_only=True):
    """Result of one turn."""

    moved: int
    """Moves made."""
    blocked: str = ""
    """The move that a wall stopped."""
    reached: bool = False


class GameResult(Struct, frozen=True, kw_only=True):
    """Result of all turns."""

    reached: bool
    turns: int
    """Turns taken; none is counted after the goal."""
    turns_read: int
    """Turns in which at least one move was parsed."""
    position: Cell
    keys: Keys
    responses: tuple[str, ...]
    """The environment's response to each turn."""


def parse_moves(text: str) -> list[str] | None:
    """Parse the moves of a reply, in order; None if there are none.

    Where a line or list of moves stands by itself the last such one counts, so that a reply may think aloud before it.
    Else it may say in a sentence what it does ("I will go right, then down."). Marked thinking is not looked at.
    """
    folded = without_thinking(text).casefold()
    blocks = [block for block in _move_blocks(folded) if block] or _move_sentences(folded)
    return blocks[-1][:MAX_MOVES] if blocks else None


def _move_blocks(text: str) -> list[list[str]]:
    """Return runs of moves with only separators between them, over any number of lines."""
    blocks: list[list[str]] = [[]]
    for line in text.splitlines():
        moves = _moves_of_line(line)
        if moves is None:
            blocks.append([])
        else:
            blocks[-1] += moves
    return blocks


def _move_sentences(text: str) -> list[list[str]]:
    """The moves of the one run of sentences that say nothing but moves; nothing where there are more such runs.

    Of two plans, the second may correct the first or continue it in a later turn, which can't be distinguished.
    """
    runs: list[list[str]] = [[]]
    for sentence in _SENTENCE_END.split(text):
        lead = _SENTENCE_OPENING.match(sentence)
        moves = _moves_only(sentence[lead.end() :]) if lead else _moves_only(sentence) if runs[-1] else None
        if moves is None:
            runs.append([])
        else:
            runs[-1] += moves
    found_runs = [run for run in runs if run]
    return found_runs if len(found_runs) == 1 else []


def _moves_of_line(line: str) -> list[str] | None:
    """Return the moves of a line with nothing else in it, or after its first or last colon; else None."""
    colons = [match.end() for match in re.finditer("[:：]", line)]
    candidates = (line, *(line[position:] for position in sorted({*colons[:1], *colons[-1:]})))
    return next((moves for candidate in candidates if (moves := _moves_only(candidate)) is not None), None)


def _moves_only(text: str) -> list[str] | None:
    """Return the moves of a text with nothing else in it; else None."""
    moves, position = [], 0
    while position < len(text):
        if match := _MOVE.match(text, position):
            word = match[1] or match[2]
            moves.append(_MOVE_SYMBOLS.get(word, word))
        else:
            match = _SEPARATORS.match(text, position)
        if not match:
            return None
        position = match.end()
    return moves


def apply_moves(maze: Maze, position: Cell, keys: Keys, moves: Sequence[str]) -> tuple[Cell, Keys, TurnResult]:
    """Apply one turn's moves until a wall, the goal or the last move."""
    for count, move in enumerate(moves):
        next_cell = maze.neighbour(position, move)
        if next_cell is None:
            return position, keys, TurnResult(moved=count, blocked=move)
        position, keys = next_cell, maze.collect_keys(keys, next_cell)
        if maze.is_finished(position, keys):
            return position, keys, TurnResult(moved=count + 1, reached=True)
    return position, keys, TurnResult(moved=len(moves))


def shortest_path(world: World, position: Cell | None = None, keys: Keys | None = None) -> list[str]:
    """Shortest path to the goal that collects all keys (breadth-first search); empty if there is none."""
    maze = to_maze(world)
    start = maze.start if position is None else position
    initial = (start, maze.collect_keys(frozenset() if keys is None else keys, start))
    predecessors: dict[tuple[Cell, Keys], tuple[tuple[Cell, Keys], str] | None] = {initial: None}
    queue = deque([initial])
    while queue:
        state = queue.popleft()
        if maze.is_finished(*state):
            path: list[str] = []
            while link := predecessors[state]:
                state, move = link
                path.append(move)
            return path[::-1]
        for move in MOVES:
            if next_cell := maze.neighbour(state[0], move):
                successor = (next_cell, maze.collect_keys(state[1], next_cell))
                if successor not in predecessors:
                    predecessors[successor] = (state, move)
                    queue.append(successor)
    return []


def play(world: World, replies: Sequence[str], language: str = "en") -> GameResult:
    """Play the replies turn by turn, and stop at the goal."""
    maze = to_maze(world)
    position, keys = maze.start, maze.collect_keys(frozenset(), maze.start)
    responses: list[str] = []
    turns_read = 0
    finished = maze.is_finished(position, keys)
    for reply in replies:
        if finished:
            break
        moves = parse_moves(reply)
        if moves is None:
            responses.append(_format_response(maze, position, keys, None, language))
            continue
        turns_read += 1
        position, keys, turn_result = apply_moves(maze, position, keys, moves)
        finished = turn_result.reached
        responses.append(_format_response(maze, position, keys, turn_result, language))
    return GameResult(
        reached=finished,
        turns=len(responses),
        turns_read=turns_read,
        position=position,
        keys=keys,
        responses=tuple(responses),
    )


def optimal_reply(world: World, replies: Sequence[str] = (), language: str = "en") -> str:
    """Return the remaining shortest path after the replies so far, as a reply."""
    maze = to_maze(world)
    game = play(maze, replies)
    return format_moves(shortest_path(maze, game.position, game.keys), language)


def format_moves(moves: Sequence[str], language: str = "en") -> str:
    """Format moves as a reply."""
    return "、".join(_CHINESE_MOVES[move] for move in moves) if language == "zh" else ", ".join(moves)


def _format_response(maze: Maze, position: Cell, keys: Keys, turn_result: TurnResult | None, language: str) -> str:
    """Format the environment's response to a turn."""
    texts = _RESPONSES["zh" if language == "zh" else "en"]
    if turn_result and turn_result.reached:
        return texts["done"]
    sentences = [texts["unread"]] if turn_result is None else [texts["moved"].format(count=turn_result.moved)]
    if turn_result and turn_result.blocked:
        sentences.append(texts["wall"].format(move=format_moves([turn_result.blocked], language)))
    if maze.keys:
        sentences.append(texts["key"].format(held=len(keys), all=len(set(maze.keys))))
        if position == maze.goal:
            sentences.append(texts["locked"])
    sentences.append(texts["at"].format(row=position[0] + 1, column=position[1] + 1))
    sentences.append(texts["more"])
    return ("" if language == "zh" else " ").join(sentences)
