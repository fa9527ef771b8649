"""Generator of synthetic overhead scenes, and of questions whose answers are known by construction.

shapes          planar geometry of outlines
seeded_random   seeded pseudo-random choices
catalog         materials by sensor mode, kinds of objects
scene           a scene before rendering, and the ground truth of its objects
scene_layouts/  airports, harbours, towns…: layouts by scene class
render/         renderer of a scene
questions/      question generators, one module per family of tasks
plan            tasks; choice of questions and scenes, with balanced answers
corruptions     replies of a simulated model with known error rates
writer          the files
"""
