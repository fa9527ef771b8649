"""Structures: with exact solutions, and computed by finite elements."""
