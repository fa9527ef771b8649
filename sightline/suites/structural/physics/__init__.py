"""Comparison of two structural models by their response: are they equivalent, and if not, which part is wrong.

alignment         translation that best matches an answer to the truth
overlay           both models on common vertices, with members split into segments
attachments       which connected segments carry a load at a vertex: sides of a hinge, crossing members
mapped_loads      loads by vertex or segment, and by carrier
restraints        restrained directions by vertex
response          FEM response of a model in a controlled variant
compare           equality of two responses, or of two sets of loads, within a tolerance
staged_diagnosis  the sequence of comparisons, from geometry to loads
problems          the wrong parts
descriptions      points, supports and loads in words
diagnosis         score, stage and problems in one call
legacy            the scoring rule of the original benchmark, for comparison
"""
