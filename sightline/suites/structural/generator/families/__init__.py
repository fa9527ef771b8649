"""Families of structures. Each is a function from `SeededRandom` to a `ModelBuilder` with its loads."""
