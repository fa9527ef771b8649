"""Whether two models are the same structure under the same loads, and if not, which part is wrong.

places      both models on common places, members cut into pieces
applied     loads by place
supports    what is held, by place
response    a model in a controlled variant, under loads
compare     when two responses, or two sets of loads, are the same
ladder      the experiments, from geometry to loads
problems    the wrong parts by name
words       how places, supports and loads are called
diagnosis   all of it in one call
legacy      the original benchmark's rule, for comparison
"""
