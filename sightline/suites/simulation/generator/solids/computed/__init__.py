"""Structures computed by finite elements. Their modules need scikit-fem and SciPy, so they are imported late."""

from __future__ import annotations

from functools import partial

from sightline.suites.simulation.generator.case import Candidate, Kind
from sightline.suites.simulation.generator.rng import ParameterRng


def _propose(name: str, draw: ParameterRng) -> Candidate:
    from sightline.suites.simulation.generator.solids.computed import bars, plates
    from sightline.suites.simulation.generator.solids.computed.candidate import make_candidate
    from sightline.suites.simulation.generator.solids.computed.torsion import propose_section

    if name == "section":
        return propose_section(draw)
    makers = {
        "plate": plates.make_plate,
        "cantilever": bars.make_cantilever,
        "ring": plates.make_ring,
        "notched": bars.make_notched,
        "strip": bars.make_strip,
        "column": bars.make_column,
        "bracket": plates.make_bracket,
    }
    return make_candidate(makers[name], draw)


_NAMES = ("plate", "cantilever", "ring", "notched", "strip", "column", "bracket", "section")
KINDS: tuple[Kind, ...] = tuple(Kind(name, partial(_propose, name)) for name in _NAMES)
