"""Figures of models, solutions and diagnoses.

sketch   a model, or single parts of it, as lines and symbols
labels   values of loads and dimensions, placed in free space
plots    diagrams of a solution, overlay of a diagnosis: files for the command line
faults   the problems of a diagnosis as parts of either model
sample   all drawings of truth and reply for the sample view, with wrong parts in red
"""
