"""Suite of the capability matrix: its options and tasks; each sample names its own scorer."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from msgspec import Struct

from sightline.core.interfaces import Dataset, Figures, Scorer, Suite, Task
from sightline.core.records import Answer, Prompt, Sample
from sightline.core.remarks import Remark
from sightline.core.settings import setting
from sightline.data.media import add_media_file, find_media_files
from sightline.data.storage import is_remote
from sightline.suites.matrix.generator.recipe import DIMENSIONS, Recipe, Selection

if TYPE_CHECKING:
    from sightline.suites.matrix.scorer import MatrixScorer


def _task(name: str, title: str, *more: str) -> Task:
    return Task(name=name, title=title, parser="text", metrics=("accuracy", "mean_score"), auxiliary=more)


OBJECT_RECOGNITION = _task("object_recognition", "Object recognition")
TEXT_EXTRACTION = _task("text_extraction", "Text extraction", "character_error_rate")
SPATIAL_RELATION = _task("spatial_relation", "Spatial relation")
IMAGE_DESCRIPTION = _task("image_description", "Image description", "bleu", "cider")
VISUAL_QUESTION = _task("visual_question", "Visual question")
CHART_READING = _task("chart_reading", "Chart reading")
MULTI_STEP = _task("multi_step", "Multi-step reasoning")
CROSS_MODAL = _task("cross_modal", "Cross-modal consistency")
COUNTERFACTUAL = _task("counterfactual", "Counterfactual reasoning")
TOOL_CALLING = _task("tool_calling", "Tool calling")
CODE_GENERATION = _task("code_generation", "Code generation")
INTERACTIVE_DECISION = _task("interactive_decision", "Interactive decision")


class Options(Selection, frozen=True, kw_only=True):
    """The suite's own settings."""

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
    """Capability matrix: up to which level (single, paired, cross-modal, multi-step) each capability holds."""

    name = "matrix"
    version = "1"
    title = "Capability matrix: four dimensions at four levels"
    options_type = Options
    generator_config = Recipe
    demo_count = 48
    overall = tuple(f"boundary_{dimension}" for dimension in DIMENSIONS)
    slices = ("dimension", "difficulty", "cell", "language")
    options: Options

    @cached_property
    def _scorer(self) -> MatrixScorer:
        """The scorer of this suite; its sandbox is started when code is first run."""
        from sightline.suites.matrix.scorer import MatrixScorer

        return MatrixScorer(self.options.metric_rules == "seed", self.options.unsafe_local_execution)

    def dataset(self, path: Path) -> Dataset:
        """The samples of all files, with pictures by reference."""
        from sightline.data.dataset import IterableDataset
        from sightline.suites.matrix.dataset import read

        return IterableDataset(partial(read, path, self.options))

    def fingerprinted_files(self, data: Path) -> Mapping[str, Path]:
        """Pictures that belong to a single sample file: those shown to the model and those that are targets."""
        if is_remote(data) or not data.is_file():
            return {}
        samples = [sample for sample in self.dataset(data) if isinstance(sample, Sample)]
        files = find_media_files(data, samples)
        for sample in samples:
            truth = sample.target["truth"]
            if sample.target["metric"] == "execution" and isinstance(truth, dict) and truth.get("picture"):
                add_media_file(files, data, str(truth["picture"]))
        return files

    def next_prompt(self, sample: Sample, answers: Sequence[Answer]) -> Prompt | None:
        """Build the next prompt: one per sample, or one per turn of an interactive world until it ends."""
        from sightline.suites.matrix.prompts import next_prompt

        return next_prompt(sample, answers)

    def scorer(self, task: str) -> Scorer:
        """Score the attempt with the scorer that the sample names."""
        return self._scorer

    def reference(self, sample: Sample) -> str | None:
        """Return the first reference of a description; other tasks are scored without a judge."""
        truth = sample.target["truth"]
        return str(truth[0]) if sample.target["metric"] == "bleu" and isinstance(truth, list) else None

    def defers_grading(self, sample: Sample) -> bool:
        """Whether scoring runs code, which is deferred until inference is done."""
        return bool(sample.target["metric"] == "execution")

    def oracle_reply(self, sample: Sample) -> str:
        """Return a reply that scores 1."""
        from sightline.suites.matrix.prompts import ideal_reply

        return ideal_reply(sample)

    def corrupted_replies(self, sample: Sample) -> Mapping[str, str]:
        """Return an empty and a wrong reply."""
        from sightline.suites.matrix.prompts import wrong_reply

        return {"empty": "", "wrong": wrong_reply(sample)}

    def choices(self, sample: Sample) -> Sequence[str]:
        """Return the letters of a multiple-choice sample."""
        from sightline.scoring.scorers.options import option_letter

        return [option_letter(index) for index in range(len(sample.target["options"]))]

    def summarize(self, figures: Figures) -> tuple[dict[str, Any], list[Remark]]:
        """Summarize by dimension and level, with a sentence on each capability boundary."""
        from sightline.suites.matrix.metrics import summarize

        return summarize(figures)

    def plot_tables(self, figures: Figures) -> Mapping[str, tuple[Sequence[str], Sequence[Sequence[Any]]]]:
        """Return plot tables: the score of every cell, and its monotone fit over levels."""
        from sightline.suites.matrix.metrics import plot_tables

        return plot_tables(figures)

    def deviations(self) -> Sequence[Remark]:
        """Describe settings that deviate from all cells, the standard rules and sandboxed execution."""
        remarks = []
        for names in (self.options.dimension, self.options.level, self.options.kind):
            if names:
                remarks.append(Remark("only {words}", {"words": ", ".join(names)}))
        if self.options.metric_rules == "seed":
            remarks.append(Remark("scored by the legacy rules (--metric-rules seed)"))
        if self.options.unsafe_local_execution:
            remarks.append(Remark("the model's code may run without isolation"))
        return remarks

    def generate(self, out: Path, count: int, seed: int, recipe: Struct | None = None) -> None:
        """Generate new samples of all twelve kinds at all four levels."""
        from sightline.suites.matrix.generator import generate

        assert recipe is None or isinstance(recipe, Recipe)
        generate(out, count, seed, recipe)
