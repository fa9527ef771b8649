"""Time and memory of scoring detection at ten IoU thresholds, beside faster-coco-eval and pycocotools where installed.

    python bench/detection.py [--images 100000] [--boxes 15] [--rounds 3] [--their-images 5000]

Truths are boxes of an image; predictions are the same boxes moved a little, some missing, some invented. Ours takes
batches of 1000 images, as a run does, and reads mAP at the end. Each arm has a process of its own; making the data is
not counted. Seconds are of the processor, so that other work on the machine shows less. `first` is the first batch:
Numba and the kernels, compiled anew (empty cache) or read from the cache. The official programs are given COCO
dictionaries, are run at `--their-images` and extrapolated in proportion, which the table says.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

BATCH = 1000
ARMS = ("boxes", "boxes, scored", "quads", "bow-ties")
THEIRS = {"faster-coco-eval": "faster_coco_eval", "pycocotools": "pycocotools"}


def peak_megabytes() -> float:
    """The process's own peak: ru_maxrss would show the parent's where that was larger at the fork."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


def make_boxes(images: int, boxes: int) -> tuple[Any, Any, Any]:
    """Truths and predictions, images × boxes × 4, and scores."""
    rng = np.random.default_rng(0)
    corner, size = rng.uniform(0, 900, (images, boxes, 2)), rng.uniform(10, 100, (images, boxes, 2))
    truths = np.concatenate((corner, corner + size), axis=2).round(1)
    moved = truths + rng.normal(0, 3, truths.shape).round(1)
    moved[..., 2:] = np.maximum(moved[..., 2:], moved[..., :2] + 1)
    invented = rng.random((images, boxes, 1)) < 0.2
    return truths, np.where(invented, np.roll(moved, 1, axis=0), moved), rng.random((images, boxes))


def as_quads(boxes: Any, angle: float, corners: list[int]) -> Any:
    """The boxes turned about their centres, with their corners in some order."""
    centre, half = (boxes[..., :2] + boxes[..., 2:]) / 2, (boxes[..., 2:] - boxes[..., :2]) / 2
    signs = np.array([(-1, -1), (1, -1), (1, 1), (-1, 1)])[corners]
    turn = np.array([(np.cos(angle), np.sin(angle)), (-np.sin(angle), np.cos(angle))])
    return (centre[..., None, :] + (half[..., None, :] * signs) @ turn).reshape(*boxes.shape[:2], 8)


def ours(arm: str, images: int, boxes: int) -> dict[str, float]:
    truths, predictions, scores = make_boxes(images, boxes)
    if arm in ("quads", "bow-ties"):
        truths = as_quads(truths, 0.5, [0, 1, 2, 3])
        predictions = as_quads(predictions, 0.52, [0, 1, 2, 3] if arm == "quads" else [0, 1, 3, 2])
    before, width = peak_megabytes(), truths.shape[2]
    started = time.process_time()
    from sightline.data.columns import Batch, Shapes
    from sightline.scoring.metrics.detection import MAP, DetectionState

    state = DetectionState()

    def add(start: int) -> None:
        rows = np.arange(start, min(start + BATCH, images))
        at, unstated = np.arange(len(rows) + 1) * boxes, np.full(len(rows), np.nan)
        flat = scores[rows].reshape(-1) if arm == "boxes, scored" else None
        reply = Shapes(at, predictions[rows].reshape(-1, width), unstated, flat)
        truth = Shapes(at, truths[rows].reshape(-1, width), unstated)
        state.count(Batch(truth, reply, np.ones(len(rows), bool), rows.astype(np.uint64)))

    add(0)
    first = time.process_time() - started
    started = time.process_time()
    for start in range(BATCH, images, BATCH):
        add(start)
    steady = (time.process_time() - started) * images / max(1, images - BATCH)
    started = time.process_time()
    value = MAP.compute(state).value or 0.0
    reading = time.process_time() - started
    return {
        "first": first,
        "seconds": steady,
        "reading": reading,
        "map": value,
        "peak": peak_megabytes(),
        "data": before,
    }


def coco_rows(images: int, boxes: int) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    truths, predictions, scores = make_boxes(images, boxes)

    def rows(values: Any) -> list[list[float]]:
        flat = values.reshape(-1, 4)
        return np.concatenate((flat[:, :2], flat[:, 2:] - flat[:, :2]), axis=1).tolist()

    notes = [
        {"id": k + 1, "image_id": k // boxes, "category_id": 1, "bbox": box, "area": box[2] * box[3], "iscrowd": 0}
        for k, box in enumerate(rows(truths))
    ]
    said = [
        {"image_id": k // boxes, "category_id": 1, "bbox": box, "score": score}
        for k, (box, score) in enumerate(zip(rows(predictions), scores.reshape(-1).tolist(), strict=True))
    ]
    pictures = [{"id": k} for k in range(images)]
    return {"info": {}, "images": pictures, "annotations": notes, "categories": [{"id": 1}]}, said


def theirs(library: str, images: int, boxes: int) -> dict[str, float]:
    listed, said = coco_rows(images, boxes)
    before = peak_megabytes()
    with contextlib.redirect_stdout(io.StringIO()):
        if library == "pycocotools":
            from pycocotools.coco import COCO
            from pycocotools.cocoeval import COCOeval
        else:
            from faster_coco_eval import COCO
            from faster_coco_eval import COCOeval_faster as COCOeval
        started = time.process_time()
        coco = COCO()
        coco.dataset = listed
        coco.createIndex()
        work = COCOeval(coco, coco.loadRes(said), "bbox")
        work.params.areaRng, work.params.areaRngLbl, work.params.maxDets = [[0, 1e10]], ["all"], [100]
        work.evaluate()
        work.accumulate()
    seconds = time.process_time() - started
    found = float(np.mean(work.eval["precision"][:, :, 0, 0, 0]))
    return {"first": 0.0, "seconds": seconds, "map": found, "peak": peak_megabytes(), "data": before}


def measure(arm: str, images: int, boxes: int, cache: str = "") -> dict[str, float]:
    """One arm in a process of its own."""
    command = [sys.executable, __file__, "--arm", arm, "--images", str(images), "--boxes", str(boxes)]
    place = {"NUMBA_CACHE_DIR": cache} if cache else {}
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **place})
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    return found


def show_ours(images: int, boxes: int, rounds: int) -> float:
    """One line an arm; returns the seconds of scored boxes."""
    scored = 0.0
    for arm in ARMS:
        with tempfile.TemporaryDirectory() as cache:
            compiling = measure(arm, min(images, 2 * BATCH), boxes, cache)["first"]
            runs = [measure(arm, images, boxes, cache) for _ in range(rounds)]
        middle = {key: statistics.median(run[key] for run in runs) for key in runs[0]}
        scored = middle["seconds"] + middle["reading"] if arm == "boxes, scored" else scored
        print(
            f"{arm:<17} {middle['seconds']:7.2f} s; mAP read in {middle['reading']:.2f} s; first batch "
            f"{compiling:.1f} s compiling, {middle['first']:.1f} s cached; peak {middle['peak']:.0f} MB "
            f"({middle['data']:.0f} the data); mAP {middle['map']:.9f}",
            flush=True,
        )
    return scored


def show_theirs(images: int, boxes: int, size: int, our_seconds: float) -> None:
    same = measure("boxes, scored", size, boxes)["map"]
    for name, module in THEIRS.items():
        if find_spec(module) is None:
            print(f"{name} is not installed")
            continue
        run = measure(name, size, boxes)
        whole = run["seconds"] * images / size
        print(
            f"{name:<17} {run['seconds']:7.2f} s at {size:,} images, so {whole:.0f} s at {images:,} "
            f"({'extrapolated, ' if size < images else ''}{whole / our_seconds:.0f} times ours); peak "
            f"{run['peak']:.0f} MB ({run['data']:.0f} the data); mAP {run['map']:.9f}, ours {same:.9f}",
            flush=True,
        )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--images", type=int, default=100_000)
    parser.add_argument("--boxes", type=int, default=15)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--their-images", type=int, default=5_000)
    parser.add_argument("--arm", default="")
    args = parser.parse_args()
    if args.arm:
        library = THEIRS.get(args.arm)
        found = theirs(library, args.images, args.boxes) if library else ours(args.arm, args.images, args.boxes)
        print(json.dumps(found))
        return
    print(f"{args.images:,} images × {args.boxes} boxes, ten thresholds and 0.25, median of {args.rounds} rounds")
    seconds = show_ours(args.images, args.boxes, args.rounds)
    show_theirs(args.images, args.boxes, min(args.their_images, args.images), seconds)


if __name__ == "__main__":
    main()
