"""Decoding and validation of request bodies; errors name the JSON path and suggest the nearest field name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct, inspect

from sightline.core.registry import nearest
from sightline.i18n import tr
from sightline.web.service.problems import ProblemError

_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*)`", re.DOTALL)
_WRONG_TYPE = re.compile(r"Expected `(.*)`, got `(.*)`", re.DOTALL)
_JSON_PATH = re.compile(r" - at `(\$[^`]*)`$")
_MAX_NAME_CHARACTERS = 80


def read_request(body: bytes, takes: Sequence[type[Struct]]) -> Struct:
    """Decode a body into the best matching of the accepted types."""
    raw = _decode_json(body)
    if not isinstance(raw, dict):
        raise ProblemError("does-not-fit", tr("The body must be a JSON object."), where="$")
    kind = max(takes, key=lambda candidate: len(raw.keys() & set(candidate.__struct_encode_fields__)))
    try:
        request: Struct = msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        raise _translate_error(str(error), kind) from None
    return request


def _decode_json(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except RecursionError:
        why = tr("it is nested too deeply")
    except ValueError as error:  # msgspec's own errors, and those of text that is no UTF-8
        why = str(error)
    raise ProblemError(
        "not-json",
        tr("The body can't be read as JSON: {why}", why=why),
        tr("Send UTF-8. NaN, Infinity and numbers beyond 1e308 are not JSON."),
    )


def _translate_error(message: str, kind: type[Struct]) -> ProblemError:
    """Translate a msgspec validation message into a problem."""
    path_match = _JSON_PATH.search(message)
    where = path_match.group(1) if path_match else "$"
    text = message[: path_match.start()] if path_match else message
    if match := _UNKNOWN.match(text):
        return _unknown(match.group(1), where, _known_fields(kind, where))
    if match := _MISSING.match(text):
        detail = tr("The field '{name}' is missing.", name=match.group(1))
        return ProblemError("does-not-fit", detail, tr("GET /docs shows every field."), where)
    if match := _WRONG_TYPE.match(text):
        detail = tr("Expected {wanted}, found {got}.", wanted=match.group(1), got=match.group(2))
        return ProblemError("does-not-fit", detail, tr("GET /docs shows every field."), where)
    return ProblemError("does-not-fit", text, tr("GET /docs shows every field."), where)


def _unknown(name: str, where: str, known: list[str]) -> ProblemError:
    shown = name if len(name) <= _MAX_NAME_CHARACTERS else f"{name[:_MAX_NAME_CHARACTERS]}…"
    near = nearest(name[:_MAX_NAME_CHARACTERS], known)
    detail = (
        tr("No field is called '{name}' here. Did you mean '{near}'?", name=shown, near=near)
        if near
        else tr("No field is called '{name}' here.", name=shown)
    )
    return ProblemError("does-not-fit", detail, tr("Known: {listed}", listed=", ".join(known)), where)


def _known_fields(kind: type[Struct], where: str) -> list[str]:
    """Return the field names of the object at a JSON path such as `$.samples[3]`."""
    at: Any = inspect.type_info(kind)
    for name in re.findall(r"\.(\w+)", where):
        at = _item_type(next((field.type for field in at.fields if field.encode_name == name), at))
        if not isinstance(at, inspect.StructType):
            return []
    return [field.encode_name for field in at.fields]


def _item_type(kind: Any) -> Any:
    """Return the item type of a list, without metadata."""
    while isinstance(kind, inspect.Metadata | inspect.ListType):
        kind = kind.type if isinstance(kind, inspect.Metadata) else kind.item_type
    return kind
