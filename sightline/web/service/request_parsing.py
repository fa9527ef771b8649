"""From the bytes of a body to a typed request, or a refusal that names the place and the nearest known name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import msgspec
from msgspec import Struct, inspect

from sightline.core.registry import nearest
from sightline.i18n import say
from sightline.web.service.problems import Refusal

_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*)`", re.DOTALL)
_OTHER_TYPE = re.compile(r"Expected `(.*)`, got `(.*)`", re.DOTALL)
_PLACE = re.compile(r" - at `(\$[^`]*)`$")
_SHOWN = 80


def read_request(body: bytes, takes: Sequence[type[Struct]]) -> Struct:
    """The request that a body holds."""
    raw = _json(body)
    if not isinstance(raw, dict):
        raise Refusal("does-not-fit", say("The body must be a JSON object."), where="$")
    kind = max(takes, key=lambda one: len(raw.keys() & set(one.__struct_encode_fields__)))
    try:
        made: Struct = msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        raise _explained(str(error), kind) from None
    return made


def _json(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except RecursionError:
        why = say("it is nested too deeply")
    except ValueError as error:  # msgspec's own errors, and those of text that is no UTF-8
        why = str(error)
    raise Refusal(
        "not-json",
        say("The body can't be read as JSON: {why}", why=why),
        say("Send UTF-8. NaN, Infinity and numbers beyond 1e308 are not JSON."),
    )


def _explained(message: str, kind: type[Struct]) -> Refusal:
    """msgspec's message as one of ours."""
    place = _PLACE.search(message)
    where = place.group(1) if place else "$"
    plain = message[: place.start()] if place else message
    if found := _UNKNOWN.match(plain):
        return _unknown(found.group(1), where, _known(kind, where))
    if found := _MISSING.match(plain):
        detail = say("The field '{name}' is missing.", name=found.group(1))
        return Refusal("does-not-fit", detail, say("GET /docs shows every field."), where)
    if found := _OTHER_TYPE.match(plain):
        detail = say("Expected {wanted}, found {got}.", wanted=found.group(1), got=found.group(2))
        return Refusal("does-not-fit", detail, say("GET /docs shows every field."), where)
    return Refusal("does-not-fit", plain, say("GET /docs shows every field."), where)


def _unknown(name: str, where: str, known: list[str]) -> Refusal:
    shown = name if len(name) <= _SHOWN else f"{name[:_SHOWN]}…"
    near = nearest(name[:_SHOWN], known)
    detail = (
        say("No field is called '{name}' here. Did you mean '{near}'?", name=shown, near=near)
        if near
        else say("No field is called '{name}' here.", name=shown)
    )
    return Refusal("does-not-fit", detail, say("Known: {listed}", listed=", ".join(known)), where)


def _known(kind: type[Struct], where: str) -> list[str]:
    """The fields of the object at a place such as `$.samples[3]`."""
    at: Any = inspect.type_info(kind)
    for name in re.findall(r"\.(\w+)", where):
        at = _inside(next((field.type for field in at.fields if field.encode_name == name), at))
        if not isinstance(at, inspect.StructType):
            return []
    return [field.encode_name for field in at.fields]


def _inside(kind: Any) -> Any:
    """What a list holds, without what is said about it."""
    while isinstance(kind, inspect.Metadata | inspect.ListType):
        kind = kind.type if isinstance(kind, inspect.Metadata) else kind.item_type
    return kind
