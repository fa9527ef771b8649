"""Writes docs/images/matrix-samples.png: a fresh sample of each kind (rows) and level (columns) of the matrix.

python tools/matrix_sheet.py [FILE] [SEED]
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from PIL import Image

from sightline.suites.matrix.generator.canvas import Canvas, TextStyle
from sightline.suites.matrix.generator.recipe import KINDS, LEVELS
from sightline.suites.matrix.generator.writer import SampleSlot, make_item, slot_language

ROOT = Path(__file__).resolve().parents[1]
SHEET = ROOT / "docs" / "images" / "matrix-samples.png"
SEED = 12
WIDE, HIGH, GAP, HEAD, SIDE = 400, 270, 10, 36, 190


def main(path: Path = SHEET, seed: int = SEED) -> None:
    """Make, lay out, save with few colours."""
    rows = [(dimension, kind) for dimension, kinds in KINDS.items() for kind in kinds]
    step_x, step_y = WIDE + GAP, HIGH + GAP
    canvas = Canvas(SIDE + len(LEVELS) * step_x, HEAD + len(rows) * step_y, oversampling=1)
    for column, level in enumerate(LEVELS):
        canvas.text((SIDE + column * step_x + WIDE / 2, HEAD / 2), level.upper(), TextStyle(size=20, face="bold"))
    for row, (dimension, kind) in enumerate(rows):
        top = HEAD + row * step_y
        canvas.text((10, top + HIGH / 2 - 14), dimension, TextStyle(size=14, colour="#777777", anchor="lm"))
        canvas.text((10, top + HIGH / 2 + 8), kind.replace("_", " "), TextStyle(size=16, anchor="lm"))
        for column, level in enumerate(LEVELS):
            slot = SampleSlot(dimension=dimension, kind=kind, level=level, number=0)
            picture = side_by_side(make_item(slot, seed, slot_language(slot, "both")).pictures)
            left = SIDE + column * step_x
            canvas.paste(picture, (left + (WIDE - picture.width) // 2, top + (HIGH - picture.height) // 2))
    path.parent.mkdir(parents=True, exist_ok=True)
    canvas.image().quantize(256, Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE).save(path, optimize=True)
    print(path, f"{path.stat().st_size / 1e6:.2f} MB")


def side_by_side(files: tuple[bytes, ...]) -> Image.Image:
    """The pictures of a sample in a row, made small."""
    pictures = [Image.open(io.BytesIO(file)).convert("RGB") for file in files]
    row = Image.new("RGB", (sum(p.width + GAP for p in pictures) - GAP, max(p.height for p in pictures)), "white")
    left = 0
    for picture in pictures:
        row.paste(picture, (left, 0))
        left += picture.width + GAP
    row.thumbnail((WIDE, HIGH), Image.Resampling.LANCZOS)
    return row


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SHEET, int(sys.argv[2]) if len(sys.argv) > 2 else SEED)
