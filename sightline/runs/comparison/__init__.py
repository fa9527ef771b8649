"""Runs beside each other: which may be compared, how their grades pair, and what the difference comes to."""
