"""All addresses: Sightline's own, and those that suites add."""

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
    """One address: what it takes, what it gives, and who answers."""

    method: Literal["GET", "POST"] = "POST"
    path: str
    title: Remark
    takes: tuple[type[Struct], ...] = ()
    """One of these as the body; none for GET."""
    gives: type[Struct]
    answer: Callable[..., Struct]
    examples: tuple[Struct, ...] = ()


def _score(asked: TaskScore | SuiteScore) -> Struct:
    if isinstance(asked, TaskScore):
        from sightline.web.service.score_task import score_task

        return score_task(asked)
    from sightline.web.service.score_suite import score_truth

    return score_truth(asked)


def _score_many(asked: TaskScores | SuiteScores) -> Struct:
    if isinstance(asked, TaskScores):
        from sightline.web.service.score_task import score_tasks

        return score_tasks(asked)
    from sightline.web.service.score_suite import score_truths

    return score_truths(asked)


def _tasks() -> Struct:
    from sightline.web.service.lists import list_tasks

    return list_tasks()


def _metrics() -> Struct:
    from sightline.web.service.lists import list_metrics

    return list_metrics()


def _suites() -> Struct:
    from sightline.web.service.lists import list_suites

    return list_suites()


_OWN = (
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
def catalogue() -> dict[str, Endpoint]:
    """Every address that works on requests, by its path; a suite can't take one of ours or of another suite."""
    found = {one.path: one for one in _OWN}
    for suite in map(load_suite, names("suites")):
        for name, service in suite.services().items():
            made = Endpoint(
                path=f"/v1/{name}",
                title=service.title,
                takes=(service.takes,),
                gives=service.gives,
                answer=service.answer,
                examples=(service.example,),
            )
            found.setdefault(made.path, made)
    return found
