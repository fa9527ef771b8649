"""Comparison of two structural models by their response: are they equivalent, and if not, which part is wrong.

overlay        both models on common vertices, best aligned, with members split into segments
mapped_loads   loads by vertex or segment, and which connected segments carry them
response       FEM response of a model in a controlled variant; restrained directions of supports
compare        equality of two responses, or of two sets of loads, within a tolerance
problems       the wrong parts
descriptions   points, supports and loads in words
diagnosis      the sequence of comparisons from geometry to loads: score, stage and problems in one call
"""
