"""Flow between walls: boxes with a moving lid or a hot wall, a backward-facing step, and a jet into a box."""

from __future__ import annotations

import numpy as np
from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.simulation.generator.case import Array, Arrow, Candidate, Hatch, TextNote
from sightline.suites.simulation.generator.flows.computed.flow_setup import (
    RANGES,
    ExpectedBehaviour,
    FlowParameters,
    FlowSetup,
    draw_parameters,
    make_candidate,
    make_flow_domain,
    straight_wall,
    with_defect,
)
from sightline.suites.simulation.generator.rng import ParameterRng
from sightline.suites.simulation.solvers.flows.flow_domain import FlowDomain, Patch, framed_grid, uniform_velocity

_SIDE, _CAVITY_SPEED = 72, 0.1
_WALLS, _LID, _FLOOR = 0, 1, 2


def propose_driven(draw: ParameterRng) -> Candidate:
    """At Reynolds numbers well on either side of transition."""
    parameters = draw_parameters(draw, RANGES["driven_cavity"])
    outlook = ExpectedBehaviour(
        separates=parameters.reynolds > 350 and parameters.stop != "moving",
        runs_back=True,
        is_mirrored=False,
        settles=not parameters.is_turbulent and parameters.defect != "slip",
        loses_pressure=False,
        peaks_in_middle=False,
        peak=1.0,
    )
    return make_candidate(parameters, outlook, lambda: driven_cavity_setup(parameters))


def driven_cavity_setup(parameters: FlowParameters) -> FlowSetup:
    """Return the setup of a square box with a moving lid; its floor may be warm."""
    n, is_warm = _SIDE, parameters.heating != 0
    patch = framed_grid(n, n, _WALLS, _WALLS, _FLOOR, _LID)
    patches = (
        Patch(),
        Patch(velocity=uniform_velocity(_CAVITY_SPEED), warmth=-0.5 if is_warm else None),
        Patch(warmth=0.5 if is_warm else None),
    )
    flow_domain = make_flow_domain(parameters, patch, patches, n, _CAVITY_SPEED, 0.06 * n)
    drain = (0.5 * n, 0.7 * n, 0.12 * n)
    flow_domain = with_defect(flow_domain, parameters, 0.3 * _CAVITY_SPEED * n, _WALLS, slice(n // 3, n // 2), drain)
    far = n + 0.5
    return FlowSetup(
        kind="driven_cavity",
        title="Box with a moving lid",
        flow_domain=flow_domain,
        length=n,
        speed=_CAVITY_SPEED,
        origin=(0.5, 0.5),
        boundaries=(
            straight_wall((0.5, far), (far, far), (0, -1), "lid", "no slip, moving", velocity=(_CAVITY_SPEED, 0.0)),
            straight_wall((0.5, 0.5), (far, 0.5), (0, 1), "floor"),
            straight_wall((0.5, far), (0.5, 0.5), (1, 0), "left wall"),
            straight_wall((far, far), (far, 0.5), (-1, 0), "right wall"),
        ),
        marks=(
            Hatch((1, 0), (0, 0)),
            Hatch((0, 0), (0, 1)),
            Hatch((1, 1), (1, 0)),
            Arrow(((0.3, 1.07), (0.7, 1.07))),
            *((TextNote("warm", (0.5, -0.07)), TextNote("cool", (0.85, 1.07))) if is_warm else ()),
        ),
        margin=(0.1, 0.12),
        geometry={"Side of the square": 1.0},
        set_up=(("Lid", "moves along x"), ("Floor", "warm" if is_warm else "as the fluid")),
        crossing=16.0,
        is_closed=True,
    )


_SIDES, _HOT, _COLD = 0, 1, 2


def propose_heated(draw: ParameterRng) -> Candidate:
    """Heated from the side, or from below."""
    parameters, from_below = draw_parameters(draw, RANGES["heated_cavity"]), draw.chance(0.4)
    outlook = ExpectedBehaviour(
        separates=from_below, runs_back=True, is_mirrored=False, loses_pressure=False, peaks_in_middle=True, peak=0.3
    )
    return make_candidate(parameters, outlook, lambda: heated_cavity_setup(parameters, from_below=from_below))


def _heated_domain(parameters: FlowParameters, *, from_below: bool) -> FlowDomain:
    n = _SIDE
    across = 2 * n if from_below else n
    sides = (_SIDES, _SIDES, _HOT, _COLD) if from_below else (_HOT, _COLD, _SIDES, _SIDES)
    patch = framed_grid(across, n, *sides)
    patches = (Patch(), Patch(warmth=0.5), Patch(warmth=-0.5))
    flow_domain = make_flow_domain(parameters, patch, patches, n, _CAVITY_SPEED, 0.0)
    if from_below:
        # without a push a layer heated from below would rest for ever
        flow_domain = replace(flow_domain, start=_rolls(patch.shape))
    drain = (0.6 * across, 0.7 * n, 0.12 * n)
    porous = slice(across // 3, across // 2)
    return with_defect(flow_domain, parameters, 0.1 * _CAVITY_SPEED * across, _HOT, porous, drain)


def heated_cavity_setup(parameters: FlowParameters, *, from_below: bool) -> FlowSetup:
    """Return the setup of a closed box that is driven by buoyancy alone."""
    n, far, flow_domain = _SIDE, _SIDE + 0.5, _heated_domain(parameters, from_below=from_below)
    across = flow_domain.size[0]
    right = across + 0.5
    wide = across / n
    notes = (
        (TextNote("hot", (0.5 * wide, -0.07)), TextNote("cold", (0.5 * wide, 1.07)))
        if from_below
        else (TextNote("hot", (-0.1, 0.85)), TextNote("cold", (1.11, 0.85)))
    )
    return FlowSetup(
        kind="heated_cavity",
        title="Closed box with a hot and a cold wall",
        flow_domain=flow_domain,
        length=n,
        speed=_CAVITY_SPEED,
        origin=(0.5, 0.5),
        boundaries=(
            straight_wall((0.5, 0.5), (right, 0.5), (0, 1), "floor"),
            straight_wall((0.5, far), (right, far), (0, -1), "ceiling"),
            straight_wall((0.5, 0.5), (0.5, far), (1, 0), "left wall"),
            straight_wall((right, 0.5), (right, far), (-1, 0), "right wall"),
        ),
        marks=(
            Hatch((wide, 0), (0, 0)),
            Hatch((0, 0), (0, 1)),
            Hatch((wide, 1), (wide, 0)),
            Hatch((0, 1), (wide, 1)),
            *notes,
            Arrow(((wide + 0.1, 0.5), (wide + 0.1, 0.3)), "#24292f"),
            TextNote("g", (wide + 0.1, 0.56)),
        ),
        margin=(0.16, 0.12),
        geometry={"Width": wide, "Height": 1.0},
        set_up=(
            ("Gravity", "against y"),
            ("Hot wall", "floor" if from_below else "left"),
            ("Reference speed from", "buoyancy: root of g beta dT H"),
        ),
        crossing=14.0,
        is_closed=True,
        may_turn=False,
    )


def _rolls(shape: tuple[int, ...]) -> Array:
    """Two that turn against each other, rising left of the middle."""

    row, column = np.indices(shape)
    x, y = (column - 0.5) / (shape[1] - 2), (row - 0.5) / (shape[0] - 2)
    u = -0.2 * np.sin(2.2 * np.pi * x) * np.cos(np.pi * y)
    v = 0.2 * np.cos(2.2 * np.pi * x) * np.sin(np.pi * y)
    return np.asarray(_CAVITY_SPEED * np.stack([u, v]))


_STEP, _SPEED, _BEFORE, _BEHIND = 18, 0.08, 3, 11
_STEP_INLET, _STEP_OUTLET, _STEP_FLOOR = 1, 2, 3


def propose_step(draw: ParameterRng) -> Candidate:
    """The Reynolds number is that of twice the inlet's height."""
    parameters = draw_parameters(draw, RANGES["step"])
    outlook = ExpectedBehaviour(
        separates=True,
        runs_back=True,
        is_mirrored=False,
        settles=not parameters.is_turbulent,
        loses_pressure=True,
        peaks_in_middle=False,
        peak=1.5,
    )
    return make_candidate(parameters, outlook, lambda: step_setup(parameters))


def _step_domain(parameters: FlowParameters) -> FlowDomain:
    h, across, up = _STEP, (_BEFORE + _BEHIND) * _STEP, 2 * _STEP
    edge = _BEFORE * h

    def inlet(x: Array, y: Array) -> tuple[Array, Array]:
        s = np.clip((y - 0.5) / h - 1, 0, 1)
        profile = (
            np.clip(1 - np.abs(2 * s - 1), 0, 1) ** (1 / 7) * 8 / 7 if parameters.is_turbulent else 6 * s * (1 - s)
        )
        return _SPEED * profile, np.zeros_like(x)

    patch = framed_grid(across, up, _STEP_INLET, _STEP_OUTLET, _STEP_FLOOR, _WALLS)
    patch[: h + 1, : edge + 1] = _WALLS
    is_warm = parameters.heating != 0
    start = np.zeros((2, *patch.shape))
    start[0, h + 1 : -1, : edge + 1], start[0, 1:-1, edge + 1 :] = _SPEED, _SPEED / 2
    patches = (
        Patch(),
        Patch(velocity=inlet, warmth=0.0 if is_warm else None),
        Patch(is_open=True),
        Patch(warmth=1.0 if is_warm else None),
    )
    flow_domain = make_flow_domain(parameters, patch, patches, 2 * h, _SPEED, 0.09 * h)
    drain = (0.7 * across, 0.6 * up, 0.5 * h)
    porous = slice(across // 2, 2 * across // 3)
    return with_defect(replace(flow_domain, start=start), parameters, _SPEED * h, _WALLS, porous, drain)


def step_setup(parameters: FlowParameters) -> FlowSetup:
    """Return the setup of a channel that widens at a step in its floor."""
    h, across, up = _STEP, (_BEFORE + _BEHIND) * _STEP, 2 * _STEP
    edge, is_warm = _BEFORE * h, parameters.heating != 0

    def block(x: Array, y: Array) -> Array:
        return np.asarray(np.maximum(x - (edge + 0.5), y - (h + 0.5)))

    left, lip, top, end = -_BEFORE / 2, 0.0, 0.5, _BEHIND / 2
    return FlowSetup(
        kind="backward_step",
        title="Channel with a backward-facing step",
        flow_domain=_step_domain(parameters),
        length=2 * h,
        speed=_SPEED,
        origin=(edge + 0.5, h + 0.5),
        boundaries=(
            straight_wall((edge + 0.5, 0.5), (across + 0.5, 0.5), (0, 1), "floor behind the step"),
            straight_wall((0.5, h + 0.5), (edge + 0.5, h + 0.5), (0, 1), "floor before the step"),
            straight_wall((0.5, up + 0.5), (across + 0.5, up + 0.5), (0, -1), "ceiling"),
        ),
        marks=(
            Hatch((end, -0.5), (0.0, -0.5)),
            Hatch((0.0, -0.5), (0.0, lip)),
            Hatch((0.0, lip), (left, lip)),
            Hatch((left, top), (end, top)),
            *(Arrow(((left - 0.35, y), (left - 0.08, y))) for y in (0.15, 0.35)),
            *((TextNote("warm floor", (end / 2, -0.68)),) if is_warm else ()),
        ),
        margin=(0.4, 0.3),
        geometry={"Height of the step": 0.5, "Height of the channel": 1.0, "Length": across / (2 * h)},
        set_up=(
            ("Inlet, left side", "profile of the prescribed mean velocity"),
            ("Outlet, right side", "pressure"),
            ("Reference length", "twice the inlet's height"),
            ("Floor", "warm" if is_warm else "as the fluid"),
        ),
        body=block,
        crossing=20.0,
        station=0.4,
    )


_SLIT, _BOX_LENGTH, _BOX_HEIGHT = 12, 14, 7
_JET_OUTLET, _NOZZLE, _AROUND = 1, 2, 3


class Nozzle(Struct, frozen=True, kw_only=True):
    """Where the slit is, in slit widths above the middle, and how fast the fluid around flows along."""

    height: float
    along: float


def propose_jet(draw: ParameterRng) -> Candidate:
    """With or without a flow around it; in the middle, or to one side."""
    parameters = draw_parameters(draw, RANGES["jet"])
    nozzle = Nozzle(height=draw.pick((0.0, 0.0, 0.0, 0.0, -1.5, 1.5)), along=draw.pick((0.0, 0.35)))
    outlook = ExpectedBehaviour(
        separates=nozzle.along == 0,
        runs_back=nozzle.along == 0,
        is_mirrored=nozzle.height == 0,
        even_defects=("slip", "drain"),
        settles=not parameters.is_turbulent,
        loses_pressure=nozzle.along > 0 or parameters.stop == "moving",
        peaks_in_middle=nozzle.height == 0,
        peak=1.1,
    )
    return make_candidate(parameters, outlook, lambda: jet_setup(parameters, nozzle))


def jet_setup(parameters: FlowParameters, nozzle: Nozzle) -> FlowSetup:
    """Return the setup of a jet out of a slit into a box that is open at its far end."""
    b, across, up = _SLIT, _BOX_LENGTH * _SLIT, _BOX_HEIGHT * _SLIT
    half = _BOX_HEIGHT / 2
    around = [f for f in (-2.6, -1.3, 1.3, 2.6) if abs(f - nozzle.height) > 0.9] if nozzle.along else []
    return FlowSetup(
        kind="jet",
        title="Jet into a box" if not nozzle.along else "Jet into a slower stream",
        flow_domain=_jet_domain(parameters, nozzle),
        length=b,
        speed=_SPEED,
        origin=(0.5, up / 2 + 0.5),
        boundaries=(
            straight_wall((0.5, 0.5), (across + 0.5, 0.5), (0, 1), "lower wall"),
            straight_wall((0.5, up + 0.5), (across + 0.5, up + 0.5), (0, -1), "upper wall"),
        ),
        marks=(
            Hatch((_BOX_LENGTH, -half), (0, -half)),
            Hatch((0, half), (_BOX_LENGTH, half)),
            Arrow(((-0.95, nozzle.height), (-0.1, nozzle.height))),
            *(Arrow(((-0.5, f), (-0.1, f)), width=1.6) for f in around),
            *((TextNote("warm", (-0.55, nozzle.height + 0.5)),) if parameters.heating else ()),
        ),
        margin=(1.0, 0.35),
        geometry={
            "Width of the slit": 1.0,
            "Length of the box": float(_BOX_LENGTH),
            "Height of the box": float(_BOX_HEIGHT),
        },
        set_up=(
            ("Slit, left side", "even velocity along x"),
            ("Around the slit", f"{nozzle.along:.2g} of that velocity" if nozzle.along else "wall"),
            ("Outlet, right side", "pressure"),
            ("Fluid of the jet", "warm" if parameters.heating else "as around it"),
        ),
        crossing=40.0,
        station=0.3,
    )


def _jet_domain(parameters: FlowParameters, nozzle: Nozzle) -> FlowDomain:
    b, across, up = _SLIT, _BOX_LENGTH * _SLIT, _BOX_HEIGHT * _SLIT
    is_warm = parameters.heating != 0
    patch = framed_grid(across, up, _AROUND, _JET_OUTLET, _WALLS, _WALLS)
    middle = up // 2 + round(nozzle.height * b)
    patch[middle - b // 2 + 1 : middle + b // 2 + 1, 0] = _NOZZLE
    patches = (
        Patch(),
        Patch(is_open=True),
        Patch(velocity=uniform_velocity(_SPEED), warmth=1.0 if is_warm else None),
        Patch(velocity=uniform_velocity(nozzle.along * _SPEED), warmth=0.0 if is_warm else None),
    )
    flow_domain = make_flow_domain(parameters, patch, patches, b, _SPEED, 0.12 * b)
    volume = _SPEED * b + nozzle.along * _SPEED * (up - b)
    drain = (0.7 * across, up / 2 + 0.5, b)
    return with_defect(flow_domain, parameters, volume, _WALLS, slice(across // 2, 3 * across // 4), drain)
