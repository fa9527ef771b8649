"""A small detection set in COCO's own layout, with results that are partly right, and what pycocotools says of them."""

from __future__ import annotations

import contextlib
import io
import json
from pathlib import Path
from typing import Any

import numpy as np

KINDS = {1: "plane", 2: "ship", 7: "storage tank"}


def write_coco(folder: Path, pictures: int = 12, seed: int = 3) -> tuple[Path, Path]:
    """Instances and results: boxes on a grid of quarters so that no rounding hides anything, scores all different."""
    rng = np.random.default_rng(seed)
    images = [{"id": n, "file_name": f"p{n}.png", "width": 400, "height": 400} for n in range(1, pictures + 1)]
    annotations: list[dict[str, Any]] = []
    results: list[dict[str, Any]] = []
    scores = iter(rng.permutation(2000) / 2000)
    for image in images:
        for kind in KINDS:
            for _ in range(int(rng.integers(0, 5))):
                box = [float(v) for v in rng.integers(0, 1200, 2) / 4] + [
                    float(v) for v in rng.integers(80, 240, 2) / 4
                ]
                entry = {"id": len(annotations) + 1, "image_id": image["id"], "category_id": kind, "bbox": box}
                annotations.append({**entry, "area": box[2] * box[3], "iscrowd": 0})
                if rng.random() < 0.75:
                    moved = [
                        value + float(shift) for value, shift in zip(box, rng.integers(-16, 17, 4) / 4, strict=True)
                    ]
                    results.append(_result(image["id"], kind, moved, next(scores)))
            if rng.random() < 0.4:  # a false alarm, often where the category is not at all
                stray = [float(v) for v in rng.integers(0, 1200, 2) / 4] + [30.0, 20.0]
                results.append(_result(image["id"], kind, stray, next(scores)))
    rng.shuffle(annotations)  # type: ignore[arg-type]
    instances = {
        "info": {"description": "made up"},
        "images": images,
        "annotations": annotations,
        "categories": [{"id": key, "name": name} for key, name in KINDS.items()],
    }
    (folder / "instances.json").write_text(json.dumps(instances))
    (folder / "results.json").write_text(json.dumps(results))
    return folder / "instances.json", folder / "results.json"


def _result(image: int, kind: int, box: list[float], score: float) -> dict[str, Any]:
    return {"image_id": image, "category_id": kind, "bbox": box, "score": float(score)}


def official(instances: Path, results: Path) -> dict[str, dict[str, float]]:
    """AP by category as pycocotools computes it: over all thresholds, at 0.5 and at 0.75."""
    from pycocotools.coco import COCO
    from pycocotools.cocoeval import COCOeval

    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO(str(instances))
        judge = COCOeval(truth, truth.loadRes(str(results)), "bbox")
        judge.evaluate()
        judge.accumulate()
    precision = judge.eval["precision"][:, :, :, 0, 2]  # all areas, 100 detections
    return {
        KINDS[key]: {
            "map": float(precision[:, :, place].mean()),
            "ap50": float(precision[0, :, place].mean()),
            "ap75": float(precision[5, :, place].mean()),
        }
        for place, key in enumerate(judge.params.catIds)
    }
