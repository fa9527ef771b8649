"""Flow that enters between two plates and changes its profile on the way."""

from __future__ import annotations

from sightline.suites.simulation.generator.case import Candidate, Case, Kind
from sightline.suites.simulation.generator.draw import Draw
from sightline.suites.simulation.generator.flows.computed.setting import (
    Outlook,
    Ranges,
    Setting,
    draw_setting,
    expected,
)

TRANSITION = 2300.0
RANGES = Ranges(
    laminar=(60, 900),
    turbulent=(6e3, 1e5),
    transition=TRANSITION,
    heats=0.0,
    defects=("none", "slip", "porous"),
    stops=("settled", "early"),
    small=(8e-4, 4e-2),
    large=(0.01, 0.3),
)


def outlook(setting: Setting, *, is_pipe: bool) -> Outlook:
    """What is expected of a duct; turbulent flow is fastest beside its layers at the walls while it enters."""
    return Outlook(
        separates=False,
        runs_back=False,
        is_mirrored=True,
        loses_pressure=not (setting.is_turbulent and setting.defect == "porous"),
        peaks_in_middle=not setting.is_turbulent,
        even_defects=("slip", "porous") if is_pipe else (),
    )


def propose(draw: Draw) -> Candidate:
    """The Reynolds number is that of the hydraulic diameter, twice the gap."""
    setting = draw_setting(draw, RANGES)
    length, is_flat = draw.between(5, 9), draw.chance(0.7)
    return Candidate(
        expected(setting, outlook(setting, is_pipe=False)), lambda: _solve(setting, length, is_flat=is_flat)
    )


def _solve(setting: Setting, length: float, *, is_flat: bool) -> Case:
    from sightline.suites.simulation.generator.flows.computed.ducts import tell_duct
    from sightline.suites.simulation.solvers.flows.duct import Duct

    duct = Duct(
        viscosity=1 / setting.reynolds,
        length=length / 2,
        has_closure=setting.is_turbulent,
        is_flat=is_flat or setting.is_turbulent,
    )
    return tell_duct(duct, setting, kind="channel_entry", title="Flow into a channel between plates")


KIND = Kind("channel_entry", propose)
