"""Figures over grades: small state that adds, merges and yields an `Estimate`."""
