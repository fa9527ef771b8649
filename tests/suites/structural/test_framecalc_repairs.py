"""Every deviation from the format is mended or refused as stated."""

from __future__ import annotations

import math
from typing import Any

import pytest

from sightline.suites.structural.framecalc.reader import LIMITS, read_model
from sightline.suites.structural.model import (
    DistributedLoad,
    Force,
    Load,
    Model,
    Moment,
)
from tests.support.framecalc import beam, changed, model_of

# --- deviations that are mended


MENDED: dict[str, tuple[dict[str, Any], str]] = {
    "ids missing": (changed("points.0.id", ...), "points: 1 without an id"),
    "link id missing": (changed("links.1.id", ...), "links: 1 without an id"),
    "support id missing": (changed("supports.1.id", ...), "supports: 1 without an id"),
    "load id missing": (changed("loads.0.id", ...), "loads: 1 without an id"),
    "number as text": (changed("points.1.x", "4.0"), "points P2: x '4.0' is text; read as 4"),
    "decimal comma": (changed("points.1.x", "4,0"), "read as 4"),
    "number with its unit": (changed("points.1.x", "4 m"), "read as 4"),
    "load with its unit": (changed("loads.0.value", "10 kN"), "read as 10"),
    "E missing": (changed("links.0.E", ...), "links: 1 without E"),
    "A null": (changed("links.0.A", None), "links: 1 without A"),
    "case of a kind": (changed("supports.0.kind", "Pinned"), "kind 'Pinned' read as 'pin'"),
    "hinge support": (changed("supports.0.kind", "hinge support"), "read as 'pin'"),
    "roller support": (changed("supports.1.kind", "Roller-Support"), "read as 'roller'"),
    "Chinese kind": (changed("supports.0.kind", "固定铰支座"), "read as 'pin'"),
    "point_load": (changed("loads.0.kind", "point_load"), "read as 'pointLoad'"),
    "udl": (changed("loads.1.kind", "UDL"), "read as 'distributedLoad'"),
    "distributed": (changed("loads.1.kind", "distributed"), "read as 'distributedLoad'"),
    "moment": (changed("loads.2.kind", "moment"), "read as 'bendingMoment'"),
    "type for kind": (changed("loads.2", {**beam()["loads"][2], "kind": None, "type": "moment"}), "'type' read as"),
    "rigid end by another word": (changed("links.0.endA", "continuous"), "endA 'continuous' read as 'rigid'"),
    "bare id": (changed("supports.0.at", "P1"), "'at' given as a bare id"),
    "point as key": (changed("supports.0.at", {"point": "P1"}), "'at' given by the key 'point'"),
    "another type": (changed("supports.0.at", {"type": "link", "id": "P1"}), "'P1' is a point, whatever"),
    "case of an id": (changed("links.0.a", "p1"), "'p1' read as 'P1'"),
    "nodes for points": ({**changed("points", ...), "nodes": beam()["points"]}, "'nodes' read as 'points'"),
    "a wrapper": ({"model": beam()}, "taken from the key 'model'"),
    "a table": (changed("points", {p["id"]: p for p in beam()["points"]}), "points given as a table"),
    "uniform by one value": (changed("loads.1.wEnd", ...), "no wEnd, so the load is uniform"),
    "angle of a roller": (changed("supports.1.angleDeg", ...), "supports S2: no angleDeg, taken as 0"),
    "flip as text": (changed("loads.1.flip", "-1"), "flip '-1' is text"),
    "same id twice, alike": (changed("points", [*beam()["points"], beam()["points"][0]]), "P1 is listed twice alike"),
    "same load twice": (changed("loads", [*beam()["loads"], beam()["loads"][0]]), "LD1 is listed twice alike"),
    "support id twice": (changed("supports.1.id", "S1"), "supports: S1 stands for two entries"),
    "support twice": (
        changed("supports", [*beam()["supports"], {**beam()["supports"][1], "id": "S3"}]),
        "several supports on point P2 are joined into one: roller",
    ),
    "orphan": (changed("points", [*beam()["points"], {"id": "P9", "x": 9, "y": 9}]), "no link reaches point P9"),
    "zero length": (
        changed("links", [*beam()["links"], {**beam()["links"][0], "id": "L9", "b": "P1"}]),
        "link L9 has no length",
    ),
    "same link again": (
        changed("links", [*beam()["links"], {**beam()["links"][0], "id": "L9", "a": "P2", "b": "P1"}]),
        "link L9 is the same as link L1",
    ),
    "free end": (
        changed("supports", [*beam()["supports"], {"id": "S3", "at": "P3", "kind": "free"}]),
        "supports S3: restrains nothing",
    ),
    "inner spelling": (changed("loads.0", {**beam()["loads"][0], "angleDeg": None, "Angle": 270}), "'Angle' read as"),
}


@pytest.mark.parametrize(("raw", "told"), MENDED.values(), ids=MENDED.keys())
def test_a_mending_is_told_and_changes_nothing_else(raw: dict[str, Any], told: str) -> None:
    reading = read_model(raw)
    assert reading.problem is None and reading.model is not None
    assert any(told in str(remark) for remark in reading.repairs), list(map(str, reading.repairs))
    assert nameless(reading.model) == nameless(model_of(beam()))


def nameless(model: Model) -> tuple[Any, ...]:
    """A model without the ids that others do not refer to."""
    place = {point.id: (point.x, point.y) for point in model.points}
    link = {k.id: (place[k.a], place[k.b]) for k in model.links}
    return (
        list(place.values()),
        [(link[k.id], k.E, k.A, k.Iz, k.hinge_a, k.hinge_b) for k in model.links],
        [(place[s.point], s.kind, s.angle) for s in model.supports],
        [_about(load, place, link) for load in model.loads],
    )


def _about(load: Load, place: dict[str, Any], link: dict[str, Any]) -> tuple[Any, ...]:
    where = link[load.link] if load.link else place[getattr(load, "point", "")]
    if isinstance(load, DistributedLoad):
        rounded = (round(load.begin, 9), round(load.end, 9))
        return (where, *rounded, load.w_begin, load.w_end, load.angle)
    return (type(load).__name__, where, load.value, getattr(load, "angle", None), load.offset)


@pytest.mark.parametrize(("word", "hinged"), [("pinned", True), ("Hinged", True), ("release", True), ("fixed", False)])
def test_ends_by_other_words(word: str, hinged: bool) -> None:
    assert model_of(changed("links.0.endB", word)).links[0].hinge_b is hinged
    assert model_of(changed("links.0.endB", {"type": word})).links[0].hinge_b is hinged
    assert model_of(changed("links.0.hingeB", hinged)).links[0].hinge_b is hinged


def test_supports_may_be_written_into_points() -> None:
    raw = changed("supports", ...)
    raw["points"][0]["support"] = "pin"
    raw["points"][1]["support"] = {"type": "roller", "angle": 90}
    supports = model_of(raw).supports
    assert [(s.point, s.kind, s.angle) for s in supports] == [("P1", "pin", 0.0), ("P2", "roller", 90.0)]


def test_points_at_one_place_are_one_and_references_follow() -> None:
    raw = changed("points", [*beam()["points"], {"id": "P2b", "x": 4.0000001, "y": 0}])
    raw["links"][1]["a"] = raw["supports"][1]["at"]["id"] = "P2b"
    model = model_of(raw)
    assert (len(model.points), model.links[1].a, model.supports[1].point) == (3, "P2", "P2")
    assert any("P2 and P2b coincide" in str(remark) for remark in read_model(raw).repairs)


def test_links_that_differ_are_both_kept() -> None:
    raw = changed("links", [*beam()["links"], {**beam()["links"][0], "id": "L9", "endA": "hinge"}])
    assert [link.id for link in model_of(raw).links] == ["L1", "L2", "L9"]


def test_loads_of_a_link_that_repeats_another_backwards_keep_their_place() -> None:
    raw = changed("links", [*beam()["links"], {**beam()["links"][0], "id": "L9", "a": "P2", "b": "P1"}])
    on = {"at": {"type": "link", "id": "L9"}}
    raw["loads"] = [
        {"id": "A", "kind": "pointLoad", "value": 1, "angleDeg": 90, "offset": 1, **on},
        {"id": "B", "kind": "distributedLoad", "wStart": 1, "wEnd": 2, "angleDeg": 90, "fromStart": 1, **on},
        {"id": "C", "kind": "bendingMoment", "value": 1, "offset": 0.5, **on},
    ]
    assert model_of(raw).loads == (
        Force(id="A", value=1.0, angle=270.0, link="L1", offset=3.0),
        DistributedLoad(id="B", link="L1", begin=0.0, end=3.0, w_begin=2.0, w_end=1.0, angle=270.0),
        Moment(id="C", value=1.0, link="L1", offset=3.5),
    )


@pytest.mark.parametrize(
    ("first", "second", "kind", "angle"),
    [
        (("roller", 0), ("roller", 90), "pin", 0),
        (("roller", 30), ("roller", 210), "roller", 30),
        (("roller", 0), ("slider", 90), "slider", 90),
        (("roller", 0), ("slider", 0), "fixed", 0),
        (("pin", 0), ("roller", 40), "pin", 0),
        (("pin", 0), ("slider", 40), "fixed", 0),
        (("slider", 0), ("slider", 180), "slider", 0),
        (("fixed", 0), ("pin", 0), "fixed", 0),
    ],
)
def test_supports_on_one_point_hold_what_they_hold_together(
    first: tuple[str, float], second: tuple[str, float], kind: str, angle: float
) -> None:
    at = {"at": {"type": "point", "id": "P1"}}
    both = [{"id": f"S{k}", "kind": one[0], "angleDeg": one[1], **at} for k, one in enumerate((first, second))]
    support = model_of(changed("supports", both)).supports[0]
    assert (support.kind, support.angle) == (kind, pytest.approx(angle))


def test_an_id_of_two_entries_is_renamed_where_nobody_means_it() -> None:
    raw = changed("links", [*beam()["links"], {**beam()["links"][1], "endA": "hinge"}])
    assert [link.id for link in model_of(raw).links] == ["L1", "L2", "L3"]


# --- what is refused


REFUSED: dict[str, tuple[object, str]] = {
    "a number": (7, "a model is a JSON object, not '7'"),
    "a list": ([beam()], "a model is a JSON object, not '[…]'"),
    "nothing": (None, "not 'null'"),
    "empty": ({}, "the model has no list of points"),
    "no links": (changed("links", ...), "the model has no list of links"),
    "links as text": (changed("links", "L1"), "no list of links"),
    "no point": (changed("points", []), "the list of points is empty"),
    "an entry that is none": (changed("points.1", 4), "points #2: '4' is not an object"),
    "a missing coordinate": (changed("points.1.x", ...), "points P2: x is missing"),
    "a coordinate in words": (changed("points.1.x", "four"), "points P2: x 'four' is not a number"),
    "thousands or decimals": (changed("points.1.x", "4,000"), "'4,000' is not a number"),
    "true as a number": (changed("points.1.x", True), "'true' is not a number"),
    "NaN": (changed("points.1.x", math.nan), "points P2: x is not finite"),
    "infinity": (changed("loads.0.value", math.inf), "loads LD1: value is not finite"),
    "far away": (changed("points.1.x", 1.1e9), "points P2: x 1100000000.0 is beyond 1e+09"),
    "an endless number": (changed("points.1.x", 10**400), "x is not finite"),
    "no stiffness": (changed("links.0.E", 0), "links L1: E is 0 and must be positive"),
    "negative stiffness": (changed("links.0.Iz", -1), "Iz is -1 and must be positive"),
    "a link to nowhere": (changed("links.0.b", "P7"), "links L1: b names a point that is not there: 'P7'"),
    "a link without an end": (changed("links.0.b", ...), "links L1: b is missing"),
    "an unknown end": (changed("links.0.endA", "glued"), "links L1: endA 'glued' is unknown"),
    "an unknown support": (changed("supports.0.kind", "spring"), "supports S1: kind 'spring' is unknown"),
    "a support of no kind": (changed("supports.0.kind", ...), "supports S1: kind is missing"),
    "a support at nothing": (changed("supports.0.at.id", "P7"), "supports S1: unknown id 'P7'"),
    "a support on a link": (changed("supports.0.at", "L1"), "a support stands on a point"),
    "a support nowhere": (changed("supports.0.at", ...), "supports S1: at is missing"),
    "a load at nothing": (changed("loads.0.at.id", "P7"), "loads LD1: unknown id 'P7'"),
    "an unknown load": (changed("loads.0.kind", "snow"), "loads LD1: kind 'snow' is unknown"),
    "a load of no size": (changed("loads.0.value", ...), "loads LD1: value is missing"),
    "a load of no direction": (changed("loads.0.angleDeg", ...), "loads LD1: angleDeg is missing"),
    "an unknown mode": (changed("loads.1.angleMode", "sideways"), "angleMode 'sideways' is unknown"),
    "a strange flip": (changed("loads.1.flip", 2), "loads LD2: flip is 2 and must be 1 or -1"),
    "half a distributed load": (changed("loads.1.wStart", ...), "loads LD2: wStart is missing"),
    "a distributed load on a point": (changed("loads.1.at", "P1"), "a distributed load lies on a link"),
    "a load of no extent": (changed("loads.1.fromStart", 4), "leave nothing of the link"),
    "trimmed beyond": (changed("loads.1.fromEnd", 5), "-1 m is beyond the link of 4 m"),
    "a place beyond": (
        changed("loads.2", {**beam()["loads"][2], "at": "L1", "offset": 4.5}),
        "loads LD3: 4.5 m is beyond the link of 4 m",
    ),
    "no place on a link": (changed("loads.2.at", "L1"), "loads LD3: offset is missing"),
    "two places on a link": (
        changed("loads.2", {**beam()["loads"][2], "at": "L1", "offset": 1, "offsetPercent": 50}),
        "offset and offsetPercent disagree",
    ),
    "an unknown end to measure from": (
        changed("loads.2", {**beam()["loads"][2], "at": "L1", "offset": 1, "refEnd": "C"}),
        "refEnd 'C' is unknown",
    ),
    "an id of two points": (changed("points.1.id", "P1"), "points: P1 stands for two different entries"),
    "an id of two links under load": (changed("links.1.id", "L1"), "links: L1 stands for two different entries"),
    "an id of a point and a link": (
        {**changed("links.0.id", "P2"), "loads": [{"kind": "moment", "at": "P2", "value": 1}]},
        "'P2' is both a point and a link",
    ),
    "a load in the air": (
        {**beam(), "points": [*beam()["points"], {"id": "P9", "x": 9, "y": 9}], "loads": [
            {"id": "LD1", "kind": "pointLoad", "at": "P9", "value": 1, "angleDeg": 270}]},
        "loads LD1: acts on point P9, which no link reaches",
    ),
    "only links without length": (changed("links", [{"id": "L1", "a": "P1", "b": "P1"}]), "which has no length"),
    "links without length or load": (
        {**changed("links", [{"id": "L1", "a": "P1", "b": "P1"}]), "loads": []},
        "no link has any length",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("raw", "reason"), REFUSED.values(), ids=REFUSED.keys())
def test_what_leaves_more_than_one_reading_is_refused_with_its_reason(raw: object, reason: str) -> None:
    reading = read_model(raw)
    assert reading.model is None
    assert reason in str(reading.problem), str(reading.problem)


@pytest.mark.parametrize("name", LIMITS)
def test_size_is_limited_before_anything_else(name: str) -> None:
    raw = changed(name, [object()] * (LIMITS[name] + 1))
    assert f"{LIMITS[name] + 1} {name} are more than the {LIMITS[name]}" in str(read_model(raw).problem)


def test_a_support_in_the_air_holds_nothing_and_is_left_out() -> None:
    raw = changed("points", [*beam()["points"], {"id": "P9", "x": 9, "y": 9}])
    raw["supports"].append({"id": "S9", "at": {"type": "point", "id": "P9"}, "kind": "pin"})
    assert len(model_of(raw).supports) == 2
    assert any("support S9 stands on point P9" in str(remark) for remark in read_model(raw).repairs)
