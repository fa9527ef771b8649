"""Reader and writer of the FrameCalc JSON format; deviations are repaired by a stated rule or rejected with a reason.

reader      JSON → `Model`, with its repairs or the reason why it can't be read
structure   points, links, supports and loads
repairs     synonyms, lenient access to fields, number parsing, ids, and the log of repairs
writer      `Model` → JSON
analysis    `Model` → `Frame` of the FEM solver, and its results in the sign conventions of the format
"""
