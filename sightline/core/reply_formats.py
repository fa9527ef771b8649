"""Reply formats: how model families write boxes, and in which coordinate space and order.

A profile is data: the forms that it consists of, the space of its coordinates, and an example. Readers of the forms are
in `sightline.scoring.parsers.lenient`.
"""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sightline.core.errors import ConfigError
from sightline.core.registry import nearest

SPACES = ("pixels", "0-1", "0-100", "0-999", "0-1000", "0-1023")
"""What coordinates are measured in."""
REPLY_SPACES = (*SPACES, "resized")
"""Those of replies: also pixels of the image as the server resized it."""
PIXEL_LIMITS = (56 * 56, 14 * 14 * 4 * 1280, 28)
"""Smallest and largest area and the multiple of sides to which Qwen2.5-VL's processor resizes by default."""
AUTO, STRICT, TAGS = "auto", "strict", "tags"


class ReplyFormat(Struct, frozen=True, kw_only=True):
    """A profile: how a model family writes shapes."""

    name: str
    forms: tuple[str, ...]
    """Names of the forms that its replies have."""
    space: str = ""
    """The space of its coordinates; empty: the declared one."""
    y_first: bool = False
    example: str
    """A reply with one box."""


_FORMATS = (
    ReplyFormat(name=TAGS, forms=("tags",), example="<box><120><340><560><780></box>"),
    ReplyFormat(
        name="qwen-vl",
        forms=("box_pairs", "box_tokens"),
        space="0-1000",
        example="<ref>ship</ref><box>(120,340),(560,780)</box>",
    ),
    ReplyFormat(
        name="qwen2-vl",
        forms=("box_tokens", "box_pairs"),
        space="0-1000",
        example="<|object_ref_start|>ship<|object_ref_end|><|box_start|>(120,340),(560,780)<|box_end|>",
    ),
    ReplyFormat(
        name="qwen2.5-vl",
        forms=("json_bbox_2d",),
        space="resized",
        example='```json\n[{"bbox_2d": [120, 340, 560, 780], "label": "ship"}]\n```',
    ),
    ReplyFormat(
        name="qwen3-vl",
        forms=("json_bbox_2d",),
        space="0-1000",
        example='[{"bbox_2d": [120, 340, 560, 780], "label": "ship"}]',
    ),
    ReplyFormat(
        name="glm-4v",
        forms=("json_bbox_2d", "plain"),
        space="0-1000",
        example="<|begin_of_box|>[[120,340,560,780]]<|end_of_box|>",
    ),
    ReplyFormat(
        name="internvl",
        forms=("box_lists",),
        space="0-1000",
        example="<ref>ship</ref><box>[[120, 340, 560, 780]]</box>",
    ),
    ReplyFormat(
        name="gemini",
        forms=("json_box_2d",),
        space="0-1000",
        y_first=True,
        example='[{"box_2d": [340, 120, 780, 560], "label": "ship"}]',
    ),
    ReplyFormat(
        name="paligemma",
        forms=("loc_tokens_y_first",),
        space="0-1023",
        y_first=True,
        example="<loc0348><loc0123><loc0799><loc0573> ship",
    ),
    ReplyFormat(
        name="florence-2",
        forms=("loc_tokens",),
        space="0-1000",
        example="ship<loc_120><loc_340><loc_560><loc_780>",
    ),
    ReplyFormat(
        name="deepseek-vl2",
        forms=("det_tokens",),
        space="0-999",
        example="<|ref|>ship<|/ref|><|det|>[[120, 340, 560, 780]]<|/det|>",
    ),
    ReplyFormat(name="geochat", forms=("rotated",), space="0-100", example="{<12><34><56><78>|<0>}"),
    ReplyFormat(name="kosmos-2", forms=("patch_index",), space="0-1", example="<patch_index_0323><patch_index_0786>"),
    ReplyFormat(
        name="molmo",
        forms=("points",),
        space="0-100",
        example='<points x1="12.0" y1="34.0" x2="56.0" y2="78.0" alt="ship">',
    ),
    ReplyFormat(
        name="moondream",
        forms=("json_corners",),
        space="0-1",
        example='{"objects": [{"x_min": 0.12, "y_min": 0.34, "x_max": 0.56, "y_max": 0.78}]}',
    ),
    ReplyFormat(name="lhrs-bot", forms=("plain",), space="0-1", example="[0.12, 0.34, 0.56, 0.78]"),
    ReplyFormat(name="plain", forms=("plain", "json_box"), example="The ship is at [120, 340, 560, 780]."),
)
REPLY_FORMATS = {one.name: one for one in _FORMATS}
"""All profiles by name."""


def parse_reply_formats(entries: Sequence[str], setting: str = "--reply-format") -> dict[str, str]:
    """Formats by the name of a task or model (empty: all others) from `FORMAT` and `NAME=FORMAT`."""
    found = {}
    for entry in entries:
        name, _, chosen = entry.rpartition("=")
        chosen = chosen.strip()
        known = (AUTO, STRICT, *REPLY_FORMATS)
        if chosen not in known:
            raise ConfigError(
                "Invalid value '{value}' for {setting}. Did you mean '{near}'?",
                hint="Known: {listed}",
                setting=setting,
                value=chosen,
                near=nearest(chosen, list(known)) or AUTO,
                listed=", ".join(known),
            )
        found[name.strip()] = chosen
    return found
