"""What is written is read again, and nothing that is read makes reading raise."""

from __future__ import annotations

import copy
import json
import math
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from sightline.core.records import Parsed
from sightline.scoring.parsers.json_object import read_json_object
from sightline.suites.structural.framecalc.analysis import to_frame
from sightline.suites.structural.framecalc.reader import read_model
from sightline.suites.structural.framecalc.writer import write_model
from sightline.suites.structural.model import (
    STANDARD_E,
    DistributedLoad,
    Force,
    Link,
    Load,
    Model,
    Moment,
    Point,
    PointSupport,
)
from tests.support.framecalc import NAMES, SOLVED, beam, changed, model_of

# --- writing, and reading anything


finite = st.floats(-1e3, 1e3, allow_subnormal=False).map(lambda x: round(x, 3) + 0.0)
angles = st.floats(0, 359.999).map(lambda x: round(x, 3) + 0.0)


@st.composite
def models(draw: st.DrawFn) -> Model:
    """Any model in its normal form: a chain of links with some more across, one support a point, loads anywhere."""
    places = draw(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=2, max_size=6, unique=True))
    points = tuple(Point(f"P{k}", float(x), float(y)) for k, (x, y) in enumerate(places))
    pairs = [(k, k + 1) for k in range(len(points) - 1)]
    more = st.tuples(st.integers(0, len(points) - 1), st.integers(0, len(points) - 1))
    pairs += [(a, b) for a, b in draw(st.lists(more, max_size=3)) if a != b]
    pairs = list({frozenset(pair): pair for pair in pairs}.values())
    links = tuple(
        Link(
            id=f"L{k}",
            a=points[a].id,
            b=points[b].id,
            E=draw(st.sampled_from([STANDARD_E, 2.1e8])),
            hinge_a=draw(st.booleans()),
            hinge_b=draw(st.booleans()),
        )
        for k, (a, b) in enumerate(pairs)
    )
    held = draw(st.lists(st.sampled_from(points), unique=True))
    supports = tuple(draw(support(f"S{k}", point.id)) for k, point in enumerate(held))
    lengths = {link.id: math.dist(places[a], places[b]) for link, (a, b) in zip(links, pairs, strict=True)}
    loads = tuple(draw(a_load(f"LD{k}", points, lengths)) for k in range(draw(st.integers(0, 4))))
    return Model(points=points, links=links, supports=supports, loads=loads)


@st.composite
def support(draw: st.DrawFn, name: str, point: str) -> PointSupport:
    kind = draw(st.sampled_from(["pin", "fixed", "roller", "slider"]))
    angle = draw(angles) if kind in ("roller", "slider") else 0.0
    return PointSupport(id=name, point=point, kind=kind, angle=angle)  # type: ignore[arg-type]


@st.composite
def a_load(draw: st.DrawFn, name: str, points: tuple[Point, ...], lengths: dict[str, float]) -> Load:
    link = draw(st.sampled_from(sorted(lengths)))
    begin, end = sorted(draw(st.lists(st.integers(0, 16), min_size=2, max_size=2, unique=True)))
    scale = lengths[link] / 16
    where: dict[str, Any] = draw(st.sampled_from([{"point": points[0].id}, {"link": link, "offset": begin * scale}]))
    match draw(st.sampled_from("FMS")):
        case "F":
            return Force(id=name, value=draw(finite), angle=draw(angles), **where)
        case "M":
            return Moment(id=name, value=draw(finite), **where)
        case _:
            ends = {"begin": begin * scale, "end": end * scale}
            return DistributedLoad(
                id=name, link=link, w_begin=draw(finite), w_end=draw(finite), angle=draw(angles), **ends
            )


def settled(model: Model) -> Model:
    """The ends of distributed loads rounded: they are written as a distance from the other end."""
    loads = [
        replace(load, end=round(load.end, 9)) if isinstance(load, DistributedLoad) else load for load in model.loads
    ]
    return replace(model, loads=tuple(loads))


@given(models())
def test_what_is_written_is_read_as_the_same_model(model: Model) -> None:
    read = read_json_object(f"<json>\n{json.dumps(write_model(model), ensure_ascii=False)}\n</json>")
    assert isinstance(read, Parsed) and read.rule == "json tags" and read.value == write_model(model)
    reading = read_model(read.value)
    assert reading.repairs == [] and reading.model is not None
    assert settled(reading.model) == settled(model)


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8)
    | st.sampled_from(["P1", "L1", "pin", "hinge", "percent", "B", "nan", "1e400", "4,0", 10**500, -1e308, 1e-320]),
    lambda inner: st.lists(inner, max_size=4)
    | st.dictionaries(
        st.sampled_from(["points", "links", "supports", "loads", "id", "a", "b", "x", "y", "at", "kind", "type"])
        | st.text(max_size=4),
        inner,
        max_size=5,
    ),
    max_leaves=25,
)  # fmt: skip


@given(anything)
def test_no_value_makes_reading_raise(raw: object) -> None:
    reading = read_model(raw)
    assert (reading.model is None) != (reading.problem is None)
    assert all(str(remark) for remark in reading.repairs)


def paths(value: object, here: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The way to every part of a value."""
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    return [here] + [path for key, part in inner for path in paths(part, (*here, key))]


def mutated(raw: Any, changes: list[tuple[float, Any]]) -> Any:
    for share, value in changes:
        ways = paths(raw)[1:]
        *way, last = ways[int(share * (len(ways) - 1))]
        inner = raw
        for step in way:
            inner = inner[step]
        inner[last] = value
        if not isinstance(raw, dict) or not raw:
            break
    return raw


@settings(max_examples=300)
@given(st.sampled_from([beam(), *(json.loads((SOLVED / "raw_models" / f"{name}.json").read_text()) for name in NAMES)]),
       st.lists(st.tuples(st.floats(0, 1), anything), min_size=1, max_size=3))  # fmt: skip
def test_no_mutation_of_a_model_makes_reading_raise(raw: dict[str, Any], changes: list[tuple[float, Any]]) -> None:
    reading = read_model(mutated(copy.deepcopy(raw), changes))
    assert (reading.model is None) != (reading.problem is None)
    if reading.model is not None:
        assert settled(model_of(write_model(reading.model))) == settled(reading.model)
        to_frame(reading.model)


def test_a_value_of_any_depth_is_not_walked_into() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for path in ("points.0.x", "links.0.a", "links.0.endA", "supports.0.at", "loads.0.kind", "loads.0.at.id"):
        assert read_model(changed(path, deep)).model is None
    assert read_model(deep).model is None


def test_the_largest_model_is_read_at_once() -> None:
    raw = beam()
    raw["points"] = [{"id": f"P{k}", "x": k, "y": 0} for k in range(1, 501)]
    raw["links"] = [{"id": f"L{k}", "a": f"P{k}", "b": f"P{k + 1}"} for k in range(1, 500)]
    raw["loads"] = [{**raw["loads"][1], "id": f"LD{k}"} for k in range(2000)]
    read = read_json_object(json.dumps(raw, indent=2))
    assert isinstance(read, Parsed)
    assert len(model_of(read.value).loads) == 2000
