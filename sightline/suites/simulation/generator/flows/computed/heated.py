"""A closed box with walls of different temperature: buoyancy alone drives the fluid."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.suites.simulation.generator.arrays import Array
from sightline.suites.simulation.generator.case import Arrow, Candidate, Hatch, Kind, Note
from sightline.suites.simulation.generator.draw import Draw
from sightline.suites.simulation.generator.flows.computed.proposing import proposed
from sightline.suites.simulation.generator.flows.computed.setting import Outlook, Ranges, Setting, draw_setting

if TYPE_CHECKING:
    from sightline.suites.simulation.generator.flows.computed.basin import Basin
    from sightline.suites.simulation.solvers.flows.tank import Tank

TRANSITION = 3.7e4
"""That of a Rayleigh number of 1e9 in air."""
_RANGES = Ranges(
    laminar=(60, 300), turbulent=(6e4, 3e5), transition=TRANSITION, heats=1.0, richardson=1.0, turbulent_share=0.0
)
_SIDE, _SPEED = 72, 0.1
_SIDES, _HOT, _COLD = 0, 1, 2


def propose(draw: Draw) -> Candidate:
    """Heated from the side, or from below."""
    setting, from_below = draw_setting(draw, _RANGES), draw.chance(0.4)
    outlook = Outlook(
        separates=from_below,
        runs_back=True,
        is_mirrored=False,
        loses_pressure=False,
        peaks_in_middle=True,
        peak=0.3,
    )
    return proposed(setting, outlook, lambda: _basin(setting, from_below=from_below))


def _tank(setting: Setting, *, from_below: bool) -> Tank:
    import numpy as np

    from sightline.suites.simulation.generator.flows.computed import basin
    from sightline.suites.simulation.solvers.flows.tank import Patch, Tank, framed

    n = _SIDE
    across = 2 * n if from_below else n
    sides = (_SIDES, _SIDES, _HOT, _COLD) if from_below else (_HOT, _COLD, _SIDES, _SIDES)
    patch = framed(across, n, *sides)
    tank = Tank(
        patch=patch,
        patches=(Patch(), Patch(warmth=0.5), Patch(warmth=-0.5)),
        viscosity=basin.viscosity(setting, n, _SPEED),
        is_heated=True,
        gravity=(0.0, basin.lift(setting, n, _SPEED)),
        prandtl=setting.fluid.prandtl,
        # without a push a layer heated from below would rest for ever
        start=_rolls(patch.shape) if from_below else None,
    )
    span = np.zeros(patch.shape, dtype=bool)
    span[-1, across // 3 : across // 2] = True
    volume = 0.1 * _SPEED * across
    tank = basin.with_defect(tank, setting, _HOT, span, volume)
    return basin.drain(tank, setting, (0.6 * across, 0.7 * n), 0.12 * n, volume)


def _basin(setting: Setting, *, from_below: bool) -> Basin:
    from sightline.suites.simulation.generator.flows.computed import basin

    n, far, tank = _SIDE, _SIDE + 0.5, _tank(setting, from_below=from_below)
    across = tank.size[0]
    right = across + 0.5
    wide = across / n
    notes = (
        (Note("hot", (0.5 * wide, -0.07)), Note("cold", (0.5 * wide, 1.07)))
        if from_below
        else (Note("hot", (-0.1, 0.85)), Note("cold", (1.11, 0.85)))
    )
    return basin.Basin(
        kind="heated_cavity",
        title="Closed box with a hot and a cold wall",
        tank=tank,
        length=n,
        speed=_SPEED,
        origin=(0.5, 0.5),
        shores=(
            basin.line((0.5, 0.5), (right, 0.5), (0, 1), "floor"),
            basin.line((0.5, far), (right, far), (0, -1), "ceiling"),
            basin.line((0.5, 0.5), (0.5, far), (1, 0), "left wall"),
            basin.line((right, 0.5), (right, far), (-1, 0), "right wall"),
        ),
        marks=(
            Hatch((wide, 0), (0, 0)),
            Hatch((0, 0), (0, 1)),
            Hatch((wide, 1), (wide, 0)),
            Hatch((0, 1), (wide, 1)),
            *notes,
            Arrow(((wide + 0.1, 0.5), (wide + 0.1, 0.3)), "#24292f"),
            Note("g", (wide + 0.1, 0.56)),
        ),
        margin=(0.16, 0.12),
        geometry=(("Width", wide), ("Height", 1.0)),
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
    import numpy as np

    row, column = np.indices(shape)
    x, y = (column - 0.5) / (shape[1] - 2), (row - 0.5) / (shape[0] - 2)
    u = -0.2 * np.sin(2.2 * np.pi * x) * np.cos(np.pi * y)
    v = 0.2 * np.cos(2.2 * np.pi * x) * np.sin(np.pi * y)
    return np.asarray(_SPEED * np.stack([u, v]))


KIND = Kind("heated_cavity", propose)
