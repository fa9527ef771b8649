"""Members of archives that can't be unpacked: one clear error, whatever the reason."""

from __future__ import annotations

import tracemalloc
import zipfile
from pathlib import Path

import pytest

from sightline.core.errors import MediaError
from sightline.core.records import Media
from sightline.data.media import MAX_MEMBER_BYTES, load_bytes

_LOCAL, _CENTRAL = b"PK\x03\x04", b"PK\x01\x02"
"""Signatures of the header before a member, and of its entry in the directory."""


def archive(path: Path) -> bytes:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out:
        out.writestr("a.png", b"content" * 100)
    return path.read_bytes()


def set_field(content: bytes, offset: int, value: int) -> bytes:
    """Set a two-byte field of both headers; it comes two bytes later in the directory."""
    changed = bytearray(content)
    for start in (content.index(_LOCAL) + offset, content.index(_CENTRAL) + offset + 2):
        changed[start : start + 2] = value.to_bytes(2, "little")
    return bytes(changed)


@pytest.mark.parametrize(
    ("offset", "value", "words"),
    [(6, 1, "it is encrypted. Unpack the archive with its password"), (8, 9, "compression"), (8, 14, "a.png: ")],
)
def test_a_member_that_can_not_be_unpacked(tmp_path: Path, offset: int, value: int, words: str) -> None:
    path = tmp_path / "pictures.zip"
    content = archive(path)
    media = Media(kind="image", path=str(path), member="a.png")
    assert load_bytes(media) == b"content" * 100
    path.write_bytes(set_field(content, offset, value))
    with pytest.raises(MediaError, match=r"Cannot load .*pictures\.zip!a\.png: ") as caught:
        load_bytes(media)
    assert words in str(caught.value)


def test_a_member_whose_content_is_damaged(tmp_path: Path) -> None:
    path = tmp_path / "pictures.zip"
    content = bytearray(archive(path))
    content[40:44] = b"\xff\xff\xff\xff"
    path.write_bytes(bytes(content))
    with pytest.raises(MediaError, match="Cannot load"):
        load_bytes(Media(kind="image", path=str(path), member="a.png"))


def test_a_member_that_expands_without_measure_is_not_unpacked(tmp_path: Path) -> None:
    path = tmp_path / "pictures.zip"
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as out, out.open("a.png", "w") as member:
        for _ in range(MAX_MEMBER_BYTES // 2**20 + 1):
            member.write(bytes(2**20))
    tracemalloc.start()
    try:
        with pytest.raises(MediaError, match=r"pictures\.zip!a\.png: it is larger than 512 MB"):
            load_bytes(Media(kind="image", path=str(path), member="a.png"))
        assert tracemalloc.get_traced_memory()[1] < 2**24
    finally:
        tracemalloc.stop()
