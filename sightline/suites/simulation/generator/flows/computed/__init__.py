"""Flows that a solver computes. The solver itself, with Numba, is imported when a case is solved, not before."""

from __future__ import annotations

from sightline.suites.simulation.generator.case import Kind
from sightline.suites.simulation.generator.flows.computed.ducts import propose_channel, propose_pipe
from sightline.suites.simulation.generator.flows.computed.external_flows import (
    propose_airfoil,
    propose_shedding,
    propose_wake,
)
from sightline.suites.simulation.generator.flows.computed.internal_flows import (
    propose_driven,
    propose_heated,
    propose_jet,
    propose_step,
)

KINDS: tuple[Kind, ...] = (
    Kind("channel_entry", propose_channel),
    Kind("heated_cavity", propose_heated),
    Kind("cylinder_wake", propose_wake),
    Kind("jet", propose_jet),
    Kind("eddy_street", propose_shedding),
    Kind("driven_cavity", propose_driven),
    Kind("airfoil", propose_airfoil),
    Kind("pipe_entry", propose_pipe),
    Kind("backward_step", propose_step),
)
