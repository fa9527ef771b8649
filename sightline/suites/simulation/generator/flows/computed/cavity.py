"""A square box whose lid drives the fluid around; perhaps its floor is warm."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.suites.simulation.generator.case import Arrow, Candidate, Hatch, Kind, Note
from sightline.suites.simulation.generator.draw import Draw
from sightline.suites.simulation.generator.flows.computed.proposing import proposed
from sightline.suites.simulation.generator.flows.computed.setting import Outlook, Ranges, Setting, draw_setting

if TYPE_CHECKING:
    from sightline.suites.simulation.generator.flows.computed.basin import Basin

TRANSITION = 8000.0
"""Where the flow in a driven square begins to swing (Auteri, Parolini and Quartapelle, J. Comput. Phys. 183, 2002)."""
_RANGES = Ranges(laminar=(60, 500), turbulent=(2e4, 1.5e5), transition=TRANSITION)
_SIDE, _SPEED = 72, 0.1
_WALLS, _LID, _FLOOR = 0, 1, 2


def propose(draw: Draw) -> Candidate:
    """At Reynolds numbers well on either side of transition."""
    setting = draw_setting(draw, _RANGES)
    outlook = Outlook(
        separates=setting.reynolds > 350 and setting.stop != "moving",
        runs_back=True,
        is_mirrored=False,
        settles=not setting.is_turbulent and setting.defect != "slip",
        loses_pressure=False,
        peaks_in_middle=False,
        peak=1.0,
    )
    return proposed(setting, outlook, lambda: _basin(setting))


def _basin(setting: Setting) -> Basin:
    import numpy as np
    from msgspec.structs import replace

    from sightline.suites.simulation.generator.flows.computed import basin
    from sightline.suites.simulation.solvers.flows.tank import Patch, Tank, framed, moving

    n, is_warm = _SIDE, setting.heating != 0
    patch = framed(n, n, _WALLS, _WALLS, _FLOOR, _LID)
    tank = Tank(
        patch=patch,
        patches=(
            Patch(),
            Patch(velocity=moving(_SPEED), warmth=-0.5 if is_warm else None),
            Patch(warmth=0.5 if is_warm else None),
        ),
        viscosity=basin.viscosity(setting, n, _SPEED),
        is_heated=is_warm,
        gravity=(0.0, basin.lift(setting, n, _SPEED)),
        prandtl=setting.fluid.prandtl,
    )
    tank = basin.with_closure(tank, setting, 0.06 * n)
    span = np.zeros(patch.shape, dtype=bool)
    span[-1, n // 3 : n // 2] = True
    tank = basin.with_defect(tank, setting, _WALLS, span, 0.3 * _SPEED * n)
    tank = basin.drain(tank, setting, (0.5 * n, 0.7 * n), 0.12 * n, 0.3 * _SPEED * n)
    lid = basin.line((0.5, n + 0.5), (n + 0.5, n + 0.5), (0, -1), "lid", "no slip, moving")
    far = n + 0.5
    return basin.Basin(
        kind="driven_cavity",
        title="Box with a moving lid",
        tank=tank,
        length=n,
        speed=_SPEED,
        origin=(0.5, 0.5),
        shores=(
            replace(lid, velocity=(_SPEED, 0.0)),
            basin.line((0.5, 0.5), (far, 0.5), (0, 1), "floor"),
            basin.line((0.5, far), (0.5, 0.5), (1, 0), "left wall"),
            basin.line((far, far), (far, 0.5), (-1, 0), "right wall"),
        ),
        marks=(
            Hatch((1, 0), (0, 0)),
            Hatch((0, 0), (0, 1)),
            Hatch((1, 1), (1, 0)),
            Arrow(((0.3, 1.07), (0.7, 1.07))),
            *((Note("warm", (0.5, -0.07)), Note("cool", (0.85, 1.07))) if is_warm else ()),
        ),
        margin=(0.1, 0.12),
        geometry=(("Side of the square", 1.0),),
        set_up=(("Lid", "moves along x"), ("Floor", "warm" if is_warm else "as the fluid")),
        crossing=16.0,
        is_closed=True,
    )


KIND = Kind("driven_cavity", propose)
