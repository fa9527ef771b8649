"""Request bodies. Unknown fields are rejected by name."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from msgspec import Struct

from sightline.core.records import Remark
from sightline.web.service.field_docs import field_doc

MAX_SAMPLES = 10_000

Space = Literal["pixels", "0-1", "0-100", "0-1000"]
Task = Annotated[str, field_doc(Remark("the task, by any of its names; GET /v1/tasks lists them"))]
SuiteName = Annotated[str, field_doc(Remark("the suite; GET /v1/suites tells which can be graded from a truth alone"))]
Truth = Annotated[dict[str, Any], field_doc(Remark("the truth, as the suite's own data sets have it"))]
Target = Annotated[str | int | float, field_doc(Remark("the truth, as annotation files have it"))]
Output = Annotated[str, field_doc(Remark("the model's reply as it came"))]
Auxiliary = Annotated[
    bool, field_doc(Remark("also the auxiliary metrics; those of captions read large tables and take seconds"))
]
Coords = Annotated[Space | None, field_doc(Remark("the space of the reply's coordinates; without it the truth's"))]
TruthCoords = Annotated[Space, field_doc(Remark("the space of the truth's coordinates"))]
Labels = Annotated[dict[str, str], field_doc(Remark("which labels mean the same: this one → that one"))]
Side = Annotated[float, field_doc(Remark("in pixels"), gt=0, le=1e6)]
Size = Annotated[
    tuple[Side, Side] | None, field_doc(Remark("width and height of the picture, needed to convert pixels into shares"))
]
Name = Annotated[str, field_doc(Remark("your own name for the sample; it comes back with its grade"))]
Picture = Annotated[str, field_doc(Remark("the picture; samples that share one are not independent"))]


class TaskScore(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One sample of a task that is graded in columns."""

    task: Task
    gt: Target
    output: Output
    auxiliary: Auxiliary = False
    coords: Coords = None
    truth_coords: TruthCoords = "pixels"
    labels: Labels = {}
    size: Size = None


class SuiteScore(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One sample of a suite that can be graded from a truth alone."""

    suite: SuiteName
    truth: Truth
    output: Output


class TaskPair(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A truth and a reply."""

    gt: Target
    output: Annotated[str | None, field_doc(Remark("the model's reply as it came; null where there is none"))]
    id: Name = ""
    source: Picture = ""
    size: Size = None


class TaskScores(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Many samples of one task."""

    task: Task
    samples: Annotated[list[TaskPair], field_doc(Remark("the samples"), min_length=1, max_length=MAX_SAMPLES)]
    auxiliary: Auxiliary = False
    coords: Coords = None
    truth_coords: TruthCoords = "pixels"
    labels: Labels = {}


class TruthPair(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A suite's truth and a reply."""

    truth: Truth
    output: Output
    id: Name = ""


class SuiteScores(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Many samples of one suite."""

    suite: SuiteName
    samples: Annotated[list[TruthPair], field_doc(Remark("the samples"), min_length=1, max_length=MAX_SAMPLES)]
