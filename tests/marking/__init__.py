"""Markers and row metrics."""
