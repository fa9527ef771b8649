"""Loads with round values, at places where a textbook would put them."""

from __future__ import annotations

import math
from collections.abc import Callable

from sightline.suites.structural.generator.dice import Dice
from sightline.suites.structural.generator.sketch import DOWN, LEFT, RIGHT, UP, Sketch

FORCES = (5.0, 8.0, 10.0, 12.0, 15.0, 18.0, 20.0, 24.0, 25.0, 30.0, 36.0, 40.0, 50.0, 60.0)
SPREADS = (2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.5, 8.0, 10.0, 12.0, 15.0, 16.0, 18.0, 20.0, 24.0)
MOMENTS = (6.0, 8.0, 10.0, 12.0, 15.0, 16.0, 20.0, 24.0, 30.0, 40.0, 45.0, 60.0)
_TILTS = (30.0, 45.0, 60.0)


class Loading:
    """Puts loads on a sketch, each on a place of its own, and no two marks nearer than `gap` metres on a member."""

    def __init__(self, sketch: Sketch, dice: Dice, gap: float = 1.0) -> None:
        self._sketch = sketch
        self._dice = dice
        self._gap = gap
        self._marks: dict[str, set[float]] = {}
        self._spread: set[str] = set()
        self._pushed: set[str] = set()

    def add(self, count: int) -> None:
        """So many loads, or fewer where no more fit."""
        ways: list[Callable[[], bool]] = [self.uniform] * 4 + [self.on_member] * 3 + [self.on_point] * 3
        ways += [self.partial, self.partial, self.sloped, self.sloped, self.turn_point, self.turn_member]
        tries = 0
        while len(self._sketch.loads) < count and tries < 8 * count:
            self._dice.pick(ways)()
            tries += 1

    def uniform(self) -> bool:
        """The same all along a member, and sometimes along all that are loaded alike."""
        link = self._unloaded()
        if not link:
            return False
        value, angle = self._dice.pick(SPREADS), self._sketch.spans[link]
        alike = [other for other, way in self._sketch.spans.items() if way == angle and other not in self._spread]
        for one in alike if self._dice.chance(0.3) else [link]:
            self._put(one, (0.0, self._sketch.length(one)), (value, value))
        return True

    def partial(self) -> bool:
        """On part of a member."""
        link = self._unloaded()
        length = self._sketch.length(link) if link else 0.0
        spots = self._halves(length)
        if not spots or not self._is_new(link, spot := self._dice.pick(spots)):
            return False
        part = self._dice.pick([(0.0, spot), (spot, length)])
        self._put(link, part, (value := self._dice.pick(SPREADS), value))
        return True

    def sloped(self) -> bool:
        """Triangular or trapezoidal."""
        link = self._unloaded()
        if not link:
            return False
        high = self._dice.pick(SPREADS[3:])
        lower = [value for value in SPREADS if 0.3 * high <= value <= 0.7 * high]
        low = self._dice.pick(lower) if self._dice.chance(0.35) else 0.0
        values = (low, high) if self._dice.chance() else (high, low)
        self._put(link, (0.0, self._sketch.length(link)), values)
        return True

    def on_member(self) -> bool:
        """A force on a member, across it, or slanting where it is level."""
        link, spot = self._spot()
        if not link:
            return False
        self._sketch.force(self._dice.pick(FORCES), self._tilted(self._sketch.spans[link]), link=link, offset=spot)
        return True

    def on_point(self) -> bool:
        """A force on a joint."""
        free = [point for point in self._sketch.pushes if point not in self._pushed]
        if not free:
            return False
        point = self._dice.pick(free)
        self._pushed.add(point)
        self._sketch.force(self._dice.pick(FORCES), self._tilted(self._sketch.pushes[point]), point=point)
        return True

    def turn_point(self) -> bool:
        """A moment on a joint."""
        free = [point for point in self._sketch.turns if point not in self._pushed]
        if not free:
            return False
        point = self._dice.pick(free)
        self._pushed.add(point)
        self._sketch.moment(self._signed(), point=point)
        return True

    def turn_member(self) -> bool:
        """A moment on a member."""
        link, spot = self._spot()
        if not link:
            return False
        self._sketch.moment(self._signed(), link=link, offset=spot)
        return True

    def _signed(self) -> float:
        return self._dice.pick(MOMENTS) * self._dice.pick((1.0, -1.0))

    def _put(self, link: str, part: tuple[float, float], values: tuple[float, float]) -> None:
        self._spread.add(link)
        self._sketch.spread(link, part, values, self._sketch.spans[link])

    def _unloaded(self) -> str:
        free = [link for link in self._sketch.spans if link not in self._spread]
        return self._dice.pick(free) if free else ""

    def _spot(self) -> tuple[str, float]:
        """A member and a place on it, or no member at all."""
        options = [link for link in self._sketch.spans if self._halves(self._sketch.length(link))]
        if not options:
            return "", 0.0
        link = self._dice.pick(options)
        length = self._sketch.length(link)
        spots = self._halves(length)
        whole = [spot for spot in spots if spot == round(spot) or spot == length / 2]
        spot = self._dice.pick(whole or spots)
        return (link, spot) if self._is_new(link, spot) else ("", 0.0)

    def _halves(self, length: float) -> list[float]:
        """The distances by halves of metres that keep clear of both ends; none where the length itself isn't round."""
        if not math.isclose(2 * length, round(2 * length), abs_tol=1e-9):
            return []
        return [k / 2 for k in range(1, round(2 * length)) if self._gap <= k / 2 <= length - self._gap]

    def _is_new(self, link: str, spot: float) -> bool:
        marks = self._marks.setdefault(link, set())
        if any(abs(mark - spot) < self._gap for mark in marks):
            return False
        marks.add(spot)
        return True

    def _tilted(self, angle: float) -> float:
        """The direction itself, or one to the side of it."""
        if angle in (DOWN, UP) and self._dice.chance(0.2):
            return angle + self._dice.pick((1.0, -1.0)) * (90.0 - self._dice.pick(_TILTS))
        if angle in (LEFT, RIGHT) and self._dice.chance(0.1):
            down = self._dice.pick(_TILTS)
            return angle - down if angle == RIGHT else angle + down
        return angle
