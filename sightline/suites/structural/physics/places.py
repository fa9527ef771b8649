"""Two models laid over each other: common places, and the pieces that members are cut into by them.

Ids, order, direction, origin and extra collinear points are ways of writing; what remains is which places are joined by
which pieces. A place is a point of either model; a piece is a stretch of a member between two neighbouring places.
"""

from __future__ import annotations

from collections import Counter

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.suites.structural.model import Link, Model
from sightline.suites.structural.physics.aligning import best_shift

Floats = NDArray[np.float64]
PlacePair = tuple[int, int]


class Piece(Struct, frozen=True, kw_only=True):
    """A stretch of a link between two places, kept in the link's own direction."""

    link: Link
    begin: int
    end: int
    """Places."""
    offset: float
    """Metres from the link's end a to the piece's beginning."""
    length: float
    first: bool
    last: bool
    """Whether the piece begins, or ends, where the link does."""

    @property
    def between(self) -> PlacePair:
        """The two places, in the same order whichever way the link runs."""
        return (self.begin, self.end) if self.begin < self.end else (self.end, self.begin)


class Laid(Struct, frozen=True, kw_only=True):
    """One model on the common places."""

    model: Model
    place_of: dict[str, int]
    """Of each point, by id."""
    pieces: tuple[Piece, ...]
    shift: tuple[float, float]

    def joints(self) -> set[PlacePair]:
        """The places at both ends of every whole member."""
        return {(self.place_of[link.a], self.place_of[link.b]) for link in self.model.links}

    def joined(self) -> dict[int, list[tuple[PlacePair, ...]]]:
        """Which piece ends are joined at each place; a member that only passes is joined to itself alone there."""
        ends: dict[tuple[int, str], list[PlacePair]] = {}
        for piece in self.pieces:
            for place, at_end in ((piece.begin, piece.first), (piece.end, piece.last)):
                ends.setdefault((place, "" if at_end else piece.link.id), []).append(piece.between)
        found: dict[int, list[tuple[PlacePair, ...]]] = {}
        for (place, _), pairs in ends.items():
            found.setdefault(place, []).append(tuple(sorted(pairs)))
        return {place: sorted(groups) for place, groups in found.items()}

    def count(self) -> Counter[PlacePair]:
        """How many pieces run between each two places."""
        return Counter(piece.between for piece in self.pieces)


class Overlay(Struct, frozen=True, kw_only=True):
    """Truth and answer on common places; `reach` is the distance within which two points are the same place."""

    places: Floats
    truth: Laid
    answer: Laid
    reach: float

    @property
    def same_pieces(self) -> bool:
        """Whether both have the same pieces between the same places."""
        return self.truth.count() == self.answer.count()


def overlay(truth: Model, answer: Model, tolerance: float = 0.01) -> Overlay:
    """Lay the answer over the truth, wherever it was drawn.

    Where one is the other moved, their lower left corners meet. Otherwise a single wrong point there would move all
    that is right: then the answer is moved so that most of it lies on the truth.
    """
    reach = tolerance * mean_length(truth)
    shift = _corner(truth) - _corner(answer)
    over = _laid_over(truth, answer, shift, reach)
    if over.same_pieces:
        return over
    better = best_shift(truth, answer, shift, reach)
    return over if np.array_equal(better, shift) else _laid_over(truth, answer, better, reach)


def _laid_over(truth: Model, answer: Model, shift: Floats, reach: float) -> Overlay:
    at_truth, at_answer = _coordinates(truth), _coordinates(answer)
    gathered = _Places(len(at_truth) + len(at_answer), reach)
    truth_places = {point: gathered.find(xy) for point, xy in at_truth.items()}
    answer_places = {point: gathered.find(xy + shift) for point, xy in at_answer.items()}
    known = gathered.known
    still = (0.0, 0.0)
    return Overlay(
        places=known,
        reach=reach,
        truth=Laid(model=truth, place_of=truth_places, shift=still, pieces=_cut(truth, truth_places, known, reach)),
        answer=Laid(
            model=answer,
            place_of=answer_places,
            shift=(float(shift[0]), float(shift[1])),
            pieces=_cut(answer, answer_places, known, reach),
        ),
    )


def mean_length(model: Model) -> float:
    """Mean length of the members."""
    at = _coordinates(model)
    return float(np.mean([np.hypot(*(at[link.b] - at[link.a])) for link in model.links]))


def _coordinates(model: Model) -> dict[str, Floats]:
    return {point.id: np.array([point.x, point.y]) for point in model.points}


def _corner(model: Model) -> Floats:
    """The lower left corner of what members span; points without members don't count."""
    at = _coordinates(model)
    used = {end for link in model.links for end in (link.a, link.b)}
    return np.asarray(np.min([at[point] for point in used], axis=0))


class _Places:
    """Places as they are found: a point within reach of one is that place."""

    def __init__(self, most: int, reach: float) -> None:
        self._room = np.empty((most, 2))
        self._size = 0
        self._reach = reach

    @property
    def known(self) -> Floats:
        return self._room[: self._size]

    def find(self, xy: Floats) -> int:
        near = np.flatnonzero(np.hypot(*(self.known - xy).T) <= self._reach)
        if len(near):
            return int(near[0])
        self._room[self._size] = xy
        self._size += 1
        return self._size - 1


def _cut(model: Model, place_of: dict[str, int], places: Floats, reach: float) -> tuple[Piece, ...]:
    """All members at once: which places lie on which, and how far along."""
    begin = np.array([place_of[link.a] for link in model.links])
    end = np.array([place_of[link.b] for link in model.links])
    along = places[end] - places[begin]
    length = np.hypot(along[:, 0], along[:, 1])
    unit = along / np.maximum(length, np.finfo(float).tiny)[:, None]
    away = places[None, :, :] - places[begin][:, None, :]
    offset = away[..., 0] * unit[:, :1] + away[..., 1] * unit[:, 1:]
    aside = np.abs(away[..., 1] * unit[:, :1] - away[..., 0] * unit[:, 1:])
    inside = (aside <= reach) & (offset > reach) & (offset < length[:, None] - reach)
    pieces: list[Piece] = []
    for number, link in enumerate(model.links):
        if length[number] > reach:
            between = np.flatnonzero(inside[number])
            stops = [(float(offset[number, place]), int(place)) for place in between]
            ends = (0.0, int(begin[number])), (float(length[number]), int(end[number]))
            pieces += _pieces(link, [ends[0], *sorted(stops), ends[1]])
    return tuple(pieces)


def _pieces(link: Link, stops: list[tuple[float, int]]) -> list[Piece]:
    return [
        Piece(
            link=link,
            begin=stops[k][1],
            end=stops[k + 1][1],
            offset=stops[k][0],
            length=stops[k + 1][0] - stops[k][0],
            first=k == 0,
            last=k == len(stops) - 2,
        )
        for k in range(len(stops) - 1)
    ]
