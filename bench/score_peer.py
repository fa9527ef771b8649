"""Detection AP of annotation and output files by another tool; run by score.py in a process of its own."""

from __future__ import annotations

import json
import re
import sys
from itertools import islice
from pathlib import Path
from typing import Any

_BOX = re.compile(r"<box><(\d+)><(\d+)><(\d+)><(\d+)></box>")


def main() -> None:
    """score_peer.py TOOL FOLDER COUNT"""
    tool, folder, count = sys.argv[1], Path(sys.argv[2]), int(sys.argv[3])
    if tool == "faster_coco_eval":
        from faster_coco_eval import COCO
        from faster_coco_eval import COCOeval_faster as COCOeval
    else:
        from pycocotools.coco import COCO
        from pycocotools.cocoeval import COCOeval
    truths, replies = _read(folder, count)
    coco = COCO()
    coco.dataset = truths
    coco.createIndex()
    evaluation = COCOeval(coco, coco.loadRes(replies), "bbox")
    evaluation.params.areaRng, evaluation.params.areaRngLbl = [[0, 1e10]], ["all"]
    evaluation.params.maxDets = [100]
    evaluation.evaluate()
    evaluation.accumulate()


def _read(folder: Path, count: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    images, annotations, replies = [], [], []
    anno, out = next((folder / "anno").iterdir()).open(), next((folder / "out").iterdir()).open()
    with anno, out:
        for image, (truth, reply) in enumerate(islice(zip(anno, out, strict=True), count)):
            images.append({"id": image, "width": 1000, "height": 1000})
            for x1, y1, x2, y2 in _boxes(json.loads(truth)["gt"]):
                box = [x1, y1, x2 - x1, y2 - y1]
                one = {"id": len(annotations) + 1, "image_id": image, "category_id": 1, "bbox": box, "iscrowd": 0}
                annotations.append(one | {"area": box[2] * box[3]})
            for x1, y1, x2, y2 in _boxes(json.loads(reply)["model_output"]):
                box = [x1, y1, x2 - x1, y2 - y1]
                replies.append({"image_id": image, "category_id": 1, "bbox": box, "score": 1.0})
    return {"images": images, "annotations": annotations, "categories": [{"id": 1, "name": "object"}]}, replies


def _boxes(text: str) -> list[tuple[int, ...]]:
    return [tuple(map(int, found)) for found in _BOX.findall(text)]


if __name__ == "__main__":
    main()
