"""The basin of a cylinder between an even inlet and an opening."""

from __future__ import annotations

import numpy as np

from sightline.suites.simulation.generator.arrays import Array
from sightline.suites.simulation.generator.case import Arrow, Disc
from sightline.suites.simulation.generator.flows.computed.basin import (
    Basin,
    Shore,
    drain,
    free_sides,
    lift,
    viscosity,
    with_closure,
    with_defect,
)
from sightline.suites.simulation.generator.flows.computed.setting import Setting
from sightline.suites.simulation.solvers.flows.tank import Patch, Tank, framed, moving

_DIAMETER = 12
_WIDE, _HIGH, _AT = 14, 8, 4
_INLET, _OUTLET, _SIDES, _BODY = 0, 1, 2, 3


def round_body(setting: Setting, kind: str, *, is_restless: bool) -> Basin:
    """A restless one lies a little off the middle, which lets its wake begin to swing."""
    speed = 0.1 if is_restless or setting.is_turbulent else min(0.08, 0.012 * setting.reynolds)
    across, up = _WIDE * _DIAMETER, _HIGH * _DIAMETER
    centre = (_AT * _DIAMETER + 0.5, up / 2 + 0.5 + (0.08 * _DIAMETER if is_restless else 0.0))

    def body(x: Array, y: Array) -> Array:
        return np.asarray(np.hypot(x - centre[0], y - centre[1]) - _DIAMETER / 2)

    return Basin(
        kind=kind,
        title="Flow past a circular cylinder",
        tank=_tank(setting, speed, centre),
        length=_DIAMETER,
        speed=speed,
        origin=centre,
        shores=(
            _half(centre, "cylinder, upper half", 1),
            _half(centre, "cylinder, lower half", -1),
            *free_sides(across, up, speed),
        ),
        marks=(
            Disc((0.0, 0.0), 0.5),
            *(Arrow(((-_AT - 0.75, f), (-_AT - 0.1, f))) for f in (-2.0, 0.0, 2.0)),
        ),
        margin=(0.8, 0.1),
        geometry=(("Diameter", 1.0), ("Width of the domain", float(_WIDE)), ("Height of the domain", float(_HIGH))),
        set_up=(
            ("Inlet, left side", "even velocity along x"),
            ("Outlet, right side", "pressure"),
            ("Cylinder", "warm" if setting.heating else "as the fluid"),
        ),
        body=body,
        crossing=55.0 if is_restless else 24.0,
        is_restless=is_restless,
        period=5.6,
        station=0.5,
    )


def _tank(setting: Setting, speed: float, centre: tuple[float, float]) -> Tank:
    across, up = _WIDE * _DIAMETER, _HIGH * _DIAMETER
    patch = framed(across, up, _INLET, _OUTLET, _SIDES, _SIDES)
    row, column = np.indices(patch.shape).astype(float)
    distance = np.hypot(column - centre[0], row - centre[1]) - _DIAMETER / 2
    distance[0] = distance[-1] = distance[:, 0] = distance[:, -1] = 1.0
    patch[distance < 0] = _BODY
    tank = Tank(
        patch=patch,
        patches=(
            Patch(velocity=moving(speed), warmth=0.0),
            Patch(is_open=True),
            Patch(velocity=moving(speed), warmth=0.0),
            Patch(warmth=1.0 if setting.heating else None),
        ),
        viscosity=viscosity(setting, _DIAMETER, speed),
        distance=distance,
        is_heated=setting.heating != 0,
        gravity=(0.0, lift(setting, _DIAMETER, speed)),
        prandtl=setting.fluid.prandtl,
        start=np.stack([np.where(distance < 0, 0.0, speed), np.zeros(patch.shape)]),
    )
    tank = with_closure(tank, setting, 0.09 * _DIAMETER)
    span = np.zeros(patch.shape, dtype=bool)
    span[-1, across // 3 : across // 2] = True
    tank = with_defect(tank, setting, _BODY, span, speed * up)
    return drain(tank, setting, (0.72 * across, up / 2 + 0.5), 1.2 * _DIAMETER, speed * up)


def _half(centre: tuple[float, float], name: str, side: int) -> Shore:
    """From the front to the rear; both stagnation points are left out."""
    angle = np.linspace(np.pi - 0.1, 0.1, 121)
    x, y = np.cos(angle), side * np.sin(angle)
    radius = _DIAMETER / 2
    return Shore(
        name=name,
        condition="no slip",
        x=centre[0] + radius * x,
        y=centre[1] + radius * y,
        normal_x=x,
        normal_y=y,
    )
