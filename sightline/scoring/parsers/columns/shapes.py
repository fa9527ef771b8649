"""Boxes and quads in tags, with a count before them if the text states one.

What is read, white space being free everywhere between signs and the case of letters too:

- `28 <box><x1><y1><x2><y2></box><box>…</box>`, the count being optional; `<quad>` with eight numbers likewise;
- `<box>12,34,56,78</box>`, `<box>12 34 56 78</box>`, `<box>(12,34),(56,78)</box>`, `<box>[12,34,56,78]</box>`,
  `<box><12,34,56,78></box>`: numbers parted by commas, semicolons, white space or brackets that match;
- numbers as `12`, `-3`, `+3`, `0.5`, `.5`, `5e-05`, up to 10¹² either way;
- a score a shape, as `</box><score>0.87</score>` or as one number more inside; they count only if every shape of the
  text has one;
- between shapes white space, commas, semicolons and full stops; any other text beside them is refused;
- `0`, `none`, `[]`, `无`, `没有`: no shape, and the count 0; a number alone is a count without shapes.
"""

from __future__ import annotations

from typing import Any, ClassVar

from sightline.data.columns import Read, Shapes, TextColumn
from sightline.scoring.parsers.base import ColumnParser
from sightline.scoring.parsers.columns.reasons import REASONS
from sightline.scoring.parsers.columns.shape_reader import scan_shapes


class ShapeParser(ColumnParser, frozen=True, kw_only=True):
    """Shapes of a fixed number of coordinates; see the module for all that is read."""

    kind: ClassVar[str] = "shapes"
    tag: str
    size: int
    single: bool = False
    """Exactly one shape must be there."""

    def read(self, texts: TextColumn) -> Read:
        """See `ColumnParser`."""
        lacks = REASONS.index(f"{self.tag} lacks a coordinate")
        scanned = scan_shapes(texts, self.tag, (self.size, lacks), self.single)
        coords = scanned.numbers.reshape(-1, self.size)
        return Read(Shapes(scanned.offsets, coords, scanned.counts, scanned.scores), scanned.errors, REASONS)

    def value(self, values: Any) -> Any:
        """`count` (None where none is stated), `shapes` as lists of numbers, and `scores` where there are any."""
        return shapes_as_dict(values, values.coords.tolist())


def shapes_as_dict(values: Any, shapes: list[Any]) -> dict[str, Any]:
    """A column with one sample as a dictionary."""
    count = float(values.counts[0])
    result: dict[str, Any] = {"count": None if count != count else int(count), "shapes": shapes}
    return result if values.scores is None else {**result, "scores": values.scores.tolist()}


BOXES = ShapeParser(tag="box", size=4)
ONE_BOX = ShapeParser(tag="box", size=4, single=True)
QUADS = ShapeParser(tag="quad", size=8)
