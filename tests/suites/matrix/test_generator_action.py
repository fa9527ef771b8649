"""Action: tools, code, mazes. Calls are found again from the scene, code is run, mazes are walked."""

from __future__ import annotations

import io
import json
import os
import re
import subprocess
import sys
from collections import Counter, deque
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sightline.suites.matrix.generator.item import Item, item_makers
from sightline.suites.matrix.generator.recipe import LEVELS
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.maze import MOVES, play

KINDS = ("tool_calling", "code_generation", "interactive_decision")
MAKERS = item_makers()
SAMPLES = 60


def item(kind: str, level: str, number: int, language: str = "en") -> Item:
    return MAKERS["action", kind](SampleRng(5, kind, level, number), level, language)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", LEVELS)
def test_samples_are_whole_and_the_same_again(kind: str, level: str) -> None:
    one, two = item(kind, level, 3, "zh"), item(kind, level, 3, "zh")
    assert one == two and one != item(kind, level, 4, "zh")
    for picture in one.pictures:
        with Image.open(io.BytesIO(picture)) as opened:
            assert opened.format == "PNG" and min(opened.size) > 90
    json.dumps([one.ground_truth, one.metadata])
    assert one.metadata["ideal"] and not one.options


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.usefixtures("bare")
def test_no_constant_answer_pays(kind: str, level: str) -> None:
    items = [item(kind, level, number, ("en", "zh")[number % 2]) for number in range(SAMPLES)]
    assert max(Counter(found.metadata["ideal"] for found in items).values()) <= 0.1 * SAMPLES
    for found in items:
        assert re.search("[一-鿿]", found.question) or found.question.isprintable() or "\n" in found.question


# Tools


def _panel(found: Item, scene: dict[str, Any], level: str) -> list[dict[str, Any]]:
    machines, said = scene["machines"], found.question.split("\n")[0]
    if level == "l1":
        key = "pressure" if "pressure" in said else "degrees"
        order = sorted(machines, key=lambda m: m[key])
        return [{"name": "stop_machine", "arguments": {"machine": order[0 if "lowest" in said else -1]["code"]}}]
    if level == "l2":
        (code,) = (m["code"] for m in machines if m["light"] == "red")
        return [{"name": "set_temperature", "arguments": {"machine": code, "degrees": scene["wanted"][code]}}]
    limit = int(re.findall(r"(\d+) °C", said)[0])
    hot = {m["code"]: m["degrees"] - limit for m in machines if m["light"] == "green" and m["degrees"] > limit}
    if level == "l3":
        return [{"name": "stop_machine", "arguments": {"machine": code}} for code in hot]
    litres = int(re.findall(r"takes (\d+) litres", said)[0])
    calls: list[dict[str, Any]] = [
        {"name": "cool_machine", "arguments": {"machine": code, "by": by}} for code, by in hot.items()
    ]
    return [*calls, {"name": "order_coolant", "arguments": {"litres": sum(hot.values()) * litres}}]


def _orders(found: Item, scene: dict[str, Any], level: str) -> list[dict[str, Any]]:
    said = found.question.split("\n")[0]
    if level == "l1":
        return [{"name": "cancel_order", "arguments": {"order": row[0]}} for row in scene["rows"] if row[1] in said]
    if level == "l2":
        row = sorted(scene["rows"], key=lambda row: -row[3])[0]
        return [{"name": "ship_order", "arguments": {"order": row[0], "postcode": scene["codes"][row[1]]}}]
    numbers = [int(word) for word in re.findall(r"\d+", said)]
    if level == "l3":
        article = re.findall("“(.*?)”", said)[0]
        rows = [row for row in scene["rows"] if row[2] == article and row[3] < numbers[0]]
        return [{"name": "cancel_order", "arguments": {"order": row[0]}} for row in rows]
    least, full = sorted(numbers)
    short = [(code, full - int(stock), int(price)) for code, stock, price in scene["stock"] if int(stock) < least]
    calls: list[dict[str, Any]] = [{"name": "restock", "arguments": {"article": a, "pieces": n}} for a, n, _ in short]
    return [*calls, {"name": "pay", "arguments": {"amount": sum(n * price for _, n, price in short)}}]


def _calendar(found: Item, scene: dict[str, Any], level: str) -> list[dict[str, Any]]:
    said, page = found.question.split("\n")[0], scene["page"]
    days = {event["name"]: event["day"] for event in page["events"]}
    named = re.findall("“(.*?)”", said)
    numbers = [int(word) for word in re.findall(r"\d+", said)]
    if level == "l1":
        return [{"name": "cancel_event", "arguments": {"day": days[named[0]]}}]
    if level == "l2":
        return [
            {"name": "move_event", "arguments": {"from_day": days[named[0]], "to_day": days[named[1]] + numbers[0]}}
        ]
    if level == "l3":
        week = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
        wanted = [day for day in days.values() if week[(day - 1 + page["first"]) % 7] in said]
        return [{"name": "add_reminder", "arguments": {"day": day - numbers[0]}} for day in wanted]
    low, high, rate = numbers
    hours = {event["day"]: event["hours"] for event in page["events"] if low <= event["day"] <= high}
    calls: list[dict[str, Any]] = [{"name": "book_hall", "arguments": {"day": d, "hours": h}} for d, h in hours.items()]
    return [*calls, {"name": "pay", "arguments": {"amount": rate * sum(hours.values())}}]


def _pins(found: Item, scene: dict[str, Any], level: str) -> list[dict[str, Any]]:
    said = found.question.split("\n")[0]
    squares = {pin["colour"]: "ABCDEFGH"[pin["column"]] + str(pin["row"] + 1) for pin in scene["pins"]}
    named = [word for word in re.findall(r"[a-z]+", said) if word in squares]
    numbers = [int(word) for word in re.findall(r"\d+", said)]
    if level == "l1":
        return [{"name": "send_car", "arguments": {"square": squares[named[0]]}}]
    if level == "l2":
        return [{"name": "book_trip", "arguments": {"start": squares[named[0]], "end": squares[named[1]]}}]
    if level == "l3":
        wanted = [p["colour"] for p in scene["pins"] if p["parcels"] > numbers[0] and p["colour"] != named[0]]
        return [{"name": "send_car", "arguments": {"square": squares[colour]}} for colour in wanted]
    low, high = re.findall(r"columns ([A-H]) to ([A-H])", said)[0]
    mine = {squares[p["colour"]]: p["parcels"] for p in scene["pins"] if low <= squares[p["colour"]][0] <= high}
    calls: list[dict[str, Any]] = [
        {"name": "fetch_parcels", "arguments": {"square": s, "parcels": n}} for s, n in mine.items()
    ]
    vans = next(n for n in range(1000) if n * numbers[0] >= sum(mine.values()))
    return [*calls, {"name": "hire_vans", "arguments": {"vans": vans}}]


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.usefixtures("bare")
def test_calls_again(level: str) -> None:
    readers = {"panel": _panel, "orders": _orders, "calendar": _calendar, "pins": _pins}
    seen = set()
    for number in range(40):
        found = item("tool_calling", level, number)
        scene = found.metadata["scene"]
        seen.add(scene["type"])
        again = readers[scene["type"]](found, scene, level)

        def key(call: dict[str, Any]) -> str:
            return json.dumps(call, sort_keys=True)

        assert sorted(found.ground_truth, key=key) == sorted(again, key=key)
        assert json.loads(found.metadata["ideal"]) == found.ground_truth
        _fits(found)
    assert len(seen) == 4


def _fits(found: Item) -> None:
    """Every call keeps to its tool's schema, and there are tools that nobody needs."""
    tools = {tool["name"]: tool["parameters"] for tool in found.metadata["tools"]}
    used = {call["name"] for call in found.ground_truth}
    assert len(tools) == len(used) + 2 and all(json.dumps(t, ensure_ascii=False) in found.question for t in tools)
    for call in found.ground_truth:
        schema = tools[call["name"]]
        assert set(call["arguments"]) == set(schema["required"])
        for name, value in call["arguments"].items():
            assert isinstance(value, {"string": str, "integer": int}[schema["properties"][name]["type"]])


# Code


def _code(found: Item) -> str:
    solution = found.metadata["solution"]
    assert solution.startswith("```python\n") and solution.endswith("\n```") and found.metadata["ideal"] == solution
    return str(solution)[len("```python\n") : -len("```")]


def _run(program: str, folder: Path) -> str:
    environment = {**os.environ, "MPLBACKEND": "Agg"}
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=folder, env=environment
    )
    return done.stdout


@pytest.mark.usefixtures("bare")
def test_reference_programs_pass_their_tests(tmp_path: Path) -> None:
    asked = [item("code_generation", level, number) for level in LEVELS[:3] for number in range(24)]
    lines = ["import json", "out = []"]
    for found in asked:
        truth = found.ground_truth
        assert 6 <= len(truth["tests"]) <= 10 and f"`{truth['function']}(" in found.question
        assert len({repr(test["result"]) for test in truth["tests"]}) >= 4
        arguments = [test["arguments"] for test in truth["tests"]]
        lines += [_code(found), f"out.append([{truth['function']}(*a) for a in {arguments!r}])"]
    results = json.loads(_run("\n".join([*lines, "print(json.dumps(out))"]), tmp_path))
    assert results == [[test["result"] for test in found.ground_truth["tests"]] for found in asked]


def test_reference_figures_are_the_targets(tmp_path: Path) -> None:
    asked = [item("code_generation", "l4", number) for number in range(4)]
    program = "\n".join(
        f"{_code(found)}\nplt.gcf().savefig('{k}.png')\nplt.close('all')" for k, found in enumerate(asked)
    )
    _run(program, tmp_path)
    for k, found in enumerate(asked):
        assert found.target == found.pictures[0] and found.metric == "execution"
        with Image.open(tmp_path / f"{k}.png") as drawn, Image.open(io.BytesIO(found.target or b"")) as target:
            assert np.array_equal(np.asarray(drawn.convert("RGB")), np.asarray(target.convert("RGB")))


# Mazes


def _least(world: dict[str, Any]) -> int:
    """The length of the shortest way, over cells and collected keys."""
    shut = {frozenset(((a, b), (c, d))) for a, b, c, d in map(tuple, world["walls"])}
    keys = [tuple(key) for key in world["keys"]]
    queue = deque([(tuple(world["start"]), frozenset[tuple[int, ...]](), 0)])
    seen = {queue[0][:2]}
    while queue:
        (r, c), held, length = queue.popleft()
        if (r, c) == tuple(world["goal"]) and len(held) == len(keys):
            return length
        for dr, dc in MOVES.values():
            cell = (r + dr, c + dc)
            if not (0 <= cell[0] < world["rows"] and 0 <= cell[1] < world["columns"]):
                continue
            state = (cell, held | {cell} if cell in keys else held)
            if frozenset(((r, c), cell)) not in shut and state not in seen:
                seen.add(state)
                queue.append((*state, length + 1))
    raise AssertionError("no way")


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.usefixtures("bare")
def test_mazes_can_be_walked_in_one_turn(level: str) -> None:
    keys = {"l1": 0, "l2": 1, "l3": 0, "l4": 3}[level]
    for number in range(20):
        language = ("en", "zh")[number % 2]
        found = item("interactive_decision", level, number, language)
        world = found.ground_truth["world"]
        assert world["kind"] == "maze" and len(world["keys"]) == keys and found.ground_truth["most_turns"] >= 2
        played = play(world, [found.metadata["ideal"]], language)
        assert played.reached and played.turns == 1
        moves = re.split("[,、]", found.metadata["ideal"])
        assert len(moves) == _least(world) > world["rows"]


@pytest.mark.usefixtures("bare")
def test_blind_tours_fail() -> None:
    tours = ["right, down, " * 20, "down, right, " * 20, "up, left, " * 20, "right, up, " * 20]
    tours += [", ".join([a] * 4 + [b] * 4) for a in MOVES for b in MOVES]
    for level in LEVELS:
        worlds = [item("interactive_decision", level, number).ground_truth for number in range(40)]
        for tour in tours:
            assert sum(play(w["world"], [tour] * w["most_turns"]).reached for w in worlds) <= 4
