"""The capability matrix: perception, understanding, reasoning and action, each at four levels."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct

from sightline.core.interfaces import Figures, Suite
from sightline.core.records import Answer, Grade, Invalid, Prompt, Remark, Sample
from sightline.core.settings import setting
from sightline.data.media_files import add_media_file, find_media_files
from sightline.data.storage import is_remote
from sightline.suites.matrix.generator.recipe import DIMENSIONS, KINDS, LEVELS, Recipe

if TYPE_CHECKING:
    from sightline.suites.matrix.scorer import Grader


class Options(Struct, frozen=True, kw_only=True):
    """The suite's own settings."""

    dimension: Annotated[tuple[str, ...], setting("only these dimensions", choices=DIMENSIONS)] = ()
    level: Annotated[tuple[str, ...], setting("only these levels", choices=LEVELS)] = ()
    kind: Annotated[
        tuple[str, ...],
        setting("only these kinds of task", choices=tuple(kind for kinds in KINDS.values() for kind in kinds)),
    ] = ()
    metric_rules: Annotated[
        str,
        setting(
            "seed: upper-cased exact match, substring, word-set F1 above 0.5, as in older figures", choices=("", "seed")
        ),
    ] = ""
    unsafe_local_execution: Annotated[
        bool,
        setting("run the model's code without isolation where there is none; never do this with code you don't trust"),
    ] = False


class MatrixSuite(Suite):
    """Says for each capability how far up it holds: one modality, paired, cross-modal, several steps."""

    name = "matrix"
    version = "1"
    title = "Capability matrix: four dimensions at four levels"
    options_type = Options
    recipe_type = Recipe
    demo_count = 48
    overall = tuple(f"boundary_{dimension}" for dimension in DIMENSIONS)
    slices = ("dimension", "difficulty", "cell", "language")
    options: Options

    @cached_property
    def grader(self) -> Grader:
        """What marks replies; it holds the sandbox, which is started when code is first run."""
        from sightline.suites.matrix.scorer import Grader

        return Grader(self.options.metric_rules == "seed", self.options.unsafe_local_execution)

    def read(self, data: Path) -> Iterator[Sample | Invalid]:
        """The rows of all sample files, pictures by reference."""
        from sightline.suites.matrix.dataset import read

        return read(data, self.options)

    def fingerprinted_files(self, data: Path) -> Mapping[str, Path]:
        """Of a single file of samples, the pictures beside it: those that are asked, and those that are the truth."""
        if is_remote(data) or not data.is_file():
            return {}
        samples = [sample for sample in self.read(data) if isinstance(sample, Sample)]
        found = find_media_files(data, samples)
        for sample in samples:
            truth = sample.target["truth"]
            if sample.target["metric"] == "execution" and isinstance(truth, dict) and truth.get("picture"):
                add_media_file(found, data, str(truth["picture"]))
        return found

    def turn(self, sample: Sample, answers: Sequence[Answer]) -> Prompt | None:
        """One prompt; in an interactive world one a turn, until it is over."""
        from sightline.suites.matrix.prompts import turn

        return turn(sample, answers)

    def grade(self, sample: Sample, answers: Sequence[Answer]) -> Grade:
        """By the marker that the sample names."""
        return self.grader.grade(sample, answers)

    def reference(self, sample: Sample) -> str | None:
        """The first reference of a description; other replies are marked objectively."""
        truth = sample.target["truth"]
        return str(truth[0]) if sample.target["metric"] == "bleu" and isinstance(truth, list) else None

    def is_costly(self, sample: Sample) -> bool:
        """Running code takes too long to do it while others are being asked."""
        return bool(sample.target["metric"] == "execution")

    def ideal(self, sample: Sample) -> str:
        """The reply that earns full marks."""
        from sightline.suites.matrix.replies import ideal

        return ideal(sample)

    def spoiled(self, sample: Sample) -> Mapping[str, str]:
        """Nothing, and something wrong."""
        from sightline.suites.matrix.replies import wrong

        return {"empty": "", "wrong": wrong(sample)}

    def choices(self, sample: Sample) -> Sequence[str]:
        """The letters, where there are options."""
        from sightline.scoring.scorers.options import option_letter

        return [option_letter(place) for place in range(len(sample.target["options"]))]

    def conclude(self, figures: Figures) -> tuple[dict[str, Any], list[Remark]]:
        """The digest by dimension and level, and in words where the model breaks."""
        from sightline.suites.matrix.conclusion import conclude

        return conclude(figures)

    def panels(self, figures: Figures) -> Mapping[str, tuple[Sequence[str], Sequence[Sequence[Any]]]]:
        """The score of every cell, and its fit over levels."""
        from sightline.suites.matrix.conclusion import panels

        return panels(figures)

    def deviations(self) -> Sequence[Remark]:
        """Everything but all cells by our own rules in isolation."""
        told = []
        for words in (self.options.dimension, self.options.level, self.options.kind):
            if words:
                told.append(Remark("only {words}", {"words": ", ".join(words)}))
        if self.options.metric_rules == "seed":
            told.append(Remark("marked by the plain rules of older figures"))
        if self.options.unsafe_local_execution:
            told.append(Remark("the model's code may run without isolation"))
        return told

    def generate(self, out: Path, count: int, seed: int, recipe: Struct | None = None) -> None:
        """Fresh questions of all twelve kinds at all four levels."""
        from sightline.suites.matrix.generator import generate

        assert recipe is None or isinstance(recipe, Recipe)
        generate(out, count, seed, recipe)
