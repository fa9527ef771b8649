"""Plane frames by the direct stiffness method: a frozen model, its solution, diagrams, and mechanisms by name.

Knows no file format. Lengths, forces and stiffnesses are in any consistent units; y points up, angles and moments are
counter-clockwise.
"""
