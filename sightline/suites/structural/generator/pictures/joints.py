"""What meets at a point."""

from __future__ import annotations

from msgspec import Struct

from sightline.suites.structural.drawing.vectors import XY, angle_gap, angle_of
from sightline.suites.structural.model import Model, Moment, PointSupport


class Joint(Struct, frozen=True, kw_only=True):
    """A point with the members that leave it."""

    at: XY
    ways: tuple[float, ...] = ()
    """The directions in which members leave."""
    hinged: tuple[bool, ...] = ()
    """Which of them are hinged here."""
    support: PointSupport | None = None
    turned: bool = False
    """Whether a moment acts on the point itself."""

    @property
    def has_central_hinge(self) -> bool:
        """Whether no moment passes between any two of its members, so that one circle on the point tells it all."""
        held = self.support is not None and self.support.kind in ("fixed", "slider")
        free = any(self.hinged) and sum(self.hinged) >= len(self.ways) - 1
        return free and not held and not self.turned

    def is_open(self, angle: float, gap: float = 50.0) -> bool:
        """Whether no member leaves near a direction."""
        return all(angle_gap(way, angle) > gap for way in self.ways)

    def room(self, angle: float) -> float:
        """The angle to the nearest member."""
        return min((angle_gap(way, angle) for way in self.ways), default=180.0)


def find_joints(model: Model, pixels: dict[str, XY]) -> dict[str, Joint]:
    """All joints by the ids of their points."""
    ways: dict[str, list[tuple[float, bool]]] = {point.id: [] for point in model.points}
    for link in model.links:
        ways[link.a].append((angle_of(pixels[link.a], pixels[link.b]), link.hinge_a))
        ways[link.b].append((angle_of(pixels[link.b], pixels[link.a]), link.hinge_b))
    supports = {support.point: support for support in model.supports}
    turned = {load.point for load in model.loads if isinstance(load, Moment) and load.point}
    return {
        key: Joint(
            at=pixels[key],
            ways=tuple(way for way, _ in found),
            hinged=tuple(hinge for _, hinge in found),
            support=supports.get(key),
            turned=key in turned,
        )
        for key, found in ways.items()
    }
