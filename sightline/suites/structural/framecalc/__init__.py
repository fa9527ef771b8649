"""The FrameCalc format, read and written: every deviation is mended by a stated rule or refused with its reason.

reading     JSON → `Model`, with what was mended or why it can't be read
structure   points, links, supports
loads       forces, moments, distributed loads
mending     entries with forgiving field names, numbers that are numbers
vocabulary  other words for the same thing
naming      ids, missing and double
tidying     double points, orphans, links without length
write       `Model` → JSON
convert     `Model` → frame of the solver
results     the solver's answer in the format's signs
"""
