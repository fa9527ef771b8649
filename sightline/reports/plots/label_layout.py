"""Places for names around a circle, so that none touches another.

All lengths are in inches; the origin is the centre of the circle.
"""

from __future__ import annotations

import math
from typing import NamedTuple

_PAD = 0.16
_STEP = 0.04


class Place(NamedTuple):
    """Where a name stands: its anchor on the side of the circle, and the box it fills."""

    x: float
    side: str
    left: float
    bottom: float
    right: float
    top: float

    def touches(self, other: Place) -> bool:
        """Whether two boxes overlap or nearly so."""
        apart = self.right + 0.08 < other.left or other.right + 0.08 < self.left
        return not (apart or self.top + 0.03 < other.bottom or other.top + 0.03 < self.bottom)


def radius_for(tall: list[float]) -> float:
    """A circle whose two sides hold names of these heights."""
    return max(2.9, 0.56 * (sum(tall) + _STEP * len(tall)) / 2)


def spread(radius: float, wide: list[float], tall: list[float]) -> list[Place]:
    """A free place for every name, from the top and from the bottom towards the middle of each side."""
    count = len(wide)
    done: dict[int, Place] = {}
    for i in sorted(range(count), key=lambda i: -abs(math.cos(2 * math.pi * i / count))):
        angle = 2 * math.pi * i / count
        up = math.cos(angle)
        y = (radius + _PAD) * up
        place = _place(radius, angle, y, wide[i], tall[i])
        for _ in range(2000):
            if not any(place.touches(other) for other in done.values()):
                break
            y -= math.copysign(_STEP, up)
            place = _place(radius, angle, y, wide[i], tall[i])
        done[i] = place
    return [done[i] for i in range(count)]


def _place(radius: float, angle: float, y: float, wide: float, tall: float) -> Place:
    """The box of a name whose anchor is at the height `y`, outside the circle."""
    across, up = math.sin(angle), math.cos(angle)
    bottom = y - tall / 2 + up * tall / 2
    if abs(across) < 0.05:
        return Place(0.0, "center", -wide / 2, bottom, wide / 2, bottom + tall)
    # the corner nearest to the centre decides how far out the box must be
    nearest = min(abs(bottom), abs(bottom + tall)) if bottom * (bottom + tall) > 0 else 0.0
    out = max(math.sqrt(max(0.0, (radius + _PAD) ** 2 - nearest**2)), (radius + _PAD) * abs(across) * 0.98)
    if across > 0:
        return Place(out, "left", out, bottom, out + wide, bottom + tall)
    return Place(-out, "right", -out - wide, bottom, -out, bottom + tall)
