"""A scene as questions: one file a family of tasks.

An asker takes views of a few scenes, the first of them the one in question, and yields candidates; the plan takes
the one whose answer was given least often so far. Answers follow from the scene, never from the picture.
"""
