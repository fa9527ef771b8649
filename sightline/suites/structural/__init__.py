"""A drawing of a beam, frame or truss, to be read into its structural model; physics decides whether it is the same."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Struct

from sightline.core.interfaces import Drawing, Service, Suite
from sightline.core.records import Answer, Grade, Invalid, Message, Prompt, Remark, Sample, Text
from sightline.core.settings import setting
from sightline.suites.structural.generator.recipe import Recipe

PHYSICS, ORIGINAL = "physics", "structural-eval-v1"


class Options(Struct, frozen=True, kw_only=True):
    """The suite's own settings."""

    prompt_type: Annotated[
        str, setting("how the task is put to the model", choices=("standard", "reasoning", "strict"))
    ] = "standard"
    prompt_lang: Annotated[str, setting("language of the prompt", choices=("en", "zh"))] = "en"
    scoring: Annotated[
        str,
        setting(
            "physics: the same structure with the same loads; structural-eval-v1: the original's sorted reactions",
            choices=(PHYSICS, ORIGINAL),
        ),
    ] = PHYSICS
    tolerance: Annotated[
        float, setting("share of a field's own peak within which two structures are the same", ge=1e-6, le=0.2)
    ] = 0.01


class StructuralSuite(Suite):
    """Beams, frames and trusses as FrameCalc JSON, graded by a finite-element solver on a ladder of experiments."""

    name = "structural"
    version = "1"
    title = "Structural drawings to structural models"
    options_type = Options
    recipe_type = Recipe
    slices = ("difficulty",)
    options: Options

    def read(self, data: Path) -> Iterator[Sample | Invalid]:
        """One sample a drawing, in the order of names."""
        from sightline.suites.structural.dataset import read

        return read(data)

    def sample_at(self, data: Path, position: int) -> Sample | Invalid | None:
        """The drawing at a position; no other model is read."""
        from sightline.suites.structural.dataset import sample_at

        return sample_at(data, position)

    def count_samples(self, data: Path) -> int:
        """How many drawings and models there are, by their names."""
        from sightline.suites.structural.dataset import count_samples

        return count_samples(data)

    def turn(self, sample: Sample, answers: Sequence[Answer]) -> Prompt | None:
        """The drawing, then the task."""
        if answers:
            return None
        from sightline.suites.structural.prompts import prompt_text

        words = prompt_text(self.options.prompt_type, self.options.prompt_lang)
        return Prompt((Message("user", (*sample.media, Text(words))),))

    def grade(self, sample: Sample, answers: Sequence[Answer]) -> Grade:
        """How far up the ladder the answer comes."""
        from sightline.suites.structural.scorer import grade

        parsed = self.parse(sample.task, answers[-1].text)
        return grade(sample, parsed, self.options.scoring, self.options.tolerance)

    def ideal(self, sample: Sample) -> str:
        """The raw model itself."""
        import json

        return f"<json>{json.dumps(sample.target)}</json>"

    def spoiled(self, sample: Sample) -> Mapping[str, str]:
        """Wrong in one part each: geometry, supports, loads; and not to be read at all."""
        from sightline.suites.structural.spoiling import spoiled

        return spoiled(sample.target)

    def survives_cut(self, text: str) -> bool:
        """A reply that was cut off counts if its model was closed before."""
        return "</json>" in text.lower()

    def feedback(self, sample: Sample, grade: Grade) -> str:
        """Which part is wrong, not what would be right."""
        from sightline.suites.structural.feedback import feedback

        return feedback(grade, self.options.prompt_lang)

    def drawings(self, sample: Sample, reply: str) -> Sequence[Drawing]:
        """Both models with their inner forces; wrong parts of the reply's are red, missing ones dashed."""
        from sightline.suites.structural.sample_drawings.compose import drawings

        return drawings(sample, reply, self.options.tolerance)

    def sample_of(self, truth: Mapping[str, Any]) -> Sample:
        """A model in FrameCalc JSON as a truth, rated by its own structure."""
        from sightline.suites.structural.services import sample_of

        return sample_of(truth)

    def services(self) -> Mapping[str, Service]:
        """Solving a model, and telling what is wrong with a reply."""
        from sightline.suites.structural.services import SERVICES

        return SERVICES

    def deviations(self) -> Sequence[Remark]:
        """Everything but the standard prompt and physics at 1 %."""
        told = []
        if self.options.prompt_type != "standard":
            told.append(Remark("prompt {kind}", {"kind": self.options.prompt_type}))
        if self.options.prompt_lang != "en":
            told.append(Remark("prompt in Chinese"))
        if self.options.scoring != PHYSICS:
            told.append(Remark("scored by the original's rule: {rule}", {"rule": self.options.scoring}))
        if self.options.tolerance != 0.01:
            told.append(Remark("tolerance {value} instead of 0.01", {"value": f"{self.options.tolerance:g}"}))
        return told

    def generate(self, out: Path, count: int, seed: int, recipe: Struct | None = None) -> None:
        """Fresh drawings with their models and solutions."""
        from sightline.suites.structural.dataset import write_truth
        from sightline.suites.structural.generator import generate

        generate(out, count, seed, recipe if isinstance(recipe, Recipe) else None)
        write_truth(out)
