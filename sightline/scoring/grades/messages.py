"""Messages of the grades table: in English for queries, and as remarks for readers of any language.

The column `message` holds the English text. Where it has arguments, the column `remark` holds template and arguments as
JSON; a message without arguments is its own template.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from sightline.core.remarks import Explanation, Remark, format_remark
from sightline.data.json_decoding import JsonDecoder

_encoder = msgspec.json.Encoder(enc_hook=str)
_decoder = JsonDecoder[Remark](Remark)


def encode_remark(message: Explanation) -> str:
    """A remark with arguments as JSON; empty for any other message."""
    if not isinstance(message, Remark) or not message.args:
        return ""
    try:
        return _encoder.encode(message).decode()
    except (UnicodeError, RecursionError):  # halves of characters: the English text has to do
        return ""


def row_message(row: Mapping[str, Any]) -> str:
    """The message of a row of the grades table in the language in force."""
    try:
        return str(_decoder.decode(row.get("remark") or ""))
    except (msgspec.DecodeError, TypeError):  # none, or not one of ours
        return format_remark(str(row.get("message") or ""))
