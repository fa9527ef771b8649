"""Joints: the members and the support at a point."""

from __future__ import annotations

from msgspec import Struct

from sightline.suites.structural.drawing.vectors import XY, angle_gap, angle_of
from sightline.suites.structural.model import Model, Moment, PointSupport


class Joint(Struct, frozen=True, kw_only=True):
    """A point with the directions of its members."""

    at: XY
    directions: tuple[float, ...] = ()
    """Directions of the members from the joint."""
    hinged: tuple[bool, ...] = ()
    """Which of them are hinged here."""
    support: PointSupport | None = None
    has_moment: bool = False
    """Whether a moment acts on the point itself."""

    @property
    def has_central_hinge(self) -> bool:
        """Whether no moment is transferred between any two members, so that a single circle represents the hinge."""
        held = self.support is not None and self.support.kind in ("fixed", "slider")
        free = any(self.hinged) and sum(self.hinged) >= len(self.directions) - 1
        return free and not held and not self.has_moment

    def is_open(self, angle: float, gap: float = 50.0) -> bool:
        """Whether no member is within an angle of a direction."""
        return all(angle_gap(direction, angle) > gap for direction in self.directions)

    def room(self, angle: float) -> float:
        """The angle to the nearest member."""
        return min((angle_gap(direction, angle) for direction in self.directions), default=180.0)


def find_joints(model: Model, pixels: dict[str, XY]) -> dict[str, Joint]:
    """All joints by the ids of their points."""
    directions: dict[str, list[tuple[float, bool]]] = {point.id: [] for point in model.points}
    for link in model.links:
        directions[link.a].append((angle_of(pixels[link.a], pixels[link.b]), link.hinge_a))
        directions[link.b].append((angle_of(pixels[link.b], pixels[link.a]), link.hinge_b))
    supports = {support.point: support for support in model.supports}
    has_moment = {load.point for load in model.loads if isinstance(load, Moment) and load.point}
    return {
        key: Joint(
            at=pixels[key],
            directions=tuple(direction for direction, _ in ends),
            hinged=tuple(hinge for _, hinge in ends),
            support=supports.get(key),
            has_moment=key in has_moment,
        )
        for key, ends in directions.items()
    }
