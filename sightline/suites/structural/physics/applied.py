"""The loads of a model by place: what acts on each place and along each piece, however it was written down."""

from __future__ import annotations

import numpy as np
from msgspec import Struct

from sightline.suites.structural.framecalc.convert import direction
from sightline.suites.structural.model import Force, Moment, Spread
from sightline.suites.structural.physics.places import Floats, Laid, Piece, PlacePair

Spot = tuple[PlacePair | int, float]
"""A place and 0, or a piece and metres from its lower place."""


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


def applied(laid: Laid, places: Floats, reach: float) -> Applied:
    """Loads of a model on the common places."""
    found = Applied([], [])
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
                found.spots.append((spot, _vector(load)))
    return found


def _vector(load: Force | Moment) -> Floats:
    if isinstance(load, Moment):
        return np.array([0.0, 0.0, load.value])
    x, y = direction(load.angle)
    return np.array([load.value * x, load.value * y, 0.0])


def _spot(load: Force | Moment, laid: Laid, by_link: dict[str, list[Piece]], reach: float) -> Spot | None:
    if load.point:
        return laid.place_of[load.point], 0.0
    for piece in by_link.get(load.link, []):
        inside = load.offset - piece.offset
        if inside <= piece.length + reach:
            if inside <= reach:
                return piece.begin, 0.0
            if inside >= piece.length - reach:
                return piece.end, 0.0
            return piece.between, inside if piece.begin < piece.end else piece.length - inside
    return None


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
