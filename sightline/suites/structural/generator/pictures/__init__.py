"""A structural model as a textbook's drawing, from which it can be read back in full.

style      what differs between two drawings of the same model
view       from metres to pixels
joints     what meets at a point
draft      the sheet while it is being drawn: what is where, and what found no place
structure  members, hinges, supports
spreads    distributed loads
forces     point loads with their angles
moments    concentrated moments
spots      lengths along a member, where loads begin, end or stand on it
chains     dimension chains below and beside
compose    all of it in order: `draw_model`, `draw`
"""
