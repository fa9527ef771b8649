"""Many samples at once: texts and what is read from them as arrays, so that a million of them take seconds."""

from sightline.columns.batch import Batch, Read
from sightline.columns.kinds import Column, Labels, Numbers, Polygons, Ranks, Shapes
from sightline.columns.texts import TextColumn

__all__ = ["Batch", "Column", "Labels", "Numbers", "Polygons", "Ranks", "Read", "Shapes", "TextColumn"]
