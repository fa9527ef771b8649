"""A trial of the structural grader: right answers written otherwise, and wrong answers whose fault is known.

Whether an accused part is really wrong is decided by comparing the two models entry by entry, without the grader.
"""

from __future__ import annotations

import json
import math
import random
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct
from msgspec.structs import replace

from sightline.core.registry import load_suite
from sightline.suites.structural.framecalc.reader import read_model
from sightline.suites.structural.framecalc.writer import write_model
from sightline.suites.structural.model import DistributedLoad, Force, Link, Model, Moment, Point
from sightline.suites.structural.physics.diagnosis import Diagnosis, diagnose_raw
from sightline.suites.structural.physics.problems import Problem
from sightline.suites.structural.physics.sections import find_bars
from tests.suites.structural import test_mutations as mutations
from tests.support.framecalc import SOLVED

Raw = dict[str, Any]
XY = tuple[float, float]


class Truth(Struct, frozen=True):
    """A true model with its name and category."""

    name: str
    category: str
    model: Model


def load_truths(folder: Path, count: int, seed: int) -> list[Truth]:
    """Generated models, the real ones where they are at hand, and both with what the generator never draws."""
    load_suite("structural").generate(folder, count, seed=seed)
    paths = sorted((folder / "raw_models").glob("*.json")) + sorted((SOLVED / "raw_models").glob("*.json"))
    truths = []
    for path in paths:
        model = read_model(json.loads(path.read_text())).model
        assert model is not None
        truths.append(Truth(path.stem, path.stem.partition("_")[0], model))
    extended = []
    for number, truth in enumerate(truths):
        change = (_with_crossing_bars, _with_inclined_support, _with_stiffer_member, _with_small_load)[number % 4]
        model = change(truth.model)
        if model is not None:
            extended.append(Truth(f"{truth.name}{change.__name__}", truth.category, model))
    return truths + extended


def _with_crossing_bars(model: Model) -> Model | None:
    """Two diagonal bars that cross within a bay."""
    at = {(point.x, point.y): point.id for point in model.points}
    for (x, y), a in at.items():
        for (u, v), c in at.items():
            if u > x and v > y and (x, v) in at and (u, y) in at:
                corners = {frozenset((a, c)), frozenset((at[x, v], at[u, y]))}
                if not corners & {frozenset((link.a, link.b)) for link in model.links}:
                    bars = (Link(id="X1", a=a, b=c, hinge_a=True, hinge_b=True),)
                    bars += (Link(id="X2", a=at[x, v], b=at[u, y], hinge_a=True, hinge_b=True),)
                    return replace(model, links=(*model.links, *bars))
    return None


def _with_inclined_support(model: Model) -> Model | None:
    rollers = [k for k, support in enumerate(model.supports) if support.kind == "roller"]
    if not rollers:
        return None
    k = rollers[-1]
    support = replace(model.supports[k], angle=model.supports[k].angle + math.degrees(math.atan2(3.0, 4.0)))
    return replace(model, supports=(*model.supports[:k], support, *model.supports[k + 1 :]))


def _with_stiffer_member(model: Model) -> Model | None:
    bars = find_bars(model)
    if len([link for link in model.links if link.id not in bars]) < 3:
        return None
    k = next(k for k, link in enumerate(model.links) if link.id not in bars)
    link = replace(model.links[k], Iz=2.0 * model.links[k].Iz)
    return replace(model, links=(*model.links[:k], link, *model.links[k + 1 :]))


def _with_small_load(model: Model) -> Model | None:
    """0.8 % of the largest load, across a load on a point."""
    forces = [load for load in model.loads if isinstance(load, Force) and load.point]
    if not forces:
        return None
    small = replace(forces[0], id="small", value=0.008 * forces[0].value, angle=forces[0].angle + 90.0)
    return replace(model, loads=(*model.loads, small))


# --- right answers written otherwise

Rewriting = Callable[[Raw, Model, random.Random], Raw | None]


def _by_model(mutation: mutations.Mutation) -> Rewriting:
    def rewrite(raw: Raw, truth: Model, chance: random.Random) -> Raw | None:
        model = mutation(truth, chance)
        return None if model is None else write_model(model)

    rewrite.__name__ = mutation.__name__
    return rewrite


def _section(modulus: float, area: float, inertia: float) -> Rewriting:
    def rewrite(raw: Raw, truth: Model, chance: random.Random) -> Raw:
        first = raw["links"][0].copy()
        for link in raw["links"]:
            for key, value in (("E", modulus), ("A", area), ("Iz", inertia)):
                link[key] = value * link[key] / first[key]
        return raw

    rewrite.__name__ = f"section_{modulus:g}_{area:g}_{inertia:g}"
    return rewrite


def stiffness_left_out(raw: Raw, truth: Model, chance: random.Random) -> Raw | None:
    if len({(link["E"], link["A"], link["Iz"]) for link in raw["links"]}) > 1:
        return None
    for link in raw["links"]:
        del link["E"], link["A"], link["Iz"]
    return raw


def rounded_support_angles(raw: Raw, truth: Model, chance: random.Random) -> Raw:
    for support in raw["supports"]:
        support["angleDeg"] = round(support["angleDeg"]) + chance.choice((0, 180))
    return raw


def rounded_coordinates(raw: Raw, truth: Model, chance: random.Random) -> Raw:
    for point in raw["points"]:
        point.update(x=round(point["x"], 2), y=round(point["y"], 2))
    return raw


def rounded_loads(raw: Raw, truth: Model, chance: random.Random) -> Raw:
    for load in raw["loads"]:
        for key in ("value", "wStart", "wEnd"):
            if key in load:
                load[key] = float(f"{load[key]:.3g}")
        if "angleDeg" in load:
            load["angleDeg"] = round(load["angleDeg"], 1)
    return raw


def relative_angles(raw: Raw, truth: Model, chance: random.Random) -> Raw:
    at = {point["id"]: point for point in raw["points"]}
    links = {link["id"]: (at[link["a"]], at[link["b"]]) for link in raw["links"]}
    for load in raw["loads"]:
        if load["at"]["type"] == "link" and "angleDeg" in load:
            a, b = links[load["at"]["id"]]
            load["angleDeg"] -= math.degrees(math.atan2(b["y"] - a["y"], b["x"] - a["x"]))
            load["angleMode"] = "relative"
    return raw


def offsets_in_per_cent_from_b(raw: Raw, truth: Model, chance: random.Random) -> Raw:
    at = {point["id"]: point for point in raw["points"]}
    lengths = {
        link["id"]: math.dist(*((at[link[end]]["x"], at[link[end]]["y"]) for end in "ab")) for link in raw["links"]
    }
    for load in raw["loads"]:
        if "offset" in load:
            share = 1.0 - load.pop("offset") / lengths[load["at"]["id"]]
            load.update(offsetMode="percent", offsetPercent=100.0 * share, refEnd="B")
    return raw


def words_and_units(raw: Raw, truth: Model, chance: random.Random) -> Raw:
    kinds = {"pin": "铰支座", "roller": "Roller Support", "fixed": "fixed end", "slider": "slider"}
    for support in raw["supports"]:
        support["kind"] = kinds[support["kind"]]
        support["at"] = support["at"]["id"]
    for point in raw["points"]:
        point["x"] = f"{point['x']!r} m"
    for load in raw["loads"]:
        if "value" in load:
            load["value"] = f"{load['value']!r} kN"
    return raw


def split_at_crossings(raw: Raw, truth: Model, chance: random.Random) -> Raw | None:
    """Both of two members that only cross, or one of them, split at the crossing at points of their own."""
    at = {point.id: point for point in truth.points}
    loaded = {load.link for load in truth.loads if load.link}
    free = [link for link in truth.links if link.id not in loaded]
    for k, one in enumerate(free):
        for other in free[k + 1 :]:
            crossing = _crossing(at[one.a], at[one.b], at[other.a], at[other.b])
            if crossing is None or {one.a, one.b} & {other.a, other.b}:
                continue
            chosen = chance.choice(((one,), (other,), (one, other)))
            links = [link for link in truth.links if link not in chosen]
            points = list(truth.points)
            for number, link in enumerate(chosen):
                points.append(Point(f"cross{number}", *crossing))
                links.append(replace(link, id=f"{link.id}_1", b=f"cross{number}", hinge_b=False))
                links.append(replace(link, id=f"{link.id}_2", a=f"cross{number}", hinge_a=False))
            return write_model(replace(truth, points=tuple(points), links=tuple(links)))
    return None


def _crossing(a: Point, b: Point, c: Point, d: Point) -> XY | None:
    """Where two members cross, well inside both."""
    across = (b.x - a.x) * (d.y - c.y) - (b.y - a.y) * (d.x - c.x)
    if abs(across) < 1e-9:
        return None
    s = ((c.x - a.x) * (d.y - c.y) - (c.y - a.y) * (d.x - c.x)) / across
    t = ((c.x - a.x) * (b.y - a.y) - (c.y - a.y) * (b.x - a.x)) / across
    if not (0.1 < s < 0.9 and 0.1 < t < 0.9):
        return None
    return a.x + s * (b.x - a.x), a.y + s * (b.y - a.y)


def joint_written_twice(raw: Raw, truth: Model, chance: random.Random) -> Raw | None:
    """One member ends at a point of its own beside a corner where others end."""
    ends = Counter(end for link in truth.links for end in (link.a, link.b))
    at = {point.id: point for point in truth.points}
    link = chance.choice(raw["links"])
    if ends[link["b"]] < 2:
        return None
    raw["points"].append({"id": "twice", "x": at[link["b"]].x, "y": at[link["b"]].y})
    link["b"] = "twice"
    return raw


def forces_as_components(raw: Raw, truth: Model, chance: random.Random) -> Raw:
    loads = []
    for load in raw["loads"]:
        if load["kind"] == "pointLoad":
            angle = math.radians(load["angleDeg"])
            for name, share, direction in (("x", math.cos(angle), 0), ("y", math.sin(angle), 90)):
                if abs(share) > 1e-9:
                    part = {"value": share * load["value"], "angleDeg": direction, "id": f"{load['id']}{name}"}
                    loads.append({**load, **part})
        else:
            loads.append(load)
    raw["loads"] = loads
    return raw


REWRITINGS: list[Rewriting] = [
    *map(_by_model, mutations.SAME),
    _section(210e6, 0.01, 1e-4),
    _section(1.0, 1.0, 1.0),
    _section(30e6, 0.12, 1.6e-3),
    stiffness_left_out,
    rounded_support_angles,
    rounded_coordinates,
    rounded_loads,
    relative_angles,
    offsets_in_per_cent_from_b,
    words_and_units,
    split_at_crossings,
    joint_written_twice,
    forces_as_components,
]


# --- wrong answers

Change = Callable[[Model, random.Random], Model | None]


def _at(model: Model, point: str) -> XY:
    return next((p.x, p.y) for p in model.points if p.id == point)


def load_direction_off(model: Model, chance: random.Random) -> Model | None:
    turning = [k for k, load in enumerate(model.loads) if not isinstance(load, Moment)]
    if not turning:
        return None
    k = chance.choice(turning)
    load: Any = model.loads[k]
    new = replace(load, angle=load.angle + chance.choice((-5.0, 3.0, 45.0, 90.0)))
    return replace(model, loads=(*model.loads[:k], new, *model.loads[k + 1 :]))


def all_loads_in_newtons(model: Model, chance: random.Random) -> Model:
    return replace(model, loads=tuple(mutations.scaled(1000.0)(load) for load in model.loads))


def smallest_load_forgotten(model: Model, chance: random.Random) -> Model:
    def size(load: Any) -> float:
        return max(abs(load.w_begin), abs(load.w_end)) if isinstance(load, DistributedLoad) else abs(load.value)

    smallest = min(model.loads, key=size)
    return replace(model, loads=tuple(load for load in model.loads if load is not smallest))


def load_invented(model: Model, chance: random.Random) -> Model | None:
    free = [p.id for p in model.points if p.id not in {getattr(load, "point", "") for load in model.loads}]
    if not free:
        return None
    load = Force(id="invented", value=chance.choice((0.5, 5.0)), angle=chance.choice((200.0, 270.0)), point=free[0])
    return replace(model, loads=(*model.loads, load))


def support_invented(model: Model, chance: random.Random) -> Model | None:
    free = [p.id for p in model.points if p.id not in {support.point for support in model.supports}]
    if not free:
        return None
    kind: Any = chance.choice(("roller", "pin", "fixed"))
    support = replace(model.supports[0], id="invented", point=chance.choice(free), kind=kind, angle=0.0)
    return replace(model, supports=(*model.supports, support))


def support_turned_by_two_degrees(model: Model, chance: random.Random) -> Model | None:
    turning = [k for k, s in enumerate(model.supports) if s.kind in ("roller", "slider")]
    if not turning:
        return None
    k = chance.choice(turning)
    new = replace(model.supports[k], angle=model.supports[k].angle + chance.choice((-2.0, 2.0, 30.0)))
    return replace(model, supports=(*model.supports[:k], new, *model.supports[k + 1 :]))


def member_invented(model: Model, chance: random.Random) -> Model | None:
    """Between two points that no member joins, clear of all other points and of members on the same line."""
    joined = {frozenset((link.a, link.b)) for link in model.links}
    pairs = [(p, q) for k, p in enumerate(model.points) for q in model.points[k + 1 :]]
    chance.shuffle(pairs)
    for p, q in pairs:
        length = math.dist((p.x, p.y), (q.x, q.y))
        clear = all(r in (p, q) or _distance((r.x, r.y), (p.x, p.y), (q.x, q.y)) > 0.1 * length for r in model.points)
        if clear and frozenset((p.id, q.id)) not in joined and not is_straight(model):
            return replace(model, links=(*model.links, Link(id="invented", a=p.id, b=q.id)))
    return None


def is_straight(model: Model) -> bool:
    return len({round(p.y, 6) for p in model.points}) == 1


def crossing_joined(model: Model, chance: random.Random) -> Model | None:
    at = {point.id: point for point in model.points}
    loaded = {load.link for load in model.loads if load.link}
    free = [link for link in model.links if link.id not in loaded]
    for k, one in enumerate(free):
        for other in free[k + 1 :]:
            crossing = _crossing(at[one.a], at[one.b], at[other.a], at[other.b])
            if crossing is not None and not {one.a, one.b} & {other.a, other.b}:
                links = [link for link in model.links if link not in (one, other)]
                for link in (one, other):
                    links.append(replace(link, id=f"{link.id}_1", b="joined", hinge_b=False))
                    links.append(replace(link, id=f"{link.id}_2", a="joined", hinge_a=False))
                return replace(model, points=(*model.points, Point("joined", *crossing)), links=tuple(links))
    return None


def inertia_doubled(model: Model, chance: random.Random) -> Model | None:
    bars = find_bars(model)
    bending = [k for k, link in enumerate(model.links) if link.id not in bars]
    if len(bending) < 2:
        return None
    k = chance.choice(bending)
    new = replace(model.links[k], Iz=2.0 * model.links[k].Iz)
    return replace(model, links=(*model.links[:k], new, *model.links[k + 1 :]))


def bay_too_long(model: Model, chance: random.Random) -> Model | None:
    """Everything beyond one x moved to the right; loads keep their share of the members."""
    levels = sorted({round(point.x, 6) for point in model.points})
    if len(levels) < 2:
        return None
    k = chance.randrange(1, len(levels))
    more = chance.choice((0.5, 1.0))

    def moved(point: Point) -> Point:
        return replace(point, x=point.x + more) if point.x >= levels[k] - 1e-6 else point

    points = tuple(map(moved, model.points))
    return stretch_loads(model, replace(model, points=points))


def stretch_loads(old: Model, new: Model) -> Model:
    lengths = [{link.id: mutations._length(model, link) for link in model.links} for model in (old, new)]

    def stretch(load: Any) -> Any:
        if not load.link:
            return load
        factor = lengths[1][load.link] / lengths[0][load.link]
        if isinstance(load, DistributedLoad):
            return replace(load, begin=factor * load.begin, end=factor * load.end)
        return replace(load, offset=factor * load.offset)

    return replace(new, loads=tuple(map(stretch, new.loads)))


def lengths_in_millimetres(model: Model, chance: random.Random) -> Model:
    points = tuple(replace(point, x=1000.0 * point.x, y=1000.0 * point.y) for point in model.points)
    return stretch_loads(model, replace(model, points=points))


LOADS = [
    mutations.load_reversed,
    mutations.all_loads_reversed,
    mutations.load_four_per_cent_more,
    mutations.load_forgotten,
    mutations.load_shifted,
    load_direction_off,
    all_loads_in_newtons,
    smallest_load_forgotten,
    load_invented,
]
SUPPORTS = [
    mutations.support_changed,
    mutations.support_turned_by_90,
    mutations.support_forgotten,
    mutations.pin_and_roller_exchanged,
    support_invented,
    support_turned_by_two_degrees,
]
HINGES = [mutations.hinge_forgotten, mutations.hinge_added]


def node_moved(model: Model, chance: random.Random) -> Model:
    return stretch_loads(model, mutations.node_moved(model, chance))


DIMENSIONS = [node_moved, bay_too_long, mutations.coordinates_doubled, lengths_in_millimetres]
MEMBERS = [mutations.link_deleted, member_invented]
FAULTS: dict[Change, tuple[str, frozenset[str]]] = {
    **{change: ("loads", frozenset({"load"})) for change in LOADS},
    **{change: ("supports", frozenset({"support"})) for change in SUPPORTS},
    **{change: ("connections", frozenset({"hinge"})) for change in HINGES},
    inertia_doubled: ("connections", frozenset({"stiffness"})),
    **{change: ("geometry", frozenset({"dimension", "point"})) for change in DIMENSIONS},
    **{change: ("geometry", frozenset({"member"})) for change in MEMBERS},
    crossing_joined: ("geometry", frozenset({"joint"})),
}
"""Wrong answers with their stage, and the parts that may be accused."""
NOT_IN_TRUSSES = {*HINGES, inertia_doubled}


# --- whether the accused are guilty


def _distance(xy: XY, start: XY, end: XY) -> float:
    """Distance of a point from a line between two points."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    size = dx * dx + dy * dy
    share = 0.0 if size == 0 else min(max(((xy[0] - start[0]) * dx + (xy[1] - start[1]) * dy) / size, 0.0), 1.0)
    return math.dist(xy, (start[0] + share * dx, start[1] + share * dy))


def _lines(model: Model, entry: Any) -> list[tuple[XY, XY]]:
    """Where an entry of a model lies."""
    if isinstance(entry, Link):
        return [(_at(model, entry.a), _at(model, entry.b))]
    if getattr(entry, "point", ""):
        return [(_at(model, entry.point),) * 2]
    return [line for link in model.links if link.id == entry.link for line in _lines(model, link)]


def changed_lines(truth: Model, answer: Model) -> list[tuple[XY, XY]]:
    """Where entries of either model lie that the other does not have."""
    lines = []
    for name in ("links", "supports", "loads"):
        one, other = (list(getattr(model, name)) for model in (truth, answer))
        lines += [line for entry in one if entry not in other for line in _lines(truth, entry)]
        lines += [line for entry in other if entry not in one for line in _lines(answer, entry)]
    return lines


def is_guilty(problem: Problem, parts: frozenset[str], lines: list[tuple[XY, XY]]) -> bool:
    """Whether an accused part is of the right kind, and lies where something was changed."""
    return problem.part in parts and all(any(_distance(xy, *line) < 1e-6 for line in lines) for xy in problem.at)


# --- the trial


class Verdict(Struct):
    """What the grader said of one answer."""

    truth: str
    change: str
    score: float
    stage: str
    sentences: list[str]
    misnamed: list[str] = []
    expected_stage: str = "right"


def grade(raw: Raw, truth: Truth) -> Diagnosis:
    """The diagnosis of an answer as it would be sent."""
    found = diagnose_raw(json.loads(json.dumps(raw)), write_model(truth.model), truth.category)
    assert isinstance(found, Diagnosis), (truth.name, found)
    return found


def judge_rewritings(truths: list[Truth], rounds: int) -> Iterator[Verdict]:
    """Right answers, each rewritten in one way and in three ways after one another."""
    for number, truth in enumerate(truths):
        for seed in range(rounds):
            for k, rewriting in enumerate(REWRITINGS):
                chance = random.Random(f"{seed} {number} {k}")
                raw = rewriting(write_model(truth.model), truth.model, chance)
                if raw is None or (rewriting.__name__ == "pin_jointed" and truth.category != "truss"):
                    continue
                found = grade(raw, truth)
                yield Verdict(truth.name, rewriting.__name__, found.score, found.stage, _sentences(found))


def judge_wrong_answers(truths: list[Truth], rounds: int) -> Iterator[Verdict]:
    """Answers with one fault each."""
    for number, truth in enumerate(truths):
        for seed in range(rounds):
            for k, (change, (stage, parts)) in enumerate(FAULTS.items()):
                if truth.category == "truss" and change in NOT_IN_TRUSSES:
                    continue
                answer = change(truth.model, random.Random(f"{seed} {number} {k}"))
                if answer is None or answer == truth.model:
                    continue
                found = grade(write_model(answer), truth)
                verdict = Verdict(truth.name, change.__name__, found.score, found.stage, _sentences(found))
                verdict.expected_stage = stage
                lines = changed_lines(truth.model, answer)
                verdict.misnamed = [
                    str(problem.remark)
                    for problem in found.problems
                    if (problem.part not in parts if stage == "geometry" else not is_guilty(problem, parts, lines))
                ]
                yield verdict


def _sentences(found: Diagnosis) -> list[str]:
    return [str(problem.remark) for problem in found.problems]


if __name__ == "__main__":  # all verdicts on standard output, to be compared between processors
    chosen = load_truths(Path(sys.argv[1]), 12, seed=5)
    for row in (*judge_rewritings(chosen, 1), *judge_wrong_answers(chosen, 1)):
        sys.stdout.write(f"{row.truth} {row.change} {row.score} {row.stage} {row.sentences}\n")
