"""How a flow is drawn: coloured by speed, velocity or vorticity, with arrows or streamlines."""

from __future__ import annotations

import numpy as np

from sightline.suites.simulation.generator.arrays import Array
from sightline.suites.simulation.generator.case import Profile, Scene
from sightline.suites.simulation.generator.flows.stream import Stream

_UNIT = {"speed": "speed", "velocity": "speed", "vorticity": "spin"}


def scene_of(stream: Stream) -> Scene:
    """The scene of a flow at all its moments."""
    units, kind = stream.units, _UNIT[stream.shows]
    axis = "v" if stream.goes_up else "u"
    label = {"speed": "Speed", "velocity": f"Velocity {axis}", "vorticity": "Vorticity"}[stream.shows]
    inside = stream.window

    def values(x: Array, y: Array, moment: float) -> Array:
        shown = _shown(stream, x, y, moment)
        within = (x >= inside.left) & (x <= inside.right) & (y >= inside.bottom) & (y <= inside.top)
        return np.where(within, shown, np.nan)

    return Scene(
        window=inside.grown(*stream.margin),
        values=values,
        quantity=f"{label} / {units.sign(kind)}",
        factor=units.number(1.0, kind),
        marks=lambda moment: stream.marks,
        stage=lambda moment: f"t = {units.show(moment * stream.duration, 'time')}" if stream.duration else "tracers",
        flow=stream.velocity,
        domain=inside,
        profile=_profile(stream),
        may_turn=stream.may_turn,
        decays=stream.duration > 0,
        follows_lines=stream.follows_lines,
    )


def _shown(stream: Stream, x: Array, y: Array, moment: float) -> Array:
    if stream.shows == "vorticity":
        step = 0.5 * stream.probe * stream.length
        v_right, v_left = (stream.velocity(x + side * step, y, moment)[1] for side in (1, -1))
        u_up, u_down = (stream.velocity(x, y + side * step, moment)[0] for side in (1, -1))
        spin = (v_right - v_left - u_up + u_down) / (2 * step)
        return np.clip(spin, -stream.spin_limit, stream.spin_limit)
    u, v = stream.velocity(x, y, moment)
    if stream.shows == "velocity":
        return v if stream.goes_up else u
    return np.asarray(np.hypot(u, v))


def _profile(stream: Stream) -> Profile:
    """The velocity along the main direction, across a station on the way."""
    window, units = stream.window, stream.units
    place, fixed = np.linspace(0, 1, 241), np.full(241, stream.station)
    x = window.left + window.width * (place if stream.goes_up else fixed)
    y = window.bottom + window.height * (fixed if stream.goes_up else place)
    u, v = stream.velocity(x, y, 1.0)
    across, along, axis = ("x", "y", "v") if stream.goes_up else ("y", "x", "u")
    at = units.show(float(y[0] if stream.goes_up else x[0]), "length")
    return Profile(
        title=f"Velocity {axis} across {along} = {at}",
        across=f"{across} / {units.sign('length')}",
        up=units.sign("speed"),
        xs=units.number(1.0, "length") * (x if stream.goes_up else y),
        ys=units.number(1.0, "speed") * (v if stream.goes_up else u),
    )
