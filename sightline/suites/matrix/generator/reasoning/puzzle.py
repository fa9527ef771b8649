"""Multi-step questions: reported intermediate steps and a final answer."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct

from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording

Value = int | float | str
ROUNDING_TOLERANCE = 0.001
"""A tolerance as a share of the answer: no more than rounding."""


class StepsQuestion(Struct, frozen=True, kw_only=True):
    """A multi-step question: instruction, step names and correct values."""

    instruction: str
    step_names: tuple[str, ...]
    """What each step reports."""
    end: str
    """What the final answer is."""
    steps: tuple[Value, ...]
    final: Value
    pictures: tuple[bytes, ...]
    scene: dict[str, Any]
    """The facts from which the answer follows."""


_FORM = {
    "en": (
        'Report these steps: {steps}. The final answer is {end}. Answer with JSON only: {{"steps": [{places}], '
        '"final": …}}.',
        'Work step by step and give {steps}; final: {end}. Reply in the form {{"steps": [{places}], "final": …}}, '
        "as JSON and nothing else.",
        'Steps to write down: {steps}. Then give {end} as the final answer. Form of the reply (JSON): {{"steps": '
        '[{places}], "final": …}}.',
    ),
    "zh": (
        '请写出以下步骤：{steps}。最终答案是{end}。只用 JSON 回答：{{"steps": [{places}], "final": …}}。',
        '逐步计算并给出：{steps}；最终答案：{end}。请按 {{"steps": [{places}], "final": …}} 的形式作答，只输出 JSON。',
        '需要写下的步骤：{steps}。再把{end}作为最终答案。回答格式（JSON）：{{"steps": [{places}], "final": …}}。',
    ),
}


def make_item(puzzle: StepsQuestion, rng: SampleRng, language: str) -> Item:
    """Convert a multi-step question to a sample."""
    comma = "；" if language == "zh" else "; "
    steps = comma.join(f"({k}) {what}" for k, what in enumerate(puzzle.step_names, 1))
    places = ", ".join("…" for _ in puzzle.step_names)
    form = fill_wording(rng, _FORM, language, steps=steps, places=places, end=puzzle.end)
    truth = {"steps": [round_value(step) for step in puzzle.steps], "final": round_value(puzzle.final)}
    return Item(
        question=f"{puzzle.instruction}{'' if language == 'zh' else ' '}{form}",
        ground_truth=truth,
        metric="chain",
        pictures=puzzle.pictures,
        metadata={
            "ideal": json.dumps(truth, ensure_ascii=False),
            "scene": puzzle.scene,
            "tolerance": ROUNDING_TOLERANCE,
        },
    )


def round_value(value: Value) -> Value:
    """Whole numbers without a decimal point, others with at most four decimals."""
    if isinstance(value, str):
        return value
    return int(value) if float(value).is_integer() else round(float(value), 4)
