"""Families of structures. Each is a function from `Dice` to a `Sketch` with its loads."""
