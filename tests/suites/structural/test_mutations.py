"""The grader can't be fooled: what is different never earns full marks, what is only written otherwise always does.

The mutations are ones that a well-known scorer lets pass. Truths are generated and, where they are at hand, real.
"""

from __future__ import annotations

import json
import math
import random
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from msgspec.structs import replace

from sightline.core.registry import load_suite
from sightline.suites.structural.framecalc.reader import read_model
from sightline.suites.structural.model import DistributedLoad, Force, Link, Model, Moment, Point, category_of
from sightline.suites.structural.physics.diagnosis import Diagnosis, diagnose_models
from tests.support.worlds import ROOT

REAL = ROOT.parent / "shared" / "data" / "structural-eval" / "raw_models"
Mutation = Callable[[Model, random.Random], Model | None]


@pytest.fixture(scope="module")
def truths(tmp_path_factory: pytest.TempPathFactory) -> list[tuple[str, Model]]:
    """(name, model): 40 fresh ones and the real ones."""
    folder = tmp_path_factory.mktemp("structural") / "data"
    load_suite("structural").generate(folder, 40, seed=11)
    paths = sorted((folder / "raw_models").glob("*.json")) + (sorted(REAL.glob("*.json")) if REAL.exists() else [])
    found = []
    for path in paths:
        model = read_model(json.loads(path.read_text())).model
        assert model is not None
        found.append((path.stem, model))
        if path.stem.startswith("truss"):
            rigid = replace(model, links=tuple(replace(k, hinge_a=False, hinge_b=False) for k in model.links))
            found.append((f"{path.stem} without hinges", rigid))
    return found


def category(name: str, model: Model) -> str:
    prefix = name.partition("_")[0]
    return prefix if prefix in ("beam", "frame", "truss") else category_of(model)


def graded(name: str, answer: Model, truth: Model) -> Diagnosis:
    return diagnose_models(answer, truth, category(name, truth))


# --- ways of writing the same thing


def renamed(model: Model, chance: random.Random) -> Model:
    """Other ids, other order."""
    new = {point.id: f"N{k}" for k, point in enumerate(chance.sample(model.points, len(model.points)))}
    links = {link.id: f"E{k}" for k, link in enumerate(model.links)}
    return Model(
        points=tuple(chance.sample([replace(p, id=new[p.id]) for p in model.points], len(model.points))),
        links=tuple(
            chance.sample([replace(k, id=links[k.id], a=new[k.a], b=new[k.b]) for k in model.links], len(model.links))
        ),
        supports=tuple(replace(s, point=new[s.point]) for s in reversed(model.supports)),
        loads=tuple(_relocated(load, new, links) for load in reversed(model.loads)),
    )


def _relocated(load: Any, points: dict[str, str], links: dict[str, str]) -> Any:
    if isinstance(load, DistributedLoad):
        return replace(load, link=links[load.link])
    return replace(load, point=points[load.point]) if load.point else replace(load, link=links[load.link])


def turned_links(model: Model, chance: random.Random) -> Model:
    """Every member runs the other way."""
    lengths = {link.id: _length(model, link) for link in model.links}

    def turn(load: Any) -> Any:
        if isinstance(load, DistributedLoad):
            length = lengths[load.link]
            return replace(
                load, begin=length - load.end, end=length - load.begin, w_begin=load.w_end, w_end=load.w_begin
            )
        return replace(load, offset=lengths[load.link] - load.offset) if load.link else load

    links = tuple(replace(k, a=k.b, b=k.a, hinge_a=k.hinge_b, hinge_b=k.hinge_a) for k in model.links)
    return replace(model, links=links, loads=tuple(turn(load) for load in model.loads))


def _length(model: Model, link: Link) -> float:
    at = {point.id: point for point in model.points}
    return math.hypot(at[link.b].x - at[link.a].x, at[link.b].y - at[link.a].y)


def split(model: Model, chance: random.Random) -> Model:
    """One member is split at an extra collinear point."""
    link = chance.choice(model.links)
    at = {point.id: point for point in model.points}
    length, share = _length(model, link), chance.choice((0.3, 0.5, 0.7))
    cut = share * length
    middle = Point(
        "extra",
        at[link.a].x + share * (at[link.b].x - at[link.a].x),
        at[link.a].y + share * (at[link.b].y - at[link.a].y),
    )
    halves = (
        replace(link, id="h1", b="extra", hinge_b=False),
        replace(link, id="h2", a="extra", hinge_a=False),
    )
    loads: list[Any] = []
    for load in model.loads:
        if isinstance(load, DistributedLoad) and load.link == link.id:
            loads += _split_spread(load, cut)
        elif not isinstance(load, DistributedLoad) and load.link == link.id:
            first = load.offset < cut
            loads.append(
                replace(load, link="h1" if first else "h2", offset=load.offset if first else load.offset - cut)
            )
        else:
            loads.append(load)
    links = tuple(k for k in model.links if k.id != link.id) + halves
    return replace(model, points=(*model.points, middle), links=links, loads=tuple(loads))


def _split_spread(load: DistributedLoad, cut: float) -> list[DistributedLoad]:
    def w(at: float) -> float:
        return load.w_begin + (load.w_end - load.w_begin) * (at - load.begin) / (load.end - load.begin)

    parts = []
    if load.begin < cut:
        end = min(load.end, cut)
        parts.append(replace(load, id=load.id + "1", link="h1", end=end, w_end=w(end)))
    if load.end > cut:
        begin = max(load.begin, cut)
        parts.append(
            replace(load, id=load.id + "2", link="h2", begin=begin - cut, end=load.end - cut, w_begin=w(begin))
        )
    return parts


def moved_origin(model: Model, chance: random.Random) -> Model:
    dx, dy = chance.uniform(-50, 50), chance.uniform(-50, 50)
    return replace(model, points=tuple(replace(p, x=p.x + dx, y=p.y + dy) for p in model.points))


def loads_in_parts(model: Model, chance: random.Random) -> Model:
    loads: list[Any] = []
    for load in model.loads:
        if isinstance(load, DistributedLoad):
            loads += [replace(load, id=load.id + k, w_begin=load.w_begin / 2, w_end=load.w_end / 2) for k in "ab"]
        else:
            loads += [
                replace(load, id=load.id + "a", value=0.3 * load.value),
                replace(load, id=load.id + "b", value=0.7 * load.value),
            ]
    return replace(model, loads=tuple(loads))


def loads_turned_and_flipped(model: Model, chance: random.Random) -> Model:
    """Angle + 180° with the sign changed."""

    def flip(load: Any) -> Any:
        if isinstance(load, DistributedLoad):
            return replace(load, angle=load.angle + 180, w_begin=-load.w_begin, w_end=-load.w_end)
        return replace(load, angle=load.angle + 180, value=-load.value) if isinstance(load, Force) else load

    return replace(model, loads=tuple(flip(load) for load in model.loads))


def supports_turned_by_180(model: Model, chance: random.Random) -> Model:
    return replace(model, supports=tuple(replace(s, angle=s.angle + 180) for s in model.supports))


def stiffer_all_over(model: Model, chance: random.Random) -> Model:
    return replace(model, links=tuple(replace(k, E=2.6 * k.E) for k in model.links))


def other_hinged_end(model: Model, chance: random.Random) -> Model | None:
    """Where all ends but one at a joint are hinged, another one is left rigid; or all are hinged."""
    held = {s.point for s in model.supports if s.kind in ("fixed", "slider")}
    moments = {load.point for load in model.loads if isinstance(load, Moment)}
    for point in model.points:
        ends = [(k, end) for k in model.links for end in ("a", "b") if getattr(k, end) == point.id]
        hinged = [(k, end) for k, end in ends if getattr(k, f"hinge_{end}")]
        if len(ends) >= 2 and len(hinged) == len(ends) - 1 and point.id not in held | moments:
            rigid = next((k.id, end) for k, end in ends if not getattr(k, f"hinge_{end}"))
            swap = next((k.id, end) for k, end in hinged)
            links = []
            for k in model.links:
                if k.id == rigid[0]:
                    k = replace(k, **{f"hinge_{rigid[1]}": True})
                if k.id == swap[0]:
                    k = replace(k, **{f"hinge_{swap[1]}": False})
                links.append(k)
            return replace(model, links=tuple(links))
    return None


def pin_jointed(model: Model, chance: random.Random) -> Model | None:
    """A truss whose truth names no hinge, read as pin-jointed."""
    if category_of(model) != "truss" or any(k.hinge_a or k.hinge_b for k in model.links):
        return None
    return replace(model, links=tuple(replace(k, hinge_a=True, hinge_b=True) for k in model.links))


SAME: list[Mutation] = [
    renamed,
    turned_links,
    split,
    moved_origin,
    loads_in_parts,
    loads_turned_and_flipped,
    supports_turned_by_180,
    stiffer_all_over,
    other_hinged_end,
    pin_jointed,
]


@pytest.mark.parametrize("mutation", SAME, ids=lambda m: m.__name__)
def test_what_is_only_written_otherwise_earns_full_marks(mutation: Mutation, truths: list[tuple[str, Model]]) -> None:
    chance = random.Random(1)
    tried = 0
    for name, truth in truths:
        answer = mutation(truth, chance)
        if answer is None:
            continue
        tried += 1
        found = graded(name, answer, truth)
        assert found.score == 1, (name, mutation.__name__, found.stage, [str(p.remark) for p in found.problems])
    assert tried >= 1, "the mutation was never tried"


# --- physically different answers, by the rung they should land on


def one_load(model: Model, chance: random.Random, change: Callable[[Any], Any]) -> Model:
    k = chance.randrange(len(model.loads))
    return replace(model, loads=tuple(change(load) if i == k else load for i, load in enumerate(model.loads)))


def scaled(factor: float) -> Callable[[Any], Any]:
    def change(load: Any) -> Any:
        if isinstance(load, DistributedLoad):
            return replace(load, w_begin=factor * load.w_begin, w_end=factor * load.w_end)
        return replace(load, value=factor * load.value)

    return change


def load_reversed(model: Model, chance: random.Random) -> Model:
    return one_load(model, chance, scaled(-1))


def all_loads_reversed(model: Model, chance: random.Random) -> Model:
    return replace(model, loads=tuple(scaled(-1)(load) for load in model.loads))


def load_four_per_cent_more(model: Model, chance: random.Random) -> Model:
    return one_load(model, chance, scaled(1.04))


def load_forgotten(model: Model, chance: random.Random) -> Model | None:
    k = chance.randrange(len(model.loads))
    return replace(model, loads=model.loads[:k] + model.loads[k + 1 :])


def load_shifted(model: Model, chance: random.Random) -> Model | None:
    """A point load moves along its member, or to another joint."""
    order = chance.sample(range(len(model.loads)), len(model.loads))
    for k in order:
        load = model.loads[k]
        if isinstance(load, DistributedLoad):
            length = _length(model, next(x for x in model.links if x.id == load.link))
            new: Any = replace(load, end=load.end - 0.2 * (load.end - load.begin)) if length else load
        elif load.link:
            length = _length(model, next(x for x in model.links if x.id == load.link))
            new = replace(load, offset=load.offset + (0.15 if load.offset < 0.5 * length else -0.15) * length)
        else:
            taken = {x.point for x in model.loads if not isinstance(x, DistributedLoad)}
            free = [p.id for p in model.points if p.id not in taken]
            if not free:
                continue
            new = replace(load, point=chance.choice(free))
        return replace(model, loads=(*model.loads[:k], new, *model.loads[k + 1 :]))
    return None


def mirrored(model: Model, chance: random.Random) -> Model:
    def angle(load: Any) -> Any:
        if isinstance(load, Moment):
            return replace(load, value=-load.value)
        return replace(load, angle=180 - load.angle)

    return Model(
        points=tuple(replace(p, x=-p.x) for p in model.points),
        links=model.links,
        supports=tuple(replace(s, angle=-s.angle if s.kind == "roller" else 180 - s.angle) for s in model.supports),
        loads=tuple(angle(load) for load in model.loads),
    )


def node_moved(model: Model, chance: random.Random) -> Model:
    mean = sum(_length(model, k) for k in model.links) / len(model.links)
    k = chance.randrange(len(model.points))
    turn = chance.uniform(0, 2 * math.pi)
    point = model.points[k]
    new = replace(point, x=point.x + 0.3 * mean * math.cos(turn), y=point.y + 0.3 * mean * math.sin(turn))
    return replace(model, points=(*model.points[:k], new, *model.points[k + 1 :]))


def link_deleted(model: Model, chance: random.Random) -> Model | None:
    loaded = {load.link for load in model.loads if isinstance(load, DistributedLoad) or load.link}
    used: dict[str, int] = {}
    for link in model.links:
        for end in (link.a, link.b):
            used[end] = used.get(end, 0) + 1
    free = [k for k in model.links if k.id not in loaded and used[k.a] > 1 and used[k.b] > 1]
    if not free:
        return None
    gone = chance.choice(free)
    return replace(model, links=tuple(k for k in model.links if k.id != gone.id))


def coordinates_doubled(model: Model, chance: random.Random) -> Model:
    def expanded(load: Any) -> Any:
        if isinstance(load, DistributedLoad):
            return replace(load, begin=2 * load.begin, end=2 * load.end)
        return replace(load, offset=2 * load.offset)

    return replace(
        model,
        points=tuple(replace(p, x=2 * p.x, y=2 * p.y) for p in model.points),
        loads=tuple(expanded(load) for load in model.loads),
    )


def hinge_forgotten(model: Model, chance: random.Random) -> Model | None:
    if category_of(model) == "truss":
        return None
    joints = [p.id for p in model.points if _hinged_ends(model, p.id)]
    if not joints:
        return None
    joint = chance.choice(joints)
    links = [replace(k, hinge_a=k.hinge_a and k.a != joint, hinge_b=k.hinge_b and k.b != joint) for k in model.links]
    return replace(model, links=tuple(links))


def _hinged_ends(model: Model, point: str) -> int:
    ends = [(k, end) for k in model.links for end in ("a", "b") if getattr(k, end) == point]
    return sum(getattr(k, f"hinge_{end}") for k, end in ends) if len(ends) > 1 else 0


def hinge_added(model: Model, chance: random.Random) -> Model | None:
    """At a joint where both sides are rigid, or at a clamped end."""
    if category_of(model) == "truss":
        return None
    held = {s.point for s in model.supports if s.kind in ("fixed", "slider")}
    free = []
    for link in model.links:
        for end in ("a", "b"):
            point = getattr(link, end)
            rigid = [
                k for k in model.links for e in ("a", "b") if getattr(k, e) == point and not getattr(k, f"hinge_{e}")
            ]
            if not getattr(link, f"hinge_{end}") and (len(rigid) > 1 or point in held):
                free.append((link.id, end))
    if not free:
        return None
    where = chance.choice(free)
    return replace(
        model, links=tuple(replace(k, **{f"hinge_{where[1]}": True}) if k.id == where[0] else k for k in model.links)
    )


def support_changed(model: Model, chance: random.Random) -> Model:
    k = chance.randrange(len(model.supports))
    old = model.supports[k]
    kinds = {"pin", "fixed", "roller", "slider"} - {old.kind}
    ends = [getattr(k, f"hinge_{end}") for k in model.links for end in ("a", "b") if getattr(k, end) == old.point]
    if all(ends):
        # under hinged ends alone, holding the rotation or not is the same structure
        kinds -= {{"pin": "fixed", "fixed": "pin"}.get(old.kind, "")}
    kind: Any = chance.choice(sorted(kinds))
    return replace(model, supports=(*model.supports[:k], replace(old, kind=kind), *model.supports[k + 1 :]))


def support_turned_by_90(model: Model, chance: random.Random) -> Model | None:
    turning = [k for k, s in enumerate(model.supports) if s.kind in ("roller", "slider")]
    if not turning:
        return None
    k = chance.choice(turning)
    new = replace(model.supports[k], angle=model.supports[k].angle + 90)
    return replace(model, supports=(*model.supports[:k], new, *model.supports[k + 1 :]))


def support_forgotten(model: Model, chance: random.Random) -> Model:
    k = chance.randrange(len(model.supports))
    return replace(model, supports=model.supports[:k] + model.supports[k + 1 :])


def pin_and_roller_exchanged(model: Model, chance: random.Random) -> Model | None:
    pins = [k for k, s in enumerate(model.supports) if s.kind == "pin"]
    rollers = [k for k, s in enumerate(model.supports) if s.kind == "roller"]
    if not pins or not rollers:
        return None
    supports = list(model.supports)
    one, other = pins[0], rollers[0]
    supports[one] = replace(supports[one], kind="roller", angle=supports[other].angle)
    supports[other] = replace(supports[other], kind="pin")
    return replace(model, supports=tuple(supports))


DIFFERENT: dict[str, list[Mutation]] = {
    "loads": [load_reversed, all_loads_reversed, load_four_per_cent_more, load_forgotten, load_shifted],
    "connections": [hinge_forgotten, hinge_added],
    "supports": [support_changed, support_turned_by_90, support_forgotten, pin_and_roller_exchanged],
    "geometry": [node_moved, link_deleted, coordinates_doubled],
    "": [mirrored],
}


def is_symmetric(truth: Model) -> bool:
    """Whether the mirror image is the structure itself, loads and all."""
    return diagnose_models(mirrored(truth, random.Random(0)), truth, category_of(truth)).score == 1


def attempts(mutation: Mutation, truths: list[tuple[str, Model]], rounds: int = 3) -> Iterator[tuple[str, Diagnosis]]:
    for name, truth in truths:
        for seed in range(rounds):
            answer = mutation(truth, random.Random(seed))
            if answer is not None:
                yield name, graded(name, answer, truth)


@pytest.mark.parametrize(
    ("rung", "mutation"),
    # two of each kind every day
    [
        pytest.param(rung, m, marks=[pytest.mark.slow] * (k > 1))
        for rung, ms in DIFFERENT.items()
        for k, m in enumerate(ms)
    ],
    ids=lambda x: getattr(x, "__name__", x),
)
def test_what_is_physically_different_never_earns_full_marks(
    rung: str, mutation: Mutation, truths: list[tuple[str, Model]]
) -> None:
    landed: dict[str, int] = {}
    for name, found in attempts(mutation, truths):
        if mutation is mirrored and found.score == 1:
            # a structure that is its own mirror image is no mutation; its loads and supports must be mirrored too
            assert not find_asymmetry(dict(truths)[name]), name
            continue
        assert found.score < 1, (name, mutation.__name__)
        assert found.problems, (name, mutation.__name__, "the wrong part has no name")
        landed[found.stage] = landed.get(found.stage, 0) + 1
    total = sum(landed.values())
    assert total >= 3, "the mutation was hardly tried"
    if rung:
        assert landed.get(rung, 0) >= 0.95 * total, landed


def find_asymmetry(model: Model) -> bool:
    """An independent look: mirrored about the middle, do points, supports and loads fall on themselves?"""
    middle = (min(p.x for p in model.points) + max(p.x for p in model.points)) / 2
    at = {p.id: (p.x, p.y) for p in model.points}

    def mirror(xy: tuple[float, float]) -> tuple[float, float]:
        return (round(2 * middle - xy[0], 6), round(xy[1], 6))

    points = {(round(x, 6), round(y, 6)) for x, y in at.values()}
    supports = {((round(at[s.point][0], 6), round(at[s.point][1], 6)), s.kind) for s in model.supports}
    return {mirror(p) for p in points} != points or {(mirror(p), kind) for p, kind in supports} != supports
