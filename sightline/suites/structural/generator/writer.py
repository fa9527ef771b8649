"""Writes the files of a generated dataset: PNG and SVG images, and raw models."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

from sightline.suites.structural.drawing.png import to_png
from sightline.suites.structural.drawing.svg import to_svg
from sightline.suites.structural.framecalc.writer import write_model
from sightline.suites.structural.generator.plan import Item

IMAGES, VECTORS, MODELS = "images", "images_svg", "raw_models"


def write_dataset(out: Path, items: Iterable[Item]) -> None:
    """Write all items to a folder."""
    for name in (IMAGES, VECTORS, MODELS):
        (out / name).mkdir(parents=True, exist_ok=True)
    for item in items:
        drawing = item.layout.drawing
        (out / IMAGES / f"{item.name}.png").write_bytes(to_png(drawing, item.style.scan))
        _write(out / VECTORS / f"{item.name}.svg", to_svg(drawing))
        _write(out / MODELS / f"{item.name}.json", json.dumps(write_model(item.model), indent=1) + "\n")


def _write(path: Path, text: str) -> None:
    path.write_text(text, encoding="utf-8", newline="\n")
