"""True/false questions on simulation images, videos and reports, after the SeeSim question set."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Struct

from sightline.core.interfaces import Figures, Suite
from sightline.core.records import Answer, Grade, Invalid, Prompt, Remark, Sample
from sightline.core.settings import setting
from sightline.data.beside import files_beside
from sightline.data.storage import is_remote
from sightline.scoring.parsers.true_false import opens_with_answer
from sightline.suites.simulation import prompts, scorer
from sightline.suites.simulation.generator.recipe import EXACT, Recipe
from sightline.suites.simulation.questions import DOMAINS

MODALITIES = ("image", "text", "video")


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
            "vote: one question a frame, the majority counts; frames: all in one prompt; native: the file itself",
            choices=("vote", "frames", "native"),
        ),
    ] = "vote"
    fps: Annotated[float, setting("frames a second that are taken from a video", ge=0.01)] = 1.0


class SimulationSuite(Suite):
    """40 questions on each kind of simulation, with logical pairs and physical-law questions among them."""

    name = "simulation"
    version = "1"
    title = "True/false questions on simulations"
    options_type = Options
    recipe_type = Recipe
    quick_recipe = Recipe(fields=EXACT)
    slices = ("modality", "file")
    options: Options

    @property
    def modalities(self) -> tuple[str, ...]:
        """What is shown, in a fixed order."""
        chosen = MODALITIES if "all" in self.options.modality else self.options.modality
        return tuple(modality for modality in MODALITIES if modality in chosen)

    def read(self, data: Path) -> Iterator[Sample | Invalid]:
        """All questions of all simulations."""
        from sightline.suites.simulation.dataset import read

        return read(data, self.options, self.modalities)

    def fingerprinted_files(self, data: Path) -> Mapping[str, Path]:
        """Of a single question file, the pictures, videos and reports that belong to it."""
        return {} if is_remote(data) or not data.is_file() else files_beside(data, self.read(data))

    def facts(self, data: Path) -> Sequence[Remark]:
        """Which layout the data set has on disk."""
        from sightline.suites.simulation.layout import describe_layout

        return describe_layout(data)

    def turn(self, sample: Sample, answers: Sequence[Answer]) -> Prompt | None:
        """One prompt, or one a frame where frames vote."""
        return prompts.next_prompt(sample, answers, vote=self._votes(sample))

    def grade(self, sample: Sample, answers: Sequence[Answer]) -> Grade:
        """Right or wrong, by majority where frames vote."""
        return scorer.grade_sample(sample, [self.parse(sample.task, answer.text) for answer in answers])

    def ideal(self, sample: Sample) -> str:
        """The key's answer."""
        return str(sample.target)

    def spoiled(self, sample: Sample) -> Mapping[str, str]:
        """Wrong in three ways."""
        return {"flipped": str(not sample.target), "unreadable": "Maybe.", "empty": ""}

    def choices(self, sample: Sample) -> Sequence[str]:
        """True and False."""
        return ("True", "False")

    def survives_cut(self, text: str) -> bool:
        """A reply that was cut off counts only if its first word already is the answer."""
        return opens_with_answer(text)

    def feedback(self, sample: Sample, grade: Grade) -> str:
        """Says that the answer was wrong, or that none was found."""
        return prompts.feedback_text(grade)

    def deviations(self) -> Sequence[Remark]:
        """Everything but all simulations, all questions, one frame a second, by vote."""
        return prompts.protocol_deviations(self.options, self.modalities)

    def panels(self, figures: Figures) -> Mapping[str, tuple[Sequence[str], Sequence[Sequence[Any]]]]:
        """How consistent the answers to logical pairs are."""
        from sightline.suites.simulation.consistency import pair_table

        return pair_table(figures)

    def generate(self, out: Path, count: int, seed: int, recipe: Struct | None = None) -> None:
        """Fresh simulations, by solvers or with closed-form solutions."""
        from sightline.suites.simulation.generator import generate

        assert recipe is None or isinstance(recipe, Recipe)
        generate(out, count, seed, (recipe or Recipe()).fields)

    def _votes(self, sample: Sample) -> bool:
        return sample.tags["modality"] == "video" and self.options.video_mode == "vote"
