"""Plane frames by the direct stiffness method: a frozen model, its solution, diagrams, and mechanisms by name.

Knows no file format. Lengths, forces and stiffnesses are in any consistent units; y points up, angles and moments are
counter-clockwise.
"""

from sightline.suites.structural.fem.diagram import Diagram, Peak
from sightline.suites.structural.fem.frame import (
    Frame,
    Load,
    Member,
    MemberLineLoad,
    MemberPointLoad,
    Node,
    NodeLoad,
    Support,
)
from sightline.suites.structural.fem.mechanism import MechanismError
from sightline.suites.structural.fem.solver import Reaction, Solution, Structure, solve

__all__ = [
    "Diagram",
    "Frame",
    "Load",
    "MechanismError",
    "Member",
    "MemberLineLoad",
    "MemberPointLoad",
    "Node",
    "NodeLoad",
    "Peak",
    "Reaction",
    "Solution",
    "Structure",
    "Support",
    "solve",
]
