"""The loads of a model by place: what acts on each place and along each piece, however it was written down."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from msgspec import Struct

from sightline.suites.structural.framecalc.convert import direction
from sightline.suites.structural.model import Force, Moment, Spread
from sightline.suites.structural.physics.bearing import Bearers, Bearing, bearing
from sightline.suites.structural.physics.places import Floats, Laid, Piece, PlacePair


class Spot(NamedTuple):
    """Where a force or moment acts."""

    where: PlacePair | int
    """A place, or a piece."""
    at: float = 0.0
    """Metres from the piece's lower place."""
    borne: Bearers | None = None
    """What bears it at a place; None where it does not matter."""


class Stretch(Struct, frozen=True):
    """A load per metre on a part of a piece, measured from the piece's lower place; vectors in world axes."""

    between: PlacePair
    begin: float
    end: float
    at_begin: tuple[float, float]
    at_end: tuple[float, float]


class Applied(Struct):
    """All loads of a model."""

    spots: list[tuple[Spot, Floats]]
    """Where a force and moment (fx, fy, m) act."""
    stretches: list[Stretch]


def applied(laid: Laid, reach: float) -> Applied:
    """Loads of a model on the common places."""
    found = Applied([], [])
    bears = bearing(laid)
    by_link: dict[str, list[Piece]] = {}
    for piece in laid.pieces:
        by_link.setdefault(piece.link.id, []).append(piece)
    for load in laid.model.loads:
        if isinstance(load, Spread):
            found.stretches += [
                stretch for piece in by_link.get(load.link, []) if (stretch := _on_piece(load, piece)) is not None
            ]
        else:
            spot = _spot(load, laid, by_link, reach)
            if spot is not None:
                found.spots.append((_borne(spot, load, bears), _vector(load)))
    return found


def _vector(load: Force | Moment) -> Floats:
    if isinstance(load, Moment):
        return np.array([0.0, 0.0, load.value])
    x, y = direction(load.angle)
    return np.array([load.value * x, load.value * y, 0.0])


def _spot(load: Force | Moment, laid: Laid, by_link: dict[str, list[Piece]], reach: float) -> Spot | None:
    if load.point:
        return Spot(laid.place_of[load.point])
    for piece in by_link.get(load.link, []):
        inside = load.offset - piece.offset
        if inside <= piece.length + reach:
            if inside <= reach:
                return Spot(piece.begin)
            if inside >= piece.length - reach:
                return Spot(piece.end)
            return Spot(piece.between, inside if piece.begin < piece.end else piece.length - inside)
    return None


def _borne(spot: Spot, load: Force | Moment, bears: Bearing) -> Spot:
    """The spot with what bears the load there; inside a piece that is the piece."""
    if not isinstance(spot.where, int):
        return spot
    return spot._replace(borne=bears.of(spot.where, load.link, isinstance(load, Moment)))


def _on_piece(load: Spread, piece: Piece) -> Stretch | None:
    begin = max(load.begin, piece.offset)
    end = min(load.end, piece.offset + piece.length)
    if end <= begin or load.end <= load.begin:
        return None
    x, y = direction(load.angle)

    def intensity(at: float) -> tuple[float, float]:
        w = load.w_begin + (load.w_end - load.w_begin) * (at - load.begin) / (load.end - load.begin)
        return (w * x, w * y)

    first, last = begin - piece.offset, end - piece.offset
    if piece.begin < piece.end:
        return Stretch(piece.between, first, last, intensity(begin), intensity(end))
    return Stretch(piece.between, piece.length - last, piece.length - first, intensity(end), intensity(begin))
