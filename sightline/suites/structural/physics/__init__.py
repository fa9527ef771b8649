"""Whether two models are the same structure under the same loads, and if not, which part is wrong.

aligning    where an answer that is not quite the truth lies best on it
places      both models on common places, members cut into pieces
bearing     what bears a load at a place: the sides of a hinge, members that cross
applied     loads by place and bearer
supports    what is held, by place
response    a model in a controlled variant, under loads
compare     when two responses, or two sets of loads, are the same
ladder      the experiments, from geometry to loads
problems    the wrong parts by name
words       how places, supports and loads are called
diagnosis   all of it in one call
legacy      the original benchmark's rule, for comparison
"""
