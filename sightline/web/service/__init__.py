"""Sightline as a small HTTP service: JSON in, JSON out, for callers in any language."""
