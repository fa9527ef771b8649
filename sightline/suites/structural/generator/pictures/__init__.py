"""Textbook drawing of a structural model, from which the model can be read back completely.

style              random drawing style
view               transformation from metres to pixels
joints             members and support at each point
draft              drawing in progress: shapes, occupied areas, deferred labels, clashes
structure          members, hinges, supports
distributed_loads  distributed loads
forces             point loads with their angles
moments            concentrated moments
member_dimensions  dimension lines along a member for the positions of loads
dimension_chains   dimension chains below and beside the structure
notation           numbers, units and symbols
compose            the complete drawing: `draw_model`, `lay_out_drawing`
"""
