"""Question generators, one file per family of tasks.

A question generator takes views of a few scenes, of which the first is the subject, and yields candidates; the plan
chooses the one with the rarest answer so far. Answers follow from the scene, never from the rendered picture.
"""
