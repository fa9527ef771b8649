"""Kinds of deviation from the asked form, and forms of shapes with their coordinate space.

The index in `DEVIATIONS` is the code in columns; 0 means none.
"""

from __future__ import annotations

from msgspec import Struct

from sightline.core.remarks import Remark

_NAMES = (
    Remark("text around the tags"),
    Remark("Qwen-VL tags"),
    Remark("Qwen2-VL box tokens"),
    Remark("JSON with bbox_2d"),
    Remark("InternVL box lists"),
    Remark("JSON with box_2d"),
    Remark("PaliGemma location tokens"),
    Remark("Florence-2 location tokens"),
    Remark("DeepSeek-VL2 detection tokens"),
    Remark("GeoChat rotated boxes"),
    Remark("Kosmos-2 patch indices"),
    Remark("Molmo points"),
    Remark("JSON with named corners"),
    Remark("JSON with other keys"),
    Remark("plain coordinates"),
    Remark("list cut off"),
    Remark("box instead of quad or polygon"),
    Remark("quad or polygon instead of box"),
    Remark("nothing, in words"),
    Remark("answer tags or marker"),
    Remark("code fence"),
    Remark("Markdown"),
    Remark("JSON"),
    Remark("number in a sentence"),
    Remark("number in words"),
    Remark("yes or no in a sentence"),
    Remark("label in a sentence"),
    Remark("plural or article"),
    Remark("indices in a sentence"),
    Remark("introduction before the text"),
)
DEVIATIONS = ("", *(name.text for name in _NAMES))
"""All kinds; index 0 is empty and means none."""


_CODES = {name: code for code, name in enumerate(DEVIATIONS)}


def deviation_code(name: str) -> int:
    """The code of a kind of deviation."""
    return _CODES[name]


class Form(Struct, frozen=True):
    """A form of shapes in replies."""

    name: str
    deviation: str
    space: str = ""
    """The space that only this form has; empty: it does not tell, and the declared space holds."""


FORMS = {
    form.name: form
    for form in (
        Form("tags", "text around the tags"),
        Form("box_tokens", "Qwen2-VL box tokens", "0-1000"),
        Form("box_pairs", "Qwen-VL tags", "0-1000"),
        Form("box_lists", "InternVL box lists", "0-1000"),
        Form("det_tokens", "DeepSeek-VL2 detection tokens", "0-999"),
        Form("loc_tokens_y_first", "PaliGemma location tokens", "0-1023"),
        Form("loc_tokens", "Florence-2 location tokens", "0-1000"),
        Form("patch_index", "Kosmos-2 patch indices", "0-1"),
        Form("rotated", "GeoChat rotated boxes", "0-100"),
        Form("points", "Molmo points", "0-100"),
        Form("json_box_2d", "JSON with box_2d", "0-1000"),
        Form("json_bbox_2d", "JSON with bbox_2d"),
        Form("json_corners", "JSON with named corners"),
        Form("json_box", "JSON with other keys"),
        Form("plain", "plain coordinates"),
        Form("none", "nothing, in words"),
    )
}
"""Forms in the order in which they are looked for: what no other model writes comes first."""
FORM_NAMES = tuple(FORMS)
