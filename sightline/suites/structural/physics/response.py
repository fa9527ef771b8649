"""How a model answers to loads, told by place: reactions, forces at the ends of pieces, displacements."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from msgspec import Struct

from sightline.suites.structural.fem.model import (
    Frame,
    Load,
    Member,
    MemberLineLoad,
    MemberPointLoad,
    Node,
    NodeLoad,
    Support,
)
from sightline.suites.structural.fem.structure import Structure
from sightline.suites.structural.model import STANDARD_A, STANDARD_E, STANDARD_I
from sightline.suites.structural.physics.applied import Applied, Spot
from sightline.suites.structural.physics.bearing import bearing
from sightline.suites.structural.physics.places import Floats, Laid, Piece, PlacePair

Held = tuple[tuple[float, float, float], ...]


class Variant(Struct, frozen=True, kw_only=True):
    """A model with something held equal: what a controlled experiment is made of."""

    held: dict[int, Held]
    """What is held at each place."""
    hinged: bool = True
    """Releases as written; else every joint is rigid."""
    pinned: frozenset[int] = frozenset()
    """Places where every member end is released, as at the joints of a textbook's truss."""
    own_material: bool = True
    """Stiffnesses as written; else all members are alike."""


class Response(Struct):
    """Cases × places or pieces. Forces on a piece are in the axes of the piece from its lower to its upper place."""

    pairs: list[PlacePair]
    reactions: Floats
    forces: Floats
    """Cases × pieces × (axial, transverse, moment at the lower place; the same at the upper)."""
    displacements: Floats


class Bench:
    """One model in one variant, ready to be loaded."""

    def __init__(self, laid: Laid, places: Floats, variant: Variant) -> None:
        self._laid = laid
        self._places = places
        self._bearing = bearing(laid)
        self._nodes = _nodes(laid)
        self._at_place = {place: index for (place, link), index in self._nodes.items() if not link}
        for (place, _), index in self._nodes.items():
            self._at_place.setdefault(place, index)
        self._held_places = [place for place in variant.held if place in self._at_place]
        self._held_nodes = [self._at_place[place] for place in self._held_places]
        self._known_places, self._known_nodes = list(self._at_place), list(self._at_place.values())
        supports = [Support(self._at_place[place], variant.held[place]) for place in self._held_places]
        self._structure = Structure(
            Frame(
                nodes=tuple(Node(*map(float, places[place])) for place, _ in self._nodes),
                members=tuple(self._member(piece, variant) for piece in laid.pieces),
                supports=tuple(supports),
            )
        )

    def respond(self, cases: Sequence[Applied]) -> Response:
        """Solve for every case at once."""
        loads = [self._loads(case) for case in cases]
        solutions = self._structure.solve_many(loads)
        pairs = sorted({piece.between for piece in self._laid.pieces})
        row = {pair: index for index, pair in enumerate(pairs)}
        size = len(self._places)
        response = Response(
            pairs,
            np.zeros((len(cases), size, 3)),
            np.zeros((len(cases), len(pairs), 6)),
            np.zeros((len(cases), size, 2)),
        )
        rows = [row[piece.between] for piece in self._laid.pieces]
        backwards = np.array([piece.begin > piece.end for piece in self._laid.pieces])
        for number, solution in enumerate(solutions):
            # pieces that lie on one another carry together
            ends = self._inside(solution.end_forces, loads[number])
            np.add.at(response.forces[number], rows, _upwards(ends, backwards))
            response.reactions[number, self._held_places] = solution.node_reactions[self._held_nodes]
            response.displacements[number, self._known_places] = solution.displacements[self._known_nodes, :2]
        return response

    def _inside(self, end_forces: Floats, loads: list[Load]) -> Floats:
        """End forces just inside the members: a moment on a hinged end bends the member as one on its joint would."""
        inside = end_forces.copy()
        for load in loads:
            if isinstance(load, MemberPointLoad) and load.at in (0.0, self._laid.pieces[load.member].length):
                inside[load.member, 2 if load.at == 0.0 else 5] += load.m
        return inside

    def _member(self, piece: Piece, variant: Variant) -> Member:
        link = piece.link
        own = variant.own_material
        return Member(
            start=self._node(piece.begin, link.id, piece.first),
            end=self._node(piece.end, link.id, piece.last),
            E=link.E if own else STANDARD_E,
            A=link.A if own else STANDARD_A,
            I=link.Iz if own else STANDARD_I,
            hinge_start=piece.first and (piece.begin in variant.pinned or (variant.hinged and link.hinge_a)),
            hinge_end=piece.last and (piece.end in variant.pinned or (variant.hinged and link.hinge_b)),
        )

    def _node(self, place: int, link: str, at_end: bool) -> int:
        return self._nodes[place, "" if at_end else link]

    def _loads(self, case: Applied) -> list[Load]:
        first = {piece.between: index for index, piece in reversed(list(enumerate(self._laid.pieces)))}
        loads: list[Load] = []
        for spot, (fx, fy, m) in case.spots:
            if isinstance(spot.where, int):
                loads += self._at(spot, fx, fy, m)
            elif spot.where in first:
                piece = self._laid.pieces[first[spot.where]]
                loads.append(MemberPointLoad(first[spot.where], _own(piece, spot.at), fx, fy, m))
        for stretch in case.stretches:
            if stretch.between in first:
                piece = self._laid.pieces[first[stretch.between]]
                ends = [(_own(piece, stretch.begin), stretch.at_begin), (_own(piece, stretch.end), stretch.at_end)]
                (begin, at_begin), (end, at_end) = sorted(ends)
                loads.append(MemberLineLoad(first[stretch.between], begin, end, *at_begin, *at_end))
        return loads

    def _at(self, spot: Spot, fx: float, fy: float, m: float) -> list[Load]:
        """A load at a place, on what bears it there; none where this model has no such thing."""
        assert isinstance(spot.where, int)
        place = spot.where
        if spot.borne is None:
            return [NodeLoad(self._at_place[place], fx, fy, m)] if place in self._at_place else []
        grip = self._bearing.grip(place, spot.borne, turns=m != 0.0)
        if grip is None:
            return []
        if grip in self._nodes:
            return [NodeLoad(self._nodes[grip], fx, fy, m)]
        for number, piece in enumerate(self._laid.pieces):
            if piece.link.id == grip[1] and place in piece.between:
                return [MemberPointLoad(number, 0.0 if piece.begin == place else piece.length, fx, fy, m)]
        return []


def _nodes(laid: Laid) -> dict[tuple[int, str], int]:
    """Joints by place; where a member only passes a place, it has a node there of its own, joined to nothing else."""
    found: dict[tuple[int, str], int] = {}
    for piece in laid.pieces:
        for place, at_end in ((piece.begin, piece.first), (piece.end, piece.last)):
            found.setdefault((place, "" if at_end else piece.link.id), len(found))
    return found


def _own(piece: Piece, at: float) -> float:
    """Metres from the lower place as metres along the piece's own direction."""
    return min(max(at if piece.begin < piece.end else piece.length - at, 0.0), piece.length)


def _upwards(end_forces: Floats, backwards: Floats) -> Floats:
    """End forces in the axes from the lower place to the upper: a piece that runs the other way is turned by 180°."""
    turned = end_forces[:, [3, 4, 5, 0, 1, 2]] * np.array([-1.0, -1.0, 1.0, -1.0, -1.0, 1.0])
    return np.where(backwards[:, None], turned, end_forces)
