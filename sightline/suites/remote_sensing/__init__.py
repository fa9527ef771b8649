"""Remote-sensing suite: nineteen tasks at image, region and pixel level."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from msgspec import Struct

from sightline.core.interfaces import ColumnSuite, Dataset, Reading
from sightline.core.records import Answer, Grade, Message, Prompt, Remark, Sample, Text
from sightline.core.score_config import SPACES
from sightline.core.settings import setting
from sightline.core.task_table import TaskTable
from sightline.suites.remote_sensing import rules
from sightline.suites.remote_sensing.generator.recipe import Recipe

if TYPE_CHECKING:
    from sightline.suites.remote_sensing.scorer import Grader


class Options(Struct, frozen=True, kw_only=True):
    """Settings of the remote-sensing suite."""

    task: Annotated[tuple[str, ...], setting("only these tasks, by any of their names")] = ()
    task_config: Annotated[str, setting("JSON file with more tasks, in the form of task_metric.json")] = ""
    label_mapping: Annotated[
        str, setting('JSON file that unifies labels, such as {"car": "vehicle"}; default: the one that is shipped')
    ] = ""
    field_mapping: Annotated[str, setting('JSON file that renames fields, such as {"ground_truth": "gt"}')] = ""
    coords: Annotated[
        str, setting("the space of the model's coordinates; empty: the same as the annotations'", choices=("", *SPACES))
    ] = ""
    truth_coords: Annotated[str, setting("the space of the annotations' coordinates", choices=SPACES)] = "pixels"
    defaults: Annotated[
        str, setting("folder whose task_metric, field_mapping, label_mapping and vis_config.json replace the shipped")
    ] = ""
    pattern: Annotated[str, setting("only annotation files whose name matches, such as 'ship_*.txt'")] = ""
    recursive: Annotated[bool, setting("look into folders inside the folders too")] = False


class RemoteSensingSuite(ColumnSuite):
    """Questions on aerial and satellite images: presence, counts, classes, boxes, polygons, captions."""

    name = "remote-sensing"
    version = "1"
    title = "Remote-sensing tasks at image, region and pixel level"
    options_type = Options
    generator_config = Recipe
    demo_count = 2
    slices = ("level",)
    file_options = ("task_config", "label_mapping", "field_mapping", "defaults")
    options: Options

    @cached_property
    def table(self) -> TaskTable:
        """The task table, including user-defined tasks."""
        return rules.task_table(self.options, self.untrusted_options)

    @cached_property
    def wanted(self) -> Sequence[str]:
        """Names of the selected tasks; empty for all."""
        return tuple(self.table.find(name).name for name in self.options.task)

    @cached_property
    def reading(self) -> Reading:
        """Label mapping and coordinate spaces for parsing."""
        return rules.reading(self.options)

    @cached_property
    def rename(self) -> Mapping[str, str]:
        """Mapping of alternative field names."""
        return rules.renames(self.options)

    @cached_property
    def grader(self) -> Grader:
        """Grader of single replies."""
        from sightline.suites.remote_sensing.scorer import Grader

        return Grader(self.reading)

    def dataset(self, path: Path) -> Dataset:
        """The samples of all annotation files, with images by reference."""
        from sightline.suites.remote_sensing.dataset import RemoteSensingDataset

        return RemoteSensingDataset(path, self)

    def next_prompt(self, sample: Sample, answers: Sequence[Answer]) -> Prompt | None:
        """A prompt with the images and the question of the sample; None after the first answer."""
        if answers:
            return None
        return Prompt((Message("user", (*sample.media, Text(sample.question))),))

    def grade(self, sample: Sample, answers: Sequence[Answer]) -> Grade:
        """Grade a single sample; metrics over many samples are computed in columns."""
        return self.grader.grade(self.table.find(sample.task), sample, answers[-1].text if answers else "")

    def oracle_reply(self, sample: Sample) -> str:
        """The target as a reply."""
        return str(sample.target)

    def corrupted_replies(self, sample: Sample) -> Mapping[str, str]:
        """An empty reply and an unparsable one."""
        return {"empty": "", "unreadable": "<box><1><2></box> ???"}

    def choices(self, sample: Sample) -> Sequence[str]:
        """The options of yes/no questions."""
        return ("Yes", "No") if self.table.find(sample.task).parser == "yes_no" else ()

    def fingerprinted_files(self, data: Path) -> Mapping[str, Path]:
        """User-defined tables of tasks, labels and fields."""
        return rules.user_files(self.options)

    def deviations(self) -> Sequence[Remark]:
        """Settings that differ from the default tasks."""
        remarks = []
        if self.options.task:
            remarks.append(Remark("only the tasks {tasks}", {"tasks": ", ".join(self.options.task)}))
        if self.options.task_config:
            remarks.append(Remark("tasks of the user's own"))
        if self.options.label_mapping:
            remarks.append(Remark("labels unified by a mapping"))
        if self.reading.coords != self.reading.truth_coords:
            facts = {"source": self.reading.coords, "target": self.reading.truth_coords}
            remarks.append(Remark("coordinates converted from {source} to {target}", facts))
        return remarks

    def generate(self, out: Path, count: int, seed: int, recipe: Struct | None = None) -> None:
        """Generate synthetic scenes with answers known by construction, and outputs of an imperfect model."""
        from sightline.suites.remote_sensing.generator import generate

        assert recipe is None or isinstance(recipe, Recipe)
        generate(out, count, seed, recipe)
