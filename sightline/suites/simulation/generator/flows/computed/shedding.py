"""Flow past a circular cylinder whose wake swings: eddies leave in turn from both sides."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sightline.suites.simulation.generator.case import Candidate, Kind
from sightline.suites.simulation.generator.draw import Draw
from sightline.suites.simulation.generator.flows.computed.cylinder import TRANSITION
from sightline.suites.simulation.generator.flows.computed.proposing import proposed
from sightline.suites.simulation.generator.flows.computed.setting import Outlook, Ranges, Setting, draw_setting

if TYPE_CHECKING:
    from sightline.suites.simulation.generator.flows.computed.basin import Basin

_RANGES = Ranges(
    laminar=(90, 170), turbulent=(2e3, 6e4), transition=TRANSITION, stops=("moving",), heats=0.3, turbulent_share=0.6
)


def propose(draw: Draw) -> Candidate:
    """Above the Reynolds number at which the wake begins to swing, about 47."""
    setting = draw_setting(draw, _RANGES)
    outlook = Outlook(
        separates=True,
        runs_back=True,
        is_mirrored=False,
        loses_pressure=setting.defect != "drain",
        peaks_in_middle=True,
        peak=1.5,
        is_restless=True,
    )
    return proposed(setting, outlook, lambda: _basin(setting))


def _basin(setting: Setting) -> Basin:
    from sightline.suites.simulation.generator.flows.computed.round_body import round_body

    return round_body(setting, kind="eddy_street", is_restless=True)


KIND = Kind("eddy_street", propose)
