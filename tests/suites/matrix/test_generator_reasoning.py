"""Reasoning: chains, texts against pictures, what would be. Truths are worked out again by other means."""

from __future__ import annotations

import io
import itertools
import json
from collections import Counter
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from PIL import Image

from sightline.suites.matrix.generator.item import Item, item_makers
from sightline.suites.matrix.generator.recipe import LEVELS
from sightline.suites.matrix.generator.sample_rng import SampleRng

KINDS = ("multi_step", "cross_modal", "counterfactual")
MAKERS = item_makers()
SAMPLES = 60


def item(kind: str, level: str, number: int, language: str = "en") -> Item:
    return MAKERS["reasoning", kind](SampleRng(5, kind, level, number), level, language)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", LEVELS)
def test_samples_are_whole_and_the_same_again(kind: str, level: str) -> None:
    one, two = item(kind, level, 3, "zh"), item(kind, level, 3, "zh")
    assert one == two and one != item(kind, level, 4, "zh")
    for picture in one.pictures:
        with Image.open(io.BytesIO(picture)) as opened:
            assert opened.format == "PNG" and min(opened.size) > 90 and len(opened.convert("L").getcolors() or ()) > 8
    json.dumps([one.ground_truth, one.metadata])
    assert one.metadata["ideal"]


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.usefixtures("bare")
def test_no_constant_answer_pays(kind: str, level: str) -> None:
    items = [item(kind, level, number, ("en", "zh")[number % 2]) for number in range(SAMPLES)]
    assert len({found.question for found in items}) > (2 if (kind, level) == ("cross_modal", "l3") else SAMPLES // 4)
    if kind == "cross_modal":
        places = Counter(found.options.index(found.ground_truth) for found in items)
        assert all(len(set(found.options)) == len(found.options) for found in items)
        assert max(places.values()) <= SAMPLES / len(items[0].options) + 1
        return
    open_ = [found for found in items if not found.options]
    finals = Counter(str(f.ground_truth["final"] if kind == "multi_step" else f.ground_truth) for f in open_)
    assert max(finals.values()) <= 0.1 * SAMPLES
    for found in items:
        assert not found.options or (len(found.options) == 4 and found.ground_truth in found.options)


@pytest.mark.usefixtures("bare")
def test_levels_differ_in_pictures_and_steps() -> None:
    for number in range(24):
        assert len(item("multi_step", "l1", number).pictures) == 1
        assert len(item("multi_step", "l2", number).pictures) == 2
        assert len(item("multi_step", "l4", number).ground_truth["steps"]) >= 4
        assert len(item("cross_modal", "l2", number).pictures) == 2


def _resistance(groups: list[list[int]], volts: float) -> tuple[float, list[float]]:
    """Current and voltages of the groups in series, by nodal analysis."""
    count = len(groups)
    matrix, right = np.zeros((count + 1, count + 1)), np.zeros(count + 1)
    for k, group in enumerate(groups):
        conductance = sum(1 / ohms for ohms in group)
        for a, b in ((k, k + 1), (k + 1, k)):
            matrix[a, a] += conductance
            matrix[a, b] -= conductance
    for node, value in ((0, volts), (count, 0.0)):
        matrix[node] = 0
        matrix[node, node] = 1
        right[node] = value
    heights = np.linalg.solve(matrix, right)
    drops = [float(heights[k] - heights[k + 1]) for k in range(count)]
    return drops[0] * sum(1 / ohms for ohms in groups[0]), drops


def _longest(days: dict[str, int], after: dict[str, list[str]]) -> dict[str, int]:
    """Relax again and again until nothing changes."""
    ends = dict(days)
    for _ in days:
        ends = {task: days[task] + max((ends[other] for other in after[task]), default=0) for task in days}
    return ends


def _prices(scene: dict[str, Any]) -> tuple[list[float], float]:
    costs = []
    for name, pieces in scene["bought"].items():
        off = scene["share"] if "least" in scene and pieces >= scene["least"] else 0
        costs.append(scene["prices"][name] * pieces * (1 - off / 100))
    if "fee" not in scene:
        return costs, sum(costs)
    reduced = sum(costs) * (1 - scene["share"] / 100)
    return [*costs, sum(costs), reduced], reduced + scene["fee"]


def _gears(scene: dict[str, Any]) -> tuple[list[float], float]:
    speed, found = Fraction(scene["turns"]), []
    for (_, before, _), (_, teeth, axle) in itertools.pairwise(scene["gears"]):
        speed = speed if axle else speed * Fraction(before, teeth)
        found.append(float(speed))
    return found[:-1], found[-1]


def _roads(scene: dict[str, Any]) -> tuple[list[float], float]:
    lengths = {frozenset(road[:2]): (road[2], road[4]) for road in scene["roads"]}
    if "way" in scene:
        legs = [lengths[frozenset(pair)] for pair in itertools.pairwise(scene["way"])]
        times = [length * scene.get("pace", {}).get(colour, 1) for length, colour in legs]
        return times, sum(times)
    far = {place: float("inf") for pair in lengths for place in pair}
    far[scene["start"]] = 0
    for _ in far:
        for pair, (length, _) in lengths.items():
            a, b = pair
            far[a], far[b] = min(far[a], far[b] + length), min(far[b], far[a] + length)
    found = [far[place] for place in scene["places"]]
    return found[:-1], found[-1]


def _pipes(scene: dict[str, Any]) -> tuple[list[float], float]:
    flows: dict[str, Fraction] = {}

    def run(tree: Any, water: Fraction) -> None:
        if isinstance(tree, str):
            flows[tree] = water
            return
        above, below, up, down = tree
        run(up, water * above / below)
        run(down, water * (below - above) / below)

    run(scene["tree"], Fraction(scene["inflow"]))
    return [float(flows[letter]) for letter in scene["steps"]], float(sum(flows[letter] for letter in scene["last"]))


def _scales(scene: dict[str, Any]) -> tuple[list[float], float]:
    """The weights as the solution of a system of equations."""
    sorts = scene["sorts"]
    rows, right = [], []
    for left, other in scene["balances"]:
        rows.append([left.count(name) - other.count(name) for name in sorts])
        right.append(sum(x for x in other if isinstance(x, int)) - sum(x for x in left if isinstance(x, int)))
    if "known" in scene:
        rows.append([1, 0, 0])
        right.append(scene["known"])
    weights = [float(weight) for weight in np.linalg.solve(np.array(rows, float), np.array(right, float))]
    if "known" not in scene:
        return weights[:1], weights[1]
    return weights[1:], float(np.dot(weights, scene["numbers"]))


def _bars(scene: dict[str, Any]) -> tuple[list[float], float]:
    costs = [(scene["bars"][task][1] - scene["bars"][task][0]) * scene["wages"][task] for task in scene["asked"]]
    return costs, sum(costs)


def _tasks(scene: dict[str, Any]) -> tuple[list[float], float]:
    ends = _longest(scene["days"], scene["after"])
    return [ends[task] for task in scene["asked"]], max(ends.values())


def _circuit(scene: dict[str, Any]) -> tuple[list[float], float]:
    current, drops = _resistance(scene["groups"], scene["volts"])
    pairs = [drops[k] / current for k, group in enumerate(scene["groups"]) if len(group) == 2]
    return [*pairs, scene["volts"] / current, current], drops[scene["last"]]


CHAINS: dict[str, Callable[[dict[str, Any]], tuple[list[float], float]]] = {
    "prices": _prices,
    "gears": _gears,
    "roads": _roads,
    "pipes": _pipes,
    "scales": _scales,
    "bars": _bars,
    "network": _tasks,
    "circuit": _circuit,
}


@pytest.mark.usefixtures("bare")
def test_chains_again() -> None:
    seen = set()
    for level in LEVELS:
        for number in range(48):
            found = item("multi_step", level, number)
            scene = found.metadata["scene"]
            seen.add((level, scene["type"]))
            steps, final = CHAINS[scene["type"]](scene)
            truth = found.ground_truth
            assert truth["steps"] == pytest.approx(steps) and truth["final"] == pytest.approx(final)
            assert json.loads(found.metadata["ideal"]) == truth
    assert len(seen) == 18


def _arrow_gate(scene: dict[str, Any]) -> int:
    arrows = {(r, c): way for r, c, way in [*scene["arrows"], *scene["changes"]]}
    gates, slides = {(r, c): n for r, c, n in scene["gates"]}, {tuple(cell) for cell in scene["slides"]}
    row, column = scene["start"]
    way = arrows[row, column]
    while (row, column) not in gates:
        way = way if (row, column) in slides else arrows[row, column]
        row += {"up": -1, "down": 1}.get(way, 0)
        column += {"left": -1, "right": 1}.get(way, 0)
    return gates[row, column]


def _fallen(scene: dict[str, Any]) -> int:
    standing = [k for k, stands in enumerate(scene["places"]) if stands and k != scene["special"]]
    for count, (a, b) in enumerate(itertools.pairwise(standing), 1):
        if b - a - 1 > scene["reach"]:
            return count
    return len(standing)


def _changed(scene: dict[str, Any]) -> float:
    values = list(scene["first"].values()) if "first" in scene else list(scene["values"])
    if "first" in scene:
        values[list(scene["first"]).index(scene["a"])] = scene["second"][scene["b"]]
    elif scene["change"] == "removed":
        del values[scene["at"]]
    else:
        at = scene["at"]
        values[at] = {"doubled": values[at] * 2, "halved": values[at] / 2, "tallest": max(values)}[scene["change"]]
    return {"sum": float(np.sum(values)), "mean": float(np.mean(values)), "range": float(np.ptp(values))}[
        scene["figure"]
    ]


def _open(scene: dict[str, Any]) -> float:
    groups = [group[:1] if k == scene["opened"] else group for k, group in enumerate(scene["groups"])]
    return _resistance(groups, scene["volts"])[1][scene["over"]]


def _late(scene: dict[str, Any]) -> int:
    days = dict(scene["days"])
    days[scene["longer"][0]] += scene["longer"][1]
    days[scene["half"]] //= 2
    return max(_longest(days, scene["after"]).values())


def _lit(scene: dict[str, Any]) -> str:
    shining = [
        lamp
        for k, (_, closed, lamps) in enumerate(scene["branches"])
        if closed != (k in scene["flipped"])
        for lamp in lamps
    ]
    return ", ".join(sorted(shining))


CHANGES: dict[str, Callable[[dict[str, Any]], float | str]] = {
    "arrows": _arrow_gate,
    "dominoes": _fallen,
    "bars": _changed,
    "two charts": _changed,
    "tanks": lambda scene: float(np.average(scene["heights"], weights=scene["areas"])),
    "circuit": _open,
    "network": _late,
    "lamps": _lit,
}


@pytest.mark.usefixtures("bare")
def test_changes_again() -> None:
    seen = set()
    for level in LEVELS:
        for number in range(36):
            found = item("counterfactual", level, number)
            scene = found.metadata["scene"]
            seen.add((level, scene["type"]))
            answer = CHANGES[scene["type"]](scene)
            assert found.ground_truth == (answer if isinstance(answer, str) else pytest.approx(answer))
            assert found.metric == ("accuracy" if found.options else "numeric")
    assert len(seen) == 10


@pytest.mark.usefixtures("bare")
def test_the_smallest_set_of_lamps_is_no_hint() -> None:
    items = [item("counterfactual", "l3", number) for number in range(240)]
    lamps = [found for found in items if found.options]
    small = sum(found.ground_truth == min(found.options, key=len) for found in lamps)
    assert 0.1 < small / len(lamps) < 0.4


@pytest.mark.usefixtures("bare")
def test_sentences_about_bars_again() -> None:
    """The sentences are read as a person would and held against the values of the scene."""
    checked = 0
    for number in range(90):
        found = item("cross_modal", "l1", number)
        scene = found.metadata["scene"]
        words = found.question.replace("“", " ").replace(".", " ").replace("?", " ").replace("”", " ").split()
        if scene["type"] != "bars" or "value" not in words:
            continue
        checked += 1
        at = words.index("of")
        says = scene["values"][words[at + 1]] == int(words[at + 3])
        assert found.ground_truth == ("Yes" if says else "No")
    assert checked > 3


@pytest.mark.usefixtures("bare")
def test_one_text_of_four_differs_in_neither_part() -> None:
    for number in range(30):
        found = item("cross_modal", "l3", number)
        parts = [option.split(", and ") for option in found.options]
        assert len({part[0].lower() for part in parts}) == 2 and len({part[1] for part in parts}) == 2
