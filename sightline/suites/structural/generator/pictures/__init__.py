"""Textbook drawing of a structural model, from which the model can be read back completely.

style          random drawing style; numbers, units and symbols
draft          drawing in progress: view, joints, shapes, occupied areas, deferred labels, clashes
loads          point loads with their angles, moments, distributed loads
dimensions     dimension lines along members, chains below and beside the structure
model_drawing  members and supports, and the complete drawing: `lay_out_drawing`
"""
