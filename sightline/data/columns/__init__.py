"""Columnar (struct-of-arrays) data of many samples: texts and parsed values, for vectorized scoring."""

from sightline.data.columns.batch import Batch, ParsedColumn
from sightline.data.columns.column_types import Column, Labels, Numbers, Polygons, Ranks, Shapes
from sightline.data.columns.text_column import TextColumn

__all__ = ["Batch", "Column", "Labels", "Numbers", "ParsedColumn", "Polygons", "Ranks", "Shapes", "TextColumn"]
