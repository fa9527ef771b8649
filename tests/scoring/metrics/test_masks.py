"""Masks of polygons: pycocotools' pixels and AP, laws, empty sides, hostile outlines."""

from __future__ import annotations

import random
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sightline.data.columns import Batch
from sightline.scoring.metrics import mask_comparison, masks
from sightline.scoring.metrics.masks import MaskState, as_polygons, calculate_dice, calculate_mask_ap, calculate_miou
from sightline.scoring.metrics.matching import THRESHOLDS
from sightline.scoring.metrics.state import Metric, MetricContext, Values
from tests.scoring.metrics.detection_coco import coco_ap, listed

# pycocotools' arrays are of the time before NumPy 2
pytestmark = pytest.mark.filterwarnings("ignore:__array__ implementation:DeprecationWarning")

FIGURES = {one.name: one for one in vars(masks).values() if isinstance(one, Metric)}
SIZE = 120
Rings = list[list[Any]]


def square(x: float, y: float, size: float) -> list[float]:
    return [x, y, x + size, y, x + size, y + size, x, y + size]


def random_rings(seed: int, images: int) -> tuple[Rings, Rings, list[Any]]:
    """Predictions, truths and scores; some images are empty on one side or both."""
    rng = np.random.default_rng(seed)
    said: Rings = []
    true: Rings = []
    for _ in range(images):
        true.append([_blob(rng) for _ in range(rng.integers(0, 5))])
        moved = [ring + rng.normal(0, 1.2, ring.shape) for ring in true[-1] if rng.random() < 0.8]
        said.append([np.clip(ring, 0, SIZE) for ring in [*moved, *(_blob(rng) for _ in range(rng.integers(0, 3)))]])
    return said, true, [rng.random(len(rings)) for rings in said]


def _blob(rng: np.random.Generator) -> Any:
    n = int(rng.integers(3, 9))
    angle, radius = np.sort(rng.uniform(0, 2 * np.pi, n)), rng.uniform(3, 25, n)
    ring = rng.uniform(20, 100, 2) + np.stack((radius * np.cos(angle), radius * np.sin(angle)), axis=1)
    return np.clip(ring, 0, SIZE)


def graded(
    said: Rings, true: Rings, scores: Any = None, answered: Any = None, **options: Any
) -> tuple[MaskState, Values]:
    state, n = MaskState(MetricContext(options=options)), len(said)
    answered = np.ones(n, bool) if answered is None else np.array(answered)
    batch = Batch(as_polygons(true), as_polygons(said, scores), answered, np.arange(n, dtype=np.uint64) // 2)
    return state, state.count(batch)


def tallied(said: Rings, true: Rings, scores: Any = None, **options: Any) -> MaskState:
    return graded(said, true, scores, **options)[0]


def everything(state: MaskState) -> Any:
    return (
        [figure.compute(state) for figure in FIGURES.values()],
        state.breakdowns(),
        state.remarks(),
    )


def test_the_names_are_those_of_the_contract() -> None:
    pixels = {"miou", "dice", "ciou", "pixel_f1", "pixel_precision", "pixel_recall"}
    assert set(FIGURES) == {"mask_ap", "mask_ap50", "mask_ap75"} | pixels
    assert all(getattr(masks, name.upper()) is figure for name, figure in FIGURES.items())


def test_pixels_equal_pycocotools() -> None:
    coco = pytest.importorskip("pycocotools.mask")
    said, true, _ = random_rings(1, 40)
    state, values = graded(said, true)
    shared = either = predicted = truth = 0
    ious, dices = [], []
    for rings in zip(said, true, strict=True):
        a, b = (_painted(coco, side) for side in rings)
        shared, either = shared + (a & b).sum(), either + (a | b).sum()
        predicted, truth = predicted + a.sum(), truth + b.sum()
        ious.append((a & b).sum() / (a | b).sum() if (a | b).any() else 1)
        dices.append(2 * (a & b).sum() / (a.sum() + b.sum()) if (a | b).any() else 1)
    read = {name: figure.compute(state).value for name, figure in FIGURES.items()}
    assert read["miou"] == pytest.approx(np.mean(ious), abs=1e-9)
    assert read["dice"] == pytest.approx(np.mean(dices), abs=1e-9)
    assert read["ciou"] == shared / either
    assert (read["pixel_precision"], read["pixel_recall"]) == (shared / predicted, shared / truth)
    assert read["pixel_f1"] == pytest.approx(2 * shared / (predicted + truth))
    assert values["iou"] == pytest.approx(ious, abs=1e-12)
    assert calculate_miou(true, said) == pytest.approx(np.mean(ious), abs=1e-9)
    assert calculate_dice(true, said) == pytest.approx(np.mean(dices), abs=1e-9)


def _painted(coco: Any, rings: list[Any]) -> Any:
    if not rings:
        return np.zeros((SIZE, SIZE), bool)
    return coco.decode(coco.merge(coco.frPyObjects([np.ravel(ring).tolist() for ring in rings], SIZE, SIZE))) > 0


@pytest.mark.parametrize("library", ["pycocotools", "faster_coco_eval"])
def test_scored_instances_equal_the_official_programs(library: str) -> None:
    pytest.importorskip(library)
    coco = pytest.importorskip("pycocotools.mask")
    said, true, scores = random_rings(2, 60)
    notes: list[dict[str, Any]] = []
    found: list[dict[str, Any]] = []
    for image in range(60):
        common = {"image_id": image + 1, "category_id": 1}
        for ring in true[image]:
            (code,) = coco.frPyObjects([ring.ravel().tolist()], SIZE, SIZE)
            extra = {"bbox": coco.toBbox(code).tolist(), "area": float(coco.area(code)), "iscrowd": 0}
            notes.append({**common, **extra, "id": len(notes) + 1, "segmentation": [ring.ravel().tolist()]})
        for ring, score in zip(said[image], scores[image], strict=True):
            (code,) = coco.frPyObjects([ring.ravel().tolist()], SIZE, SIZE)
            found.append({**common, "segmentation": code, "score": float(score)})
    expected = coco_ap(listed(60, notes, width=SIZE, height=SIZE), found, library, "segm")
    state = tallied(said, true, scores, instances=True)
    assert [state.average_precision(t).value for t in THRESHOLDS] == pytest.approx(expected, abs=1e-9)
    assert FIGURES["mask_ap"].compute(state).value == pytest.approx(expected[1:].mean(), abs=1e-9)
    plain = calculate_mask_ap(true, said, scores=scores)
    assert plain == pytest.approx(expected[1:].mean(), abs=1e-9)


@settings(max_examples=12, deadline=None)
@given(seed=st.integers(0, 2**32), instances=st.booleans(), cuts=st.lists(st.integers(0, 14), max_size=2))
def test_no_order_and_no_split_changes_a_digit(seed: int, instances: bool, cuts: list[int]) -> None:
    said, true, _ = random_rings(seed, 14)
    said = [[*rings, *rings[:1]] for rings in said]  # equal masks too
    chance = random.Random(seed)
    whole = tallied(said, true, instances=instances)
    merged = MaskState(MetricContext(options={"instances": instances}))
    edges = [0, *sorted(2 * (cut // 2) for cut in cuts), 14]
    for low, high in chance.sample(list(pairwise(edges)), len(edges) - 1):
        images = chance.sample(range(low, high), high - low)
        parts = [[chance.sample(side[k], len(side[k])) for k in images] for side in (said, true)]
        shard = MaskState(MetricContext(options={"instances": instances}))
        clusters = np.array(images, np.uint64) // 2
        shard.count(Batch(as_polygons(parts[1]), as_polygons(parts[0]), np.ones(len(images), bool), clusters))
        merged.merge(shard)
    assert everything(merged) == everything(whole)


def test_empty_sides() -> None:
    spot = [square(0, 0, 4)]
    _, values = graded([[], [], spot, []], [[], spot, [], []], answered=[True, True, True, False])
    assert values["score"].tolist() == values["dice"].tolist() == [1, 0, 0, 0]
    assert (values["true_area"].tolist(), values["predicted_area"].tolist()) == ([0, 16, 0, 0], [0, 0, 16, 0])
    for empty in (MaskState(), tallied([], [])):
        assert [figure.compute(empty).value for figure in FIGURES.values()] == [None] * 9
    blank = tallied([[]], [[]])
    assert [FIGURES[name].compute(blank).value for name in ("miou", "ciou", "pixel_f1")] == [1, None, None]
    assert calculate_miou([], []) is None


def test_instances_only_where_asked_for() -> None:
    rings = [[square(0, 0, 40), square(50, 50, 9)]]
    plain, wanted = tallied(rings, rings), MaskState(MetricContext(metric_names=frozenset({"mask_ap50"})))
    assert FIGURES["mask_ap"].compute(plain).reason == "polygons were not matched one by one"
    assert plain.breakdowns()[0].rows == (("small", 0, None, None), ("medium", 1, 1, 1), ("large", 0, None, None))
    wanted.count(Batch(as_polygons(rings), as_polygons(rings), np.ones(1, bool), np.zeros(1, np.uint64)))
    assert FIGURES["mask_ap50"].compute(wanted).value == 1
    assert [row[:3] for row in wanted.breakdowns()[0].rows] == [("small", 1, 1), ("medium", 1, 1), ("large", 0, 0)]
    assert calculate_mask_ap(rings, [rings[0][:1]], thresholds=[0.5]) == 51 / 101
    with pytest.raises(ValueError, match="thresholds must be"):
        calculate_mask_ap(rings, rings, thresholds=[0.3])


def test_the_canvas_cuts_off() -> None:
    _, values = graded([[square(-5, -5, 10)]], [[square(0, 0, 20)]], width=10, height=5)
    assert values["true_area"].tolist() == [50]
    assert values["predicted_area"].tolist() == [25]


def test_outlines_too_long_to_draw_are_told_and_count_as_predicted(monkeypatch: pytest.MonkeyPatch) -> None:
    zigzag = np.stack((np.tile([0.0, 60000.0], 100), np.arange(200.0)), axis=1)
    state, values = graded([[zigzag, square(0, 0, 9)]], [[square(0, 0, 9)]], instances=True)
    assert state.remarks() == {"polygons too long to draw": 1}
    assert FIGURES["miou"].compute(state).value == 1
    assert values["score"].tolist() == [pytest.approx(2 / 3)]
    said, true, _ = random_rings(3, 20)
    whole = everything(tallied(said, true, instances=True))
    monkeypatch.setattr(mask_comparison, "BUDGET", 3000)
    assert everything(tallied(said, true, instances=True)) == whole


def test_hostile_points_never_raise() -> None:
    wild = [[1e308, -1e308], [0, 0], [1e308, 1e308], [-1e308, 5]]
    state = tallied([[wild, [[3, 3]], [], [[1e12, 0], [-1e12, 0]]]], [[square(0, 0, 9)]], instances=True)
    assert 0 <= FIGURES["miou"].compute(state).value <= 1  # type: ignore[operator]
