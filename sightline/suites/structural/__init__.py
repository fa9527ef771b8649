"""Structural suite: a drawing of a beam, frame or truss is transcribed into a structural model, compared by FEM."""

from sightline.suites.structural.suite import Options, StructuralSuite

__all__ = ["Options", "StructuralSuite"]
