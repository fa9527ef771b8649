"""Layouts of scene classes: each is a function that adds areas, roads and objects to a scene builder."""
