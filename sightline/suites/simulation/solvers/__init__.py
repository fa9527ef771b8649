"""Solvers whose fields the generator draws and measures: physics only, no pictures and no questions."""

from __future__ import annotations


class DivergedError(ArithmeticError):
    """A computation whose numbers grew beyond all bounds: there is no solution to tell of."""
