"""Remote-sensing suite: nineteen tasks at image, region and pixel level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, ClassVar

from msgspec import Struct

from sightline.core.errors import ConfigError
from sightline.core.interfaces import ColumnSuite, Dataset, Reading, Scorer
from sightline.core.records import Answer, Message, Prompt, Sample, Score, Text
from sightline.core.remarks import Remark
from sightline.core.reply_formats import AUTO, PIXEL_LIMITS, REPLY_SPACES, SPACES, parse_reply_formats
from sightline.core.score_config import FILE_ENCODINGS, IMAGE_SIZES_HELP, PIXEL_LIMITS_HELP, REPLY_FORMAT_HELP
from sightline.core.settings import read_file, setting
from sightline.core.task_table import TaskTable, read_tasks
from sightline.suites.remote_sensing.task_names import TaskNames

if TYPE_CHECKING:
    from sightline.suites.remote_sensing.scorer import SingleReplyScorer

DEFAULTS = Path(__file__).parent / "defaults"


class Options(Struct, frozen=True, kw_only=True):
    """Settings of the remote-sensing suite."""

    task: Annotated[tuple[str, ...], setting("only these tasks, by any of their names")] = ()
    task_config: Annotated[str, setting("JSON file with more tasks, in the form of task_metric.json")] = ""
    label_mapping: Annotated[
        str, setting('JSON file that unifies labels, such as {"car": "vehicle"}; default: the one that is shipped')
    ] = ""
    encoding: Annotated[
        str,
        setting(
            "encoding of annotation and output files; auto: UTF-8, GBK (GB18030) and UTF-16 are told apart by file",
            choices=FILE_ENCODINGS,
        ),
    ] = "auto"
    field_mapping: Annotated[str, setting('JSON file that renames fields, such as {"ground_truth": "gt"}')] = ""
    coords: Annotated[
        str,
        setting(
            "the space of the model's coordinates; empty: the same as the annotations'", choices=("", *REPLY_SPACES)
        ),
    ] = ""
    truth_coords: Annotated[str, setting("the space of the annotations' coordinates", choices=SPACES)] = "pixels"
    scoring: Annotated[
        str,
        setting("reproduce a known fault of published scorers, such as plus-one-iou-0-1; empty: score correctly"),
    ] = ""
    reply_format: Annotated[tuple[str, ...], setting(REPLY_FORMAT_HELP)] = (AUTO,)
    pixel_limits: Annotated[tuple[int, int, int], setting(PIXEL_LIMITS_HELP)] = PIXEL_LIMITS
    image_sizes: Annotated[str, setting(IMAGE_SIZES_HELP)] = ""
    defaults: Annotated[
        str, setting("folder whose task_metric, field_mapping, label_mapping and vis_config.json replace the shipped")
    ] = ""
    pattern: Annotated[str, setting("only annotation files whose name matches, such as 'ship_*.txt'")] = ""
    recursive: Annotated[bool, setting("search subfolders too")] = False


class Recipe(Struct, frozen=True, kw_only=True):
    """Settings of the generator."""

    tasks: Annotated[tuple[str, ...], setting("only these tasks, by their Chinese or English names")] = ()
    size: Annotated[int, setting("side of a picture in pixels", ge=128, le=2048)] = 512
    outputs: Annotated[bool, setting("also write the outputs of a model that errs in known ways")] = True
    sensors: Annotated[
        tuple[str, ...],
        setting("optical (colour, near infrared, thermal), sar, or both, drawn per scene", choices=("optical", "sar")),
    ] = ("optical",)
    resolutions: Annotated[
        tuple[float, ...],
        setting("ground resolutions, drawn per scene: metres per 1/512 of a picture's side, 0.1 to 0.75"),
    ] = (0.3,)
    crowded: Annotated[bool, setting("hundreds of small objects where the class of a scene allows it")] = False
    haze: Annotated[float, setting("strength of haze", ge=0, le=1)] = 0.0
    clouds: Annotated[float, setting("largest share of a picture under clouds", ge=0, le=0.6)] = 0.0
    off_nadir: Annotated[float, setting("largest view angle from the vertical in degrees", ge=0, le=40)] = 0.0
    cut_objects: Annotated[bool, setting("also objects that the border of the picture cuts")] = False
    sixteen_bit: Annotated[bool, setting("pictures as PNG with 16 bits per channel instead of JPEG")] = False
    label_noise: Annotated[float, setting("share of truths that are made wrong and listed", ge=0, le=0.5)] = 0.0


class RemoteSensingSuite(ColumnSuite):
    """Questions on aerial and satellite images: presence, counts, classes, boxes, polygons, captions."""

    name = "remote-sensing"
    version = "1"
    title = "Remote-sensing tasks at image, region and pixel level"
    max_reply_tokens = 4096
    options_type = Options
    generator_config = Recipe
    demo_count = 2
    slices = ("level",)
    file_options = ("task_config", "label_mapping", "field_mapping", "image_sizes", "defaults")
    default_files: ClassVar[Mapping[str, Path]] = {
        name: DEFAULTS / name for name in ("task_metric.json", "field_mapping.json", "label_mapping.json")
    }
    grading_options = ("reply_format", "pixel_limits", "scoring")
    options: Options

    @cached_property
    def table(self) -> TaskTable:
        """The task table with user-defined tasks; untrusted files may name only registered parsers and metrics."""
        untrusted, user_file = self.untrusted_options, self.options.task_config
        shipped = TaskTable(read_tasks(DEFAULTS / "task_metric.json"), TaskNames())
        path = _table_file(self.options, "task_metric.json")
        if path.parent != DEFAULTS:
            shipped = TaskTable(read_tasks(path, "defaults" in untrusted, shipped), TaskNames())
        if not user_file:
            return shipped
        return shipped.with_tasks(read_tasks(Path(user_file), "task_config" in untrusted, shipped))

    @cached_property
    def wanted(self) -> Sequence[str]:
        """Names of the selected tasks; empty for all."""
        return tuple(self.table.find(name).name for name in self.options.task)

    @cached_property
    def reading(self) -> Reading:
        """Label mapping and coordinate spaces for parsing; labels are mapped only on request."""
        from sightline.scoring.known_faults import find_fault

        options = self.options
        labels = Path(options.label_mapping) if options.label_mapping else None
        if options.label_mapping == "default":
            labels = _table_file(options, "label_mapping.json")
        return Reading(
            labels=_read_mapping(labels) if labels else {},
            coords=options.coords or options.truth_coords,
            truth_coords=options.truth_coords,
            known_fault=find_fault(options.scoring).name if options.scoring else "",
            is_declared=bool(options.coords),
            reply_formats=self._reply_formats(),
            pixel_limits=options.pixel_limits,
            image_sizes=options.image_sizes,
        )

    def _reply_formats(self) -> dict[str, str]:
        """The reply formats by the names of tasks and models; a task by any of its names."""
        found = parse_reply_formats(self.options.reply_format)
        tasks = {name: self.table.get(name) for name in found if name}
        own = {task.name: task.options["reply_format"] for task in self.table if "reply_format" in task.options}
        named = {task.name if (task := tasks.get(name)) is not None else name: form for name, form in found.items()}
        return {**own, **named}

    @cached_property
    def rename(self) -> Mapping[str, str]:
        """Mapping of alternative field names."""
        user_file = _read_mapping(Path(self.options.field_mapping)) if self.options.field_mapping else {}
        return {**_read_mapping(_table_file(self.options, "field_mapping.json")), **user_file}

    @cached_property
    def reply_scorer(self) -> SingleReplyScorer:
        """Scorer of single replies."""
        from sightline.suites.remote_sensing.scorer import SingleReplyScorer

        return SingleReplyScorer(self.reading)

    def dataset(self, path: Path) -> Dataset:
        """The samples of all annotation files, with images by reference."""
        from sightline.suites.remote_sensing.dataset import RemoteSensingDataset

        return RemoteSensingDataset(path, self)

    def next_prompt(self, sample: Sample, answers: Sequence[Answer]) -> Prompt | None:
        """A prompt with the images and the question of the sample; None after the first answer."""
        if answers:
            return None
        return Prompt((Message("user", (*sample.media, Text(sample.question))),))

    def scorer(self, task: str) -> Scorer:
        """Score a single sample; metrics over many samples are computed in columns."""
        found = self.table.find(task)

        def score(sample: Sample, answers: Sequence[Answer]) -> Score:
            last = answers[-1] if answers else None
            return self.reply_scorer.score(found, sample, last.text if last else "", last)

        return score

    def oracle_reply(self, sample: Sample) -> str:
        """The target as a reply; of several references the first."""
        from sightline.scoring.parsers.references import split_target

        return split_target(str(sample.target))[0]

    def corrupted_replies(self, sample: Sample) -> Mapping[str, str]:
        """An empty reply and an unparsable one."""
        return {"empty": "", "unreadable": "<box><1><2></box> ???"}

    def choices(self, sample: Sample) -> Sequence[str]:
        """The options of yes/no questions."""
        return ("Yes", "No") if self.table.find(sample.task).parser == "yes_no" else ()

    def fingerprinted_files(self, data: Path) -> Mapping[str, Path]:
        """User files that affect questions or grading, by the option that names them."""
        options = self.options
        paths = {"--task-config": options.task_config, "--field-mapping": options.field_mapping}
        if options.label_mapping != "default":
            paths["--label-mapping"] = options.label_mapping
        if options.image_sizes:
            paths["--image-sizes"] = options.image_sizes
        files = {flag: Path(path) for flag, path in paths.items() if path}
        for name in ("task_metric.json", "field_mapping.json", "label_mapping.json"):
            if options.defaults and (path := Path(options.defaults) / name).is_file():
                files[f"--defaults/{name}"] = path
        return files

    def deviations(self) -> Sequence[Remark]:
        """Settings that differ from the default tasks."""
        remarks = []
        if self.options.task:
            remarks.append(Remark("only the tasks {tasks}", {"tasks": ", ".join(self.options.task)}))
        if self.options.task_config:
            remarks.append(Remark("user-defined tasks"))
        if self.options.label_mapping:
            remarks.append(Remark("labels unified by a mapping"))
        if self.reading.coords != self.reading.truth_coords:
            facts = {"source": self.reading.coords, "target": self.reading.truth_coords}
            remarks.append(Remark("coordinates converted from {source} to {target}", facts))
        if self.reading.known_fault:
            remarks.append(Remark("scored with a known fault: {fault}", {"fault": self.reading.known_fault}))
        return remarks

    def generate(self, out: Path, count: int, seed: int, recipe: Struct | None = None) -> None:
        """Generate synthetic scenes with answers known by construction, and outputs of an imperfect model."""
        from sightline.suites.remote_sensing.generator.writer import generate

        assert recipe is None or isinstance(recipe, Recipe)
        generate(out, count, seed, recipe)


def _table_file(options: Options, name: str) -> Path:
    """The user's file of that name if it exists, else the default one."""
    if options.defaults and not Path(options.defaults).is_dir():
        raise ConfigError("{path} is not a folder.", path=options.defaults)
    user_file = Path(options.defaults) / name
    return user_file if options.defaults and user_file.is_file() else DEFAULTS / name


def _read_mapping(path: Path) -> dict[str, str]:
    values = read_file(path, keep_keys=True)
    for key, value in values.items():
        if not isinstance(value, str):
            raise ConfigError("{path}: '{key}' must be a text, not {value}.", path=path, key=key, value=repr(value))
    return values
