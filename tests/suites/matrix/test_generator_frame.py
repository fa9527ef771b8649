"""The frame of the matrix generator: even spread, same bytes, samples that don't depend on each other."""

from __future__ import annotations

import hashlib
import io
import json
from collections import Counter
from pathlib import Path

import pytest
from PIL import Image

from sightline.core.errors import ConfigError, UsageError
from sightline.suites.matrix.generator import Recipe, generate
from sightline.suites.matrix.generator.item import CANARY, Item, item_makers, shuffle_options
from sightline.suites.matrix.generator.recipe import KINDS, LEVELS
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.writer import plan_slots, slot_language

HALF = Recipe(dimension=("perception", "understanding"))
METRICS = {
    "object_recognition": {"f1"},
    "text_extraction": {"anls"},
    "spatial_relation": {"accuracy"},
    "image_description": {"bleu"},
    "visual_question": {"vqa_accuracy"},
    "chart_reading": {"numeric", "chart_f1"},
}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("matrix")
    generate(out, 24, 7, HALF)
    return out


def rows_of(out: Path) -> list[dict[str, object]]:
    return [json.loads(line) for line in (out / "samples.jsonl").read_text(encoding="utf-8").splitlines()]


def digests(out: Path) -> dict[str, str]:
    files = sorted(path for path in out.rglob("*") if path.is_file())
    return {str(path.relative_to(out)): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


def test_a_full_set_is_spread_evenly() -> None:
    spread = Counter((place.dimension, place.kind, place.level) for place in plan_slots(960, Recipe()))
    assert len(spread) == 48 and set(spread.values()) == {20}
    few = list(plan_slots(48, Recipe()))
    assert len({(place.kind, place.level) for place in few}) == 48
    assert len({(place.dimension, place.level) for place in few[:16]}) == 16


def test_languages_take_turns() -> None:
    for kinds in KINDS.values():
        for kind in kinds:
            for level in LEVELS:
                mine = plan_slots(10, Recipe(kind=(kind,), level=(level,)))
                assert Counter(slot_language(place, "both") for place in mine) == {"en": 5, "zh": 5}
    firsts = Counter(slot_language(place, "both") for place in plan_slots(48, Recipe()))
    assert firsts == {"en": 24, "zh": 24}
    assert slot_language(next(plan_slots(1, Recipe())), "zh") == "zh"


def test_rows_hold_what_a_reader_needs(data: Path) -> None:
    rows = rows_of(data)
    assert len({row["id"] for row in rows}) == len(rows) == 24
    assert Counter((row["task_type"], row["difficulty"]) for row in rows) == Counter(
        (kind, level) for kind in METRICS for level in LEVELS
    )
    for row in rows:
        assert row["metric"] in METRICS[str(row["task_type"])]
        facts = row["metadata"]
        assert isinstance(facts, dict)
        assert facts["canary"] == CANARY and facts["seed"] == 7 and facts["language"] in ("en", "zh")
        assert isinstance(row["question"], str) and "{" not in row["question"].replace('{"', "")
        assert ("options" in row) == (row["metric"] == "accuracy")
        paths = row["image_path"] if isinstance(row["image_path"], list) else [row["image_path"]]
        for path in paths:
            with Image.open(io.BytesIO((data / str(path)).read_bytes())) as picture:
                assert picture.format == "PNG" and min(picture.size) >= 140
    assert CANARY in (data / "README.md").read_text(encoding="utf-8")


def test_the_same_seed_writes_the_same_bytes(data: Path, tmp_path: Path) -> None:
    generate(tmp_path / "again", 24, 7, HALF)
    assert digests(tmp_path / "again") == digests(data)


def test_a_sample_does_not_depend_on_the_others(data: Path, tmp_path: Path) -> None:
    generate(tmp_path, 2, 7, Recipe(kind=("object_recognition", "visual_question"), level=("l2",)))
    for row in rows_of(tmp_path):
        assert row in rows_of(data)
    common = digests(tmp_path)
    assert all(common[name] == digests(data)[name] for name in common if name.endswith(".png"))


def test_another_seed_asks_other_things(data: Path, tmp_path: Path) -> None:
    generate(tmp_path, 8, 8, HALF)
    before = {row["id"]: row["ground_truth"] for row in rows_of(data)}
    assert sum(before[row["id"]] == row["ground_truth"] for row in rows_of(tmp_path)) <= 1


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="at least one sample"):
        generate(tmp_path, 0, 1)
    with pytest.raises(ConfigError, match="perception has no tool_calling"):
        generate(tmp_path, 4, 1, Recipe(dimension=("perception",), kind=("tool_calling",)))


def test_turns_are_even_and_names_are_apart() -> None:
    throws = [SampleRng(3, "kind", "l1", number) for number in range(40)]
    assert Counter(dice.balanced_choice("a", "wxyz") for dice in throws) == dict.fromkeys("wxyz", 10)
    pairs = Counter((dice.balanced_choice("a", "wxyz"), dice.balanced_choice("b", "wxyz")) for dice in throws)
    assert len(pairs) > 10
    spots = Counter(shuffle_options(dice, "right", ["a", "b", "c"]).index("right") for dice in throws)
    assert spots == {0: 10, 1: 10, 2: 10, 3: 10}


def test_every_kind_has_a_maker() -> None:
    assert set(item_makers()) == {(dimension, kind) for dimension, kinds in KINDS.items() for kind in kinds}


def test_a_maker_that_is_stuck_gets_other_dice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wishes that no scene meets must not hang; the next try is as deterministic as the first."""
    from sightline.suites.matrix.generator import item as item_module
    from sightline.suites.matrix.generator import sample_rng as rng_module
    from sightline.suites.matrix.generator import writer

    def picky(dice: SampleRng, level: str, language: str) -> Item:
        first = dice.whole(0, 9)
        while first < 5:
            dice.whole(0, 9)
        return Item(question=str(first), ground_truth=1, metric="numeric", pictures=())

    monkeypatch.setattr(rng_module, "MAX_DRAWS", 1000)
    monkeypatch.setattr(writer, "item_makers", lambda: {("reasoning", "multi_step"): picky})
    places = [writer.SampleSlot(dimension="reasoning", kind="multi_step", level="l1", number=n) for n in range(30)]
    made = [writer.make_item(place, 1, "en").question for place in places]
    assert made == [writer.make_item(place, 1, "en").question for place in places]
    assert set(made) <= set("56789") and item_module.CANARY
