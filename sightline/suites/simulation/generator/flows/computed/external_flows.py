"""Flow past bodies in a stream: a circular cylinder, attached or with a wake, and a wing section (NACA four digits)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from msgspec import Struct

from sightline.suites.simulation.generator.case import Array, Arrow, Candidate, Disc, Line, Point
from sightline.suites.simulation.generator.flows.computed.flow_setup import (
    BODY,
    RANGES,
    ExpectedBehaviour,
    FlowParameters,
    FlowSetup,
    draw_parameters,
    make_candidate,
    moving_sides,
    stream_past_body,
    with_defect,
)
from sightline.suites.simulation.generator.flows.flow import FlowBoundary
from sightline.suites.simulation.generator.rng import ParameterRng
from sightline.suites.simulation.solvers.flows.flow_domain import FlowDomain

_DIAMETER = 12
_CYLINDER_WIDTH, _CYLINDER_HEIGHT, _AT = 14, 8, 4


def cylinder_setup(parameters: FlowParameters, kind: str, *, is_restless: bool) -> FlowSetup:
    """Return the setup; for vortex shedding the cylinder is slightly off-centre, which triggers the instability."""
    speed = 0.1 if is_restless or parameters.is_turbulent else min(0.08, 0.012 * parameters.reynolds)
    across, up = _CYLINDER_WIDTH * _DIAMETER, _CYLINDER_HEIGHT * _DIAMETER
    centre = (_AT * _DIAMETER + 0.5, up / 2 + 0.5 + (0.08 * _DIAMETER if is_restless else 0.0))

    def body(x: Array, y: Array) -> Array:
        return np.asarray(np.hypot(x - centre[0], y - centre[1]) - _DIAMETER / 2)

    return FlowSetup(
        kind=kind,
        title="Flow past a circular cylinder",
        flow_domain=_flow_domain(parameters, speed, centre),
        length=_DIAMETER,
        speed=speed,
        origin=centre,
        boundaries=(
            _half(centre, "cylinder, upper half", 1),
            _half(centre, "cylinder, lower half", -1),
            *moving_sides(across, up, speed),
        ),
        marks=(Disc((0.0, 0.0), 0.5), *(Arrow(((-_AT - 0.75, f), (-_AT - 0.1, f))) for f in (-2.0, 0.0, 2.0))),
        margin=(0.8, 0.1),
        geometry={
            "Diameter": 1.0,
            "Width of the domain": float(_CYLINDER_WIDTH),
            "Height of the domain": float(_CYLINDER_HEIGHT),
        },
        set_up=(
            ("Inlet, left side", "even velocity along x"),
            ("Outlet, right side", "pressure"),
            ("Cylinder", "warm" if parameters.heating else "as the fluid"),
        ),
        body=body,
        crossing=55.0 if is_restless else 24.0,
        is_restless=is_restless,
        period=5.6,
        station=0.5,
    )


def _flow_domain(parameters: FlowParameters, speed: float, centre: tuple[float, float]) -> FlowDomain:
    across, up = _CYLINDER_WIDTH * _DIAMETER, _CYLINDER_HEIGHT * _DIAMETER
    row, column = np.indices((up + 2, across + 2)).astype(float)
    distance = np.hypot(column - centre[0], row - centre[1]) - _DIAMETER / 2
    distance[0] = distance[-1] = distance[:, 0] = distance[:, -1] = 1.0
    flow_domain = stream_past_body(parameters, distance, _DIAMETER, speed, 0.09 * _DIAMETER)
    drain = (0.72 * across, up / 2 + 0.5, 1.2 * _DIAMETER)
    return with_defect(flow_domain, parameters, speed * up, BODY, slice(across // 3, across // 2), drain)


def _half(centre: tuple[float, float], name: str, side: int) -> FlowBoundary:
    """From the front to the rear; both stagnation points are left out."""
    angle = np.linspace(np.pi - 0.1, 0.1, 121)
    x, y = np.cos(angle), side * np.sin(angle)
    radius = _DIAMETER / 2
    return FlowBoundary(
        name=name, condition="no slip", x=centre[0] + radius * x, y=centre[1] + radius * y, normal_x=x, normal_y=y
    )


def propose_wake(draw: ParameterRng) -> Candidate:
    """Below Re 4 or above Re 15, so that it is plain whether the flow separates; at higher ones it would not settle."""
    parameters = draw_parameters(draw, RANGES[draw.pick(("creeping_cylinder", "creeping_cylinder", "slow_cylinder"))])
    outlook = ExpectedBehaviour(
        # while the stream speeds up the eddies have not formed yet
        separates=parameters.reynolds > 6 and parameters.stop != "moving",
        runs_back=parameters.reynolds > 10 and parameters.stop != "moving",
        is_mirrored=True,
        even_defects=("slip", "drain"),
        # a drain behind it slows the stream, and so raises the pressure
        loses_pressure=parameters.defect != "drain" or parameters.reynolds < 10 or parameters.stop == "moving",
        peaks_in_middle=parameters.reynolds > 10,
    )
    return make_candidate(parameters, outlook, lambda: cylinder_setup(parameters, "cylinder_wake", is_restless=False))


def propose_shedding(draw: ParameterRng) -> Candidate:
    """Above the Reynolds number at which the wake begins to swing, about 47."""
    parameters = draw_parameters(draw, RANGES["shedding_cylinder"])
    outlook = ExpectedBehaviour(
        separates=True,
        runs_back=True,
        is_mirrored=False,
        loses_pressure=parameters.defect != "drain",
        peaks_in_middle=True,
        peak=1.5,
        is_restless=True,
    )
    return make_candidate(parameters, outlook, lambda: cylinder_setup(parameters, "eddy_street", is_restless=True))


def signed_distance(corners: Array, shape: tuple[int, int]) -> Array:
    """Signed distance from a closed polygon at all cells of a framed grid: negative inside, 1 on the frame."""
    row, column = np.indices(shape).astype(float)
    nearest = np.full(shape, np.inf)
    inside = np.zeros(shape, dtype=bool)
    for (x0, y0), (x1, y1) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
        dx, dy = x1 - x0, y1 - y0
        length = dx * dx + dy * dy
        if length == 0:
            continue
        share = np.clip(((column - x0) * dx + (row - y0) * dy) / length, 0, 1)
        nearest = np.minimum(nearest, np.hypot(column - x0 - share * dx, row - y0 - share * dy))
        if y0 != y1:
            inside ^= ((y0 > row) != (y1 > row)) & (column < x0 + (row - y0) * dx / dy)
    distance = np.where(inside, -nearest, nearest)
    distance[0] = distance[-1] = distance[:, 0] = distance[:, -1] = 1.0
    return np.asarray(distance)


def distance_function(distance: Array) -> Callable[[Array, Array], Array]:
    """Return the distance as a function, by linear interpolation between cells."""
    up, across = distance.shape

    def body(x: Array, y: Array) -> Array:
        x, y = np.clip(x, 0, across - 1.001), np.clip(y, 0, up - 1.001)
        c, r = x.astype(int), y.astype(int)
        sx, sy = x - c, y - r
        low = distance[r, c] * (1 - sx) + distance[r, c + 1] * sx
        high = distance[r + 1, c] * (1 - sx) + distance[r + 1, c + 1] * sx
        return np.asarray(low * (1 - sy) + high * sy)

    return body


_CHORD, _AIRFOIL_WIDTH, _AIRFOIL_HEIGHT, _AIRFOIL_SPEED = 60, 3.2, 1.8, 0.08


class Section(Struct, frozen=True, kw_only=True):
    """Camber, its place and thickness in chords; the angle in degrees, nose up."""

    camber: float
    crest: float
    thickness: float
    angle: float

    @property
    def name(self) -> str:
        """The four digits."""
        return f"NACA {round(100 * self.camber)}{round(10 * self.crest)}{round(100 * self.thickness):02d}"

    def outline(self) -> Array:
        """From the trailing edge over the top to the nose and back along the bottom, about the middle of the chord."""
        t = np.linspace(0, np.pi, 61)
        x = 0.5 * (1 + np.cos(t))
        # the last coefficient closes the trailing edge
        half = 5 * self.thickness * (0.2969 * np.sqrt(x) - 0.126 * x - 0.3516 * x**2 + 0.2843 * x**3 - 0.1036 * x**4)
        p = self.crest or 0.4
        line = self.camber * np.where(x < p, x * (2 * p - x) / p**2, (1 - 2 * p + x * (2 * p - x)) / (1 - p) ** 2)
        top, bottom = np.stack([x, line + half]), np.stack([x, line - half])[:, ::-1]
        points = np.concatenate([top, bottom[:, 1:-1]], axis=1) - np.array([[0.5], [0.0]])
        a = -np.radians(self.angle)
        turn = np.array([[np.cos(a), -np.sin(a)], [np.sin(a), np.cos(a)]])
        return np.asarray((turn @ points).T)


def propose_airfoil(draw: ParameterRng) -> Candidate:
    """At a small angle, or at one at which the flow leaves the upper side."""
    parameters, is_steep = draw_parameters(draw, RANGES["airfoil"]), draw.chance(0.4)
    camber, crest = draw.pick(((0.0, 0.0), (0.02, 0.4), (0.04, 0.4)))
    if not is_steep and draw.chance(0.75):
        camber, crest, angle = 0.0, 0.0, 0.0
    else:
        angle = draw.between(16, 24) if is_steep else draw.between(1, 4)
    section = Section(camber=camber, crest=crest, thickness=draw.pick((0.09, 0.12)), angle=angle)
    outlook = ExpectedBehaviour(
        separates=is_steep,
        runs_back=is_steep,
        is_mirrored=angle == 0,
        even_defects=("slip", "drain"),
        settles=not parameters.is_turbulent and not is_steep,
        is_restless=is_steep and 200 < parameters.reynolds < parameters.transition,
        loses_pressure=parameters.defect != "porous",
        peaks_in_middle=not is_steep and parameters.defect != "porous",
        peak=1.4,
    )
    return make_candidate(parameters, outlook, lambda: airfoil_setup(parameters, section))


def airfoil_setup(parameters: FlowParameters, section: Section) -> FlowSetup:
    """Return the setup of a wing section in a stream."""
    across, up = round(_AIRFOIL_WIDTH * _CHORD), round(_AIRFOIL_HEIGHT * _CHORD)
    centre = (0.36 * across + 0.5, up / 2 + 0.5)
    outline = section.outline()
    corners = outline * _CHORD + centre
    distance = signed_distance(corners, (up + 2, across + 2))
    flow_domain = with_defect(
        stream_past_body(parameters, distance, _CHORD, _AIRFOIL_SPEED, 0.03 * _CHORD),
        parameters,
        _AIRFOIL_SPEED * up,
        BODY,
        slice(across // 2, 2 * across // 3),
        (0.78 * across, up / 2 + 0.5, 0.15 * _CHORD),
    )
    path = tuple((float(x), float(y)) for x, y in outline)
    start = -centre[0] / _CHORD
    return FlowSetup(
        kind="airfoil",
        title=f"Flow past a wing section {section.name}",
        flow_domain=flow_domain,
        length=_CHORD,
        speed=_AIRFOIL_SPEED,
        origin=centre,
        boundaries=(
            _side(outline, centre, "upper side", 1),
            _side(outline, centre, "lower side", -1),
            *moving_sides(across, up, _AIRFOIL_SPEED),
        ),
        marks=(
            Line((*path, path[0]), width=2.0),
            *(Arrow(((start - 0.2, f), (start - 0.03, f))) for f in (-0.5, 0.0, 0.5)),
        ),
        margin=(0.22, 0.04),
        geometry={"Chord": 1.0, "Width of the domain": _AIRFOIL_WIDTH, "Height of the domain": _AIRFOIL_HEIGHT},
        set_up=(
            ("Angle of the chord to x", f"{section.angle:.3g} deg"),
            ("Inlet, left side", "even velocity along x"),
            ("Outlet, right side", "pressure"),
            ("Wing section", "warm" if parameters.heating else "as the fluid"),
        ),
        body=distance_function(distance),
        crossing=8.0,
        station=0.6,
    )


def _side(outline: Array, centre: Point, name: str, side: int) -> FlowBoundary:
    """From the nose to the trailing edge, without either."""
    half = outline[:61][::-1] if side > 0 else np.concatenate([outline[60:], outline[:1]])
    path = half[6:-4]
    along = np.gradient(path, axis=0)
    along /= np.hypot(*along.T)[:, None]
    return FlowBoundary(
        name=name,
        condition="no slip",
        x=centre[0] + _CHORD * path[:, 0],
        y=centre[1] + _CHORD * path[:, 1],
        normal_x=-side * along[:, 1],
        normal_y=side * along[:, 0],
    )
