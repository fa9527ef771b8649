"""What bears a load that acts at a place: a force, all that is joined there; a moment, only what turns with its point.

At a hinge each side turns for itself, and members that only cross share nothing. So the same force and moment at the
same place may be another load. Bearers are told by pieces, which both models share, never by ids.
"""

from __future__ import annotations

from collections.abc import Iterator

from msgspec import Struct

from sightline.suites.structural.physics.places import Laid, PlacePair

Bearers = frozenset[PlacePair]
"""The pieces whose ends at a place move, or turn, as one."""
GROUND: PlacePair = (-1, -1)
"""Stands among the bearers of a moment for a support that holds the rotation."""
Grip = tuple[int, str]
"""What a load can be put on: a place and the link that passes it or is hinged to it; no link means the joint."""


class Bearing(Struct):
    """All grips of a model: which piece ends move with each, and which turn with it."""

    moving: dict[Grip, Bearers]
    turning: dict[Grip, Bearers]

    def of(self, place: int, link: str, turns: bool) -> Bearers:
        """What bears a force, or a moment, on a link where it reaches a place; on the joint where no link is named."""
        grips = self.turning if turns else self.moving
        return grips.get((place, link), grips.get((place, ""), frozenset()))

    def grip(self, place: int, bearers: Bearers, turns: bool) -> Grip | None:
        """Where this model has these bearers at a place; None where nothing here moves, or turns, just so."""
        grips = self.turning if turns else self.moving
        return next((grip for grip, borne in grips.items() if grip[0] == place and borne == bearers), None)


def bearing(laid: Laid) -> Bearing:
    """The grips of a model as it is written."""
    moving: dict[Grip, Bearers] = {}
    turning: dict[Grip, Bearers] = {(place, ""): frozenset() for place in laid.place_of.values()}
    for place, link, between, at_end, hinged in _ends(laid):
        joint = (place, "" if at_end else link)
        moving[joint] = moving.get(joint, frozenset()) | {between}
        turned = (place, link) if hinged else joint
        turning[turned] = turning.get(turned, frozenset()) | {between}
    for support in laid.model.supports:
        if support.kind in ("fixed", "slider"):
            joint = (laid.place_of[support.point], "")
            turning[joint] = turning.get(joint, frozenset()) | {GROUND}
    return Bearing(moving, turning)


def _ends(laid: Laid) -> Iterator[tuple[int, str, PlacePair, bool, bool]]:
    """Every end of every piece: place, link, piece, whether the link ends here, and whether it is hinged here."""
    for piece in laid.pieces:
        yield piece.begin, piece.link.id, piece.between, piece.first, piece.first and piece.link.hinge_a
        yield piece.end, piece.link.id, piece.between, piece.last, piece.last and piece.link.hinge_b
