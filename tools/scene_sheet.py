"""Writes docs/images/remote-sensing-scenes.png: 24 fresh overhead scenes; and remote-sensing-conditions.png: three
scenes under each of several conditions.

python tools/scene_sheet.py [FOLDER]
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from sightline.suites.remote_sensing.generator.conditions import STANDARD, Conditions
from sightline.suites.remote_sensing.generator.render import render
from sightline.suites.remote_sensing.generator.render.sensor import light_of
from sightline.suites.remote_sensing.generator.scene_layouts import make_scene

ROOT = Path(__file__).resolve().parents[1]
IMAGES = ROOT / "docs" / "images"
COUNT, COLUMNS, SEED = 24, 6, 24
SIDE, GAP = 384, 8
COLUMNS_OF_CONDITIONS = (
    (Conditions(sensors=("sar",)), (2, 3, 6)),
    (Conditions(crowded=True), (2, 3, 6)),
    (Conditions(resolutions=(0.15,), cut=True), (2, 3, 0)),
    (Conditions(resolutions=(0.6,)), (4, 3, 0)),
    (Conditions(clouds=0.45, haze=0.7), (0, 1, 2)),
    (Conditions(off_nadir=38), (2, 5, 6)),
)
"""Conditions from left to right, each with the numbers of its scenes."""


def write_sheet(path: Path, cells: Sequence[tuple[Conditions, int]], columns: int) -> None:
    """Render, lay out row by row, save with few colours."""
    rows, step = -(-len(cells) // columns), SIDE + GAP
    sheet = Image.new("RGB", (columns * step - GAP, rows * step - GAP), "white")
    for index, (conditions, number) in enumerate(cells):
        scene, light = make_scene(SEED, number, conditions), light_of(SEED, number, 0, conditions)
        sheet.paste(render(scene, light, SIDE, (SEED, number)), (index % columns * step, index // columns * step))
    path.parent.mkdir(parents=True, exist_ok=True)
    sheet.quantize(256, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)
    print(path, f"{path.stat().st_size / 1e6:.2f} MB")


def main(folder: Path = IMAGES) -> None:
    """Write both sheets."""
    write_sheet(folder / "remote-sensing-scenes.png", [(STANDARD, number) for number in range(COUNT)], COLUMNS)
    rows = range(len(COLUMNS_OF_CONDITIONS[0][1]))
    cells = [(conditions, numbers[row]) for row in rows for conditions, numbers in COLUMNS_OF_CONDITIONS]
    write_sheet(folder / "remote-sensing-conditions.png", cells, len(COLUMNS_OF_CONDITIONS))


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else IMAGES)
