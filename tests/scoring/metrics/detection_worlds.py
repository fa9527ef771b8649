"""Random images for detection as batches, and what plain Python makes of them."""

from __future__ import annotations

import itertools
import random
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import numpy as np

from sightline.data.columns import Batch
from sightline.scoring.metrics.detection import DetectionState, as_shapes
from sightline.scoring.metrics.state import MetricContext
from tests.scoring.geometry.references import plain_box_iou

CORNERS = [0, 1, 2, 1, 2, 3, 0, 3]
Iou = Callable[[Any, Any], float]


class World(NamedTuple):
    """Each image's predictions, truths and scores, and the cluster it belongs to."""

    said: list[Any]
    true: list[Any]
    scores: list[Any]
    clusters: list[int]

    def part(self, images: Sequence[int]) -> World:
        return World(*([column[k] for k in images] for column in self))

    def shuffled(self, chance: random.Random) -> World:
        """Images, and the shapes of each, in another order."""
        images = chance.sample(range(len(self.said)), len(self.said))
        moved = [
            World([said[a]], [true[b]], [scores[a]], [cluster])
            for said, true, scores, cluster in zip(*self.part(images), strict=True)
            for a in [chance.sample(range(len(said)), len(said))]
            for b in [chance.sample(range(len(true)), len(true))]
        ]
        return World(*([one[k][0] for one in moved] for k in range(4)))

    def quads(self) -> World:
        """The boxes as four corners."""
        return World(*([side[:, CORNERS] for side in sides] for sides in self[:2]), *self[2:])

    def batch(self, scored: bool = False) -> Batch:
        reply = as_shapes(self.said, self.scores if scored else None)
        return Batch(as_shapes(self.true), reply, np.ones(len(self.said), bool), np.array(self.clusters, np.uint64))


def tallied(world: World, scored: bool = False, **options: Any) -> DetectionState:
    state = DetectionState(MetricContext(options=options))
    state.count(world.batch(scored))
    return state


def random_world(seed: int, images: int, grid: bool = False) -> World:
    """Some images are empty on one side or both; on a grid equal IoUs and equal boxes are common."""
    rng = np.random.default_rng(seed)
    world = World([], [], [], rng.integers(0, max(1, images // 2), images).tolist())
    for _ in range(images):
        truths = _boxes(rng, int(rng.integers(0, 7)), grid)
        moved = truths + (rng.integers(-1, 2, truths.shape) if grid else rng.normal(0, 2, truths.shape))
        kept = moved[rng.random(len(moved)) < 0.8]
        kept = kept[(kept[:, 2] > kept[:, 0]) & (kept[:, 3] > kept[:, 1])]
        world.said.append(np.concatenate((kept, _boxes(rng, int(rng.integers(0, 4)), grid))))
        world.true.append(truths)
        world.scores.append(rng.random(len(world.said[-1])))
    return world


def _boxes(rng: np.random.Generator, n: int, grid: bool) -> Any:
    reach, most = (8, 4) if grid else (160, 130)
    corner, size = rng.integers(0, reach, (n, 2)), rng.integers(2, most, (n, 2))
    return np.concatenate((corner, corner + size), axis=1).astype(float)


def most_hits(said: Any, true: Any, threshold: float) -> int:
    """The most pairs that any matching could make, by trying them all."""
    fits = [[j for j, b in enumerate(true) if plain_box_iou(a, b) >= threshold] for a in said]
    choices = itertools.product(*([*row, None] for row in fits))
    chosen = ([j for j in choice if j is not None] for choice in choices)
    return max((len(some) for some in chosen if len(set(some)) == len(some)), default=0)


def plain_ranking(world: World, threshold: float, iou: Iou) -> list[bool]:
    """COCO's matching, step by step: whether each detection is a hit, best score of all images first."""
    ranked = []
    for said, true, scores, _ in zip(*world, strict=True):
        taken: set[int] = set()
        for score, box in sorted(zip(scores, map(tuple, said), strict=True), reverse=True):
            free = [(iou(box, b), j) for j, b in enumerate(true) if j not in taken]
            best, which = max(free, default=(0.0, -1))
            if best >= threshold:
                taken.add(which)
            ranked.append((score, best >= threshold))
    return [hit for _, hit in sorted(ranked, reverse=True)]


def plain_ap(world: World, threshold: float, iou: Iou, rule: str) -> float:
    """The area under the hull of the curve (VOC), or its mean height at 101 recalls (COCO)."""
    truths, hits, curve = sum(map(len, world.true)), 0, []
    for rank, hit in enumerate(plain_ranking(world, threshold, iou), start=1):
        hits += hit
        curve.append((hits / truths, hits / rank))
    if rule == "coco":
        points = np.linspace(0, 1, 101)
        return sum(max((p for r, p in curve if r >= point), default=0.0) for point in points) / 101
    area, before = 0.0, 0.0
    for k, (recall, _) in enumerate(curve):
        area += (recall - before) * max(precision for _, precision in curve[k:])
        before = recall
    return area
