"""Drawings of truth and reply for the sample view, with wrong parts in red.

faults            the problems of a diagnosis as parts of either model
glyphs            shapes of parts of a model, solid or dashed
labels            values of loads and dimensions, placed in free space
model_figure      figure of a model
response_figures  figures of moments or bar forces, and of the deflected shape
compose           all drawings of a sample
"""
