"""Flows: `exact_*` are formulas, `computed/` are worked out by a solver; all else serves both."""
