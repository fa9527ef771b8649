"""Coordinates in thousandths of a picture whose size is known only from its bytes, wherever the annotations lie."""

from __future__ import annotations

import base64
import gzip
import io
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sightline import score
from sightline.data.lines import index_file
from sightline.data.storage import parse_path
from tests.scoring.files.test_shards import figures
from tests.scoring.files.worlds import outputs, write_lines

pytest.importorskip("fsspec")


def picture(width: int, height: int) -> str:
    """A PNG of noise, so that it is larger than what is kept of it."""
    noise = np.random.default_rng(width).integers(0, 256, (height, width, 3), dtype=np.uint8)
    made = io.BytesIO()
    Image.fromarray(noise).save(made, "PNG")
    return base64.b64encode(made.getvalue()).decode()


@pytest.fixture
def world(tmp_path: Path) -> Path:
    rows = [
        {
            "task": "水平区域检测",
            "source": f"{n}.png",
            "frames": frames,
            "gt": f"1 <box><{w // 10}><{h // 10}><{w // 2}><{h // 2}></box>",
        }
        for n, (w, h) in enumerate([(200, 100), (400, 150), (150, 400)])
        for frames in ([picture(w, h)], picture(w, h))
    ]
    write_lines(tmp_path / "anno" / "a.txt", rows)
    write_lines(tmp_path / "out" / "a_output.txt", outputs(["1 <box><100><100><500><500></box>"] * len(rows)))
    return tmp_path


@pytest.mark.parametrize("engine", ["threads", "serial"])
def test_sizes_are_read_from_compressed_and_remote_lines(world: Path, engine: str) -> None:
    options = {"coords": "0-1000", "output_dir": str(world / "r"), "engine": engine}
    wanted = score(world / "anno", world / "out", **options)
    assert wanted.value("水平区域检测", "ap50") == 1
    (world / "packed").mkdir()
    (world / "packed" / "a.txt.gz").write_bytes(gzip.compress((world / "anno" / "a.txt").read_bytes(), 1))
    with zipfile.ZipFile(world / "d.zip", "w") as archive:
        archive.write(world / "anno" / "a.txt", "anno/a.txt")
    for place in (world / "packed", f"{world / 'd.zip'}::anno"):
        assert figures(score(place, world / "out", **options)) == figures(wanted)


def test_only_the_heads_of_pictures_are_kept(world: Path) -> None:
    with zipfile.ZipFile(world / "d.zip", "w") as archive:
        archive.write(world / "anno" / "a.txt", "a.txt")
    fields, heads = ["gt", "frames"], {"frames": 100}
    with (
        index_file(parse_path(f"{world / 'd.zip'}::a.txt"), fields, heads=heads) as remote,
        index_file(world / "anno" / "a.txt", fields, heads=heads) as local,
    ):
        rows = np.arange(len(local))
        whole = local.raw_texts("frames", rows).strings()
        assert remote.raw_texts("frames", rows).strings() == [text[:100] for text in whole]
        assert local.raw_texts("frames", rows, 100).strings() == [text[:100] for text in whole]
        assert min(map(len, whole)) > 10_000
        assert remote.texts("gt", rows).strings() == local.texts("gt", rows).strings()
