"""Boxes, quads and polygon masks: areas and overlaps on NumPy arrays.

Batches are ragged: a flat array of shapes and the offsets at which each image's shapes begin and end. A shape without
area is empty: its IoU with everything is 0. Importing a module of this folder, `arrays` apart, imports Numba.
"""
