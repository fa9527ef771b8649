"""A jet out of a slit into a box that is open at its far end; perhaps the fluid around it flows along."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from sightline.suites.simulation.generator.case import Arrow, Candidate, Hatch, Kind, Note
from sightline.suites.simulation.generator.draw import Draw
from sightline.suites.simulation.generator.flows.computed.proposing import proposed
from sightline.suites.simulation.generator.flows.computed.setting import Outlook, Ranges, Setting, draw_setting

if TYPE_CHECKING:
    from sightline.suites.simulation.generator.flows.computed.basin import Basin
    from sightline.suites.simulation.solvers.flows.tank import Tank

TRANSITION = 1500.0
_RANGES = Ranges(laminar=(20, 70), turbulent=(4e3, 5e4), transition=TRANSITION)
_SLIT, _WIDE, _HIGH, _SPEED = 12, 14, 7, 0.08
_WALLS, _OUTLET, _NOZZLE, _AROUND = 0, 1, 2, 3


class Nozzle(Struct, frozen=True, kw_only=True):
    """Where the slit is, in slit widths above the middle, and how fast the fluid around flows along."""

    height: float
    along: float


def propose(draw: Draw) -> Candidate:
    """With or without a flow around it; in the middle, or to one side."""
    setting = draw_setting(draw, _RANGES)
    nozzle = Nozzle(height=draw.pick((0.0, 0.0, 0.0, 0.0, -1.5, 1.5)), along=draw.pick((0.0, 0.35)))
    outlook = Outlook(
        separates=nozzle.along == 0,
        runs_back=nozzle.along == 0,
        is_mirrored=nozzle.height == 0,
        even_defects=("slip", "drain"),
        settles=not setting.is_turbulent,
        loses_pressure=nozzle.along > 0 or setting.stop == "moving",
        peaks_in_middle=nozzle.height == 0,
        peak=1.1,
    )
    return proposed(setting, outlook, lambda: _basin(setting, nozzle))


def _basin(setting: Setting, nozzle: Nozzle) -> Basin:
    from sightline.suites.simulation.generator.flows.computed import basin

    b, across, up = _SLIT, _WIDE * _SLIT, _HIGH * _SLIT
    volume = _SPEED * b + nozzle.along * _SPEED * (up - b)
    tank = basin.drain(_tank(setting, nozzle), setting, (0.7 * across, up / 2 + 0.5), b, volume)
    half = _HIGH / 2
    around = [f for f in (-2.6, -1.3, 1.3, 2.6) if abs(f - nozzle.height) > 0.9] if nozzle.along else []
    return basin.Basin(
        kind="jet",
        title="Jet into a box" if not nozzle.along else "Jet into a slower stream",
        tank=tank,
        length=b,
        speed=_SPEED,
        origin=(0.5, up / 2 + 0.5),
        shores=(
            basin.line((0.5, 0.5), (across + 0.5, 0.5), (0, 1), "lower wall"),
            basin.line((0.5, up + 0.5), (across + 0.5, up + 0.5), (0, -1), "upper wall"),
        ),
        marks=(
            Hatch((_WIDE, -half), (0, -half)),
            Hatch((0, half), (_WIDE, half)),
            Arrow(((-0.95, nozzle.height), (-0.1, nozzle.height))),
            *(Arrow(((-0.5, f), (-0.1, f)), width=1.6) for f in around),
            *((Note("warm", (-0.55, nozzle.height + 0.5)),) if setting.heating else ()),
        ),
        margin=(1.0, 0.35),
        geometry=(("Width of the slit", 1.0), ("Length of the box", float(_WIDE)), ("Height of the box", float(_HIGH))),
        set_up=(
            ("Slit, left side", "even velocity along x"),
            ("Around the slit", f"{nozzle.along:.2g} of that velocity" if nozzle.along else "wall"),
            ("Outlet, right side", "pressure"),
            ("Fluid of the jet", "warm" if setting.heating else "as around it"),
        ),
        crossing=40.0,
        station=0.3,
    )


def _tank(setting: Setting, nozzle: Nozzle) -> Tank:
    import numpy as np

    from sightline.suites.simulation.generator.flows.computed import basin
    from sightline.suites.simulation.solvers.flows.tank import Patch, Tank, framed, moving

    b, across, up = _SLIT, _WIDE * _SLIT, _HIGH * _SLIT
    is_warm = setting.heating != 0
    patch = framed(across, up, _AROUND, _OUTLET, _WALLS, _WALLS)
    middle = up // 2 + round(nozzle.height * b)
    patch[middle - b // 2 + 1 : middle + b // 2 + 1, 0] = _NOZZLE
    tank = Tank(
        patch=patch,
        patches=(
            Patch(),
            Patch(is_open=True),
            Patch(velocity=moving(_SPEED), warmth=1.0 if is_warm else None),
            Patch(velocity=moving(nozzle.along * _SPEED), warmth=0.0 if is_warm else None),
        ),
        viscosity=basin.viscosity(setting, b, _SPEED),
        is_heated=is_warm,
        gravity=(0.0, basin.lift(setting, b, _SPEED)),
        prandtl=setting.fluid.prandtl,
    )
    tank = basin.with_closure(tank, setting, 0.12 * b)
    span = np.zeros(patch.shape, dtype=bool)
    span[-1, across // 2 : 3 * across // 4] = True
    volume = _SPEED * b + nozzle.along * _SPEED * (up - b)
    return basin.with_defect(tank, setting, _WALLS, span, volume)


KIND = Kind("jet", propose)
