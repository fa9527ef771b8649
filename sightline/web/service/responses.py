"""Response bodies."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Struct

from sightline.core.records import Remark, Status, Unit
from sightline.web.service.field_docs import field_doc

Reason = Annotated[str, field_doc(Remark("why, in a sentence; empty where there is nothing to say"))]
OwnScore = Annotated[float | None, field_doc(Remark("the sample's own score; null: the truth can't be read"))]
Values = Annotated[dict[str, Any], field_doc(Remark("what was found in the reply"))]


class Scored(Struct, frozen=True, kw_only=True):
    """The grade of one sample."""

    suite: str
    task: str
    status: Status
    score: OwnScore
    scores: Annotated[
        dict[str, float | None], field_doc(Remark("every metric on this one sample; null: needs more of them"))
    ]
    values: Values
    reason: Reason


class SampleGrade(Struct, frozen=True, kw_only=True):
    """What became of one of many samples."""

    id: str
    task: str
    status: Status
    score: OwnScore
    values: Values
    reason: Reason


class Figure(Struct, frozen=True, kw_only=True):
    """One figure with what it rests on."""

    scope: Annotated[str, field_doc(Remark("overall, task, or the name of a tag"))]
    name: Annotated[str, field_doc(Remark("which task, or which value of the tag"))]
    metric: str
    title: str
    core: bool
    unit: Unit
    higher_is_better: bool
    value: Annotated[float | None, field_doc(Remark("null: no data"))]
    low: Annotated[float | None, field_doc(Remark("lower end of the 95 % interval"))]
    high: Annotated[float | None, field_doc(Remark("upper end of the 95 % interval"))]
    n: int
    clusters: int
    method: Annotated[str, field_doc(Remark("how the interval was made"))]
    unparsed: int
    failed: int
    invalid: int
    floor: float | None
    ceiling: float | None
    why: Annotated[str, field_doc(Remark("why there is no value although there are samples"))]
    baseline: Annotated[str, field_doc(Remark("the best blind answer"))] = ""
    baseline_value: float | None = None
    skill: Annotated[float | None, field_doc(Remark("how far the value stands above the best blind answer"))] = None


class ManyScored(Struct, frozen=True, kw_only=True):
    """The figures over many samples, and the grade of each."""

    suite: str
    samples: int
    statuses: Annotated[dict[str, int], field_doc(Remark("number of samples by status"))]
    figures: list[Figure]
    grades: Annotated[list[SampleGrade], field_doc(Remark("in the order of the request"))]
    notes: list[str]


class Titles(Struct, frozen=True):
    """A title in both languages."""

    en: str
    zh: str


class TaskEntry(Struct, frozen=True, kw_only=True):
    """A kind of question."""

    suite: str
    name: str
    title: Titles
    aliases: Annotated[list[str], field_doc(Remark("other names that are understood"))]
    level: str
    parser: str
    metrics: Annotated[list[str], field_doc(Remark("the core metrics, the headline first"))]
    auxiliary: list[str]


class TaskList(Struct, frozen=True):
    """All kinds of question."""

    tasks: list[TaskEntry]


class MetricEntry(Struct, frozen=True, kw_only=True):
    """A metric."""

    name: str
    title: Titles
    unit: Unit
    higher_is_better: bool


class MetricList(Struct, frozen=True):
    """All metrics."""

    metrics: list[MetricEntry]


class SuiteEntry(Struct, frozen=True, kw_only=True):
    """A suite."""

    name: str
    version: str
    title: Titles
    tasks: list[str]
    graded_by: Annotated[
        Literal["task", "truth", "files"],
        field_doc(
            Remark("what a grade needs here: task and gt, suite and truth, or a data set of files (not over HTTP)")
        ),
    ]
    services: Annotated[list[str], field_doc(Remark("addresses of what else it answers"))]


class SuiteList(Struct, frozen=True):
    """All suites."""

    suites: list[SuiteEntry]


class Health(Struct, frozen=True, kw_only=True):
    """How the service is."""

    status: Literal["ok", "waiting for workers"]
    version: str
    workers: Annotated[int, field_doc(Remark("processes that are ready or at work"))]
    busy: Annotated[int, field_doc(Remark("requests at work"))]
    waiting: Annotated[int, field_doc(Remark("requests in the queue"))]
