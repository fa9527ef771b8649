"""Media of a sample: images with overlays of target and reply, texts, and drawings of the suite."""

from __future__ import annotations

import base64
import io
import math
import zipfile
from collections.abc import Sequence
from html import escape
from pathlib import Path
from typing import Any

import numpy as np
from msgspec import Struct

from sightline.core.errors import MediaError
from sightline.core.interfaces import ColumnSuite, Drawing, Suite, Task, Visualizer
from sightline.core.records import Media, Parsed, Sample
from sightline.core.registry import find
from sightline.core.remarks import Remark
from sightline.core.reply_formats import PIXEL_LIMITS
from sightline.data.media import detect_format, load_bytes, load_text
from sightline.i18n import tr
from sightline.reports.sample_view.texts import Clip, clip

MAX_MEDIA_BYTES = 32 * 2**20
_FORMATS = ("png", "jpeg", "gif", "bmp", "webp")
"""Formats that browsers show."""


class LoadedImage(Struct, frozen=True):
    """A picture with its size in pixels."""

    data: bytes
    mime: str
    width: int
    height: int


def load_image(media: Media, root: Path) -> LoadedImage:
    """The picture, whatever its file is called; a `MediaError` says why there is none."""
    data = load_content(media, root)
    image_format = detect_format(data)
    if image_format not in _FORMATS:
        raise MediaError("This is not an image that a page can show.")
    return LoadedImage(data, f"image/{image_format}", *_image_size(data))


def load_content(media: Media, root: Path) -> bytes:
    """The bytes of a medium, unless they are too many or lie outside of the data set."""
    home = root.resolve()
    home = home if home.is_dir() else home.parent
    if media.path and not Path(media.path).resolve().is_relative_to(home):  # a link may lead out of it
        raise MediaError("The file is outside the data set.")
    if _byte_length(media) > MAX_MEDIA_BYTES:
        raise MediaError("The file is larger than {most} MB.", most=MAX_MEDIA_BYTES // 2**20)
    return load_bytes(media)


def _byte_length(media: Media) -> int:
    try:
        if media.data:
            return len(media.data)
        if media.span is not None:
            return media.span[1]
        if media.member:
            with zipfile.ZipFile(media.path) as archive:
                return archive.getinfo(media.member).file_size
        # a frame is decoded from its video, however long that is
        return 0 if media.at_second is not None else Path(media.path).stat().st_size
    except (OSError, KeyError, ValueError, zipfile.BadZipFile) as error:
        raise MediaError("Cannot load {where}: {why}", where=Path(media.path).name, why=error) from None


def _image_size(data: bytes) -> tuple[int, int]:
    """Width and height from the head; nothing is decoded."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data), formats=_FORMATS) as image:
            return image.size
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise MediaError("This is not an image that a page can show.") from error


_SHAPE_PARSERS = ("boxes", "one_box", "quads", "polygons", "dots")
MAX_SHAPES = 2000
_LAYER_STYLES = {
    "truth": 'fill="#12a150" fill-opacity=".1" stroke="#12a150"',
    "reply": 'fill="none" stroke="#e5281f" stroke-dasharray="6 4"',
}


class Layer(Struct, frozen=True):
    """Rings as SVG writes them, `x,y x,y …`, in pixels; how many shapes there are; why there are none."""

    rings: tuple[str, ...]
    count: int
    fault: str = ""


def shape_layer(
    task: Task,
    text: str,
    space: str,
    size: tuple[int, int],
    pixel_scale: tuple[float, float] = (1.0, 1.0),
    limits: tuple[int, int, int] = PIXEL_LIMITS,
) -> Layer:
    """The shapes of a text, whose coordinates are in the given space, over a picture of the given size.

    `pixel_scale` are the factors of x and y from pixels of the text to pixels of the picture; `limits` see
    `Reading.pixel_limits`.
    """
    from sightline.scoring.parsers.columns.coordinates import scale_factors

    read = find("parsers", task.parser)(text)
    if not isinstance(read, Parsed):
        return Layer((), 0, read.reason)
    scale = scale_factors(space, "pixels", np.array([size], dtype=float), np.array([pixel_scale]), limits)
    across, down = (1.0, 1.0) if scale is None else (float(scale[0, 0]), float(scale[0, 1]))
    if space == "pixels":
        across, down = across * pixel_scale[0], down * pixel_scale[1]
    shapes = read.value["shapes"]
    rings = [_ring_points(_corners(shape), across, down) for shape in shapes[:MAX_SHAPES]]
    return Layer(tuple(ring for ring in rings if ring), len(shapes))


def overlay_svg(size: tuple[int, int], truth: Layer, reply: Layer | None) -> str:
    """Both layers, or that of the truth alone, as one SVG over a picture of the given size, however large it is shown.

    Truth and reply are groups of the classes `truth` and `reply`; colours are attributes, so that no style is needed.
    """
    width, height = size
    layers = {"truth": truth} if reply is None else {"truth": truth, "reply": reply}
    label = "; ".join(f"{tr(name.title())}: {one.count} {tr('shapes')}" for name, one in layers.items())
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" class="overlay" width="{width}" height="{height}" '
        f'viewBox="0 0 {width} {height}" role="img" aria-label="{escape(label)}">'
        f"{''.join(_group(name, one) for name, one in layers.items())}</svg>"
    )


def _group(name: str, layer: Layer) -> str:
    rings = "".join(f'<polygon points="{escape(ring)}" vector-effect="non-scaling-stroke"/>' for ring in layer.rings)
    return f'<g class="{name}" stroke-width="2" {_LAYER_STYLES[name]}>{rings}</g>'


def _coordinate_spaces(suite: Suite) -> tuple[str, str]:
    """The coordinate spaces of truth and replies."""
    if not isinstance(suite, ColumnSuite):
        return "pixels", "pixels"
    reading = suite.reading
    return reading.truth_coords, reading.coords or reading.truth_coords


def _corners(shape: Sequence[Any]) -> list[tuple[float, float]]:
    """The corners of a box (four numbers), a quad (eight), or a ring (points)."""
    if shape and isinstance(shape[0], list | tuple):
        return [(float(point[0]), float(point[1])) for point in shape]
    if len(shape) == 4:
        left, top, right, bottom = map(float, shape)
        return [(left, top), (right, top), (right, bottom), (left, bottom)]
    return [(float(x), float(y)) for x, y in zip(shape[::2], shape[1::2], strict=True)]


def _ring_points(corners: list[tuple[float, float]], across: float, down: float) -> str:
    if not all(math.isfinite(x) and math.isfinite(y) for x, y in corners):
        return ""
    return " ".join(f"{x * across:.2f},{y * down:.2f}" for x, y in corners)


MAX_MEDIA = 24


class MediaView(Struct, frozen=True, kw_only=True):
    """A medium on the page."""

    number: int
    width: int = 0
    height: int = 0
    truth: Layer | None = None
    reply: Layer | None = None
    """None where no reply is kept, which is not a reply without shapes."""
    text: Clip | None = None
    fault: str = ""

    @property
    def overlay(self) -> str:
        """The shapes of truth and reply as one SVG; empty where the task has none."""
        if self.truth is None:
            return ""
        return overlay_svg((self.width, self.height), self.truth, self.reply)


class Subject(Struct, frozen=True):
    """What is drawn: a sample, its truth and its reply as texts."""

    suite: Suite
    data: Path
    sample: Sample
    truth: str
    reply: str | None
    """None: it is not kept."""
    pixel_scale: tuple[float, float] = (1.0, 1.0)
    """Factors of x and y from pixels of the picture that was sent to pixels of the picture itself."""


def media_views(subject: Subject, media: list[Media]) -> list[MediaView]:
    """All media that a page has room for."""
    return [_media_view(subject, number, medium) for number, medium in enumerate(media[:MAX_MEDIA])]


def load_media_text(medium: Media, data: Path) -> str:
    """The words of a medium that is a text."""
    if not medium.path:
        return load_text(medium)
    return load_content(medium, data).decode("utf-8-sig", "replace")


def _media_view(subject: Subject, number: int, medium: Media) -> MediaView:
    try:
        if medium.kind == "text":
            return MediaView(number=number, text=clip(load_media_text(medium, subject.data)))
        shown = load_image(medium, subject.data)
    except MediaError as error:
        return MediaView(number=number, fault=str(error))
    task = subject.suite.tasks().get(subject.sample.task)
    size = shown.width, shown.height
    if task is None or task.parser not in _SHAPE_PARSERS:
        return MediaView(number=number, width=size[0], height=size[1])
    of_truth, _ = _coordinate_spaces(subject.suite)
    return MediaView(
        number=number,
        width=size[0],
        height=size[1],
        truth=shape_layer(task, subject.truth, of_truth, size),
        reply=None if subject.reply is None else _reply_layer(subject, task, subject.reply, size),
    )


def _reply_layer(subject: Subject, task: Task, reply: str, size: tuple[int, int]) -> Layer:
    """The shapes of a reply, read as asked, else leniently."""
    space = _coordinate_spaces(subject.suite)[1]
    if not isinstance(subject.suite, ColumnSuite):
        return shape_layer(task, reply, space, size, subject.pixel_scale)
    from sightline.scoring.parsers.lenient.reader import read_reply_shapes

    reading = subject.suite.reading
    text, own_space = read_reply_shapes(reply, task, reading, size)
    return shape_layer(task, text, own_space or space, size, subject.pixel_scale, reading.pixel_limits)


MAX_DRAWING_BYTES = 2 * 2**20
"""Limit of one drawing; for a larger one its size is shown instead."""


def sample_drawings(suite: Suite, sample: Sample, reply: str) -> tuple[Drawing, ...]:
    """The suite's drawings of truth and reply; never raises, whatever the reply contains."""
    if not isinstance(suite, Visualizer):
        return ()
    try:
        made = suite.drawings(sample, reply)
    except Exception as error:  # a suite's own fault must not hide the rest of the sample
        facts = {"fault": f"{type(error).__name__}: {error}"[:300]}
        return (Drawing(Remark("Drawing"), notes=(Remark("The drawing failed: {fault}", facts),)),)
    return tuple(_limit_size(drawing) for drawing in made)


def drawing_uri(drawing: Drawing) -> str:
    """The drawing as the source of an `img`, where no script can run and no id can clash."""
    return "data:image/svg+xml;base64," + base64.b64encode(drawing.svg.encode("utf-8", "replace")).decode()


def _limit_size(drawing: Drawing) -> Drawing:
    if len(drawing.svg) <= MAX_DRAWING_BYTES:
        return drawing
    return Drawing(drawing.title, notes=(*drawing.notes, Remark("The drawing is too large to be shown.")))
