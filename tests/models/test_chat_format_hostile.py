"""Bodies of requests are valid JSON whatever a data set holds where base64 should be."""

from __future__ import annotations

import json

import pytest

from sightline.models.chat_format import _encoder, _json_string


@pytest.mark.parametrize("character", [chr(code) for code in (0, 1, 9, 10, 13, 31, 34, 92, 127, 65)])
def test_any_character_is_escaped_where_it_must_be(character: str) -> None:
    text = f"data:image/png;base64,QUJD{character}REVG"
    assert json.loads(_encoder.encode({"url": _json_string(text.encode())})) == {"url": text}
