"""Class-wise IoU, mIoU and FWIoU: equal to those of drawn label maps; true negatives of masks."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from sightline import score
from sightline.scoring.metrics.class_masks import CLASS_FWIOU, CLASS_MIOU, ClassMaskState
from sightline.scoring.metrics.presence import (
    MASK_TRUE_NEGATIVE_RATE,
    TRUE_NEGATIVE_RATE,
    MaskPresenceState,
    PresenceState,
)
from sightline.scoring.parsers.columns.shapes import BOXES, POLYGONS
from tests.scoring.files.worlds import write_world
from tests.scoring.metrics.columns import Sample, batch_of, check_laws, tallied

NAMES = ("road", "roof", "water")
Rectangles = list[tuple[str, int, int, int, int]]


def rectangles(chance: random.Random, most: int) -> Rectangles:
    made = []
    for _ in range(chance.randint(0, most)):
        x, y = chance.randrange(30), chance.randrange(30)
        made.append((chance.choice(NAMES), x, y, x + chance.randint(3, 15), y + chance.randint(3, 15)))
    return made


def text(shapes: Rectangles) -> str:
    rings = [(name, f"{a} {b} {c} {b} {c} {d} {a} {d}") for name, a, b, c, d in shapes]
    return "".join(f"<poly>{ring}</poly><label>{name}</label>" for name, ring in rings) or "0"


def drawn(shapes: Rectangles, name: str) -> np.ndarray[tuple[int, int], np.dtype[np.bool_]]:
    canvas = np.zeros((50, 50), bool)
    for label, a, b, c, d in shapes:
        if label == name:
            canvas[b:d, a:c] = True
    return canvas


@pytest.mark.parametrize("seed", range(5))
def test_ious_are_those_of_drawn_label_maps(seed: int) -> None:
    chance = random.Random(seed)
    pairs = [(rectangles(chance, 5), rectangles(chance, 5)) for _ in range(12)]
    pairs += [(one, one) for one, _ in pairs[:6]]
    samples: list[Sample] = [(text(one), text(other), k % 7) for k, (one, other) in enumerate(pairs)]
    state = tallied(ClassMaskState, POLYGONS, samples)
    ious, areas = [], []
    for name in NAMES:
        maps = [(drawn(one, name), drawn(other, name)) for one, other in pairs]
        ious.append(sum((a & b).sum() for a, b in maps) / sum((a | b).sum() for a, b in maps))
        areas.append(sum(a.sum() for a, _ in maps))
    assert CLASS_MIOU.compute(state).value == pytest.approx(np.mean(ious), abs=1e-12)
    assert CLASS_FWIOU.compute(state).value == pytest.approx(np.average(ious, weights=areas), abs=1e-12)
    (table,) = state.breakdowns()
    assert [row[0] for row in table.rows] == list(NAMES)
    assert [row[1] for row in table.rows] == pytest.approx(ious, abs=1e-12)
    figures = (CLASS_MIOU, CLASS_FWIOU)
    check_laws(ClassMaskState, POLYGONS, samples, lambda s: [figure.compute(s).value for figure in figures], seed)


def test_files_with_labels(tmp_path: Path) -> None:
    one, other = [("road", 0, 0, 10, 10)], [("water", 0, 0, 10, 10), ("road", 20, 20, 30, 30)]
    report = score(
        *write_world(tmp_path, {"语义分割": [(text(one), text(one)), (text(other), text(one))]}),
        output_dir=str(tmp_path / "r"),
    )
    assert report.value("语义分割", "class_miou") == pytest.approx((100 / 300 + 0) / 2)
    assert report.value("语义分割", "class_fwiou") == pytest.approx(2 / 3 * 1 / 3)


def test_true_negatives_are_counted_plainly() -> None:
    chance = random.Random(8)
    box, ring = "<box>1 1 5 5</box>", "<poly>1 1 5 1 5 5</poly>"
    for kind, parser, figure, shape in (
        (PresenceState, BOXES, TRUE_NEGATIVE_RATE, box),
        (MaskPresenceState, POLYGONS, MASK_TRUE_NEGATIVE_RATE, ring),
    ):
        rows: list[Sample] = [
            (chance.choice(["0", shape]), chance.choice(["0", "none", shape, "?"]), k % 9) for k in range(60)
        ]
        check_laws(kind, parser, rows, lambda s, f=figure: [f.compute(s), s.breakdowns()], 3)  # type: ignore[misc]
        empty = [reply for truth, reply, _ in rows if truth == "0"]
        right = sum(reply in ("0", "none") for reply in empty)
        assert figure.compute(tallied(kind, parser, rows)).value == pytest.approx(right / len(empty))
        weighted = batch_of(parser, rows)
        assert len(weighted) == 60
