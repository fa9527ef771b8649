"""API documentation page rendered from the OpenAPI document: one HTML file without scripts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from msgspec import Struct

from sightline.i18n import tr
from sightline.web.service.openapi import openapi_document
from sightline.web.service.problems import PROBLEM_TYPES

_PREFIX = "#/components/schemas/"


class FieldRow(Struct, frozen=True, kw_only=True):
    """A row of the field table."""

    name: str
    kind: str
    types: tuple[str, ...]
    """Names of the schema types it refers to."""
    required: bool
    default: str
    meaning: str


@cache
def docs_page(language: str) -> str:
    """Render the page as HTML; `language` is the current language and serves as cache key."""
    document = openapi_document(language)
    schemas = document["components"]["schemas"]
    environment = Environment(
        loader=PackageLoader("sightline.web.service"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    return environment.get_template("docs.html").render(
        lang="zh-CN" if language == "zh" else "en",
        info=document["info"],
        words=_strings(),
        operations=[
            {"path": path, "method": method.upper(), "curl": _curl(path, operation), **operation, **_bodies(operation)}
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        ],
        types={name: _fields(schema) for name, schema in schemas.items()},
        problems=[(name, kind.status, str(kind.title)) for name, kind in PROBLEM_TYPES.items()],
    )


def _strings() -> dict[str, str]:
    return {
        "addresses": tr("Addresses"),
        "takes": tr("Takes"),
        "gives": tr("Gives"),
        "example": tr("Example"),
        "types": tr("Types"),
        "problems": tr("Problems"),
        "field": tr("Field"),
        "type": tr("Type"),
        "meaning": tr("Meaning"),
        "needed": tr("required"),
        "or": tr("or"),
        "open": tr("no token"),
        "token": tr("Every request carries the header Authorization: Bearer TOKEN."),
        "refused": tr("What is not answered comes back as application/problem+json: what, where, and what to do."),
        "machine": tr("For programs: the OpenAPI document."),
    }


def _bodies(operation: Mapping[str, Any]) -> dict[str, list[str]]:
    """Return the names of the request and response types of an operation."""
    response_schema = operation["responses"]["200"]["content"]["application/json"]["schema"]
    request_body = operation.get("requestBody", {"content": {"application/json": {"schema": {"oneOf": []}}}})
    schema = request_body["content"]["application/json"]["schema"]
    return {
        "takes": [_schema_name(item) for item in schema.get("oneOf", [schema])],
        "gives": [_schema_name(response_schema)],
    }


def _curl(path: str, operation: Mapping[str, Any]) -> str:
    """Format an example call as a curl command."""
    lines = [f"curl http://127.0.0.1:8640{path}"]
    if operation["security"]:
        lines.append('-H "Authorization: Bearer $TOKEN"')
    if "requestBody" in operation:
        example = next(iter(operation["requestBody"]["content"]["application/json"]["examples"].values()))["value"]
        lines += ["-H 'Content-Type: application/json'", f"-d '{json.dumps(example, ensure_ascii=False)}'"]
    return " \\\n  ".join(lines)


def _fields(schema: Mapping[str, Any]) -> list[FieldRow]:
    return [
        FieldRow(
            name=name,
            kind=_type_text(field_schema),
            types=tuple(_referenced_types(field_schema)),
            required=name in schema.get("required", ()),
            default="" if field_schema.get("default") in (None, "", {}, []) else json.dumps(field_schema["default"]),
            meaning=field_schema.get("description", ""),
        )
        for name, field_schema in schema.get("properties", {}).items()
    ]


def _schema_name(schema: Mapping[str, Any]) -> str:
    return str(schema["$ref"]).removeprefix(_PREFIX)


def _type_text(schema: Mapping[str, Any]) -> str:
    """Describe the type of a schema."""
    if "$ref" in schema:
        return _schema_name(schema)
    if "anyOf" in schema:
        return " | ".join(map(_type_text, schema["anyOf"]))
    if "enum" in schema:
        return " | ".join(json.dumps(value) for value in schema["enum"])
    if schema.get("type") == "array":
        return f"[{', '.join(map(_type_text, schema.get('prefixItems') or [schema.get('items') or {}]))}]"
    if isinstance(schema.get("additionalProperties"), dict) and schema["additionalProperties"]:
        return f"{{string: {_type_text(schema['additionalProperties'])}}}"
    kind = schema.get("type", "any")
    return " | ".join(kind) if isinstance(kind, list) else str(kind)


def _referenced_types(schema: Any) -> list[str]:
    if isinstance(schema, dict):
        names = [_schema_name(schema)] if "$ref" in schema else []
        return names + [name for item in schema.values() for name in _referenced_types(item)]
    return [name for item in schema for name in _referenced_types(item)] if isinstance(schema, list) else []
