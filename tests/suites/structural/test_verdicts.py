"""Verdicts an engineer would sign: what a drawing can't show has no influence, what it shows always has."""

from __future__ import annotations

import math
import random
from typing import Any

import pytest
from msgspec.structs import replace

from sightline.suites.structural.framecalc.reader import read_model
from sightline.suites.structural.framecalc.writer import write_model
from sightline.suites.structural.model import DistributedLoad, Force, Link, Model, Point, PointSupport
from sightline.suites.structural.physics.diagnosis import Diagnosis, diagnose_models
from sightline.suites.structural.physics.sections import find_bars
from tests.suites.structural.test_mutations import graded
from tests.suites.structural.test_mutations import truths as truths
from tests.suites.structural.test_named_faults import portal

Truths = list[tuple[str, Model]]


def with_links(model: Model, **changes: float) -> Model:
    return replace(model, links=tuple(replace(link, **changes) for link in model.links))


def with_link(model: Model, number: int, **factors: float) -> Model:
    """One link with its stiffnesses times some factors."""
    link = model.links[number]
    new = replace(link, **{name: factor * getattr(link, name) for name, factor in factors.items()})
    return replace(model, links=(*model.links[:number], new, *model.links[number + 1 :]))


def remarks(found: Diagnosis) -> list[str]:
    return [str(problem.remark) for problem in found.problems]


# --- sections


@pytest.mark.parametrize(
    "section",
    [(210e6, 0.01, 1e-4), (1.0, 1.0, 1.0), (80918000.0, 0.02, 1e-3), (30e6, 0.12, 1.6e-3), (1e15, 1e-12, 1.0)],
    ids=str,
)
def test_a_common_section_has_no_influence(section: tuple[float, float, float], truths: Truths) -> None:
    for name, truth in truths:
        links = truth.links
        answer = replace(
            truth,
            links=tuple(
                replace(
                    link,
                    E=section[0] * link.E / links[0].E,
                    A=section[1] * link.A / links[0].A,
                    Iz=section[2] * link.Iz / links[0].Iz,
                )
                for link in links
            ),
        )
        found = graded(name, answer, truth)
        assert found.score == 1, (name, found.stage, remarks(found))


def test_a_ratio_of_stiffnesses_in_the_drawing_matters_however_it_is_written(truths: Truths) -> None:
    tried = 0
    for name, plain in truths:
        bending = [k for k, link in enumerate(plain.links) if link.id not in find_bars(plain)]
        if name.startswith("truss") or len(bending) < 2:
            continue
        tried += 1
        chance = random.Random(name)
        one, other = chance.sample(bending, 2)
        truth = with_link(plain, one, Iz=2.0)
        by_modulus = with_links(with_link(with_links(plain, E=1.0), one, E=2.0), A=0.3, Iz=0.2)
        for same in (truth, with_link(plain, one, E=2.0), by_modulus, with_links(truth, A=0.5)):
            assert graded(name, same, truth).score == 1, name
        for wrong, accused in ((plain, 1), (with_link(plain, other, Iz=2.0), 2), (with_link(plain, one, Iz=2.05), 1)):
            found = graded(name, wrong, truth)
            assert found.score == 0.5 and 1 <= len(found.problems) <= accused, (name, remarks(found))
            assert {problem.part for problem in found.problems} == {"stiffness"}
    assert tried > 15


def test_every_doubled_inertia_is_noticed(truths: Truths) -> None:
    tried = 0
    for name, truth in truths:
        bars = find_bars(truth)
        for number, link in enumerate(truth.links):
            if name.startswith("truss") or link.id in bars or len(truth.links) - len(bars) < 2:
                continue
            tried += 1
            found = graded(name, with_link(truth, number, Iz=2.0), truth)
            assert found.stage == "connections" and len(found.problems) == 1, (name, number, remarks(found))
    assert tried > 80


def test_the_inertia_of_a_bar_and_the_section_of_a_beam_beside_it() -> None:
    """A beam on a strut: the strut has no bending, so nobody has to give it an inertia."""
    truth = Model(
        points=(Point("A", 0.0, 0.0), Point("B", 4.0, 0.0), Point("C", 4.0, -3.0), Point("D", 8.0, 0.0)),
        links=(Link(id="AB", a="A", b="B"), Link(id="BD", a="B", b="D"), Link(id="CB", a="C", b="B", hinge_b=True)),
        supports=(
            PointSupport(id="S1", point="A", kind="pin"),
            PointSupport(id="S2", point="C", kind="pin"),
            PointSupport(id="S3", point="D", kind="roller"),
        ),
        loads=(Force(id="F", value=10.0, angle=270.0, link="AB", offset=1.5),),
    )
    slim = replace(truth, links=(*truth.links[:2], replace(truth.links[2], Iz=1e-12)))
    assert diagnose_models(slim, truth, "frame").score == 1
    soft = replace(truth, links=(*truth.links[:2], replace(truth.links[2], A=1e-3 * truth.links[2].A)))
    found = diagnose_models(soft, truth, "frame")
    assert found.stage == "connections"
    assert remarks(found) == ["member (4, -3)–(4, 0): its EA is 0.001 times what it should be beside the others"]


# --- angles of supports


def inclined(angle: float, kind: Any = "roller") -> Model:
    points = (Point("A", 0.0, 0.0), Point("B", 5.0, 0.0))
    return Model(
        points=points,
        links=(Link(id="AB", a="A", b="B"),),
        supports=(
            PointSupport(id="S1", point="A", kind="pin"),
            PointSupport(id="S2", point="B", kind=kind, angle=angle),
        ),
        loads=(Force(id="F", value=10.0, angle=270.0, link="AB", offset=2.0),),
    )


@pytest.mark.parametrize("kind", ["roller", "slider"])
@pytest.mark.parametrize(("true", "written"), [(math.degrees(math.atan2(3, 4)), 37.0), (30.2, 30.0), (0.0, 359.6)])
def test_a_rounded_angle_of_a_support_is_right(true: float, written: float, kind: str) -> None:
    for turn in (0.0, 180.0):
        assert diagnose_models(inclined(written + turn, kind), inclined(true, kind), "beam").score == 1


def test_another_angle_of_a_support_is_told_with_its_decimals() -> None:
    found = diagnose_models(inclined(37.6), inclined(36.87), "beam")
    assert found.stage == "supports"
    assert remarks(found) == ["point (5, 0): roller holding along 127.6° should be a roller holding along 126.87°"]
    found = diagnose_models(inclined(0.7), inclined(0.0), "beam")
    assert remarks(found) == ["point (5, 0): roller holding along 90.7° should be a roller holding up and down"]
    exact = diagnose_models(inclined(30.1), inclined(30.0), "beam", 1e-4)
    assert remarks(exact) == ["point (5, 0): roller holding along 120.1° should be a roller holding along 120°"]


def test_directions_of_loads_have_decimals() -> None:
    truth = portal()
    answer = replace(truth, loads=(replace(truth.loads[0], angle=0.8),))
    assert remarks(diagnose_models(answer, truth, "frame")) == ["load 10 kN 0.8° at (0, 4) should be 10 kN right"]


# --- members that only cross


def braced(category: str) -> Model:
    """A portal with two diagonals that cross without touching."""
    hinged = category == "frame"
    diagonals = (
        Link(id="AC", a="A", b="C", hinge_a=hinged, hinge_b=hinged),
        Link(id="BD", a="B", b="D", hinge_a=hinged, hinge_b=hinged),
    )
    return replace(portal(), links=(*portal().links, *diagonals))


def split_at_crossing(model: Model, *names: str, joined: bool = False) -> Model:
    """The diagonals that are named split at (3, 2), each at a point of its own or all at the same."""
    points, links = list(model.points), [link for link in model.links if link.id not in names]
    for name in names:
        link = next(link for link in model.links if link.id == name)
        middle = "X" if joined else f"X{name}"
        points += [Point(middle, 3.0, 2.0)] if not any(point.id == middle for point in points) else []
        links.append(replace(link, id=f"{name}1", b=middle, hinge_b=False))
        links.append(replace(link, id=f"{name}2", a=middle, hinge_a=False))
    return replace(model, points=tuple(points), links=tuple(links))


@pytest.mark.parametrize("category", ["frame", "truss"])
@pytest.mark.parametrize("names", [("AC",), ("BD",), ("AC", "BD"), ("BD", "AC")], ids="+".join)
def test_a_member_split_where_it_merely_crosses_another_is_the_same(category: str, names: tuple[str, ...]) -> None:
    whole = braced(category)
    split = read_model(write_model(split_at_crossing(whole, *names))).model
    assert split is not None and len(split.points) == 4 + len(names)
    for answer, truth in ((split, whole), (whole, split), (split, split)):
        found = diagnose_models(answer, truth, category)
        assert found.score == 1, (found.stage, remarks(found))


@pytest.mark.parametrize("category", ["frame", "truss"])
def test_members_joined_where_they_only_cross_are_not_the_same(category: str) -> None:
    whole = braced(category)
    joined = split_at_crossing(whole, "AC", "BD", joined=True)
    for answer, truth in ((joined, whole), (joined, split_at_crossing(whole, "AC", "BD"))):
        found = diagnose_models(answer, truth, category)
        assert found.stage == "geometry"
        assert remarks(found) == ["point (3, 2): members are joined here that only cross in the drawing"]


def test_a_load_on_one_of_two_crossing_members_that_are_split() -> None:
    whole = braced("frame")
    length = math.hypot(6.0, 4.0)
    truth = replace(whole, loads=(Force(id="F", value=5.0, angle=300.0, link="AC", offset=length / 2),))
    split = split_at_crossing(replace(whole, loads=()), "AC", "BD")
    right = replace(split, loads=(Force(id="F", value=5.0, angle=300.0, point="XAC"),))
    assert diagnose_models(right, truth, "frame").score == 1
    by_end = replace(split, loads=(Force(id="F", value=5.0, angle=300.0, link="AC1", offset=length / 2),))
    assert diagnose_models(by_end, truth, "frame").score == 1
    wrong = replace(split, loads=(Force(id="F", value=5.0, angle=300.0, point="XBD"),))
    found = diagnose_models(wrong, truth, "frame")
    assert found.stage == "loads" and len(found.problems) == 1


def test_a_joint_that_was_written_twice_is_one_joint() -> None:
    """Coincident points are the same unless each of them lies on one straight member."""
    truth = portal()
    twice = replace(
        truth,
        points=(*truth.points, Point("B2", 0.0, 4.0)),
        links=(truth.links[0], replace(truth.links[1], a="B2"), truth.links[2]),
    )
    answer = read_model(write_model(twice)).model
    assert answer is not None and len(answer.points) == 4
    assert diagnose_models(answer, truth, "frame").score == 1
    assert diagnose_models(twice, truth, "frame").score == 1
    beside = replace(twice, points=(*truth.points, Point("B2", 0.004, 4.003)))
    assert diagnose_models(beside, truth, "frame").score == 1


# --- small loads beside large ones, shallow structures


def loaded_beam(*loads: Any) -> Model:
    return Model(
        points=(Point("A", 0.0, 0.0), Point("B", 5.0, 0.0)),
        links=(Link(id="AB", a="A", b="B"),),
        supports=(PointSupport(id="S1", point="A", kind="pin"), PointSupport(id="S2", point="B", kind="roller")),
        loads=loads,
    )


def force(value: float, angle: float = 270.0, offset: float = 2.0) -> Force:
    return Force(id="F", value=value, angle=angle, link="AB", offset=offset)


def line(w: float, angle: float = 270.0, begin: float = 0.0, end: float = 5.0) -> DistributedLoad:
    return DistributedLoad(id="q", link="AB", begin=begin, end=end, w_begin=w, w_end=w, angle=angle)


SMALL = {
    "beside a force across it": (loaded_beam(force(100.0), force(0.9, 0.0)), loaded_beam(force(100.0))),
    "beside a force along it": (loaded_beam(force(100.0), force(0.9)), loaded_beam(force(100.0))),
    "beside a line load across it": (loaded_beam(line(100.0), line(1.0, 0.0)), loaded_beam(line(100.0))),
    "beside a line load along it": (loaded_beam(line(100.0), line(0.9)), loaded_beam(line(100.0))),
    "on the other half": (
        loaded_beam(line(100.0, end=2.5), line(1.0, begin=2.5)),
        loaded_beam(line(100.0, end=2.5)),
    ),
}


@pytest.mark.parametrize("name", SMALL)
def test_a_small_load_beside_a_large_one_counts(name: str) -> None:
    both, large = SMALL[name]
    forgotten = diagnose_models(large, both, "beam")
    assert forgotten.stage == "loads" and len(forgotten.problems) == 1, remarks(forgotten)
    invented = diagnose_models(both, large, "beam")
    assert invented.stage == "loads" and len(invented.problems) == 1, remarks(invented)
    assert diagnose_models(replace(both, loads=both.loads[::-1]), both, "beam").score == 1
    for slightly in (1.008, 0.992):
        rounded = replace(both, loads=tuple(_scaled(load, slightly) for load in both.loads))
        assert diagnose_models(rounded, both, "beam").score == 1


def _scaled(load: Any, factor: float) -> Any:
    if isinstance(load, DistributedLoad):
        return replace(load, w_begin=factor * load.w_begin, w_end=factor * load.w_end)
    return replace(load, value=factor * load.value)


def test_loads_may_be_written_as_their_sum_and_in_parts() -> None:
    two = loaded_beam(force(40.0), force(30.0, 0.0))
    sum_of_both = loaded_beam(force(50.0, math.degrees(math.atan2(-40, 30))))
    for answer, truth in ((two, sum_of_both), (sum_of_both, two)):
        assert diagnose_models(answer, truth, "beam").score == 1
    rounded = loaded_beam(force(50.0, 306.9))
    assert diagnose_models(rounded, sum_of_both, "beam").score == 1
    assert diagnose_models(loaded_beam(line(4.0), line(6.0)), loaded_beam(line(10.0)), "beam").score == 1


def shallow(rise: float) -> Model:
    """A two-bar truss with a span of 12 m."""
    return Model(
        points=(Point("A", 0.0, 0.0), Point("B", 6.0, rise), Point("C", 12.0, 0.0)),
        links=(Link(id="AB", a="A", b="B", hinge_b=True), Link(id="BC", a="B", b="C", hinge_a=True)),
        supports=(PointSupport(id="S1", point="A", kind="pin"), PointSupport(id="S2", point="C", kind="pin")),
        loads=(Force(id="F", value=10.0, angle=270.0, point="B"),),
    )


def test_a_rise_that_decides_the_forces_is_read_as_it_is_written() -> None:
    found = diagnose_models(shallow(0.07), shallow(0.1), "truss")
    assert found.stage == "geometry"
    assert remarks(found) == ["the point at (6, 0.07) should be at (6, 0.1)"]
    assert diagnose_models(shallow(0.101), shallow(0.1), "truss").score == 1


def test_coordinates_within_the_tolerance_are_right(truths: Truths) -> None:
    """Dimensions rounded to a centimetre."""
    for name, truth in truths:
        points = tuple(replace(point, x=round(point.x, 2), y=round(point.y, 2)) for point in truth.points)
        found = graded(name, replace(truth, points=points), truth)
        assert found.score == 1, (name, remarks(found))
