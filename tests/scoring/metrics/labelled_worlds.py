"""Random images with labelled boxes, near enough to their truths for every kind of error."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

NAMES = ("ship", "plane", "tank")


class LabelledWorld(NamedTuple):
    """Each image's boxes and labels on both sides, and the scores of predictions, all different."""

    true: list[Any]
    said: list[Any]
    true_labels: list[list[str]]
    labels: list[list[str]]
    scores: list[Any]


def labelled_world(seed: int, images: int = 60, names: tuple[str, ...] = NAMES) -> LabelledWorld:
    chance = np.random.default_rng(seed)
    world = LabelledWorld([], [], [], [], [])
    ranks = chance.permutation(100_000) / 100_000
    at = 0
    for image in range(images):
        count = int(chance.integers(0, 7)) if image >= len(names) else 3
        corners = chance.uniform(0, 80, (count, 2))
        true = np.concatenate((corners, corners + chance.uniform(8, 30, (count, 2))), axis=1)
        labels = [names[k] for k in chance.integers(0, len(names), count)]
        if image < len(names):
            labels = [names[image]] * count
        said, said_labels = [], []
        for box, label in zip(true, labels, strict=True):
            for _ in range(int(chance.choice([0, 1, 1, 1, 2, 3]))):
                said.append(box + chance.normal(0, chance.choice([0.5, 3, 8]), 4))
                said_labels.append(label if chance.random() < 0.7 else str(chance.choice(names)))
        for _ in range(int(chance.integers(0, 3))):
            corner = chance.uniform(0, 80, 2)
            said.append(np.concatenate((corner, corner + chance.uniform(8, 30, 2))))
            said_labels.append(str(chance.choice(names)))
        boxes = np.array(said).reshape(-1, 4)
        boxes = np.concatenate((np.minimum(boxes[:, :2], boxes[:, 2:]), np.maximum(boxes[:, :2], boxes[:, 2:])), axis=1)
        world.true.append(true)
        world.said.append(boxes)
        world.true_labels.append(labels)
        world.labels.append(said_labels)
        world.scores.append(ranks[at : at + len(boxes)])
        at += len(boxes)
    return world
