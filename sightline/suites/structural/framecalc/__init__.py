"""Reader and writer of the FrameCalc JSON format; deviations are repaired by a stated rule or rejected with a reason.

reader      JSON → `Model`, with its repairs or the reason why it can't be read
structure   points, links, supports
loads       forces, moments, distributed loads
repairs     lenient access to fields, number parsing, and the log of repairs
synonyms    alternative field names and keywords
ids         missing, duplicate and referenced ids
simplify    duplicate links, unused points, several supports at a point
writer      `Model` → JSON
convert     `Model` → `Frame` of the FEM solver
results     FEM results in the sign conventions of the format
"""
