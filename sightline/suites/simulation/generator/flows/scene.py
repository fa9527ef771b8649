"""How a flow is drawn: coloured by speed, velocity or vorticity, with arrows or streamlines."""

from __future__ import annotations

import numpy as np

from sightline.suites.simulation.generator.arrays import Array
from sightline.suites.simulation.generator.case import Profile, Scene
from sightline.suites.simulation.generator.flows.flow import Flow

_UNIT = {"speed": "speed", "velocity": "speed", "vorticity": "spin"}


def make_scene(flow: Flow) -> Scene:
    """Return the scene of a flow."""
    units, kind = flow.units, _UNIT[flow.shows]
    axis = "v" if flow.goes_up else "u"
    label = {"speed": "Speed", "velocity": f"Velocity {axis}", "vorticity": "Vorticity"}[flow.shows]
    inside = flow.window

    def values(x: Array, y: Array, moment: float) -> Array:
        shown = _displayed_field(flow, x, y, moment)
        within = (x >= inside.left) & (x <= inside.right) & (y >= inside.bottom) & (y <= inside.top)
        return np.where(within, shown, np.nan)

    return Scene(
        window=inside.grown(*flow.margin),
        values=values,
        quantity=f"{label} / {units.sign(kind)}",
        factor=units.number(1.0, kind),
        marks=lambda moment: flow.marks,
        stage=lambda moment: f"t = {units.show(moment * flow.duration, 'time')}" if flow.duration else "tracers",
        flow=flow.velocity,
        domain=inside,
        profile=_profile(flow),
        may_turn=flow.may_turn,
        decays=flow.duration > 0,
        follows_lines=flow.follows_lines,
    )


def _displayed_field(flow: Flow, x: Array, y: Array, moment: float) -> Array:
    if flow.shows == "vorticity":
        step = 0.5 * flow.probe * flow.length
        v_right, v_left = (flow.velocity(x + side * step, y, moment)[1] for side in (1, -1))
        u_up, u_down = (flow.velocity(x, y + side * step, moment)[0] for side in (1, -1))
        spin = (v_right - v_left - u_up + u_down) / (2 * step)
        return np.clip(spin, -flow.spin_limit, flow.spin_limit)
    u, v = flow.velocity(x, y, moment)
    if flow.shows == "velocity":
        return v if flow.goes_up else u
    return np.asarray(np.hypot(u, v))


def _profile(flow: Flow) -> Profile:
    """The velocity along the main direction, across a station on the way."""
    window, units = flow.window, flow.units
    place, fixed = np.linspace(0, 1, 241), np.full(241, flow.station)
    x = window.left + window.width * (place if flow.goes_up else fixed)
    y = window.bottom + window.height * (fixed if flow.goes_up else place)
    u, v = flow.velocity(x, y, 1.0)
    across, along, axis = ("x", "y", "v") if flow.goes_up else ("y", "x", "u")
    at = units.show(float(y[0] if flow.goes_up else x[0]), "length")
    return Profile(
        title=f"Velocity {axis} across {along} = {at}",
        across=f"{across} / {units.sign('length')}",
        up=units.sign("speed"),
        xs=units.number(1.0, "length") * (x if flow.goes_up else y),
        ys=units.number(1.0, "speed") * (v if flow.goes_up else u),
    )
