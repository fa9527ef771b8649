"""The maze: what is read from replies, what happens, and the shortest way against a search of its own."""

from __future__ import annotations

import itertools
import random

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.suites.matrix.maze import (
    MAX_MOVES,
    MOVES,
    Maze,
    apply_moves,
    optimal_reply,
    parse_moves,
    play,
    shortest_path,
)

WORLD = {
    "kind": "maze",
    "rows": 2,
    "columns": 3,
    "walls": [[0, 0, 0, 1], [0, 1, 1, 1]],
    "start": [0, 0],
    "goal": [0, 1],
    "keys": [[1, 0]],
}
WAY = ["down", "right", "right", "up", "left"]


@pytest.mark.parametrize(
    "text",
    [
        "down, right, right, up, left",
        "DOWN\nright\n Right \nup\nleft.",
        "1. down\n2. right\n3. right\n4. up\n5. left",
        '["down", "right", "right", "up", "left"]',
        '```json\n{"moves": ["down","right","right","up","left"]}\n```',
        "下、右、右、上、左",
        "下右右上左",
        "↓→→↑←",
        "⬇️➡️➡️⬆️⬅️",
        "向下走，然后向右，再向右，向上，向左",
        "First I look left and see a wall.\nAnswer: down -> right -> right -> up -> left",
        "**Moves:** down down\nNo, that is wrong.\ndown right right up left",
        "<think>up, up\nno</think>down, right, right, up, left",
        "up, up\n</think>\ndown, right, right, up, left",
        "I will go down, then right, right, up and left.",
        "The goal is up on the left.\nI’ll move down. Then right and right, then up. Then left!",
        "So we should first go down, right, right, up, left. The next turn I will go up.",
        "Left is a wall. If I go up, I hit a wall. I am going down, right, right, up, left.",
        "I could go up. I go down, right, right, up, left.",
        "Let's go down, right, right, up, left",
        "我先向下走，然后向右，再向右，向上，向左。",
    ],
)
def test_moves_are_read(text: str) -> None:
    assert parse_moves(text) == WAY


@pytest.mark.parametrize(
    "text",
    [
        *("", "I give up because nothing is right here", "north", "U R D", "upright", "42", "…"),
        *("Right, I will go down.", "Should I go up?", "I will not go up.", "I think I will go right", "I will go."),
        *(
            "<think>up, right</think>",
            "<think>up, right",
            "I am right.\nThat is all right.",
            "If I go up, left is next.",
        ),
        *("I will go up. No, that is a wall. I will go right.", "Next turn I will go up.", "我不向上走。"),
    ],
)
def test_no_moves(text: str) -> None:
    assert parse_moves(text) is None


def test_long_replies_are_cut() -> None:
    assert parse_moves("up, " * 5000) == ["up"] * MAX_MOVES
    assert parse_moves("I go up. " * 5000) == ["up"] * MAX_MOVES


@settings(max_examples=150, deadline=None)
@given(st.text(st.sampled_from("up down left right↑上下:：,.1[]\n\"'x "), max_size=300) | st.text(max_size=200))
def test_any_text_is_survived(text: str) -> None:
    moves = parse_moves(text)
    assert moves is None or (0 < len(moves) <= MAX_MOVES and set(moves) <= set(MOVES))
    assert play(WORLD, [text]).turns == 1


def test_a_wall_ends_the_turn_and_the_goal_needs_its_keys() -> None:
    maze = msgspec.convert(WORLD, Maze)
    position, keys, happened = apply_moves(maze, (0, 0), frozenset(), ["right", "down", "right"])
    assert (position, keys, happened.moved, happened.blocked) == ((0, 0), frozenset(), 0, "right")
    assert play(WORLD, [", ".join(WAY)]).reached
    without = Maze(rows=1, columns=3, walls=(), start=(0, 1), goal=(0, 2), keys=((0, 0),))
    played = play(without, ["right", "left, left", "right, right", "left"])
    assert played.reached and played.turns == 3 and played.keys == {(0, 0)}
    assert "keys are missing" in played.responses[0] and played.responses[-1] == "You reached the goal."


def test_turns_without_a_move_are_told_from_others() -> None:
    assert play(WORLD, ["hello", "…"]).turns_read == 0
    assert play(WORLD, ["hello", "right", "<think>down</think>"]).turns_read == 1


def test_what_is_told() -> None:
    played = play(WORLD, ["hello", "right", "down"])
    assert played.responses == (
        "No move could be read. Write moves such as: up, right, right, down. Keys collected: 0 of 1. You are in row 1, "
        "column 1. What are your next moves?",
        "Moves made: 0. A wall stopped the move “right”; the moves after it were not made. Keys collected: 0 of 1. You "
        "are in row 1, column 1. What are your next moves?",
        "Moves made: 1. Keys collected: 1 of 1. You are in row 2, column 1. What are your next moves?",
    )
    assert play(WORLD, ["下"], "zh").responses == ("已移动1步。已收集钥匙：1/1。你现在在第2行、第1列。接下来怎么走？",)


def test_the_perfect_reply_goes_on_from_anywhere() -> None:
    assert optimal_reply(WORLD) == ", ".join(WAY)
    assert optimal_reply(WORLD, [], "zh") == "下、右、右、上、左"
    said = ["nothing", "down, right"]
    assert optimal_reply(WORLD, said) == "right, up, left"
    assert play(WORLD, [*said, optimal_reply(WORLD, said)]).reached


@pytest.mark.parametrize(
    "change",
    [{"rows": 0}, {"start": [5, 5]}, {"keys": [[0, 9]]}, {"kind": "chess"}, {"goal": "x"}, {"keys": [[0, 0]] * 9}],
)
def test_bad_worlds_are_refused(change: dict[str, object]) -> None:
    with pytest.raises(msgspec.ValidationError):
        play({**WORLD, **change}, [])


def _length(world: Maze) -> int | None:
    """The shortest way by distances over all orders of the keys: another method than the module's."""
    shut = {frozenset(((a, b), (c, d))) for a, b, c, d in world.walls}

    def distances(start: tuple[int, int]) -> dict[tuple[int, int], int]:
        found, edge = {start: 0}, [start]
        while edge:
            after = []
            for r, c in edge:
                for cell in ((r + 1, c), (r - 1, c), (r, c + 1), (r, c - 1)):
                    inside = 0 <= cell[0] < world.rows and 0 <= cell[1] < world.columns
                    if inside and cell not in found and frozenset(((r, c), cell)) not in shut:
                        found[cell] = found[r, c] + 1
                        after.append(cell)
            edge = after
        return found

    best = None
    for order in itertools.permutations(world.keys):
        stops = [world.start, *order, world.goal]
        legs = [distances(a).get(b) for a, b in itertools.pairwise(stops)]
        if None not in legs:
            total = sum(leg for leg in legs if leg is not None)
            best = total if best is None else min(best, total)
    return best


def test_the_way_is_the_shortest() -> None:
    random_ = random.Random(4)
    lost = 0
    for _ in range(120):
        rows, columns = random_.randint(2, 6), random_.randint(2, 6)
        cells = [(r, c) for r in range(rows) for c in range(columns)]
        pairs = [(r, c, r + 1, c) for r, c in cells if r + 1 < rows] + [
            (r, c, r, c + 1) for r, c in cells if c + 1 < columns
        ]
        walls = tuple(pair for pair in pairs if random_.random() < 0.35)
        start, goal, *keys = random_.sample(cells, random_.randint(2, min(5, len(cells))))
        world = Maze(rows=rows, columns=columns, walls=walls, start=start, goal=goal, keys=tuple(keys))
        way, length = shortest_path(world), _length(world)
        lost += length is None
        assert len(way) == (length or 0)
        assert play(world, [", ".join(way)]).reached == (length is not None)
    assert 10 < lost < 110
