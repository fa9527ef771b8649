"""The page that shows the OpenAPI document to people: one file, nothing loaded from elsewhere, no script."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from msgspec import Struct

from sightline.i18n import say
from sightline.web.service.openapi import document
from sightline.web.service.problems import KINDS

_PREFIX = "#/components/schemas/"


class Field(Struct, frozen=True, kw_only=True):
    """One row of a table of fields."""

    name: str
    kind: str
    types: tuple[str, ...]
    """Types of ours that it is made of, explained further down."""
    required: bool
    default: str
    meaning: str


@cache
def docs_page(language: str) -> str:
    """The page as HTML; the language is the one in force, and is named so that each is made once."""
    told = document(language)
    schemas = told["components"]["schemas"]
    environment = Environment(
        loader=PackageLoader("sightline.web.service"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("docs.html").render(
        lang="zh-CN" if language == "zh" else "en",
        info=told["info"],
        words=_words(),
        operations=[
            {"path": path, "method": method.upper(), "curl": _curl(path, one), **one, **_bodies(one)}
            for path, methods in told["paths"].items()
            for method, one in methods.items()
        ],
        types={name: _fields(schema) for name, schema in schemas.items()},
        problems=[(name, kind.status, str(kind.title)) for name, kind in KINDS.items()],
    )


def _words() -> dict[str, str]:
    return {
        "addresses": say("Addresses"),
        "takes": say("Takes"),
        "gives": say("Gives"),
        "example": say("Example"),
        "types": say("Types"),
        "problems": say("Problems"),
        "field": say("Field"),
        "type": say("Type"),
        "meaning": say("Meaning"),
        "needed": say("required"),
        "or": say("or"),
        "open": say("no token"),
        "token": say("Every request carries the header Authorization: Bearer TOKEN."),
        "refused": say("What is not answered comes back as application/problem+json: what, where, and what to do."),
        "machine": say("For programs: the OpenAPI document."),
    }


def _bodies(one: Mapping[str, Any]) -> dict[str, list[str]]:
    """The names of the types that an address takes and gives."""
    given = one["responses"]["200"]["content"]["application/json"]["schema"]
    taken = one.get("requestBody", {"content": {"application/json": {"schema": {"oneOf": []}}}})
    schema = taken["content"]["application/json"]["schema"]
    return {"takes": [_short(part) for part in schema.get("oneOf", [schema])], "gives": [_short(given)]}


def _curl(path: str, one: Mapping[str, Any]) -> str:
    """How the address is called, as one shell command on several lines."""
    words = [f"curl http://127.0.0.1:8640{path}"]
    if one["security"]:
        words.append('-H "Authorization: Bearer $TOKEN"')
    if "requestBody" in one:
        example = next(iter(one["requestBody"]["content"]["application/json"]["examples"].values()))["value"]
        words += ["-H 'Content-Type: application/json'", f"-d '{json.dumps(example, ensure_ascii=False)}'"]
    return " \\\n  ".join(words)


def _fields(schema: Mapping[str, Any]) -> list[Field]:
    return [
        Field(
            name=name,
            kind=_kind(one),
            types=tuple(_used(one)),
            required=name in schema.get("required", ()),
            default="" if one.get("default") in (None, "", {}, []) else json.dumps(one["default"]),
            meaning=one.get("description", ""),
        )
        for name, one in schema.get("properties", {}).items()
    ]


def _short(schema: Mapping[str, Any]) -> str:
    return str(schema["$ref"]).removeprefix(_PREFIX)


def _kind(schema: Mapping[str, Any]) -> str:
    """A schema in a few words."""
    if "$ref" in schema:
        return _short(schema)
    if "anyOf" in schema:
        return " | ".join(map(_kind, schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(json.dumps(one) for one in schema["enum"])
    if schema.get("type") == "array":
        return f"[{', '.join(map(_kind, schema.get('prefixItems') or [schema.get('items') or {}]))}]"
    if isinstance(schema.get("additionalProperties"), dict) and schema["additionalProperties"]:
        return f"{{string: {_kind(schema['additionalProperties'])}}}"
    given = schema.get("type", "any")
    return " | ".join(given) if isinstance(given, list) else str(given)


def _used(schema: Any) -> list[str]:
    if isinstance(schema, dict):
        own = [_short(schema)] if "$ref" in schema else []
        return own + [name for one in schema.values() for name in _used(one)]
    return [name for one in schema for name in _used(one)] if isinstance(schema, list) else []
