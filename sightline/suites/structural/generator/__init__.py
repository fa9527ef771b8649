"""Generator of structural drawings with their models.

plan           which models a data set contains, checks that each is sound, and writing of the files
model_builder  seeded choices, incremental construction of a model, random loads
beams, frames, trusses   families of structures
pictures/      a model as a textbook drawing
"""
