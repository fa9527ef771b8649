"""Data model of a simulation case: fields, scene to draw, residual history, report tables, questions and answers."""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from importlib.resources import files
from typing import TYPE_CHECKING, Generic, TypeAlias, TypeVar

import numpy as np
from msgspec import Struct
from numpy.typing import NDArray

from sightline.suites.simulation.generator.rng import ParameterRng

if TYPE_CHECKING:
    from sightline.suites.simulation.generator.flows.facts import FlowFacts
    from sightline.suites.simulation.generator.solids.facts import SolidFacts

Array: TypeAlias = NDArray[np.float64]
Point: TypeAlias = tuple[float, float]
Field: TypeAlias = Callable[[Array, Array, float], Array]
"""Values at points (x, y) and at a moment from 0 to 1; not a number outside of the body."""
VectorField: TypeAlias = Callable[[Array, Array, float], tuple[Array, Array]]


class Window(Struct, frozen=True):
    """A rectangle of the plane, in metres."""

    left: float
    right: float
    bottom: float
    top: float

    @property
    def width(self) -> float:
        """Extent along x."""
        return self.right - self.left

    @property
    def height(self) -> float:
        """Extent along y."""
        return self.top - self.bottom

    @property
    def size(self) -> float:
        """The longer of the two extents."""
        return max(self.width, self.height)

    def expanded(self, x: float, y: float) -> Window:
        """Return the window with a margin on all sides."""
        return Window(self.left - x, self.right + x, self.bottom - y, self.top + y)

    def padded(self, left: float, right: float, bottom: float, top: float) -> Window:
        """Return the window with a separate margin on each side."""
        return Window(self.left - left, self.right + right, self.bottom - bottom, self.top + top)

    def grid(self, across: int, up: int) -> tuple[Array, Array]:
        """Points on a regular grid, edges included: rows run upwards."""
        x, y = np.meshgrid(np.linspace(self.left, self.right, across), np.linspace(self.bottom, self.top, up))
        return x, y


def trapezoidal_integral(values: Array, step: float) -> float:
    """The trapezoidal rule on equidistant values."""
    return float((values.sum() - 0.5 * (values[0] + values[-1])) * step)


class Residuals(Struct, frozen=True, kw_only=True):
    """One history an equation, with the tolerance that all of them should reach."""

    names: tuple[str, ...]
    iterations: Array
    history: tuple[Array, ...]
    tolerance: float

    @property
    def last(self) -> float:
        """The largest residual at the end."""
        return max(float(values[-1]) for values in self.history)

    @property
    def is_converged(self) -> bool:
        """Whether all ended at the tolerance or below."""
        return self.last <= self.tolerance


def draw_residuals(draw: ParameterRng, names: tuple[str, ...], *, stalls: bool) -> Residuals:
    """A falling history for each equation; where the solver stalls, the first levels off well above the tolerance."""
    tolerance = draw.pick((1e-4, 1e-5, 1e-6))
    steps = int(draw.between(24, 60))
    iterations = np.arange(1.0, steps + 1)
    history = []
    for k, _ in enumerate(names):
        # a factor of two at the least on either side keeps the answer clear of rounding and of the noise
        floor = tolerance * (draw.spread(20, 800) if stalls and k == 0 else draw.spread(0.05, 0.4))
        start = draw.spread(0.3, 1.0)
        decay = start * np.exp(-np.log(start / floor * 20) * (iterations - 1) / (0.75 * steps))
        wobble = np.exp(0.12 * draw.noise(steps))
        history.append(np.clip(np.maximum(decay, floor) * wobble, floor * 0.8, 1.0))
    return Residuals(names=names, iterations=iterations, history=tuple(history), tolerance=tolerance)


Facts = TypeVar("Facts")


class Question(Struct, Generic[Facts], frozen=True):
    """Asked of every case of a domain."""

    qid: str
    text: str
    rule: Callable[[Facts], bool]


def load_questions(package: str, rules: Mapping[str, Callable[[Facts], bool]]) -> tuple[Question[Facts], ...]:
    """Return the questions of `questions.toml` in a package, with the rules that answer them."""
    texts = tomllib.loads(files(package).joinpath("questions.toml").read_text("utf-8"))
    return tuple(Question(qid, text, rules[qid]) for qid, text in texts.items())


def answer_all(questions: tuple[Question[Facts], ...], facts: Facts) -> dict[str, bool]:
    """The answers by question id."""
    return {question.qid: bool(question.rule(facts)) for question in questions}


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
    """Key figures shown beside the picture."""
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


def exact_kinds(**makers: Callable[[ParameterRng], Case]) -> tuple[Kind, ...]:
    """Return kinds whose fields are closed-form, so that candidates are complete cases."""

    def propose(make: Callable[[ParameterRng], Case], draw: ParameterRng) -> Candidate:
        case = make(draw)
        return Candidate(case.answers, lambda: case)

    return tuple(Kind(name, partial(propose, make)) for name, make in makers.items())
