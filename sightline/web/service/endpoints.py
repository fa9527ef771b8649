"""Endpoints of the service: the core ones, and those added by suites."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import Literal

from msgspec import Struct

from sightline.core.records import Remark
from sightline.core.registry import load_suite, names
from sightline.web.service import responses
from sightline.web.service.requests import SuiteScore, SuiteScores, TaskPair, TaskScore, TaskScores


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


def _score(request: TaskScore | SuiteScore) -> Struct:
    if isinstance(request, TaskScore):
        from sightline.web.service.score_task import score_task

        return score_task(request)
    from sightline.web.service.score_suite import score_truth

    return score_truth(request)


def _score_many(request: TaskScores | SuiteScores) -> Struct:
    if isinstance(request, TaskScores):
        from sightline.web.service.score_task import score_tasks

        return score_tasks(request)
    from sightline.web.service.score_suite import score_truths

    return score_truths(request)


def _tasks() -> Struct:
    from sightline.web.service.listings import list_tasks

    return list_tasks()


def _metrics() -> Struct:
    from sightline.web.service.listings import list_metrics

    return list_metrics()


def _suites() -> Struct:
    from sightline.web.service.listings import list_suites

    return list_suites()


_CORE_ENDPOINTS = (
    Endpoint(
        path="/v1/score",
        title=Remark("Grade one reply"),
        takes=(TaskScore, SuiteScore),
        gives=responses.Scored,
        answer=_score,
        examples=(TaskScore(task="counting", gt="3", output="4"),),
    ),
    Endpoint(
        path="/v1/score/many",
        title=Remark("Grade many replies and give figures with intervals"),
        takes=(TaskScores, SuiteScores),
        gives=responses.ManyScored,
        answer=_score_many,
        examples=(
            TaskScores(
                task="horizontal detection",
                samples=[
                    TaskPair(id="a", gt="<box><10><10><60><60></box>", output="<box><12><10><60><58></box>"),
                    TaskPair(id="b", gt="<box><5><5><40><40></box>", output="I see nothing."),
                ],
            ),
        ),
    ),
    Endpoint(
        method="GET",
        path="/v1/tasks",
        title=Remark("List all tasks"),
        gives=responses.TaskList,
        answer=_tasks,
    ),
    Endpoint(
        method="GET",
        path="/v1/metrics",
        title=Remark("List all metrics"),
        gives=responses.MetricList,
        answer=_metrics,
    ),
    Endpoint(
        method="GET",
        path="/v1/suites",
        title=Remark("List all suites"),
        gives=responses.SuiteList,
        answer=_suites,
    ),
)


@cache
def all_endpoints() -> dict[str, Endpoint]:
    """All endpoints by path; a suite cannot override a core endpoint or one of another suite."""
    endpoints = {core.path: core for core in _CORE_ENDPOINTS}
    for suite in map(load_suite, names("suites")):
        for name, service in suite.services().items():
            endpoint = Endpoint(
                path=f"/v1/{name}",
                title=service.title,
                takes=(service.takes,),
                gives=service.gives,
                answer=service.answer,
                examples=(service.example,),
            )
            endpoints.setdefault(endpoint.path, endpoint)
    return endpoints
