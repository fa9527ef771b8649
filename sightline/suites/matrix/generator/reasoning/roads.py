"""Maps of places joined by roads."""

from __future__ import annotations

import heapq
import math
from itertools import pairwise

from msgspec import Struct

from sightline.suites.matrix.generator.canvas import COLOUR_BY_NAME, XY
from sightline.suites.matrix.generator.diagrams import contrasting_colour, draw_table_picture, new_canvas, random_style
from sightline.suites.matrix.generator.item import Item, steps_item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording, load_texts

_TEXTS = load_texts(__name__)

_COLUMNS, _ROWS = 4, 3


class Road(Struct, frozen=True, kw_only=True):
    """A road between two places."""

    ends: tuple[str, str]
    length: int
    name: str = ""
    colour: str = "gray"


class Map(Struct, frozen=True, kw_only=True):
    """Places and roads."""

    at: dict[str, XY]
    roads: tuple[Road, ...]

    def between(self, a: str, b: str) -> Road:
        """The road that joins two places."""
        return next(road for road in self.roads if set(road.ends) == {a, b})

    def facts(self) -> dict[str, object]:
        """The roads as plain JSON."""
        return {"type": "roads", "roads": [[*road.ends, road.length, road.name, road.colour] for road in self.roads]}


def _random_map(rng: SampleRng, colours: tuple[str, str] = ("gray", "gray")) -> Map:
    """Places on a loose grid; roads between neighbours, all places joined."""
    letters = rng.some("ABCDEFGHKLMNPRSTUVW", _COLUMNS * _ROWS)
    at: dict[str, XY] = {}
    for k, letter in enumerate(letters):
        row, column = divmod(k, _COLUMNS)
        at[letter] = (70 + 155 * column + rng.between(-24, 24), 70 + 140 * row + rng.between(-22, 22))
    pairs = [(letters[k], letters[k + 1]) for k in range(len(letters)) if k % _COLUMNS < _COLUMNS - 1]
    pairs += [(letters[k], letters[k + _COLUMNS]) for k in range(len(letters) - _COLUMNS)]
    # a tree first, then some more
    group = {letter: letter for letter in letters}
    pairs_joined = []
    for a, b in rng.shuffled(pairs):
        if group[a] != group[b] or rng.chance(0.6):
            pairs_joined.append((a, b))
            old = group[b]
            group = {letter: group[a] if mark == old else mark for letter, mark in group.items()}
    names = rng.some(range(11, 99), len(pairs_joined))
    roads = tuple(
        Road(ends=ends, length=rng.whole(3, 29), name=str(name), colour=rng.pick(colours))
        for ends, name in zip(pairs_joined, names, strict=True)
    )
    return Map(at=at, roads=roads)


def _random_route(rng: SampleRng, plan: Map, legs: int) -> list[str]:
    """A path over a number of roads that visits no place twice."""
    while True:
        route = [rng.pick(list(plan.at))]
        while len(route) <= legs:
            onward = [b for road in plan.roads if route[-1] in road.ends for b in road.ends if b not in route]
            if not onward:
                break
            route.append(rng.pick(onward))
        if len(route) > legs:
            return route


def _draw_map(rng: SampleRng, plan: Map, named: bool = False) -> bytes:
    style = random_style(rng)
    canvas = new_canvas(style, 610, 425)
    shades = {road.colour: rng.pick(COLOUR_BY_NAME[road.colour].shades) for road in plan.roads}
    for road in plan.roads:
        canvas.line([plan.at[end] for end in road.ends], shades[road.colour], 6.0)
    for road in plan.roads:
        (x0, y0), (x1, y1) = (plan.at[end] for end in road.ends)
        x, y = (x0 + x1) / 2, (y0 + y1) / 2
        canvas.rounded((x - 17, y - 13, x + 17, y + 13), 5, "#ffffff", "#777777", 1.0)
        canvas.text((x, y), road.name if named else str(road.length), style.text_style(16))
    for letter, (x, y) in plan.at.items():
        canvas.disc((x, y), 19, style.hues[0], "#ffffff", 2.5)
        canvas.text((x, y), letter, style.text_style(20, contrasting_colour(style.hues[0])))
    return canvas.png()


def _legs(route: list[str], language: str, what: tuple[str, str] = ("length of", "的长度")) -> tuple[str, ...]:
    return tuple(f"{a}–{b}{what[1]}" if language == "zh" else f"{what[0]} {a}–{b}" for a, b in pairwise(route))


def _length_item(rng: SampleRng, language: str, instruction: str, plan: Map, route: list[str], *tables: bytes) -> Item:
    """Make a sample: the length of a trip; where it is in a table, the map names the roads."""
    lengths = [plan.between(a, b).length for a, b in pairwise(route)]
    return steps_item(
        rng,
        language,
        instruction=instruction,
        step_names=_legs(route, language),
        end="全程长度（公里）" if language == "zh" else "the length of the whole trip in km",
        steps=lengths,
        final=sum(lengths),
        pictures=(_draw_map(rng, plan, named=bool(tables)), *tables),
        scene={**plan.facts(), "way": route},
    )


def two_roads(rng: SampleRng, language: str) -> Item:
    """Make a sample: two roads one after the other."""
    plan = _random_map(rng)
    route = _random_route(rng, plan, 2)
    instruction = fill_wording(rng, _TEXTS["route"], language, route="–".join(route))
    return _length_item(rng, language, instruction, plan, route)


def map_and_table(rng: SampleRng, language: str) -> Item:
    """Make a sample: the lengths are in a second picture."""
    plan = _random_map(rng)
    route = _random_route(rng, plan, 3)
    head = ("道路", "公里") if language == "zh" else ("road", "km")
    rows = [(road.name, str(road.length)) for road in sorted(plan.roads, key=lambda road: road.name)]
    half = math.ceil(len(rows) / 2)
    rows += [("", "")] * (2 * half - len(rows))
    columns = zip(rows[:half], rows[half:], strict=True)
    table = draw_table_picture(rng, [(*head, *head), *((*a, *b) for a, b in columns)])
    instruction = fill_wording(rng, _TEXTS["named"], language, route="–".join(route))
    return _length_item(rng, language, instruction, plan, route, table)


def speeds(rng: SampleRng, language: str) -> Item:
    """Make a sample: minutes by the colour of the road."""
    names = rng.some(("red", "blue", "green", "orange", "purple"), 2)
    plan = _random_map(rng, (names[0], names[1]))
    route = _random_route(rng, plan, 3)
    pace = dict(zip(names, rng.some(range(1, 6), 2), strict=True))
    roads = [plan.between(a, b) for a, b in pairwise(route)]
    times = tuple(road.length * pace[road.colour] for road in roads)
    words = [COLOUR_BY_NAME[name].name_in(language) for name in names]
    paces = list(pace.values())
    instruction = fill_wording(
        rng, _TEXTS["speeds"], language, a=paces[0], b=paces[1], first=words[0], second=words[1], route="–".join(route)
    )
    return steps_item(
        rng,
        language,
        instruction=instruction,
        step_names=_legs(route, language, ("minutes for", "所需的分钟数")),
        end="全程所需的分钟数" if language == "zh" else "the minutes of the whole trip",
        steps=times,
        final=sum(times),
        pictures=(_draw_map(rng, plan),),
        scene={**plan.facts(), "way": route, "pace": pace},
    )


def shortest_distances(plan: Map, start: str) -> dict[str, int]:
    """The shortest way to each place."""
    distances: dict[str, int] = {}
    queue = [(0, start)]
    while queue:
        so_far, place = heapq.heappop(queue)
        if place in distances:
            continue
        distances[place] = so_far
        for road in plan.roads:
            if place in road.ends:
                (other,) = set(road.ends) - {place}
                heapq.heappush(queue, (so_far + road.length, other))
    return distances


def shortest_routes(rng: SampleRng, language: str) -> Item:
    """Make a sample: the shortest ways to four places, then to the one that is farthest of all."""
    plan = _random_map(rng)
    start = rng.pick(list(plan.at))
    distances = shortest_distances(plan, start)
    order = sorted(distances, key=lambda place: distances[place])
    places = [*rng.shuffled(rng.some(order[3:-1], 4)), order[-1]]
    step_names = [
        f"{start}到{p}的最短路程" if language == "zh" else f"shortest way from {start} to {p}" for p in places
    ]
    return steps_item(
        rng,
        language,
        instruction=fill_wording(rng, _TEXTS["shortest"], language, start=start),
        step_names=tuple(step_names[:-1]),
        end=step_names[-1],
        steps=tuple(distances[place] for place in places[:-1]),
        final=distances[places[-1]],
        pictures=(_draw_map(rng, plan),),
        scene={**plan.facts(), "start": start, "places": places},
    )
