"""Flow that enters a round pipe, in a section along its axis."""

from __future__ import annotations

from sightline.suites.simulation.generator.case import Candidate, Case, Kind
from sightline.suites.simulation.generator.draw import Draw
from sightline.suites.simulation.generator.flows.computed.channel import RANGES, outlook
from sightline.suites.simulation.generator.flows.computed.setting import Setting, draw_setting, expected


def propose(draw: Draw) -> Candidate:
    """The Reynolds number is that of the diameter."""
    setting = draw_setting(draw, RANGES)
    length, is_flat = draw.between(4, 8), draw.chance(0.7)
    return Candidate(
        expected(setting, outlook(setting, is_pipe=True)), lambda: _solve(setting, length, is_flat=is_flat)
    )


def _solve(setting: Setting, length: float, *, is_flat: bool) -> Case:
    from sightline.suites.simulation.generator.flows.computed.ducts import tell_duct
    from sightline.suites.simulation.solvers.flows.duct import Duct

    duct = Duct(
        viscosity=1 / setting.reynolds,
        length=length,
        is_pipe=True,
        has_closure=setting.is_turbulent,
        is_flat=is_flat or setting.is_turbulent,
    )
    return tell_duct(duct, setting, kind="pipe_entry", title="Flow into a round pipe, section along the axis")


KIND = Kind("pipe_entry", propose)
