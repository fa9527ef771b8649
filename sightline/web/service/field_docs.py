"""Translatable field descriptions of the OpenAPI schema, and language negotiation."""

from __future__ import annotations

from typing import Any

from msgspec import Meta

from sightline.core.records import Remark
from sightline.i18n import language, tr
from sightline.i18n.chinese import CHINESE


def field_doc(remark: Remark, **bounds: Any) -> Meta:
    """Return msgspec metadata with the description of a field and the bounds of its values."""
    return Meta(description=remark.text, **bounds)


def translate_schema(schema: Any) -> Any:
    """Translate the descriptions of a JSON schema into the current language."""
    if isinstance(schema, dict):
        return {
            key: tr(value) if key == "description" and isinstance(value, str) else translate_schema(value)
            for key, value in schema.items()
        }
    return [translate_schema(item) for item in schema] if isinstance(schema, list) else schema


def bilingual_title(text: str) -> dict[str, str]:
    """Return a title in English and Chinese."""
    return {"en": text, "zh": CHINESE.get(text, text)}


def negotiate_language(accepted: str) -> str:
    """Choose `en` or `zh` by an Accept-Language header; the server's language if it names neither."""
    qualities: dict[str, float] = {}
    for entry in accepted[:500].split(","):
        tag, _, weight = entry.strip().partition(";")
        name = tag.strip().lower().partition("-")[0]
        try:
            quality = float(weight.strip().removeprefix("q=")) if weight else 1.0
        except ValueError:
            quality = 0.0
        if name in ("en", "zh") and quality > qualities.get(name, 0.0):
            qualities[name] = quality
    return max(qualities, key=lambda name: qualities[name]) if qualities else language()
