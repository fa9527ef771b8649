"""OpenAPI 3.1 document, generated from the request and response types."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

import sightline
from sightline.core.records import Remark
from sightline.i18n import tr
from sightline.web.service.endpoints import Endpoint, all_endpoints
from sightline.web.service.field_docs import translate_schema
from sightline.web.service.problems import MEDIA_TYPE, PROBLEM_TYPES, Problem
from sightline.web.service.responses import Health

_REF = "#/components/schemas/{name}"
_PROBLEMS_ANYWHERE = ("other-site", "method", "host", "fault")
_PROBLEMS_WITH_TOKEN = ("token", "full", "too-costly")
_PROBLEMS_WITH_BODY = ("not-json", "slow-body", "too-large", "media-type", "does-not-fit")


def _health() -> Struct:
    raise NotImplementedError  # answered by the application itself


HEALTH = Endpoint(method="GET", path="/healthz", title=Remark("Tell how the service is"), gives=Health, answer=_health)


@cache
def openapi_document(language: str) -> dict[str, Any]:
    """Build the document; `language` is the current language and serves as cache key."""
    endpoints = [*all_endpoints().values(), HEALTH]
    types = [body_type for endpoint in endpoints for body_type in (*endpoint.takes, endpoint.gives)]
    refs, schemas = msgspec.json.schema_components([*types, Problem], ref_template=_REF)
    by_type = dict(zip([*types, Problem], refs, strict=True))
    translated: dict[str, Any] = translate_schema(schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Sightline",
            "version": sightline.__version__,
            "description": tr("Grades replies of vision-language models on engineering and remote-sensing imagery."),
        },
        "paths": {endpoint.path: {endpoint.method.lower(): _operation(endpoint, by_type)} for endpoint in endpoints},
        "components": {
            "schemas": translated,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


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
            "200": {
                "description": tr("The answer"),
                "content": {"application/json": {"schema": by_type[endpoint.gives]}},
            },
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
