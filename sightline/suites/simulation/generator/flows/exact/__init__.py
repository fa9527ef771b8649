"""Flows whose fields are formulas."""
