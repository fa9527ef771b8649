"""OpenAPI 3.1 document, generated from the request and response types, and its page without scripts."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any

import msgspec
from jinja2 import Environment, PackageLoader, StrictUndefined
from msgspec import Struct

import sightline
from sightline.core.remarks import Remark
from sightline.i18n import tr
from sightline.web.service.endpoints import Endpoint, all_endpoints
from sightline.web.service.problems import MEDIA_TYPE, PROBLEM_TYPES, Problem
from sightline.web.service.schemas import Health

_REF = "#/components/schemas/{name}"
_PROBLEMS_ANYWHERE = ("other-site", "method", "host", "fault")
_PROBLEMS_WITH_TOKEN = ("token", "full", "too-costly")
_PROBLEMS_WITH_BODY = ("not-json", "slow-body", "too-large", "media-type", "does-not-fit")


def _health() -> Struct:
    raise NotImplementedError  # answered by the application itself


HEALTH = Endpoint(method="GET", path="/healthz", title=Remark("Health check"), gives=Health, answer=_health)


@cache
def openapi_document(language: str) -> dict[str, Any]:
    """Build the document; `language` is the current language and serves as cache key."""
    endpoints = [*all_endpoints().values(), HEALTH]
    types = [body_type for endpoint in endpoints for body_type in (*endpoint.takes, endpoint.gives)]
    refs, schemas = msgspec.json.schema_components([*types, Problem], ref_template=_REF)
    by_type = dict(zip([*types, Problem], refs, strict=True))
    translated: dict[str, Any] = _translate_schema(schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Sightline",
            "version": sightline.__version__,
            "description": tr("Scores replies of vision-language models on engineering and remote-sensing imagery."),
        },
        "paths": {endpoint.path: {endpoint.method.lower(): _operation(endpoint, by_type)} for endpoint in endpoints},
        "components": {"schemas": translated, "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}}},
    }


def _translate_schema(schema: Any) -> Any:
    """Translate the descriptions of a JSON schema into the current language."""
    if isinstance(schema, dict):
        return {
            key: tr(value) if key == "description" and isinstance(value, str) else _translate_schema(value)
            for key, value in schema.items()
        }
    return [_translate_schema(item) for item in schema] if isinstance(schema, list) else schema


def _operation(endpoint: Endpoint, by_type: dict[Any, Any]) -> dict[str, Any]:
    problems = (
        *_PROBLEMS_ANYWHERE,
        *(_PROBLEMS_WITH_TOKEN if endpoint is not HEALTH else ()),
        *(_PROBLEMS_WITH_BODY if endpoint.takes else ()),
    )
    operation: dict[str, Any] = {
        "operationId": endpoint.path.strip("/").replace("/", "_"),
        "summary": str(endpoint.title),
        "security": [{"token": []}] if endpoint is not HEALTH else [],
        "responses": {
            "200": {"description": tr("Result"), "content": {"application/json": {"schema": by_type[endpoint.gives]}}},
            **_problem_responses(problems, by_type[Problem]),
        },
    }
    if endpoint.takes:
        schemas = [by_type[body_type] for body_type in endpoint.takes]
        body: dict[str, Any] = {"schema": schemas[0] if len(schemas) == 1 else {"oneOf": schemas}}
        body["examples"] = {
            f"example{number}": {"value": _without_defaults(example)}
            for number, example in enumerate(endpoint.examples, 1)
        }
        operation["requestBody"] = {"required": True, "content": {"application/json": body}}
    return operation


def _without_defaults(example: Struct) -> Any:
    """Convert an example request to builtins, omitting default values."""
    return {
        field.encode_name: _to_builtins(getattr(example, field.name))
        for field in msgspec.structs.fields(example)
        if field.required or getattr(example, field.name) != field.default
        if not (field.default_factory is not msgspec.NODEFAULT and not getattr(example, field.name))
    }


def _to_builtins(value: Any) -> Any:
    if isinstance(value, Struct):
        return _without_defaults(value)
    return [_to_builtins(item) for item in value] if isinstance(value, list) else value


def _problem_responses(names: tuple[str, ...], schema: Any) -> dict[str, Any]:
    by_status: dict[int, list[str]] = {}
    for name in names:
        by_status.setdefault(PROBLEM_TYPES[name].status, []).append(str(PROBLEM_TYPES[name].title))
    return {
        str(status): {"description": "; ".join(titles), "content": {MEDIA_TYPE: {"schema": schema}}}
        for status, titles in sorted(by_status.items())
    }


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
        tr=tr,
        operations=[
            {
                "path": path,
                "method": method.upper(),
                "curl": _curl(path, operation),
                **operation,
                **_body_types(operation),
            }
            for path, methods in document["paths"].items()
            for method, operation in methods.items()
        ],
        types={name: _field_rows(schema) for name, schema in schemas.items()},
        problems=[(name, kind.status, str(kind.title)) for name, kind in PROBLEM_TYPES.items()],
    )


def _body_types(operation: Mapping[str, Any]) -> dict[str, list[str]]:
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


def _field_rows(schema: Mapping[str, Any]) -> list[FieldRow]:
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
