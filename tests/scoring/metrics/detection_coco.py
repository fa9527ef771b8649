"""AP by the official programs."""

from __future__ import annotations

import contextlib
import io
from typing import Any

import numpy as np

from sightline.scoring.metrics.matching import THRESHOLDS
from tests.scoring.metrics.detection_worlds import World


def coco_rows(world: World) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    """The world as COCO's dictionaries: truths, and detections with scores."""
    notes, found = [], []
    for image, (said, true, scores, _) in enumerate(zip(*world, strict=True), start=1):
        common = {"image_id": image, "category_id": 1}
        for x1, y1, x2, y2 in np.asarray(true, dtype=float).reshape(-1, 4).tolist():
            box = [x1, y1, x2 - x1, y2 - y1]
            notes.append({**common, "id": len(notes) + 1, "bbox": box, "area": box[2] * box[3], "iscrowd": 0})
        for (x1, y1, x2, y2), score in zip(np.asarray(said).tolist(), scores, strict=True):
            found.append({**common, "bbox": [x1, y1, x2 - x1, y2 - y1], "score": float(score)})
    return listed(len(world.said), notes), found


def listed(images: int, notes: list[dict[str, Any]], **size: int) -> dict[str, Any]:
    pictures = [{"id": k + 1, **size} for k in range(images)]
    return {"info": {}, "images": pictures, "annotations": notes, "categories": [{"id": 1, "name": "thing"}]}


def coco_work(truth: dict[str, Any], found: list[dict[str, Any]], library: str, kind: str) -> Any:
    """An official evaluation at our thresholds, without areas or a limit that would matter."""
    with contextlib.redirect_stdout(io.StringIO()):
        if library == "pycocotools":
            from pycocotools.coco import COCO
            from pycocotools.cocoeval import COCOeval

            truths = COCO()
            truths.dataset = truth
            truths.createIndex()
        else:
            from faster_coco_eval import COCO
            from faster_coco_eval import COCOeval_faster as COCOeval

            truths = COCO(truth)
        work = COCOeval(truths, truths.loadRes(found), kind)
        work.params.iouThrs = np.array(THRESHOLDS)
        work.params.areaRng, work.params.areaRngLbl, work.params.maxDets = [[0, 1e10]], ["all"], [1000]
        work.evaluate()
        work.accumulate()
    return work


def coco_ap(truth: dict[str, Any], found: list[dict[str, Any]], library: str, kind: str = "bbox") -> Any:
    """AP at each threshold."""
    return coco_work(truth, found, library, kind).eval["precision"][:, :, 0, 0, 0].mean(axis=1)
