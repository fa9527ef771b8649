"""Sizes of embedded pictures in annotation files, whatever their format, metadata and JSON escapes."""

from __future__ import annotations

import io
import json
from base64 import b64encode, encodebytes
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sightline.data.lines import index_file
from sightline.data.media import HEADER_CHARS
from sightline.scoring.files.annotation_file import picture_sizes

SCENE = Image.fromarray(np.random.default_rng(1).integers(0, 256, (200, 300, 3), dtype=np.uint8))


def encoded(kind: str, **more: object) -> bytes:
    out = io.BytesIO()
    SCENE.save(out, kind, **more)
    return out.getvalue()


PICTURES = {
    "png": encoded("PNG"),
    "jpeg": encoded("JPEG"),
    "jpeg with long metadata": encoded("JPEG", icc_profile=bytes(150_000)),
    "webp": encoded("WEBP", lossless=True),
    "tiff": encoded("TIFF"),
    "gif": encoded("GIF"),
    "bmp": encoded("BMP"),
}
FORMS: dict[str, Callable[[bytes], str]] = {
    "string": lambda data: json.dumps(b64encode(data).decode()),
    "list": lambda data: json.dumps([b64encode(data).decode()] * 2),
    "data URI": lambda data: json.dumps(f"data:image/x;base64,{b64encode(data).decode()}"),
    "escaped slashes": lambda data: json.dumps(b64encode(data).decode()).replace("/", "\\/"),
    "escaped signs": lambda data: json.dumps(b64encode(data).decode()).replace("+", "\\u002B"),
    "lines": lambda data: json.dumps(encodebytes(data).decode()),
}


@pytest.mark.parametrize("form", FORMS)
def test_sizes_are_found_in_any_form(form: str, tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    path.write_text("".join(f'{{"gt": "1", "frames": {FORMS[form](data)}}}\n' for data in PICTURES.values()))
    with index_file(path, ("gt", "frames"), heads={"frames": HEADER_CHARS}) as index:
        sizes = picture_sizes(index, np.arange(len(PICTURES)))
    found = dict(zip(PICTURES, map(tuple, sizes.tolist()), strict=True))
    assert found == dict.fromkeys(PICTURES, (300.0, 200.0))


def test_what_is_no_picture_has_no_size(tmp_path: Path) -> None:
    path = tmp_path / "a.jsonl"
    values = ['"bm8gcGljdHVyZQ=="', '""', "[]", "7", '{"a": "b"}', '"%%%"', '"\\u4e00"', json.dumps("x" * 10**5)]
    path.write_text("".join(f'{{"gt": "1", "frames": {value}}}\n' for value in values))
    with index_file(path, ("gt", "frames"), heads={"frames": HEADER_CHARS}) as index:
        assert np.isnan(picture_sizes(index, np.arange(len(values)))).all()
