"""Flows that a solver computes. The solver itself, with Numba, is imported when a case is solved, not before."""

from __future__ import annotations

from sightline.suites.simulation.generator.case import Kind
from sightline.suites.simulation.generator.flows.computed import ducts, external_flows, internal_flows

KINDS: tuple[Kind, ...] = (
    Kind("channel_entry", ducts.propose_channel),
    Kind("heated_cavity", internal_flows.propose_heated),
    Kind("cylinder_wake", external_flows.propose_wake),
    Kind("jet", internal_flows.propose_jet),
    Kind("eddy_street", external_flows.propose_shedding),
    Kind("driven_cavity", internal_flows.propose_driven),
    Kind("airfoil", external_flows.propose_airfoil),
    Kind("pipe_entry", ducts.propose_pipe),
    Kind("backward_step", internal_flows.propose_step),
)
