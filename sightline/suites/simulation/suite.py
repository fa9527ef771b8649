"""Simulation suite: options, tasks and the `Suite` class."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Struct

from sightline.core.interfaces import Dataset, Figures, Scorer, Suite, Task
from sightline.core.records import Answer, Grade, Prompt, Sample
from sightline.core.remarks import Remark
from sightline.core.settings import setting
from sightline.data.media import find_media_files
from sightline.data.storage import is_remote
from sightline.scoring.parsers.true_false import opens_with_answer
from sightline.suites.simulation import prompts
from sightline.suites.simulation.generator import EXACT, Recipe
from sightline.suites.simulation.scorer import DOMAINS, score_replies

MODALITIES = ("image", "text", "video")
_CORE = ("accuracy", "opposed_pairs", "pair_relation", "law_accuracy")
_AUXILIARY = ("key_opposed_pairs", "balanced_accuracy", "mcc")


def _task(name: str, title: str, *aliases: str) -> Task:
    return Task(name=name, title=title, aliases=aliases, parser="true_false", metrics=_CORE, auxiliary=_AUXILIARY)


STRUCTURAL = _task("structural", "Structural simulations", "solid", "结构")
FLUID = _task("fluid", "Fluid simulations", "flow", "流体")


class Options(Struct, frozen=True, kw_only=True):
    """The suite's own settings."""

    modality: Annotated[
        tuple[str, ...],
        setting("what the model is shown; several may be joined by commas", choices=(*MODALITIES, "all")),
    ] = ("image",)
    domain: Annotated[tuple[str, ...], setting("only these domains", choices=DOMAINS)] = ()
    files: Annotated[tuple[str, ...], setting("only these simulations, such as File_1,File_7")] = ()
    video_mode: Annotated[
        str,
        setting(
            "vote: one question per frame, the majority counts; frames: all in one prompt; native: the file itself",
            choices=("vote", "frames", "native"),
        ),
    ] = "vote"
    fps: Annotated[float, setting("frames per second to extract from a video", ge=0.01)] = 1.0


class SimulationSuite(Suite):
    """True/false questions, 40 per simulation, including logical pairs and physical-law questions."""

    name = "simulation"
    version = "1"
    title = "True/false questions on simulations"
    options_type = Options
    generator_config = Recipe
    demo_config = Recipe(fields=EXACT)
    slices = ("modality", "file")
    options: Options

    @property
    def modalities(self) -> tuple[str, ...]:
        """Return the selected modalities, in a fixed order."""
        chosen = MODALITIES if "all" in self.options.modality else self.options.modality
        return tuple(modality for modality in MODALITIES if modality in chosen)

    def dataset(self, path: Path) -> Dataset:
        """All questions of all simulations, by modality."""
        from sightline.suites.simulation.dataset import SimulationDataset

        return SimulationDataset(path, self.options, self.modalities)

    def fingerprinted_files(self, data: Path) -> Mapping[str, Path]:
        """Return the pictures, videos and reports that belong to a single question file."""
        return {} if is_remote(data) or not data.is_file() else find_media_files(data, self.dataset(data))

    def dataset_notes(self, data: Path) -> Sequence[Remark]:
        """Describe the layout of the data set on disk."""
        from sightline.suites.simulation.dataset import describe_layout

        return describe_layout(data)

    def next_prompt(self, sample: Sample, answers: Sequence[Answer]) -> Prompt | None:
        """Build the next prompt: one per sample, or one per frame if frames vote."""
        return prompts.next_prompt(sample, answers, vote=self._votes(sample))

    def scorer(self, task: str) -> Scorer:
        """Score the answer, by majority if frames vote."""
        return lambda sample, answers: score_replies(sample, [self.parse(task, answer.text) for answer in answers])

    def oracle_reply(self, sample: Sample) -> str:
        """Return the answer of the key."""
        return str(sample.target)

    def corrupted_replies(self, sample: Sample) -> Mapping[str, str]:
        """Return three kinds of wrong reply."""
        return {"flipped": str(not sample.target), "unreadable": "Maybe.", "empty": ""}

    def choices(self, sample: Sample) -> Sequence[str]:
        """Return the two possible answers."""
        return ("True", "False")

    def accepts_truncated(self, text: str) -> bool:
        """Whether a truncated reply can be scored: only if its first word is the answer."""
        return opens_with_answer(text)

    def feedback(self, sample: Sample, grade: Grade) -> str:
        """Return feedback that the answer was wrong or missing."""
        return prompts.feedback_text(grade)

    def deviations(self) -> Sequence[Remark]:
        """Describe deviations from all simulations, all questions, and one frame per second by vote."""
        return prompts.protocol_deviations(self.options, self.modalities)

    def plot_tables(self, figures: Figures) -> Mapping[str, tuple[Sequence[str], Sequence[Sequence[Any]]]]:
        """Return the table on the consistency of logical pairs."""
        from sightline.suites.simulation.metrics import pair_table

        return pair_table(figures, (STRUCTURAL, FLUID))

    def generate(self, out: Path, count: int, seed: int, recipe: Struct | None = None) -> None:
        """Generate new simulations, by numerical solvers or closed-form solutions."""
        from sightline.suites.simulation.generator import generate

        assert recipe is None or isinstance(recipe, Recipe)
        generate(out, count, seed, (recipe or Recipe()).fields)

    def _votes(self, sample: Sample) -> bool:
        return sample.tags["modality"] == "video" and self.options.video_mode == "vote"
