"""Structures computed by finite elements. Their modules need scikit-fem and SciPy, so they are imported late."""

from __future__ import annotations

from functools import partial
from importlib import import_module

from sightline.suites.simulation.generator.case import Candidate, Kind
from sightline.suites.simulation.generator.draw import ParameterRng

_NAMES = ("plate", "cantilever", "ring", "notched", "strip", "column", "bracket", "section")


def _proposed(name: str, draw: ParameterRng) -> Candidate:
    candidate: Candidate = import_module(f"{__name__}.{name}").propose(draw)
    return candidate


KINDS: tuple[Kind, ...] = tuple(Kind(name, partial(_proposed, name)) for name in _NAMES)
