"""Writes docs/images/structural-drawings.png: 24 fresh drawings at mixed difficulty, each 800 pixels wide.

python tools/contact_sheet.py
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from PIL import Image

from sightline import generate

ROOT = Path(__file__).resolve().parents[1]
SHEET = ROOT / "docs" / "images" / "structural-drawings.png"
COUNT, COLUMNS, SEED = 24, 3, 24
CELL = (800, 560)


def main() -> None:
    """Draw, lay out, save with few colours."""
    rows = -(-COUNT // COLUMNS)
    sheet = Image.new("RGB", (COLUMNS * CELL[0], rows * CELL[1]), "white")
    with tempfile.TemporaryDirectory() as folder:
        data = generate("structural", Path(folder) / "data", count=COUNT, seed=SEED)
        for number, path in enumerate(sorted((data / "images").glob("*.png"))):
            with Image.open(path) as drawing:
                picture = drawing.convert("RGB")
            picture.thumbnail((CELL[0] - 16, CELL[1] - 16))
            column, row = number % COLUMNS, number // COLUMNS
            left = column * CELL[0] + (CELL[0] - picture.width) // 2
            sheet.paste(picture, (left, row * CELL[1] + (CELL[1] - picture.height) // 2))
    SHEET.parent.mkdir(parents=True, exist_ok=True)
    sheet.quantize(48).save(SHEET, optimize=True)
    print(SHEET.relative_to(ROOT), f"{SHEET.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main()
