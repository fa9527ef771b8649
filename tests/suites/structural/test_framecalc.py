"""The FrameCalc format rule by rule, and the models that the original has solved."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from sightline.suites.structural.fem.solver import solve
from sightline.suites.structural.framecalc.analysis import list_reactions, sample_internal_forces, to_frame
from sightline.suites.structural.framecalc.reader import read_model
from sightline.suites.structural.model import (
    STANDARD_E,
    DistributedLoad,
    Force,
    Link,
    Load,
    Model,
    Moment,
    Point,
    category_of,
    difficulty_of,
)
from tests.support.framecalc import NAMES, SOLVED, beam, changed, model_of


def on_link(**load: Any) -> Load:
    """A load on a link of 5 m from (0, 0) to (3, 4)."""
    raw = beam()
    raw["points"] = [{"id": "P1", "x": 0, "y": 0}, {"id": "P2", "x": 3, "y": 4}]
    raw["links"] = [{"id": "L1", "a": "P1", "b": "P2"}]
    raw["supports"] = [{"id": "S1", "at": {"type": "point", "id": "P1"}, "kind": "fixed"}]
    raw["loads"] = [{"id": "LD", "at": {"type": "link", "id": "L1"}, **load}]
    return model_of(raw).loads[0]


SLOPE = math.degrees(math.atan2(4, 3))
MIDDLE: dict[str, Any] = {"offsetMode": "percent", "offsetPercent": 50}


def test_a_model_as_the_format_writes_it_needs_no_mending() -> None:
    assert read_model(beam()).repairs == []


# --- rules 1 to 7: geometry and members


def test_ends_are_rigid_unless_they_say_hinge() -> None:
    raw = changed("links.0.endB", "hinge")
    first, second = model_of(raw).links
    assert (first.hinge_a, first.hinge_b, second.hinge_a, second.hinge_b) == (False, True, False, False)


def test_stiffness_may_differ_by_link_and_density_is_nothing() -> None:
    raw = changed("links.1.E", 2e8)
    raw["links"][1]["density"] = "heavy"
    assert [link.E for link in model_of(raw).links] == [STANDARD_E, 2e8]
    assert not read_model(raw).repairs


# --- rules 8 to 12: supports


@pytest.mark.parametrize(
    ("kind", "angle", "held"),
    [
        ("pin", 30, [(1, 0, 0), (0, 1, 0)]),
        ("fixed", 30, [(1, 0, 0), (0, 1, 0), (0, 0, 1)]),
        ("roller", 0, [(0, 1, 0)]),
        ("roller", 90, [(-1, 0, 0)]),
        ("roller", 180, [(0, -1, 0)]),
        ("roller", 30, [(-0.5, math.sqrt(3) / 2, 0)]),
        ("slider", 0, [(1, 0, 0), (0, 0, 1)]),
        ("slider", 90, [(0, 1, 0), (0, 0, 1)]),
        ("slider", 270, [(0, -1, 0), (0, 0, 1)]),
    ],
)
def test_what_a_support_holds(kind: str, angle: float, held: list[tuple[float, ...]]) -> None:
    raw = changed("supports.1", {"id": "S", "at": {"type": "point", "id": "P2"}, "kind": kind, "angleDeg": angle})
    found = to_frame(model_of(raw)).supports[1].held
    assert [pytest.approx(row, abs=1e-15) for row in held] == list(found)


def test_reactions_come_in_order_with_their_names() -> None:
    raw = changed("supports.1", {"id": "S9", "at": {"type": "point", "id": "P3"}, "kind": "slider", "angleDeg": 90})
    raw["supports"].append({"id": "S0", "at": {"type": "point", "id": "P2"}, "kind": "fixed", "angleDeg": 0})
    model = model_of(raw)
    rows = list_reactions(model, solve(to_frame(model)))
    assert [(row["atId"], row["type"]) for row in rows] == [
        ("S1", "ux"), ("S1", "uy"), ("S9", "normal"), ("S9", "rz"), ("S0", "ux"), ("S0", "uy"), ("S0", "rz"),
    ]  # fmt: skip
    assert sum(row["value"] for row in rows if row["type"] in ("uy", "normal")) == pytest.approx(30)


def test_equilibrium_in_the_signs_of_the_format() -> None:
    model = model_of(beam())
    first, second, roller = (row["value"] for row in list_reactions(model, solve(to_frame(model))))
    assert (first, second + roller) == (pytest.approx(0), pytest.approx(30))
    assert 4 * roller - 8 - 6 * 10 - 2 * 20 == pytest.approx(0)


# --- rules 13 to 17: loads


@pytest.mark.parametrize(
    ("given", "angle"),
    [
        ({"angleDeg": 30, "angleMode": "world"}, 30),
        ({"angleDeg": 30, "angleMode": "world", "flip": -1}, 210),
        ({"angleDeg": 30, "angleMode": "global"}, 30),
        ({"angleDeg": 30, "angleMode": "relative"}, 30 + SLOPE),
        ({"angleDeg": 90, "angleMode": "relative", "flip": -1}, 270 + SLOPE),
        ({"angleDeg": 30}, 30 + SLOPE),
        ({"angleDeg": 30, "angleMode": "world", "angleWorldDeg": 77}, 30),
        ({"angleDeg": -90, "angleMode": "world"}, 270),
        ({"angleDeg": -1e-20, "angleMode": "world"}, 0),
    ],
)
def test_directions_of_loads_on_a_link(given: dict[str, Any], angle: float) -> None:
    force = on_link(kind="pointLoad", value=2, **given, **MIDDLE)
    spread = on_link(kind="distributedLoad", wStart=1, wEnd=2, **given)
    assert isinstance(force, Force) and isinstance(spread, DistributedLoad)
    assert force.angle == spread.angle == pytest.approx(angle % 360)
    assert 0 <= force.angle < 360


@pytest.mark.parametrize("mode", ["relative", "world", "global", None])
def test_on_a_point_every_angle_is_the_worlds(mode: str | None) -> None:
    raw = changed("loads.0.angleMode", mode)
    load = model_of(raw).loads[0]
    assert isinstance(load, Force) and load.angle == 270.0


def test_a_moment_turns_counter_clockwise_unless_flipped() -> None:
    assert model_of(beam()).loads[2] == Moment(id="LD3", value=-8.0, point="P2")
    assert on_link(kind="bendingMoment", value=8, **MIDDLE) == Moment(id="LD", value=8.0, link="L1", offset=2.5)


@pytest.mark.parametrize(
    ("given", "offset"),
    [
        ({"offset": 1}, 1),
        ({"offsetMode": "m", "offset": 1}, 1),
        ({"offsetMode": "length", "offset": 1, "refEnd": "A"}, 1),
        ({"offsetMode": "m", "offset": 1, "refEnd": "B"}, 4),
        ({"offsetMode": "percent", "offsetPercent": 20, "offset": 3}, 1),
        ({"offsetMode": "m", "offsetPercent": 20, "offset": 3}, 3),
        ({"offsetMode": "percent", "offsetPercent": 20, "refEnd": "B"}, 4),
        ({"offsetPercent": 20}, 1),
        ({"offsetMode": "percent", "offset": 1}, 1),
        ({"offset": 0}, 0),
        ({"offset": 5.04}, 5),
        ({"offset": 5.04, "refEnd": "B"}, 0),
    ],
)
def test_places_on_a_link(given: dict[str, Any], offset: float) -> None:
    load = on_link(kind="bendingMoment", value=1, **given)
    assert isinstance(load, Moment) and load.offset == pytest.approx(offset)


def test_a_distributed_load_is_trimmed_at_both_ends() -> None:
    load = on_link(kind="distributedLoad", wStart=1, wEnd=3, angleDeg=0, angleMode="world", fromStart=1, fromEnd=0.5)
    assert load == DistributedLoad(id="LD", link="L1", begin=1.0, end=4.5, w_begin=1.0, w_end=3.0, angle=0.0)


# --- rules 18 and 19, difficulty, and the models that the original has solved


def test_samples_are_cut_at_inner_loads_and_take_the_value_beyond() -> None:
    raw = changed("loads", [])
    at = {"at": {"type": "link", "id": "L1"}, "angleDeg": 270, "angleMode": "world"}
    raw["loads"] = [
        {"id": "F", "kind": "pointLoad", "value": 8, "offset": 1, **at},
        {"id": "M", "kind": "bendingMoment", "value": 4, "offset": 3, **at},
    ]
    model = model_of(raw)
    first, second = sample_internal_forces(model, solve(to_frame(model)), count=5)
    assert (first["linkId"], len(first["samples"]), len(second["samples"])) == ("L1", 13, 5)
    places = [row["s"] for row in first["samples"]]
    assert places == sorted(set(places)) and places[4] == 1.0 and places[8] == 3.0 and places[-1] == 4.0
    v = {row["s"]: row["v"] for row in first["samples"]}
    m = {row["s"]: row["m"] for row in first["samples"]}
    assert (v[0.75], v[1.0]) == (pytest.approx(7), pytest.approx(-1))  # 8 · 3/4 + 4/4 up at the pin
    assert (m[1.0], m[2.5], m[3.0], m[4.0]) == tuple(pytest.approx(x, abs=1e-9) for x in (-7, -5.5, -1, 0))


def test_compression_is_positive() -> None:
    raw = changed("loads", [{"kind": "pointLoad", "at": {"type": "point", "id": "P3"}, "value": 3, "angleDeg": 180}])
    model = model_of(raw)
    rows = sample_internal_forces(model, solve(to_frame(model)), count=2)
    assert all(sample["n"] == pytest.approx(3) for row in rows for sample in row["samples"])


@pytest.mark.skipif(not NAMES, reason=f"the solved models are not at {SOLVED}")
@pytest.mark.parametrize("name", NAMES)
def test_the_solved_models_agree_in_every_figure(name: str) -> None:
    raw = json.loads((SOLVED / "raw_models" / f"{name}.json").read_text())
    meta = json.loads((SOLVED / "ground_truth_meta" / f"{name}.json").read_text())
    assert read_model(raw).repairs == []
    model = model_of(raw)
    solution = solve(to_frame(model))
    truth = meta["solution"]
    found = {"reactions": list_reactions(model, solution), "axial": sample_internal_forces(model, solution, count=500)}
    near = 1e-6 * max(abs(row["value"]) for row in truth["reactions"])
    named = [[(row["atId"], row["type"]) for row in rows] for rows in (found["reactions"], truth["reactions"])]
    assert named[0] == named[1]
    for ours, theirs in zip(found["reactions"], truth["reactions"], strict=True):
        assert ours["value"] == pytest.approx(theirs["value"], abs=near)
    assert [row["linkId"] for row in found["axial"]] == [row["linkId"] for row in truth["axial"]]
    for mine, original in zip(found["axial"], truth["axial"], strict=True):
        for ours, theirs in zip(mine["samples"], original["samples"], strict=True):
            assert all(abs(ours[key] - theirs[key]) <= near for key in "snvm"), (mine["linkId"], ours, theirs)
    assert difficulty_of(model, category_of(model, name)) == meta["difficulty"]
    assert category_of(model) == name.partition("_")[0]


def straight(links: int, category: str, hinge: bool = False) -> int:
    points = tuple(Point(f"P{k}", float(k), 0.0) for k in range(links + 1))
    joined = tuple(Link(id=f"L{k}", a=f"P{k}", b=f"P{k + 1}", hinge_a=hinge) for k in range(links))
    return difficulty_of(Model(points=points, links=joined), category)  # type: ignore[arg-type]


def test_difficulty_by_the_rules() -> None:
    assert (straight(30, "beam"), straight(1, "beam", hinge=True)) == (1, 2)
    assert [straight(n, "truss") for n in (3, 10, 11, 20, 21)] == [2, 2, 3, 3, 4]
    assert [straight(n, "frame") for n in (4, 5, 9, 10, 13, 14)] == [2, 3, 3, 4, 4, 5]


def test_the_kind_of_structure_is_seen_where_no_name_tells() -> None:
    assert category_of(model_of(beam())) == "beam"
    assert category_of(model_of(beam()), "frame_7") == "frame"
    triangle = changed("points.1.y", 2)
    triangle["links"].append({"id": "L3", "a": "P1", "b": "P3"})
    triangle["loads"] = triangle["loads"][:1]
    assert category_of(model_of(triangle)) == "truss"
    assert category_of(model_of(changed("points.1.y", 2))) == "frame"
