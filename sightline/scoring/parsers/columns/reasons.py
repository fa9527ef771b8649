"""Reasons for parse errors; the index in `REASONS` is the error code of the kernels."""

from __future__ import annotations

REASONS = (
    "",
    "empty output",
    "not a number",
    "number out of range",
    "not a whole number",
    "index out of range",
    "too many indices",
    "not yes or no",
    "unknown label",
    "more than one label",
    "label too long",
    "too many labels",
    "box lacks a coordinate",
    "box has too many coordinates",
    "no box",
    "more than one box",
    "quad lacks a coordinate",
    "quad has too many coordinates",
    "no quad",
    "polygon has fewer than three points",
    "odd number of coordinates",
    "no polygon",
    "unclosed tag",
    "text outside the tags",
    "too many shapes",
    "shape without area",
    "not in the declared reply format",
)
"""All reasons; index 0 is empty and means success."""

EMPTY = REASONS.index("empty output")
NOT_NUMBER = REASONS.index("not a number")
OUT_OF_RANGE = REASONS.index("number out of range")
NOT_WHOLE = REASONS.index("not a whole number")
INDEX_RANGE = REASONS.index("index out of range")
TOO_MANY_INDICES = REASONS.index("too many indices")
NOT_YES_NO = REASONS.index("not yes or no")
UNKNOWN_LABEL = REASONS.index("unknown label")
SEVERAL_LABELS = REASONS.index("more than one label")
LONG_LABEL = REASONS.index("label too long")
TOO_MANY_LABELS = REASONS.index("too many labels")
FEW_POINTS = REASONS.index("polygon has fewer than three points")
ODD = REASONS.index("odd number of coordinates")
NO_BOX = REASONS.index("no box")
NO_QUAD = REASONS.index("no quad")
NO_POLYGON = REASONS.index("no polygon")
SEVERAL_BOXES = REASONS.index("more than one box")
UNCLOSED = REASONS.index("unclosed tag")
OUTSIDE = REASONS.index("text outside the tags")
SHAPE_WITHOUT_AREA = REASONS.index("shape without area")
"""Of truths only."""
TOO_MANY_SHAPES = REASONS.index("too many shapes")
NOT_DECLARED_FORMAT = REASONS.index("not in the declared reply format")
