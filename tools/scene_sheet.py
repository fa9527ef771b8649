"""Writes docs/images/remote-sensing-scenes.png: 24 fresh overhead scenes.

python tools/scene_sheet.py [FILE]
"""

from __future__ import annotations

import sys
from pathlib import Path

from PIL import Image

from sightline.suites.remote_sensing.generator.render import render
from sightline.suites.remote_sensing.generator.render.sensor import light_of
from sightline.suites.remote_sensing.generator.scene_layouts import make_scene

ROOT = Path(__file__).resolve().parents[1]
SHEET = ROOT / "docs" / "images" / "remote-sensing-scenes.png"
COUNT, COLUMNS, SEED = 24, 6, 24
SIDE, GAP = 384, 8


def main(path: Path = SHEET) -> None:
    """Render, lay out, save with few colours."""
    rows, step = -(-COUNT // COLUMNS), SIDE + GAP
    sheet = Image.new("RGB", (COLUMNS * step - GAP, rows * step - GAP), "white")
    for number in range(COUNT):
        picture = render(make_scene(SEED, number), light_of(SEED, number), SIDE, (SEED, number))
        sheet.paste(picture, (number % COLUMNS * step, number // COLUMNS * step))
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.quantize(256, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)
    print(path, f"{path.stat().st_size / 1e6:.2f} MB")


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else SHEET)
