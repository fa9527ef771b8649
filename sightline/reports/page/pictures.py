"""A picture small enough to be sent around inside a page."""

from __future__ import annotations

import base64
import io
from typing import TYPE_CHECKING

from sightline.core.errors import MediaError
from sightline.reports.sample_view.pictures import Picture

if TYPE_CHECKING:
    from PIL import Image

LARGEST = 640
"""Pixels of the longer side."""
MOST_PIXELS = 100_000_000
FEW_COLOURS = 2048
_FORMATS = ("PNG", "JPEG", "GIF", "BMP", "WEBP")


def small_uri(picture: Picture, largest: int = LARGEST) -> str:
    """The picture as a data URI: drawings, which have few colours, as PNG, so that lines stay sharp; photos as JPEG."""
    from PIL import Image

    if picture.width * picture.height > MOST_PIXELS:
        raise MediaError("It has too many pixels to be shown here.")
    try:
        with Image.open(io.BytesIO(picture.data), formats=_FORMATS) as opened:
            opened.draft("RGB", (largest, largest))
            image = _flat(opened)
            drawn = image.getcolors(FEW_COLOURS) is not None
            image.thumbnail((largest, largest), Image.Resampling.LANCZOS)
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError, Image.DecompressionBombWarning) as error:
        raise MediaError("This image cannot be shown in a page.") from error
    made = io.BytesIO()
    if drawn:
        image.quantize(64).save(made, "PNG", compress_level=9)
    else:
        image.save(made, "JPEG", quality=80)
    return f"data:image/{'png' if drawn else 'jpeg'};base64,{base64.b64encode(made.getvalue()).decode()}"


def _flat(image: Image.Image) -> Image.Image:
    """On white, without transparency or palette."""
    from PIL import Image

    if image.mode in ("RGB", "L"):
        return image.copy()
    if image.mode.startswith(("I", "F")):  # sixteen bits and more: the range that is there
        low, high = (float(end) for end in image.getextrema() if not isinstance(end, tuple))
        scale = 255.0 / (high - low) if high > low else 0.0
        return image.point(lambda value: value * scale - low * scale).convert("L")
    whole = image.convert("RGBA")
    page = Image.new("RGB", whole.size, "white")
    page.paste(whole, mask=whole.getchannel("A"))
    return page
