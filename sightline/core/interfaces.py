"""Interfaces that a plug-in fills: Suite, Dataset, Task, Model, and optional protocols of suites and models.

Metrics: `sightline.scoring.metrics.state.Metric`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, runtime_checkable

from msgspec import Struct

from sightline.core import registry
from sightline.core.errors import UsageError
from sightline.core.records import (
    Answer,
    Attempt,
    Estimate,
    Grade,
    Invalid,
    Parsed,
    Prompt,
    Reply,
    Sample,
    Score,
    Unparsed,
)
from sightline.core.remarks import Remark
from sightline.core.reply_formats import AUTO, PIXEL_LIMITS, REPLY_FORMATS, STRICT

if TYPE_CHECKING:
    from sightline.core.task_table import TaskTable

Parser = Callable[[str], Parsed | Unparsed]
"""Text in, value or `Unparsed` out; never raises, whatever the text."""


Scorer = Callable[[Sample, Sequence[Answer]], Score]
"""Sample and answers in, score out; must survive any text in the answers."""

GradeAttempt = Callable[["Suite", Sample, Attempt], Grade]
"""Grades one attempt at a sample."""

Figures = Mapping[tuple[str, str, str], Estimate]
"""All figures of a run by scope (`overall`, `task`, a tag), name within it, and metric."""


class Task(Struct, frozen=True, kw_only=True):
    """A kind of question: how its reply is read and by which metrics it is counted, all by registered names."""

    name: str
    parser: str
    metrics: tuple[str, ...]
    """The core metrics; the first is the task's headline."""
    auxiliary: tuple[str, ...] = ()
    aliases: tuple[str, ...] = ()
    title: str = ""
    level: str = ""
    """A coarser kind, such as image, region or pixel, by which reports may group tasks."""
    options: dict[str, Any] = {}
    """Options of the task's own parser and metrics, such as the required length of a caption."""


class Request(Struct, frozen=True):
    """One question to a model. Only baselines look beyond `prompt`."""

    prompt: Prompt
    sample: Sample
    suite: Suite
    attempt: int = 1
    turn: int = 1
    repeat: int = 1


class Model(Protocol):
    """Anything that answers a prompt."""

    name: str

    async def ask(self, request: Request) -> Reply:
        """The reply, or `TryAgainError`, `RejectedError`, or a `RunStoppedError` that ends the whole run."""

    def identity(self) -> Mapping[str, Any]:
        """All that decides a reply beside the prompt; goes into the manifest and the cache key. No secrets."""

    async def close(self) -> None:
        """Close connections."""


@runtime_checkable
class ModelWithRemarks(Protocol):
    """A model with remarks for the report, collected after inference."""

    def remarks(self) -> list[Remark]:
        """Remarks for the report; each replaces an earlier one with the same template."""


@runtime_checkable
class ModelWithDeviations(Protocol):
    """A model whose requests may have to differ from the settings, such as a temperature that the server refuses."""

    notify: Callable[[Remark], None]
    """Set by the run: takes what the user should know at once."""

    def deviations(self) -> list[Remark]:
        """What was sent otherwise than the settings say; goes into manifest and reports."""


class Drawing(Struct, frozen=True):
    """A suite's own picture of a truth or a reply, as one self-contained SVG; empty where words have to do."""

    title: Remark
    svg: str = ""
    notes: tuple[Remark, ...] = ()
    """What the drawing shows, for those who can't see it, or why there is none."""


class Service(Struct, frozen=True, kw_only=True):
    """What a suite does for other programs beside grading: a typed request in, a typed answer out."""

    title: Remark
    request_type: type[Struct]
    response_type: type[Struct]
    answer: Callable[[Any], Struct]
    """Raises a `SightlineError` where a request makes no sense. It runs under a deadline, in a process of its own."""
    example: Struct
    """A request that is shown to readers, and answered once at the start so that later ones are quick."""


class Dataset(ABC):
    """The samples of a suite at a path, in a fixed order: iteration, length, random access by position, lookup by id.

    Only iteration is required; the other methods iterate unless a subclass knows better. Media are references, loaded
    when a prompt is built.
    """

    has_random_access: bool = False
    """Whether length, access by position and lookup take no pass over the data."""
    is_slow: bool = False
    """Whether reading a sample takes long: a run then does not read ahead to count invalid samples."""

    @abstractmethod
    def __iter__(self) -> Iterator[Sample | Invalid]:
        """Read the samples lazily, always in the same order."""

    def __len__(self) -> int:
        return sum(1 for _ in iter(self))

    def __getitem__(self, position: int) -> Sample | Invalid:
        """The sample at a position from 0; raises `IndexError` if there is none."""
        for number, sample in enumerate(self if position >= 0 else ()):
            if number == position:
                return sample
        raise IndexError(position)

    def find(self, sample_id: str) -> int | None:
        """The position of the first sample with an id, or None."""
        return next((position for position, sample in enumerate(self) if sample.id == sample_id), None)


class NoOptions(Struct, frozen=True):
    """Empty settings record."""


class Suite(ABC):
    """Base class of a benchmark: dataset, prompts, tasks and scorers.

    Required are `name`, `tasks` (or registered tasks), `dataset`, `next_prompt` and `scorer`. The other methods have
    defaults; what only some suites can do are the protocols below: `Oracle`, `Generator`, `Feedback`, `Visualizer`,
    `ServiceProvider`, `TruthSampler`. A suite is made with its own options (an instance of `options_type`), and holds
    no other state.
    """

    name: ClassVar[str]
    version: ClassVar[str] = "1"
    title: ClassVar[str] = ""
    options_type: ClassVar[type[Struct]] = NoOptions
    generator_config: ClassVar[type[Struct]] = NoOptions
    """Settings type of the generator."""
    demo_config: ClassVar[Struct | None] = None
    """Generator settings for `sightline demo`; None: the defaults."""
    demo_count: ClassVar[int] = 8
    """How many items of fresh data show what the suite is about, in a few seconds."""
    overall: ClassVar[tuple[str, ...]] = ()
    """Metrics that make sense over all samples only, beside those that all tasks share."""
    max_reply_tokens: ClassVar[int] = 2048
    """The default of `--max-tokens`: at least twice the longest ideal reply, so that no good reply is truncated."""
    slices: ClassVar[tuple[str, ...]] = ()
    """The tags by which reports break the figures down."""

    file_options: ClassVar[tuple[str, ...]] = ()
    """The options that name files or folders with rules of grading; a user may give them again with a run folder."""
    default_files: ClassVar[Mapping[str, Path]] = {}
    """Tables that it ships and a user may replace, by the names of their files in the user's folder."""
    grading_options: ClassVar[tuple[str, ...]] = ()
    """The options that decide how replies are read; they may be changed where a run is graded again."""
    untrusted_options: frozenset[str] = frozenset()
    """Options whose values come from a run folder and not from the user: code that their files name is refused."""

    def __init__(self, options: Struct | None = None) -> None:
        self.options = self.options_type() if options is None else options

    def tasks(self) -> dict[str, Task]:
        """The suite's kinds of question: those registered as `SUITE.TASK`, by their own names."""
        mine = [name for name in registry.names("tasks") if name.startswith(f"{self.name}.")]
        found: list[Task] = [registry.find("tasks", name) for name in mine]
        return {task.name: task for task in found}

    @abstractmethod
    def dataset(self, path: Path) -> Dataset | Sequence[Sample | Invalid]:
        """The samples at `path` in a fixed order: a `Dataset`, or a list of samples if they are few.

        Nothing is read before the dataset is used. See `sightline.data.dataset` for classes that fit most formats.
        """

    @abstractmethod
    def next_prompt(self, sample: Sample, answers: Sequence[Answer]) -> Prompt | None:
        """What is asked next in an attempt that has brought `answers` so far; None when it is complete."""

    @abstractmethod
    def scorer(self, task: str) -> Scorer:
        """What scores the replies to samples of a task: a function (sample, answers) → `Score`.

        The answers are those of a complete attempt. One that was refused, empty or cut off comes with empty text.
        """

    def choices(self, sample: Sample) -> Sequence[str]:
        """The replies a guesser would pick from without looking; empty where answers are open."""
        return ()

    def parse(self, task: str, text: str) -> Parsed | Unparsed:
        """What a reply says, read by the parser that the task declares."""
        parser: Parser = registry.find("parsers", self.tasks()[task].parser)
        return parser(text)

    def accepts_truncated(self, text: str) -> bool:
        """Whether a reply that ran into the token limit can be graded all the same."""
        return False

    def reference(self, sample: Sample) -> str | None:
        """The reference answer for the judge; None if there is none."""
        return None

    def defers_grading(self, sample: Sample) -> bool:
        """Whether grading takes so long that it waits until all is asked."""
        return False

    def summarize(self, figures: Figures) -> tuple[dict[str, Any], list[Remark]]:
        """Conclusions from all figures: a digest for report.json, with names of the suite's own, and sentences."""
        return {}, []

    def plot_tables(self, figures: Figures) -> Mapping[str, tuple[Sequence[str], Sequence[Sequence[Any]]]]:
        """Tables that plots of the suite's own are drawn from, by the name of the plot: head and rows."""
        return {}

    def dataset_notes(self, data: Path) -> Sequence[Remark]:
        """What a reader of the report should know of how the data were read."""
        return ()

    def fingerprinted_files(self, data: Path) -> Mapping[str, Path]:
        """Files that are read beyond the data path, such as rules of grading, by names that hold wherever they lie.

        They belong to the fingerprint of the data: a run is not graded again where one of them has changed.
        """
        return {}

    def deviations(self) -> Sequence[Remark]:
        """Every way in which the options leave the suite's standard protocol."""
        return ()


@runtime_checkable
class Oracle(Protocol):
    """Optional: a suite that knows replies of known quality, for `baseline/oracle`, `baseline/perturbed` and tests."""

    def oracle_reply(self, sample: Sample) -> str:
        """The reply that earns full marks."""

    def corrupted_replies(self, sample: Sample) -> Mapping[str, str]:
        """Replies that are wrong in a known way, by the name of the error; none of them earns full marks."""


def oracle_reply(suite: Suite, sample: Sample) -> str:
    """The reply that earns full marks: by the suite's oracle, else the target as text."""
    return suite.oracle_reply(sample) if isinstance(suite, Oracle) else str(sample.target)


@runtime_checkable
class Generator(Protocol):
    """Optional: a suite that generates fresh data sets."""

    def generate(self, out: Path, count: int, seed: int, recipe: Struct | None = None) -> None:
        """Write a data set for `dataset`; equal seed and recipe (of `generator_config`) give equal bytes."""


def require_generator(suite: Suite) -> Generator:
    """The suite as a generator; raises `UsageError` where it is none."""
    if not isinstance(suite, Generator):
        raise UsageError(
            "The suite '{suite}' has no generator.", hint="Give its data set: --data DIR", suite=suite.name
        )
    return suite


@runtime_checkable
class Feedback(Protocol):
    """Optional: a suite that gives feedback on wrong attempts (`--max-retries`)."""

    def feedback(self, sample: Sample, grade: Grade) -> str | None:
        """The feedback on a wrong attempt; None if there is none to give."""


@runtime_checkable
class Visualizer(Protocol):
    """Optional: a suite that draws truths and replies."""

    def drawings(self, sample: Sample, reply: str) -> Sequence[Drawing]:
        """Truth and reply as drawings, the truth first.

        The reply is any text at all: nothing in it may reach an SVG unescaped, nor take long to draw.
        """


@runtime_checkable
class ServiceProvider(Protocol):
    """Optional: a suite that answers more requests over HTTP than those for scores."""

    def services(self) -> Mapping[str, Service]:
        """The services by the last part of their address."""


@runtime_checkable
class TruthSampler(Protocol):
    """Optional: a suite that makes samples from truths alone, so that the service can score single replies."""

    def sample_from_truth(self, truth: Mapping[str, Any]) -> Sample:
        """The sample of a truth, given as plain JSON values; raises a `SightlineError` where it makes none."""


class Reading(Struct, frozen=True, kw_only=True):
    """How replies are to be understood, beside what their task says."""

    labels: dict[str, str] = {}
    """Which labels mean the same."""
    coords: str = "pixels"
    """The space of the replies' coordinates."""
    truth_coords: str = "pixels"
    known_fault: str = ""
    """The fault of a published scorer that is reproduced on purpose; empty: none."""
    is_declared: bool = False
    """Whether `coords` was given, and is not just that of the truths."""
    reply_formats: dict[str, str] = {}
    """Formats of replies by the name of a task or model; under the empty name that of all others, by default `auto`."""
    pixel_limits: tuple[int, int, int] = PIXEL_LIMITS
    """Area and multiple of sides to which servers resize images, for the space `resized`."""
    image_sizes: str = ""
    """A table of sources with the sizes of their images."""

    def reply_format(self, task: Task, model: str = "") -> str:
        """`auto`, `strict` or the name of a profile: that of the model, else of the task, else of all."""
        chosen = self.reply_formats
        own = str(task.options.get("reply_format", ""))
        return (chosen.get(model) if model else "") or chosen.get(task.name) or own or chosen.get("") or AUTO

    def reply_space(self, form: str) -> str:
        """The space of coordinates in a reply format: the declared one, else that of the profile."""
        profile = REPLY_FORMATS.get(form)
        return profile.space if profile is not None and profile.space and not self.is_declared else self.coords

    @property
    def needs_sizes(self) -> bool:
        """Whether coordinates of all replies are converted to or from pixels, which takes the sizes of the pictures."""
        spaces = {self.coords, *map(self.reply_space, self.reply_formats.values())}
        return any(self.converts_pixels(space) for space in spaces)

    def converts_pixels(self, space: str) -> bool:
        """Whether coordinates of replies in a space take the sizes of pictures."""
        return space != self.truth_coords and not {"pixels", "resized"}.isdisjoint((space, self.truth_coords))

    @property
    def may_need_sizes(self) -> bool:
        """Whether the sizes of some pictures may be needed: to read replies leniently, or to reproduce a fault."""
        forms = {AUTO, *self.reply_formats.values()} if "" not in self.reply_formats else {*self.reply_formats.values()}
        return bool(self.known_fault) or forms != {STRICT}


class ColumnSuite(Suite):
    """A suite whose samples are lines of annotation files, and whose replies are graded in columns by task.

    Tags of its samples: `file` is the name of the annotation file, `picture` the path of the picture. Where `reading`
    needs sizes, samples of shapes have a `size`; one whose size can't be known is `Invalid`, so that it is not asked.
    """

    @property
    @abstractmethod
    def table(self) -> TaskTable:
        """Its tasks, found by any of their names."""

    @property
    @abstractmethod
    def wanted(self) -> Sequence[str]:
        """Names of the only tasks that are asked for; empty: all."""

    @property
    @abstractmethod
    def reading(self) -> Reading:
        """How replies are understood."""

    @property
    @abstractmethod
    def rename(self) -> Mapping[str, str]:
        """What fields of files are called elsewhere → what they are called here."""

    @property
    def encoding(self) -> str:
        """The encoding of its files; `auto`: each file's own."""
        return str(getattr(self.options, "encoding", "auto"))

    def tasks(self) -> dict[str, Task]:
        """All tasks of the table."""
        return {task.name: task for task in self.table}
