"""Numerical solvers of the generator: lattice Boltzmann for flows and finite elements for solids."""

from __future__ import annotations


class DivergedError(ArithmeticError):
    """The numerical solution diverged."""
