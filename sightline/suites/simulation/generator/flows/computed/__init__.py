"""Flows that a solver works out: one file a kind; the solver is loaded when a case is solved, not before."""

from __future__ import annotations

from sightline.suites.simulation.generator.case import Kind
from sightline.suites.simulation.generator.flows.computed import (
    airfoil,
    cavity,
    channel,
    cylinder,
    heated,
    jet,
    pipe,
    shedding,
    step,
)

KINDS: tuple[Kind, ...] = (
    channel.KIND,
    heated.KIND,
    cylinder.KIND,
    jet.KIND,
    shedding.KIND,
    cavity.KIND,
    airfoil.KIND,
    pipe.KIND,
    step.KIND,
)
