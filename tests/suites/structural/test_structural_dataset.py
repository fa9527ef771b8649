"""The data set on disk: what is read, what is told to be missing, what solving it writes; and the prompts."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from sightline.core.errors import DataError
from sightline.core.records import Invalid, Sample
from sightline.core.remarks import format_remark
from sightline.suites.structural.dataset import StructuralDataset, write_truth
from sightline.suites.structural.fem.solver import solve
from sightline.suites.structural.framecalc.analysis import list_reactions, to_frame
from sightline.suites.structural.prompts import KINDS, prompt_text
from tests.support.framecalc import NAMES, SOLVED, beam, changed, model_of
from tests.support.worlds import PIXEL


def put(folder: Path, name: str, raw: Any, suffix: str = ".png", **meta: Any) -> None:
    """One name of a data set; no picture where the suffix is empty, no model where it is None."""
    for part in ("images", "raw_models", "ground_truth_meta"):
        (folder / part).mkdir(parents=True, exist_ok=True)
    if suffix:
        (folder / "images" / f"{name}{suffix}").write_bytes(PIXEL)
    if raw is not None:
        text = raw if isinstance(raw, str) else json.dumps(raw)
        (folder / "raw_models" / f"{name}.json").write_text(text)
    if meta:
        (folder / "ground_truth_meta" / f"{name}.json").write_text(json.dumps(meta))


def portal() -> dict[str, Any]:
    raw = changed("points.1.y", 2)
    raw["supports"][1]["kind"] = "fixed"
    return raw


def test_samples_come_in_the_order_of_names(tmp_path: Path) -> None:
    put(tmp_path, "frame_2", portal(), ".jpg")
    put(tmp_path, "beam_1", beam(), ".JPEG", difficulty=1)
    put(tmp_path, "other", beam())
    first, second, third = StructuralDataset(tmp_path)
    assert isinstance(first, Sample) and isinstance(second, Sample) and isinstance(third, Sample)
    assert [s.id for s in (first, second, third)] == ["beam_1", "frame_2", "other"]
    assert [s.task for s in (first, second, third)] == ["beam", "frame", "beam"]
    assert first.tags == {"category": "beam", "difficulty": "1"} and first.weight == 1.0
    assert second.tags == {"category": "frame", "difficulty": "2"} and second.weight == 2.0
    assert first.target == beam()
    assert first.media[0].path == str(tmp_path / "images" / "beam_1.JPEG")
    assert second.source == "raw_models/frame_2.json"


@pytest.mark.parametrize(
    ("raw", "suffix", "reason"),
    [
        (beam(), "", "no image: images/x.png or .jpg"),
        (beam(), ".gif", "no image: images/x.png or .jpg"),
        (None, ".png", "no raw model: raw_models/x.json"),
        ("{", ".png", "Cannot read x.json: "),
        ("[" * 100_000, ".png", "Cannot read x.json: "),
        ({"points": []}, ".png", "cannot read the raw model: the list of points is empty"),
        (changed("supports", []), ".png", "cannot solve the raw model: The structure is a mechanism"),
    ],
)
def test_what_cannot_be_used_is_told(tmp_path: Path, raw: Any, suffix: str, reason: str) -> None:
    put(tmp_path, "a", beam())
    put(tmp_path, "x", raw, suffix)
    found = list(StructuralDataset(tmp_path))
    if raw is not None or suffix == ".png":
        assert isinstance(found[1], Invalid)
        assert (found[1].id, found[1].source) == ("x", "raw_models/x.json") and reason in format_remark(found[1].reason)
    written = write_truth(tmp_path)
    lacks_only_its_picture = reason.startswith("no image")
    assert written.solved == (("a", "x") if lacks_only_its_picture else ("a",))
    assert [name for name, _ in written.problems] == ["x"] and reason in written.problems[0][1]
    assert (tmp_path / "ground_truth_meta" / "x.json").exists() == lacks_only_its_picture


def test_metadata_has_the_word_on_difficulty_and_a_disagreement_is_noted(tmp_path: Path) -> None:
    put(tmp_path, "beam_1", beam(), difficulty=3)
    put(tmp_path, "beam_2", beam(), difficulty="hard")
    put(tmp_path, "beam_3", beam(), difficulty=True)
    first, second, third = StructuralDataset(tmp_path)
    assert isinstance(first, Sample) and isinstance(second, Sample) and isinstance(third, Sample)
    assert (first.weight, first.tags["difficulty"]) == (3.0, "3")
    assert first.tags["note"] == "difficulty 3 in the metadata, 1 by the rules"
    assert second.weight == third.weight == 1.0 and "note" not in second.tags


def test_reading_is_lazy(tmp_path: Path) -> None:
    put(tmp_path, "a", beam())
    put(tmp_path, "b", beam())
    rows = iter(StructuralDataset(tmp_path))
    assert isinstance(next(rows), Sample)
    (tmp_path / "raw_models" / "b.json").write_text("{")
    assert isinstance(next(rows), Invalid)


def test_a_folder_without_models_is_an_error_with_a_hint(tmp_path: Path) -> None:
    with pytest.raises(DataError, match="There is no data set at"):
        next(iter(StructuralDataset(tmp_path / "nowhere")))
    with pytest.raises(DataError, match=r"holds no structural models.\nExpected .*raw_models/NAME.json"):
        next(iter(StructuralDataset(tmp_path)))


def test_solving_writes_what_the_original_has(tmp_path: Path) -> None:
    put(tmp_path, "beam_1", beam(), ".jpg")
    assert write_truth(tmp_path).solved == ("beam_1",)
    meta = json.loads((tmp_path / "ground_truth_meta" / "beam_1.json").read_text())
    assert {key: meta[key] for key in ("id", "difficulty", "image_filename")} == {
        "id": "beam_1",
        "difficulty": 1,
        "image_filename": "beam_1.jpg",
    }
    model = model_of(beam())
    assert meta["solution"]["reactions"] == list_reactions(model, solve(to_frame(model)))
    assert [row["linkId"] for row in meta["solution"]["axial"]] == ["L1", "L2"]
    assert set(meta["solution"]["axial"][0]["samples"][0]) == {"s", "n", "v", "m"}
    before = (tmp_path / "ground_truth_meta" / "beam_1.json").read_bytes()
    write_truth(tmp_path)
    assert (tmp_path / "ground_truth_meta" / "beam_1.json").read_bytes() == before
    assert [path.name for path in (tmp_path / "ground_truth_meta").iterdir()] == ["beam_1.json"]


@pytest.mark.skipif(not NAMES, reason=f"the solved models are not at {SOLVED}")
def test_the_original_folder_is_read_as_it_is(tmp_path: Path) -> None:
    shutil.copytree(SOLVED, tmp_path / "data")
    (tmp_path / "data" / "images").mkdir(exist_ok=True)
    for name in NAMES:
        (tmp_path / "data" / "images" / f"{name}.png").write_bytes(PIXEL)
    rows = list(StructuralDataset(tmp_path / "data"))
    assert [row.id for row in rows] == NAMES
    assert all(isinstance(row, Sample) and "note" not in row.tags for row in rows)


@pytest.mark.parametrize("language", ["en", "zh"])
@pytest.mark.parametrize("kind", KINDS)
def test_a_prompt_explains_the_whole_format(kind: str, language: str) -> None:
    text = prompt_text(kind, language)
    for word in (
        "points", "links", "supports", "loads", "endA", "endB", "rigid", "hinge", "pin", "fixed", "roller", "slider",
        "angleDeg", "angleDeg + 90°", "pointLoad", "distributedLoad", "bendingMoment", "wStart", "wEnd", "fromStart",
        "fromEnd", "angleMode", "world", "relative", "flip", "offset", "offsetMode", "percent", "offsetPercent",
        "refEnd", "kN", "kN·m", "80918000", "0.007853981633974483", "4.908738521234054e-06", "<json>", "</json>",
    ):  # fmt: skip
        assert word in text, word


def test_the_prompts_differ_in_how_they_close() -> None:
    texts = {prompt_text(kind, language) for kind in KINDS for language in ("en", "zh")}
    assert len(texts) == 6
    assert "step by step" in prompt_text("reasoning", "en") and "nothing but" in prompt_text("strict", "en")
    assert "逐步" in prompt_text("reasoning", "zh") and "不要解释" in prompt_text("strict", "zh")
