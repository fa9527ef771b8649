"""The sizes of sent images in the grades table: only where images were resized."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pytest
from PIL import Image

from sightline import evaluate, generate
from sightline.core.records import Prompt
from sightline.scoring.grades import writer
from tests.data.test_pictures import encoded
from tests.support.worlds import journal, write_questions


def answer(prompt: Prompt) -> str:
    return "True"


@pytest.fixture(scope="module", params=["simulation", pytest.param("remote-sensing", marks=pytest.mark.slow)])
def world(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Path]:
    """A suite that scores records, and one that scores columns."""
    folder = tmp_path_factory.mktemp("sizes") / "data"
    if request.param == "simulation":
        scene = Image.fromarray(np.random.default_rng(1).integers(0, 256, (100, 150, 3), dtype=np.uint8))
        return request.param, write_questions(folder, 3, 2, encoded(scene, "PNG"))
    return request.param, generate("remote-sensing", folder, count=1, seed=1)


def ask(world: tuple[str, Path], tmp_path: Path, **more: Any) -> tuple[Path, list[str]]:
    suite, data = world
    result = evaluate(suite, data=str(data), model=answer, output_dir=str(tmp_path / "runs"), limit=6, **more)
    columns = duckdb.sql(f"DESCRIBE SELECT * FROM '{result.folder / 'grades.parquet'}'").fetchall()
    return result.folder, [name for name, *_ in columns]


@pytest.mark.parametrize("is_spilled", [False, True])
def test_sizes_are_in_the_grades(
    world: tuple[str, Path], is_spilled: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    if is_spilled:
        monkeypatch.setattr(writer, "MAX_BUFFERED_BYTES", 0)
    folder, columns = ask(world, tmp_path, max_pixels=2000, repeats=2)
    assert columns[-1] == "sent_sizes"
    rows = duckdb.sql(f"SELECT position, repeat, sent_sizes FROM '{folder / 'grades.parquet'}'").fetchall()
    sent = {
        (line["position"], line.get("repeat", 1)): [picture.get("sent", picture["size"]) for picture in pictures]
        for line in journal(folder)
        if (pictures := json.loads(json.dumps(line.get("pictures"))))
    }
    assert sent and {(position, repeat): sizes for position, repeat, sizes in rows if sizes} == sent
    assert all(width * height <= 2000 for sizes in sent.values() for width, height in sizes)


def test_grades_without_resized_images_have_no_sizes(world: tuple[str, Path], tmp_path: Path) -> None:
    _, columns = ask(world, tmp_path)
    assert "sent_sizes" not in columns
    _, same = ask(world, tmp_path, max_pixels=10**8)
    assert same == columns, "no image is larger"
