"""The parts of an answer that are wrong, by name and place: for reports, for feedback, for drawings."""

from __future__ import annotations

from collections import Counter
from itertools import chain
from typing import Any, Literal

import numpy as np
from msgspec import Struct

from sightline.core.records import Remark
from sightline.suites.structural.model import PointSupport
from sightline.suites.structural.physics import words
from sightline.suites.structural.physics.applied import applied
from sightline.suites.structural.physics.bearing import GROUND, Bearers
from sightline.suites.structural.physics.compare import Misborne, differing_spots, differing_stretches, misborne
from sightline.suites.structural.physics.places import Floats, Laid, Overlay, PlacePair
from sightline.suites.structural.physics.response import Held
from sightline.suites.structural.physics.supports import held_by, held_by_place, held_space

Part = Literal["member", "joint", "support", "hinge", "stiffness", "load"]
_NOTICEABLE = 1e-2
"""Supports that hold directions nearer than this are the same to a reader."""
_HAIR = 1e-9


class Problem(Struct, frozen=True, kw_only=True):
    """One wrong part: what was expected, what was found, and where (in the truth's coordinates)."""

    part: Part
    at: list[tuple[float, float]]
    """One place, or the two ends of a member."""
    expected: str
    found: str
    remark: Remark

    def to_dict(self) -> dict[str, Any]:
        """As plain data, with the sentence."""
        return {
            "part": self.part,
            "at": [list(xy) for xy in self.at],
            "expected": self.expected,
            "found": self.found,
            "text": str(self.remark),
        }


def find_problems(over: Overlay, tolerance: float = 0.01) -> list[Problem]:
    """Everything that differs, part by part. What is wrong has a name: where nothing differs noticeably, hairs are
    split."""
    return _problems(over, tolerance, _NOTICEABLE) or _problems(over, min(tolerance, _HAIR), _HAIR)


def _problems(over: Overlay, tolerance: float, apart: float) -> list[Problem]:
    truth, answer = (applied(laid, over.reach) for laid in (over.truth, over.answer))
    built = [*_members(over), *_joints(over), *_supports(over, apart), *_hinges(over, apart)]
    blamed = {xy for problem in built for xy in problem.at}
    return [
        *built,
        *_stiffnesses(over, tolerance),
        *_point_loads(over, differing_spots(truth, answer, over.reach, tolerance)),
        # where the joint is wrong, what bears a load there is wrong for that reason
        *_misborne(over, [one for one in misborne(truth, answer, tolerance) if _xy(over, one.place) not in blamed]),
        *_spread_loads(over, differing_stretches(truth, answer, over.reach, tolerance)),
    ]


def _xy(over: Overlay, place: int) -> tuple[float, float]:
    return (float(over.places[place][0]), float(over.places[place][1]))


def _ends(over: Overlay, pair: PlacePair) -> tuple[list[tuple[float, float]], dict[str, str]]:
    one, other = over.places[pair[0]], over.places[pair[1]]
    return [_xy(over, pair[0]), _xy(over, pair[1])], {"one": words.place(one), "other": words.place(other)}


def _members(over: Overlay) -> list[Problem]:
    truth, answer = over.truth.count(), over.answer.count()
    found = []
    for laid, missing in ((over.truth, truth - answer), (over.answer, answer - truth)):
        for pair in _whole(laid, missing):
            at, facts = _ends(over, pair)
            if laid is over.truth:
                remark = Remark("member {one}–{other} is missing", facts)
                found.append(Problem(part="member", at=at, expected="member", found="nothing", remark=remark))
            else:
                remark = Remark("there is no member {one}–{other} in the drawing", facts)
                found.append(Problem(part="member", at=at, expected="nothing", found="member", remark=remark))
    return found


def _whole(laid: Laid, missing: Counter[PlacePair]) -> list[PlacePair]:
    """Whole members where all their pieces are concerned, else single pieces."""
    left, found = Counter(missing), []
    for link in laid.model.links:
        pieces = [piece for piece in laid.pieces if piece.link.id == link.id]
        pairs = Counter(piece.between for piece in pieces)
        if pieces and all(left[pair] >= count for pair, count in pairs.items()):
            left -= pairs
            found.append((pieces[0].begin, pieces[-1].end))
    return found + sorted(left.elements())


def _joints(over: Overlay) -> list[Problem]:
    """Places where the same pieces end, but are joined otherwise."""
    truth, answer = over.truth.joined(), over.answer.joined()
    found = []
    for place in sorted(truth.keys() & answer.keys()):
        ours, theirs = truth[place], answer[place]
        if ours == theirs or sorted(chain(*ours)) != sorted(chain(*theirs)):
            continue
        where = {"place": words.place(over.places[place])}
        if len(ours) > len(theirs):
            remark = Remark("point {place}: members are joined here that only cross in the drawing", where)
            expected, got = "crossing", "joint"
        elif len(ours) < len(theirs):
            remark = Remark("point {place}: members only cross here that are joined in the drawing", where)
            expected, got = "joint", "crossing"
        else:
            remark = Remark("point {place}: other members are joined here than in the drawing", where)
            expected, got = "joint", "another joint"
        found.append(Problem(part="joint", at=[_xy(over, place)], expected=expected, found=got, remark=remark))
    return found


def _supports(over: Overlay, apart: float) -> list[Problem]:
    truth, answer = _by_place(over.truth), _by_place(over.answer)
    found = []
    for place in sorted(truth.keys() | answer.keys()):
        expected, got = truth.get(place, []), answer.get(place, [])
        if np.allclose(held_space(_held(expected)), held_space(_held(got)), atol=apart):
            continue
        wanted, seen = " + ".join(map(words.support, expected)), " + ".join(map(words.support, got))
        facts = {"place": words.place(over.places[place]), "right": wanted, "wrong": seen}
        if not got:
            remark = Remark("point {place}: a {right} is missing", facts)
        elif not expected:
            remark = Remark("point {place}: there is no support here in the drawing, but a {wrong}", facts)
        else:
            remark = Remark("point {place}: {wrong} should be a {right}", facts)
        at = [_xy(over, place)]
        found.append(
            Problem(part="support", at=at, expected=wanted or "nothing", found=seen or "nothing", remark=remark)
        )
    return found


def _held(supports: list[PointSupport]) -> Held:
    return tuple(direction for support in supports for direction in held_by(support))


def _by_place(laid: Laid) -> dict[int, list[PointSupport]]:
    found: dict[int, list[PointSupport]] = {}
    for support in laid.model.supports:
        found.setdefault(laid.place_of[support.point], []).append(support)
    return found


def _hinges(over: Overlay, apart: float) -> list[Problem]:
    truth, answer = _released(over.truth), _released(over.answer)
    common = set(over.truth.count()) & set(over.answer.count())
    places = {place for place, _ in truth ^ answer}
    found = []
    for place, pair in sorted(_written(over.truth) ^ _written(over.answer)):
        if pair not in common or (place not in places and apart > _HAIR):
            continue
        at, facts = _ends(over, pair)
        where = {**facts, "place": words.place(over.places[place])}
        if (place, pair) not in _written(over.answer):
            remark = Remark("member {one}–{other}: hinge missing at its end {place}", where)
            expected, got = "hinge", "rigid"
        else:
            remark = Remark("member {one}–{other}: there is no hinge at its end {place} in the drawing", where)
            expected, got = "rigid", "hinge"
        found.append(Problem(part="hinge", at=[_xy(over, place), *at], expected=expected, found=got, remark=remark))
    return found


def _written(laid: Laid) -> set[tuple[int, PlacePair]]:
    """Released ends as they are written down."""
    starts = {(p.begin, p.between) for p in laid.pieces if p.first and p.link.hinge_a}
    return starts | {(p.end, p.between) for p in laid.pieces if p.last and p.link.hinge_b}


def _released(laid: Laid) -> set[tuple[int, PlacePair]]:
    """Released ends as (place, piece). Where at most one end at a joint is rigid, it does not matter which it is."""
    ends: dict[int, list[tuple[PlacePair, bool]]] = {}
    for piece in laid.pieces:
        for place, at_end, hinge in (
            (piece.begin, piece.first, piece.link.hinge_a),
            (piece.end, piece.last, piece.link.hinge_b),
        ):
            ends.setdefault(place, []).append((piece.between, at_end and hinge))
    clamped = {place for place, held in held_by_place(laid).items() if any(direction[2] for direction in held)}
    found = set()
    for place, here in ends.items():
        free = sum(not hinge for _, hinge in here) <= 1 and len(here) > 1 and place not in clamped
        any_hinge = any(hinge for _, hinge in here)
        found |= {(place, pair) for pair, hinge in here if hinge or (free and any_hinge)}
    return found


def _stiffnesses(over: Overlay, tolerance: float) -> list[Problem]:
    """Members whose stiffness, against that of the others, is not the truth's; members side by side count together."""
    truth, answer = _stiffness(over.truth), _stiffness(over.answer)
    ours, theirs = over.truth.count(), over.answer.count()
    common = sorted(pair for pair in ours if ours[pair] == theirs[pair])
    if not common:
        return []
    ratios = np.array([answer[pair] / truth[pair] for pair in common])
    ratios /= np.median(ratios, axis=0)
    found = []
    for pair, (bending, stretching) in zip(common, ratios, strict=True):
        at, facts = _ends(over, pair)
        if abs(bending - 1.0) > tolerance:
            facts["factor"] = words.number(bending)
            remark = Remark("member {one}–{other}: {factor} times as stiff as it should be beside the others", facts)
        elif abs(stretching - 1.0) > tolerance:
            facts["factor"] = words.number(stretching)
            remark = Remark("member {one}–{other}: its EA is {factor} times what it should be beside the others", facts)
        else:
            continue
        found.append(Problem(part="stiffness", at=at, expected="1", found=facts["factor"], remark=remark))
    return found


def _stiffness(laid: Laid) -> dict[PlacePair, Floats]:
    """EI and EA between each two places."""
    found: dict[PlacePair, Floats] = {}
    for piece in laid.pieces:
        own = piece.link.E * np.array([piece.link.Iz, piece.link.A])
        found[piece.between] = found.get(piece.between, np.zeros(2)) + own
    return found


def _misborne(over: Overlay, wrong: list[Misborne]) -> list[Problem]:
    found = []
    for place, load, expected, got in wrong:
        wanted, seen = _members_named(over, expected), _members_named(over, got)
        facts = {"right": words.load(load), "place": words.place(over.places[place]), "members": wanted}
        if wanted:
            remark = Remark("load {right} at {place} must act on the side of member {members}", facts)
        else:
            remark = Remark("load {right} at {place} is borne by another part in the drawing", facts)
        at = [_xy(over, place)]
        found.append(
            Problem(part="load", at=at, expected=wanted or "support", found=seen or "no member", remark=remark)
        )
    return found


def _members_named(over: Overlay, bearers: Bearers) -> str:
    ends = (_ends(over, pair)[1] for pair in sorted(bearers - {GROUND}))
    return ", ".join(f"{facts['one']}–{facts['other']}" for facts in ends)


def _point_loads(over: Overlay, differing: list[tuple[PlacePair | int, float, Floats, Floats]]) -> list[Problem]:
    found = []
    for where, at, expected, got in differing:
        xy = _spot(over, where, at)
        wanted, seen = words.load(expected), words.load(got)
        facts = {"place": words.place(xy), "right": wanted, "wrong": seen}
        if not np.any(got):
            remark = Remark("load {right} at {place} is missing", facts)
        elif not np.any(expected):
            remark = Remark("there is no load at {place} in the drawing, but {wrong}", facts)
        else:
            remark = Remark("load {wrong} at {place} should be {right}", facts)
        place = [(float(xy[0]), float(xy[1]))]
        found.append(Problem(part="load", at=place, expected=wanted, found=seen, remark=remark))
    return found


def _spot(over: Overlay, where: PlacePair | int, at: float) -> Floats:
    if isinstance(where, int):
        return np.asarray(over.places[where])
    one, other = over.places[where[0]], over.places[where[1]]
    return np.asarray(one + (other - one) * at / np.hypot(*(other - one)))


def _spread_loads(over: Overlay, differing: list[tuple[PlacePair, float, float, Floats, Floats]]) -> list[Problem]:
    found = []
    for pair, begin, end, expected, got in differing:
        one, other = _spot(over, pair, begin), _spot(over, pair, end)
        wanted, seen = words.spread(expected), words.spread(got)
        facts = {"one": words.place(one), "other": words.place(other), "right": wanted, "wrong": seen}
        if not np.any(got):
            remark = Remark("load {right} from {one} to {other} is missing", facts)
        elif not np.any(expected):
            remark = Remark("there is no load from {one} to {other} in the drawing, but {wrong}", facts)
        else:
            remark = Remark("load {wrong} from {one} to {other} should be {right}", facts)
        at = [(float(one[0]), float(one[1])), (float(other[0]), float(other[1]))]
        found.append(Problem(part="load", at=at, expected=wanted, found=seen, remark=remark))
    return found
