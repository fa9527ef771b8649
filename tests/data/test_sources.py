"""Reading: media wherever they are, frames at their moments, samples that are wanted, data that hash to the same."""

from __future__ import annotations

import base64
import zipfile
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

from sightline.core.errors import MediaError
from sightline.core.records import Invalid, Media, Sample
from sightline.data.fingerprint import fingerprint
from sightline.data.media import data_uri, load_bytes, load_text, mime_type
from sightline.data.selection import filter_samples, matches_filter
from sightline.data.video import extract_frame, frame_times
from tests.support.worlds import PIXEL

ENCODED = base64.b64encode(PIXEL)


def everywhere(folder: Path) -> list[Media]:
    """The same picture in five places."""
    (folder / "a.png").write_bytes(PIXEL)
    with zipfile.ZipFile(folder / "a.zip", "w") as archive:
        archive.writestr("in/a.png", PIXEL)
    line = b'{"frames": "' + ENCODED + b'"}\n'
    (folder / "lines.txt").write_bytes(b"x" * 1000 + line)
    return [
        Media(kind="image", path=str(folder / "a.png")),
        Media(kind="image", path=str(folder / "a.zip"), member="in/a.png"),
        Media(kind="image", path=str(folder / "lines.txt"), span=(1012, len(ENCODED)), mime="image/png"),
        Media(kind="image", data="data:image/png;base64," + ENCODED.decode()),
    ]


def test_the_same_picture_from_everywhere(tmp_path: Path) -> None:
    for media in everywhere(tmp_path):
        assert load_bytes(media) == PIXEL
        assert data_uri(media) == b"data:image/png;base64," + ENCODED
        assert mime_type(media) == "image/png"


@pytest.mark.parametrize(
    "media",
    [
        Media(kind="image", path="nowhere.png"),
        Media(kind="image", path="nowhere.zip", member="a"),
        Media(kind="image", data="data:image/png;base64,§"),
        Media(kind="image", path="nowhere.gif", at_second=0.0),
    ],
)
def test_what_is_missing_is_named(media: Media) -> None:
    with pytest.raises(MediaError, match=r"nowhere|data URI"):
        load_bytes(media)


def test_text_survives_any_bytes(tmp_path: Path) -> None:
    (tmp_path / "t.txt").write_bytes(b"\xef\xbb\xbfgood \xff bad")
    assert load_text(Media(kind="text", path=str(tmp_path / "t.txt"))) == "good \ufffd bad"
    assert load_text(Media(kind="text", data="words")) == "words"


def shades(path: Path, seconds: list[float]) -> Path:
    """A clip whose k-th frame is a grey of its own, shown for so long."""
    frames = [Image.new("L", (32, 24), 20 + 40 * k) for k in range(len(seconds))]
    if path.suffix == ".gif":
        frames[0].save(path, save_all=True, append_images=frames[1:], duration=[round(1000 * s) for s in seconds])
        return path
    import av

    with av.open(str(path), "w") as container:
        stream = container.add_stream("mpeg4", rate=10)
        stream.width, stream.height, stream.pix_fmt = 32, 24, "yuv420p"
        for picture, length in zip(frames, seconds, strict=True):
            for _ in range(round(length * 10)):
                for packet in stream.encode(av.VideoFrame.from_image(picture.convert("RGB"))):
                    container.mux(packet)
        for packet in stream.encode():
            container.mux(packet)
    return path


def shade(path: Path, at: float) -> float:
    import io

    with Image.open(io.BytesIO(extract_frame(str(path), at))) as picture:
        return float(np.asarray(picture.convert("L")).mean())


@pytest.mark.parametrize("suffix", [".gif", ".mp4"])
def test_frames_are_those_shown_at_the_given_times(tmp_path: Path, suffix: str) -> None:
    clip = shades(tmp_path / f"clip{suffix}", [0.5, 1.0, 0.8, 0.4])
    assert frame_times(str(clip), 1.0) == (0.0, 1.0, 2.0)
    assert frame_times(str(clip), 2.0) == (0.0, 0.5, 1.0, 1.5, 2.0, 2.5)
    assert frame_times(str(clip), 0.01) == (0.0,)
    for at, expected in ((0.0, 20), (1.0, 60), (2.0, 100), (2.5, 140)):
        assert shade(clip, at) == pytest.approx(expected, abs=4)


def test_a_broken_video_is_reported_as_a_media_error(tmp_path: Path) -> None:
    for name in ("a.gif", "b.mp4"):
        (tmp_path / name).write_bytes(b"not a video")
        with pytest.raises(MediaError, match="Cannot decode"):
            frame_times(str(tmp_path / name), 1.0)


def sample(number: int, **tags: str) -> Sample:
    return Sample(id=f"s/{number}", task="Counting", question="", target=0, tags=tags)


def test_a_selection_keeps_positions() -> None:
    stream = [sample(0, domain="fluid"), Invalid(id="s/1", reason=""), sample(2, domain="Fluid"), sample(3)]
    assert [position for position, _ in filter_samples(stream, ("domain=FLUID",))] == [0, 2]
    assert [position for position, _ in filter_samples(stream, ("counting",), limit=2)] == [0, 2]
    assert [position for position, _ in filter_samples(stream, limit=2)] == [0, 1]
    assert matches_filter(stream[0], "flu") and not matches_filter(stream[0], "domain=flu")


def test_a_limit_reads_no_further() -> None:
    def stream():  # type: ignore[no-untyped-def]
        yield sample(0)
        raise AssertionError("read too far")

    assert len(list(filter_samples(stream(), limit=1))) == 1


def test_a_fingerprint_follows_content_and_names(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name / "sub").mkdir(parents=True)
        (tmp_path / name / "sub" / "a").write_text("x")
        (tmp_path / name / "b").write_text("y")
    assert fingerprint(tmp_path / "one") == fingerprint(tmp_path / "two")
    (tmp_path / "two" / "b").write_text("z")
    assert fingerprint(tmp_path / "one") != fingerprint(tmp_path / "two")
    (tmp_path / "one" / "b").rename(tmp_path / "one" / "c")
    assert fingerprint(tmp_path / "one") != fingerprint(tmp_path / "two")
    assert fingerprint(tmp_path / "one" / "c")
