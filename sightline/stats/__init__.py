"""Intervals and what they rest on."""
