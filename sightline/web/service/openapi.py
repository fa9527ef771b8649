"""The OpenAPI 3.1 document, made from the types of requests and answers."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from msgspec import Struct

import sightline
from sightline.core.records import Remark
from sightline.i18n import say
from sightline.web.service.catalogue import Endpoint, catalogue
from sightline.web.service.field_docs import in_language
from sightline.web.service.problems import KINDS, MEDIA_TYPE, Problem
from sightline.web.service.responses import Health

_REF = "#/components/schemas/{name}"
_ANYWHERE = ("other-site", "method", "host", "fault")
_WITH_TOKEN = ("token", "full", "too-costly")
_WITH_BODY = ("not-json", "slow-body", "too-large", "media-type", "does-not-fit")


def _health() -> Struct:
    raise NotImplementedError  # answered by the application itself


HEALTH = Endpoint(method="GET", path="/healthz", title=Remark("Tell how the service is"), gives=Health, answer=_health)


@cache
def document(language: str) -> dict[str, Any]:
    """The whole document; the language is the one in force, and is named so that each is made once."""
    endpoints = [*catalogue().values(), HEALTH]
    types = [kind for one in endpoints for kind in (*one.takes, one.gives)]
    refs, schemas = msgspec.json.schema_components([*types, Problem], ref_template=_REF)
    by_type = dict(zip([*types, Problem], refs, strict=True))
    described: dict[str, Any] = in_language(schemas)
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Sightline",
            "version": sightline.__version__,
            "description": say("Grades replies of vision-language models on engineering and remote-sensing imagery."),
        },
        "paths": {one.path: {one.method.lower(): _operation(one, by_type)} for one in endpoints},
        "components": {
            "schemas": described,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
    }


def _operation(one: Endpoint, by_type: dict[Any, Any]) -> dict[str, Any]:
    problems = (*_ANYWHERE, *(_WITH_TOKEN if one is not HEALTH else ()), *(_WITH_BODY if one.takes else ()))
    made: dict[str, Any] = {
        "operationId": one.path.strip("/").replace("/", "_"),
        "summary": str(one.title),
        "security": [{"token": []}] if one is not HEALTH else [],
        "responses": {
            "200": {"description": say("The answer"), "content": {"application/json": {"schema": by_type[one.gives]}}},
            **_refusals(problems, by_type[Problem]),
        },
    }
    if one.takes:
        schemas = [by_type[kind] for kind in one.takes]
        body: dict[str, Any] = {"schema": schemas[0] if len(schemas) == 1 else {"oneOf": schemas}}
        body["examples"] = {
            f"example{place}": {"value": _shown(example)} for place, example in enumerate(one.examples, 1)
        }
        made["requestBody"] = {"required": True, "content": {"application/json": body}}
    return made


def _shown(example: Struct) -> Any:
    """A request as people write it: without what has its default."""
    return {
        field.encode_name: _plain(getattr(example, field.name))
        for field in msgspec.structs.fields(example)
        if field.required or getattr(example, field.name) != field.default
        if not (field.default_factory is not msgspec.NODEFAULT and not getattr(example, field.name))
    }


def _plain(value: Any) -> Any:
    if isinstance(value, Struct):
        return _shown(value)
    return [_plain(one) for one in value] if isinstance(value, list) else value


def _refusals(names: tuple[str, ...], schema: Any) -> dict[str, Any]:
    by_status: dict[int, list[str]] = {}
    for name in names:
        by_status.setdefault(KINDS[name].status, []).append(str(KINDS[name].title))
    return {
        str(status): {"description": "; ".join(titles), "content": {MEDIA_TYPE: {"schema": schema}}}
        for status, titles in sorted(by_status.items())
    }
