"""Endpoints of the service: the core ones, and those added by suites."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Literal

from msgspec import Struct

from sightline.core.interfaces import ServiceProvider
from sightline.core.registry import load_suite, names
from sightline.core.remarks import Remark
from sightline.web.service import schemas


class Endpoint(Struct, frozen=True, kw_only=True):
    """An endpoint: method, path, request and response types, and handler function."""

    method: Literal["GET", "POST"] = "POST"
    path: str
    title: Remark
    takes: tuple[type[Struct], ...] = ()
    """Accepted request body types; empty for GET."""
    gives: type[Struct]
    answer: Callable[..., Struct]
    examples: tuple[Struct, ...] = ()


def _operation(name: str) -> Callable[..., Struct]:
    """An operation that is imported when it is first called: the server process itself never scores."""

    def call(*request: Struct) -> Struct:
        from sightline.web.service import operations

        result: Struct = getattr(operations, name)(*request)
        return result

    return call


def _listing(path: str, title: Remark, gives: type[Struct], operation: str) -> Endpoint:
    return Endpoint(method="GET", path=path, title=title, gives=gives, answer=_operation(operation))


_CORE_ENDPOINTS = (
    Endpoint(
        path="/v1/score",
        title=Remark("Score one reply"),
        takes=(schemas.TaskScore, schemas.SuiteScore),
        gives=schemas.Scored,
        answer=_operation("score"),
        examples=(schemas.TaskScore(task="counting", gt="3", output="4"),),
    ),
    Endpoint(
        path="/v1/score/many",
        title=Remark("Score many replies, with metrics and intervals"),
        takes=(schemas.TaskScores, schemas.SuiteScores),
        gives=schemas.ManyScored,
        answer=_operation("score_many"),
        examples=(
            schemas.TaskScores(
                task="horizontal detection",
                samples=[
                    schemas.TaskPair(id="a", gt="<box><10><10><60><60></box>", output="<box><12><10><60><58></box>"),
                    schemas.TaskPair(id="b", gt="<box><5><5><40><40></box>", output="I see nothing."),
                ],
            ),
        ),
    ),
    _listing("/v1/tasks", Remark("List all tasks"), schemas.TaskList, "list_tasks"),
    _listing("/v1/metrics", Remark("List all metrics"), schemas.MetricList, "list_metrics"),
    _listing("/v1/suites", Remark("List all suites"), schemas.SuiteList, "list_suites"),
)


@cache
def all_endpoints() -> dict[str, Endpoint]:
    """All endpoints by path; a suite cannot override a core endpoint or one of another suite."""
    endpoints = {core.path: core for core in _CORE_ENDPOINTS}
    for suite in map(load_suite, names("suites")):
        for name, service in suite.services().items() if isinstance(suite, ServiceProvider) else ():
            endpoint = Endpoint(
                path=f"/v1/{name}",
                title=service.title,
                takes=(service.request_type,),
                gives=service.response_type,
                answer=service.answer,
                examples=(service.example,),
            )
            endpoints.setdefault(endpoint.path, endpoint)
    return endpoints
