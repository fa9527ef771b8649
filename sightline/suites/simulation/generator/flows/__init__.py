"""Flows: `exact/` has those that are formulas, `computed/` those that a solver works out; all else serves both."""
