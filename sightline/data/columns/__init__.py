"""Many samples at once: texts and what is read from them as arrays, so that a million of them take seconds."""

from sightline.data.columns.batch import Batch, Read
from sightline.data.columns.kinds import Column, Labels, Numbers, Polygons, Ranks, Shapes
from sightline.data.columns.texts import TextColumn

__all__ = ["Batch", "Column", "Labels", "Numbers", "Polygons", "Ranks", "Read", "Shapes", "TextColumn"]
