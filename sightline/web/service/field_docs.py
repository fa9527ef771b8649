"""Descriptions of fields that can be said in any language."""

from __future__ import annotations

from typing import Any

from msgspec import Meta

from sightline.core.records import Remark
from sightline.i18n import language, say
from sightline.i18n.chinese import CHINESE


def told(remark: Remark, **bounds: Any) -> Meta:
    """A field's description, which goes into the OpenAPI document, and the bounds of its values."""
    return Meta(description=remark.text, **bounds)


def in_language(schema: Any) -> Any:
    """A JSON schema with its descriptions in the language in force."""
    if isinstance(schema, dict):
        return {
            key: say(value) if key == "description" and isinstance(value, str) else in_language(value)
            for key, value in schema.items()
        }
    return [in_language(one) for one in schema] if isinstance(schema, list) else schema


def in_both(text: str) -> dict[str, str]:
    """A title in English and in Chinese."""
    return {"en": text, "zh": CHINESE.get(text, text)}


def preferred(accepted: str) -> str:
    """`en` or `zh`, whichever an Accept-Language header likes better; the server's own where it names neither."""
    liked: dict[str, float] = {}
    for part in accepted[:500].split(","):
        tag, _, weight = part.strip().partition(";")
        name = tag.strip().lower().partition("-")[0]
        try:
            quality = float(weight.strip().removeprefix("q=")) if weight else 1.0
        except ValueError:
            quality = 0.0
        if name in ("en", "zh") and quality > liked.get(name, 0.0):
            liked[name] = quality
    return max(liked, key=lambda name: liked[name]) if liked else language()
