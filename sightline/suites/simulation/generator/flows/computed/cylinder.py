"""Flow past a circular cylinder that comes to rest: attached at the lowest speeds, else with two eddies behind it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.suites.simulation.generator.case import Candidate, Kind
from sightline.suites.simulation.generator.draw import Draw
from sightline.suites.simulation.generator.flows.computed.proposing import proposed
from sightline.suites.simulation.generator.flows.computed.setting import Outlook, Ranges, Setting, draw_setting

if TYPE_CHECKING:
    from sightline.suites.simulation.generator.flows.computed.basin import Basin

TRANSITION = 260.0
"""Where the wake turns three-dimensional (Williamson, Annu. Rev. Fluid Mech. 28, 1996: from 190 to 260)."""
_CREEPING = Ranges(laminar=(1.5, 4), turbulent=(1.5, 4), transition=TRANSITION, turbulent_share=0.0, heats=0.35)
_SLOW = Ranges(laminar=(15, 42), turbulent=(15, 42), transition=TRANSITION, turbulent_share=0.0, heats=0.35)


def propose(draw: Draw) -> Candidate:
    """Below Re 4 or above Re 15, so that it is plain whether the flow separates; at higher ones it would not settle."""
    setting = draw_setting(draw, draw.pick((_CREEPING, _CREEPING, _SLOW)))
    outlook = Outlook(
        # while the stream speeds up the eddies have not formed yet
        separates=setting.reynolds > 6 and setting.stop != "moving",
        runs_back=setting.reynolds > 10 and setting.stop != "moving",
        is_mirrored=True,
        even_defects=("slip", "drain"),
        # a drain behind it slows the stream, and so raises the pressure
        loses_pressure=setting.defect != "drain" or setting.reynolds < 10 or setting.stop == "moving",
        peaks_in_middle=setting.reynolds > 10,
    )
    return proposed(setting, outlook, lambda: _basin(setting))


def _basin(setting: Setting) -> Basin:
    from sightline.suites.simulation.generator.flows.computed.round_body import round_body

    return round_body(setting, kind="cylinder_wake", is_restless=False)


KIND = Kind("cylinder_wake", propose)
