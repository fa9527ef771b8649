"""Request and response bodies, and the decoding of requests; unknown fields are rejected by name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Struct, inspect

from sightline.core.records import Status, Unit
from sightline.core.registry import nearest
from sightline.core.remarks import Remark
from sightline.i18n import tr
from sightline.web.service.problems import ProblemError, field_doc

MAX_SAMPLES = 10_000

Space = Literal["pixels", "0-1", "0-100", "0-999", "0-1000", "0-1023"]
ReplySpace = Literal["pixels", "0-1", "0-100", "0-999", "0-1000", "0-1023", "resized"]
TaskName = Annotated[str, field_doc(Remark("the task, by any of its names; GET /v1/tasks lists them"))]
SuiteName = Annotated[str, field_doc(Remark("the suite; GET /v1/suites lists which can be scored from a truth alone"))]
Truth = Annotated[dict[str, Any], field_doc(Remark("the truth, in the format of the suite's data sets"))]
Target = Annotated[
    str | int | float | list[str],
    field_doc(Remark("the truth, in the format of annotation files; of a caption also a list of references")),
]
Output = Annotated[str, field_doc(Remark("the raw reply of the model"))]
Auxiliary = Annotated[bool, field_doc(Remark("also compute the auxiliary metrics; those of captions take seconds"))]
Coords = Annotated[ReplySpace | None, field_doc(Remark("coordinate space of the reply; default: that of the truth"))]
TruthCoords = Annotated[Space, field_doc(Remark("coordinate space of the truth"))]
ReplyFormat = Annotated[str, field_doc(Remark("form of the reply: auto, strict or the name of a profile"))]
Labels = Annotated[dict[str, str], field_doc(Remark("label mapping: label → equivalent label"))]
Side = Annotated[float, field_doc(Remark("in pixels"), gt=0, le=1e6)]
Size = Annotated[
    tuple[Side, Side] | None,
    field_doc(Remark("width and height of the image, needed to convert between pixels and relative coordinates")),
]
Name = Annotated[str, field_doc(Remark("your id of the sample; returned with its score"))]
Picture = Annotated[str, field_doc(Remark("the image; samples of one image are not independent"))]


class TaskScore(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One sample of a task that is graded in columns."""

    task: TaskName
    gt: Target
    output: Output
    auxiliary: Auxiliary = False
    coords: Coords = None
    truth_coords: TruthCoords = "pixels"
    reply_format: ReplyFormat = "auto"
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
    output: Annotated[str | None, field_doc(Remark("the raw reply of the model; null if there is none"))]
    id: Name = ""
    source: Picture = ""
    size: Size = None


class TaskScores(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Many samples of one task."""

    task: TaskName
    samples: Annotated[list[TaskPair], field_doc(Remark("the samples"), min_length=1, max_length=MAX_SAMPLES)]
    auxiliary: Auxiliary = False
    coords: Coords = None
    truth_coords: TruthCoords = "pixels"
    reply_format: ReplyFormat = "auto"
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


Reason = Annotated[str, field_doc(Remark("the reason, if there is one"))]
LenientScore = Annotated[
    float | None,
    field_doc(Remark("score with the reply read leniently; null: the truth is invalid, or read as asked only")),
]
Deviation = Annotated[str, field_doc(Remark("what is not as asked in a reply that is read leniently"))]
OwnScore = Annotated[float | None, field_doc(Remark("score of the sample; null: the truth is invalid"))]
Values = Annotated[dict[str, Any], field_doc(Remark("details of the score"))]


class Scored(Struct, frozen=True, kw_only=True):
    """The grade of one sample."""

    suite: str
    task: str
    status: Status
    score: OwnScore
    scores: Annotated[
        dict[str, float | None], field_doc(Remark("every metric on this sample; null: needs more samples"))
    ]
    values: Values
    reason: Reason
    lenient_score: LenientScore = None
    deviation: Deviation = ""


class SampleGrade(Struct, frozen=True, kw_only=True):
    """What became of one of many samples."""

    id: str
    task: str
    status: Status
    score: OwnScore
    values: Values
    reason: Reason
    lenient_score: LenientScore = None
    deviation: Deviation = ""


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
    method: Annotated[str, field_doc(Remark("method of the interval"))]
    unparsed: int
    failed: int
    invalid: int
    floor: float | None
    ceiling: float | None
    reason: Annotated[str, field_doc(Remark("why there is no value although there are samples"))]
    baseline: Annotated[str, field_doc(Remark("the best blind baseline"))] = ""
    baseline_value: float | None = None
    skill: Annotated[float | None, field_doc(Remark("gain over the best blind baseline"))] = None
    lenient_value: Annotated[float | None, field_doc(Remark("value with replies read leniently"))] = None
    lenient_low: float | None = None
    lenient_high: float | None = None


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
    aliases: Annotated[list[str], field_doc(Remark("other accepted names"))]
    level: str
    parser: str
    metrics: Annotated[list[str], field_doc(Remark("the core metrics, headline first"))]
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
        field_doc(Remark("what scoring needs: task and gt, suite and truth, or files (not over HTTP)")),
    ]
    services: Annotated[list[str], field_doc(Remark("paths of its additional endpoints"))]


class SuiteList(Struct, frozen=True):
    """All suites."""

    suites: list[SuiteEntry]


class Health(Struct, frozen=True, kw_only=True):
    """How the service is."""

    status: Literal["ok", "waiting for workers"]
    version: str
    workers: Annotated[int, field_doc(Remark("worker processes that are ready or busy"))]
    busy: Annotated[int, field_doc(Remark("requests in progress"))]
    waiting: Annotated[int, field_doc(Remark("requests in the queue"))]


_UNKNOWN = re.compile(r"Object contains unknown field `(.*)`", re.DOTALL)
_MISSING = re.compile(r"Object missing required field `(.*)`", re.DOTALL)
_WRONG_TYPE = re.compile(r"Expected `(.*)`, got `(.*)`", re.DOTALL)
_JSON_PATH = re.compile(r" - at `(\$[^`]*)`$")
_MAX_NAME_CHARACTERS = 80


def read_request(body: bytes, takes: Sequence[type[Struct]]) -> Struct:
    """Decode a body into the best matching of the accepted types."""
    raw = _decode_json(body)
    if not isinstance(raw, dict):
        raise ProblemError("does-not-fit", tr("The body must be a JSON object."), where="$")
    kind = max(takes, key=lambda candidate: len(raw.keys() & set(candidate.__struct_encode_fields__)))
    try:
        request: Struct = msgspec.convert(raw, kind)
    except msgspec.ValidationError as error:
        raise _translate_error(str(error), kind) from None
    return request


def _decode_json(body: bytes) -> Any:
    try:
        return msgspec.json.decode(body)
    except RecursionError:
        why = tr("it is nested too deeply")
    except ValueError as error:  # msgspec's own errors, and those of text that is no UTF-8
        why = str(error)
    raise ProblemError(
        "not-json",
        tr("Cannot decode the body as JSON: {why}", why=why),
        tr("Send UTF-8. NaN, Infinity and numbers beyond 1e308 are not JSON."),
    )


def _translate_error(message: str, kind: type[Struct]) -> ProblemError:
    """Translate a msgspec validation message into a problem."""
    path_match = _JSON_PATH.search(message)
    where = path_match.group(1) if path_match else "$"
    text = message[: path_match.start()] if path_match else message
    if match := _UNKNOWN.match(text):
        return _unknown(match.group(1), where, _known_fields(kind, where))
    if match := _MISSING.match(text):
        detail = tr("The field '{name}' is missing.", name=match.group(1))
        return ProblemError("does-not-fit", detail, tr("GET /docs shows every field."), where)
    if match := _WRONG_TYPE.match(text):
        detail = tr("Expected {wanted}, found {got}.", wanted=match.group(1), got=match.group(2))
        return ProblemError("does-not-fit", detail, tr("GET /docs shows every field."), where)
    return ProblemError("does-not-fit", text, tr("GET /docs shows every field."), where)


def _unknown(name: str, where: str, known: list[str]) -> ProblemError:
    shown = name if len(name) <= _MAX_NAME_CHARACTERS else f"{name[:_MAX_NAME_CHARACTERS]}…"
    near = nearest(name[:_MAX_NAME_CHARACTERS], known)
    detail = (
        tr("Unknown field '{name}'. Did you mean '{near}'?", name=shown, near=near)
        if near
        else tr("Unknown field '{name}'.", name=shown)
    )
    return ProblemError("does-not-fit", detail, tr("Known: {listed}", listed=", ".join(known)), where)


def _known_fields(kind: type[Struct], where: str) -> list[str]:
    """Return the field names of the object at a JSON path such as `$.samples[3]`."""
    at: Any = inspect.type_info(kind)
    for name in re.findall(r"\.(\w+)", where):
        at = _item_type(next((field.type for field in at.fields if field.encode_name == name), at))
        if not isinstance(at, inspect.StructType):
            return []
    return [field.encode_name for field in at.fields]


def _item_type(kind: Any) -> Any:
    """Return the item type of a list, without metadata."""
    while isinstance(kind, inspect.Metadata | inspect.ListType):
        kind = kind.type if isinstance(kind, inspect.Metadata) else kind.item_type
    return kind
