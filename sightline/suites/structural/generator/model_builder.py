"""Builder of random structural models: seeded choices, incremental construction, and loads with round values."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence

import msgspec

from sightline.core.rng import RandomChoices, T
from sightline.suites.structural.model import (
    DistributedLoad,
    Force,
    Link,
    Load,
    Model,
    Moment,
    Point,
    PointSupport,
    SupportKind,
)


class SeededRandom(RandomChoices):
    """Pseudo-random generator whose sequence depends only on its key."""

    def __init__(self, *key: int | str) -> None:
        super().__init__(random.Random("/".join(map(str, key))))

    def sample(self, options: Sequence[T], count: int) -> list[T]:
        """Several distinct options in their original order; all of them if there are no more than `count`."""
        chosen = sorted(self._random.sample(range(len(options)), min(count, len(options))))
        return [options[k] for k in chosen]


DOWN, UP, LEFT, RIGHT = 270.0, 90.0, 180.0, 0.0


class ModelBuilder:
    """Adds parts one by one; ids are numbered in order of creation."""

    def __init__(self) -> None:
        self.points: list[Point] = []
        self.links: list[Link] = []
        self.supports: list[PointSupport] = []
        self.loads: list[Load] = []
        self.loadable_links: dict[str, float] = {}
        """Members that may be loaded, with the direction of their loads."""
        self.force_points: dict[str, float] = {}
        """Points on which a force may act, with its direction."""
        self.moment_points: list[str] = []
        """Points on which a moment may act."""

    def point(self, x: float, y: float = 0.0) -> str:
        """Add a joint, or return the existing one at these coordinates."""
        for existing in self.points:
            if abs(existing.x - x) < 1e-9 and abs(existing.y - y) < 1e-9:
                return existing.id
        self.points.append(Point(f"P{len(self.points) + 1}", x + 0.0, y + 0.0))
        return self.points[-1].id

    def link(self, a: str, b: str, *, load: float | None = None) -> str:
        """Add a member; `load` is the direction in which loads may act on it."""
        self.links.append(Link(id=f"L{len(self.links) + 1}", a=a, b=b))
        if load is not None:
            self.loadable_links[self.links[-1].id] = load
        return self.links[-1].id

    def support(self, point: str, kind: SupportKind, angle: float = 0.0) -> None:
        """Add a support."""
        self.supports.append(PointSupport(id=f"S{len(self.supports) + 1}", point=point, kind=kind, angle=angle % 360.0))

    def hinge(self, link: str, point: str) -> None:
        """Release the moment of a member at one of its ends."""
        for k, member in enumerate(self.links):
            if member.id == link:
                end = {"hinge_a": True} if member.a == point else {"hinge_b": True}
                self.links[k] = msgspec.structs.replace(member, **end)

    def hinge_everywhere(self) -> None:
        """Release both ends of all members: an ideal truss."""
        self.links = [msgspec.structs.replace(link, hinge_a=True, hinge_b=True) for link in self.links]

    def at(self, point: str) -> tuple[float, float]:
        """Coordinates of a joint."""
        return next((joint.x, joint.y) for joint in self.points if joint.id == point)

    def length(self, link: str) -> float:
        """Length of a member."""
        member = next(member for member in self.links if member.id == link)
        (ax, ay), (bx, by) = self.at(member.a), self.at(member.b)
        return math.hypot(bx - ax, by - ay)

    def force(self, value: float, angle: float, *, point: str = "", link: str = "", offset: float = 0.0) -> None:
        """Add a point load."""
        angle %= 360.0
        self.loads.append(Force(id=self._load_id(), value=value, angle=angle, point=point, link=link, offset=offset))

    def moment(self, value: float, *, point: str = "", link: str = "", offset: float = 0.0) -> None:
        """Add a moment, counter-clockwise positive."""
        self.loads.append(Moment(id=self._load_id(), value=value, point=point, link=link, offset=offset))

    def distributed_load(self, link: str, part: tuple[float, float], values: tuple[float, float], angle: float) -> None:
        """Add a distributed load on part of a member."""
        (begin, end), (w_begin, w_end) = part, values
        self.loads.append(
            DistributedLoad(
                id=self._load_id(), link=link, begin=begin, end=end, w_begin=w_begin, w_end=w_end, angle=angle % 360.0
            )
        )

    def _load_id(self) -> str:
        return f"LD{len(self.loads) + 1}"

    def model(self) -> Model:
        """The finished model."""
        return Model(
            points=tuple(self.points), links=tuple(self.links), supports=tuple(self.supports), loads=tuple(self.loads)
        )


FORCES = (5.0, 8.0, 10.0, 12.0, 15.0, 18.0, 20.0, 24.0, 25.0, 30.0, 36.0, 40.0, 50.0, 60.0)
INTENSITIES = (2.0, 2.5, 3.0, 4.0, 5.0, 6.0, 7.5, 8.0, 10.0, 12.0, 15.0, 16.0, 18.0, 20.0, 24.0)
MOMENTS = (6.0, 8.0, 10.0, 12.0, 15.0, 16.0, 20.0, 24.0, 30.0, 40.0, 45.0, 60.0)
_TILTS = (30.0, 45.0, 60.0)


class RandomLoads:
    """Adds random loads to a model; positions on a member are at least `gap` metres apart."""

    def __init__(self, builder: ModelBuilder, rng: SeededRandom, gap: float = 1.0) -> None:
        self._builder = builder
        self._rng = rng
        self._gap = gap
        self._marks: dict[str, set[float]] = {}
        self._loaded_links: set[str] = set()
        self._loaded_points: set[str] = set()

    def add(self, count: int) -> None:
        """Add `count` loads, or fewer if no more fit."""
        methods: list[Callable[[], None]] = [
            *[self.add_uniform] * 4,
            *[self.add_member_force] * 3,
            *[self.add_joint_force] * 3,
            *[self.add_partial] * 2,
            *[self.add_sloped] * 2,
            self.add_joint_moment,
            self.add_member_moment,
        ]
        tries = 0
        while len(self._builder.loads) < count and tries < 8 * count:
            self._rng.pick(methods)()
            tries += 1

    def add_uniform(self) -> None:
        """Add a uniform load on a member, or sometimes on all members with the same load direction."""
        if link := self._pick_unloaded_link():
            directions = self._builder.loadable_links
            value, angle = self._rng.pick(INTENSITIES), directions[link]
            alike = [other for other in directions if directions[other] == angle and other not in self._loaded_links]
            for span_link in alike if self._rng.chance(0.3) else [link]:
                self._add_distributed(span_link, (0.0, self._builder.length(span_link)), (value, value))

    def add_partial(self) -> None:
        """Add a uniform load on part of a member."""
        link = self._pick_unloaded_link()
        length = self._builder.length(link) if link else 0.0
        positions = self._half_metre_positions(length)
        if positions and self._reserve(link, position := self._rng.pick(positions)):
            part = self._rng.pick([(0.0, position), (position, length)])
            self._add_distributed(link, part, (value := self._rng.pick(INTENSITIES), value))

    def add_sloped(self) -> None:
        """Add a triangular or trapezoidal load."""
        if link := self._pick_unloaded_link():
            high = self._rng.pick(INTENSITIES[3:])
            lower = [value for value in INTENSITIES if 0.3 * high <= value <= 0.7 * high]
            low = self._rng.pick(lower) if self._rng.chance(0.35) else 0.0
            values = (low, high) if self._rng.chance() else (high, low)
            self._add_distributed(link, (0.0, self._builder.length(link)), values)

    def add_member_force(self) -> None:
        """Add a force on a member, perpendicular or inclined."""
        link, position = self._pick_position()
        if link:
            value = self._rng.pick(FORCES)
            self._builder.force(
                value, self._maybe_tilted(self._builder.loadable_links[link]), link=link, offset=position
            )

    def add_joint_force(self) -> None:
        """Add a force on a joint."""
        if point := self._pick_unloaded_point(list(self._builder.force_points)):
            value = self._rng.pick(FORCES)
            self._builder.force(value, self._maybe_tilted(self._builder.force_points[point]), point=point)

    def add_joint_moment(self) -> None:
        """Add a moment on a joint."""
        if point := self._pick_unloaded_point(self._builder.moment_points):
            self._builder.moment(self._random_moment(), point=point)

    def add_member_moment(self) -> None:
        """Add a moment on a member."""
        link, position = self._pick_position()
        if link:
            self._builder.moment(self._random_moment(), link=link, offset=position)

    def _pick_unloaded_point(self, points: list[str]) -> str:
        free = [point for point in points if point not in self._loaded_points]
        if not free:
            return ""
        point = self._rng.pick(free)
        self._loaded_points.add(point)
        return point

    def _random_moment(self) -> float:
        return self._rng.pick(MOMENTS) * self._rng.pick((1.0, -1.0))

    def _add_distributed(self, link: str, part: tuple[float, float], values: tuple[float, float]) -> None:
        self._loaded_links.add(link)
        self._builder.distributed_load(link, part, values, self._builder.loadable_links[link])

    def _pick_unloaded_link(self) -> str:
        free = [link for link in self._builder.loadable_links if link not in self._loaded_links]
        return self._rng.pick(free) if free else ""

    def _pick_position(self) -> tuple[str, float]:
        """A random member and a free position on it, or an empty id."""
        options = [
            link for link in self._builder.loadable_links if self._half_metre_positions(self._builder.length(link))
        ]
        if not options:
            return "", 0.0
        link = self._rng.pick(options)
        length = self._builder.length(link)
        positions = self._half_metre_positions(length)
        whole = [position for position in positions if position == round(position) or position == length / 2]
        position = self._rng.pick(whole or positions)
        return (link, position) if self._reserve(link, position) else ("", 0.0)

    def _half_metre_positions(self, length: float) -> list[float]:
        """Positions in steps of 0.5 m away from both ends; none if the length is not a multiple of 0.5 m."""
        if not math.isclose(2 * length, round(2 * length), abs_tol=1e-9):
            return []
        return [k / 2 for k in range(1, round(2 * length)) if self._gap <= k / 2 <= length - self._gap]

    def _reserve(self, link: str, position: float) -> bool:
        marks = self._marks.setdefault(link, set())
        if any(abs(mark - position) < self._gap for mark in marks):
            return False
        marks.add(position)
        return True

    def _maybe_tilted(self, angle: float) -> float:
        """The direction itself, or occasionally an inclined one."""
        if angle in (DOWN, UP) and self._rng.chance(0.2):
            return angle + self._rng.pick((1.0, -1.0)) * (90.0 - self._rng.pick(_TILTS))
        if angle in (LEFT, RIGHT) and self._rng.chance(0.1):
            down = self._rng.pick(_TILTS)
            return angle - down if angle == RIGHT else angle + down
        return angle
