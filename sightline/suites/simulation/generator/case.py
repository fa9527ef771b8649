"""Data model of a simulation case: the scene to draw, the report to print, and the answers."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from msgspec import Struct

from sightline.suites.simulation.generator.arrays import Array, Field, Point, VectorField, Window
from sightline.suites.simulation.generator.draw import ParameterRng
from sightline.suites.simulation.generator.flows.facts import FlowFacts
from sightline.suites.simulation.generator.residuals import Residuals
from sightline.suites.simulation.generator.solids.facts import SolidFacts


class Line(Struct, frozen=True):
    """A polyline in the plane of the scene."""

    points: tuple[Point, ...]
    colour: str = "#30363d"
    width: float = 1.5
    dashed: bool = False


class Arrow(Struct, frozen=True):
    """A path with a head at its end."""

    points: tuple[Point, ...]
    colour: str = "#b3261e"
    width: float = 2.2


class Hatch(Struct, frozen=True):
    """A support or wall: a line, hatched on its left side as one walks along it."""

    start: Point
    end: Point


class TextNote(Struct, frozen=True):
    """A text label at a point."""

    text: str
    at: Point


class Disc(Struct, frozen=True):
    """A solid round obstacle."""

    centre: Point
    radius: float


Annotation: TypeAlias = Line | Arrow | Hatch | TextNote | Disc


class Profile(Struct, frozen=True, kw_only=True):
    """A line chart that goes with the field."""

    title: str
    across: str
    up: str
    xs: Array
    ys: Array


class Scene(Struct, frozen=True, kw_only=True):
    """What is drawn. Moments run from 0, the start, to 1, the state described by the report."""

    window: Window
    values: Field
    quantity: str
    """What the colours show, with its unit."""
    factor: float = 1.0
    """From SI to the unit of the legend."""
    marks: Callable[[float], tuple[Annotation, ...]]
    stage: Callable[[float], str]
    """What the film says about a moment."""
    flow: VectorField | None = None
    """Moves tracers and draws streamlines, where there is a flow."""
    domain: Window | None = None
    """Where the flow is; the window has a margin around it."""
    follows_lines: bool = False
    """Whether streamlines are drawn, else arrows."""
    profile: Profile
    may_turn: bool = True
    decays: bool = False
    """Whether the colours of the film are those of the first moment, not of the last."""


class Section(Struct, frozen=True, kw_only=True):
    """A table of the report."""

    title: str
    rows: tuple[tuple[str, ...], ...]
    header: tuple[str, ...] = ()


class Case(Struct, frozen=True, kw_only=True):
    """One simulation."""

    kind: str
    title: str
    subtitle: str
    scene: Scene
    facts: SolidFacts | FlowFacts
    answers: dict[str, bool]
    sections: tuple[Section, ...]
    figures: tuple[tuple[str, str], ...]
    """The few numbers that stand beside the picture."""
    residuals: Residuals


class Candidate(Struct, frozen=True):
    """Drawn parameters with their expected answers; solved only if the candidate is selected."""

    expected: dict[str, bool]
    """A forecast that steers the choice alone: the key is measured on the solved fields."""
    solve: Callable[[], Case]


class Kind(Struct, frozen=True):
    """A family of cases that differ in their parameters."""

    name: str
    propose: Callable[[ParameterRng], Candidate]


def exact_kind(name: str, make: Callable[[ParameterRng], Case]) -> Kind:
    """Return a kind whose fields are closed-form, so that candidates are complete cases."""

    def propose(draw: ParameterRng) -> Candidate:
        case = make(draw)
        return Candidate(case.answers, lambda: case)

    return Kind(name, propose)
