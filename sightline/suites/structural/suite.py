"""Structural suite: a drawing of a beam, frame or truss is transcribed into a structural model, compared by FEM."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

from msgspec import Struct

from sightline.core.interfaces import Dataset, Drawing, Scorer, Service, Suite, Task
from sightline.core.records import Answer, Grade, Message, Prompt, Sample, Score, Text
from sightline.core.remarks import Remark
from sightline.core.settings import setting
from sightline.suites.structural.model import CATEGORIES

PHYSICS, ORIGINAL = "physics", "structural-eval-v1"


class Options(Struct, frozen=True, kw_only=True):
    """Settings of the structural suite."""

    prompt_type: Annotated[str, setting("variant of the prompt", choices=("standard", "reasoning", "strict"))] = (
        "standard"
    )
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


class Recipe(Struct, frozen=True, kw_only=True):
    """Settings of the generator."""

    difficulty: Annotated[str, setting("difficulties from 1 to 5, such as 1-5 or 2,3")] = "1-5"
    category: Annotated[tuple[str, ...], setting("only these kinds of structure", choices=CATEGORIES)] = ()
    language: Annotated[
        str,
        setting(
            "language of the few words in a drawing; Chinese needs a typeface that has it, else signs stand instead",
            choices=("en", "zh", "mixed"),
        ),
    ] = "en"


def _task(name: str, title: str, alias: str) -> Task:
    return Task(
        name=name,
        title=title,
        aliases=(alias,),
        parser="json_object",
        metrics=("weighted_score", "full_marks"),
        auxiliary=("geometry_right", "supports_right", "joints_right"),
    )


BEAM = _task("beam", "Beams", "梁")
FRAME = _task("frame", "Frames", "刚架")
TRUSS = _task("truss", "Trusses", "桁架")


class StructuralSuite(Suite):
    """Beams, frames and trusses as FrameCalc JSON, graded in stages with a finite-element solver."""

    name = "structural"
    version = "1"
    title = "Structural drawings to structural models"
    max_reply_tokens = 8192
    options_type = Options
    generator_config = Recipe
    slices = ("difficulty",)
    options: Options

    def dataset(self, path: Path) -> Dataset:
        """One sample per drawing, sorted by name."""
        from sightline.suites.structural.dataset import StructuralDataset

        return StructuralDataset(path)

    def next_prompt(self, sample: Sample, answers: Sequence[Answer]) -> Prompt | None:
        """A prompt with the drawing and the task; None after the first answer."""
        if answers:
            return None
        from sightline.suites.structural.prompts import prompt_text

        words = prompt_text(self.options.prompt_type, self.options.prompt_lang)
        return Prompt((Message("user", (*sample.media, Text(words))),))

    def scorer(self, task: str) -> Scorer:
        """Score the answer by the first wrong stage."""
        from sightline.suites.structural.scorer import score_reply

        def score(sample: Sample, answers: Sequence[Answer]) -> Score:
            parsed = self.parse(task, answers[-1].text)
            return score_reply(sample, parsed, self.options.scoring, self.options.tolerance)

        return score

    def oracle_reply(self, sample: Sample) -> str:
        """The true model as a reply."""
        import json

        return f"<json>{json.dumps(sample.target)}</json>"

    def corrupted_replies(self, sample: Sample) -> Mapping[str, str]:
        """Replies with a single known error: geometry, supports, loads, no model, empty."""
        from sightline.suites.structural.corruptions import corrupted_replies

        return corrupted_replies(sample.target)

    def accepts_truncated(self, text: str) -> bool:
        """Whether a truncated reply still contains the complete model."""
        return "</json>" in text.lower()

    def feedback(self, sample: Sample, grade: Grade) -> str:
        """Feedback that names the wrong part without revealing the solution."""
        from sightline.suites.structural.prompts import feedback

        return feedback(grade, self.options.prompt_lang)

    def drawings(self, sample: Sample, reply: str) -> Sequence[Drawing]:
        """Drawings of both models with internal forces; wrong parts of the reply in red, missing parts dashed."""
        from sightline.suites.structural.figures.sample import drawings

        return drawings(sample, reply, self.options.tolerance)

    def sample_from_truth(self, truth: Mapping[str, Any]) -> Sample:
        """A sample from a true model in FrameCalc JSON, with category and difficulty derived from the structure."""
        from sightline.suites.structural.services import sample_from_truth

        return sample_from_truth(truth)

    def services(self) -> Mapping[str, Service]:
        """HTTP services: solve a model, diagnose a reply."""
        from sightline.suites.structural.services import SERVICES

        return SERVICES

    def deviations(self) -> Sequence[Remark]:
        """Settings that differ from the standard prompt and from physics scoring at 1 % tolerance."""
        remarks = []
        if self.options.prompt_type != "standard":
            remarks.append(Remark("prompt {kind}", {"kind": self.options.prompt_type}))
        if self.options.prompt_lang != "en":
            remarks.append(Remark("prompt in Chinese"))
        if self.options.scoring != PHYSICS:
            remarks.append(Remark("scored by the original's rule: {rule}", {"rule": self.options.scoring}))
        if self.options.tolerance != 0.01:
            remarks.append(Remark("tolerance {value} instead of 0.01", {"value": f"{self.options.tolerance:g}"}))
        return remarks

    def generate(self, out: Path, count: int, seed: int, recipe: Struct | None = None) -> None:
        """Generate drawings with their models and solutions."""
        from sightline.suites.structural.dataset import write_truth
        from sightline.suites.structural.generator.plan import generate

        generate(out, count, seed, recipe if isinstance(recipe, Recipe) else None)
        write_truth(out)
