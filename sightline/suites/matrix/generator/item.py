"""Samples before they are written, a constructor for each form of question, and the registry of sample makers."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from functools import partial
from importlib import import_module
from typing import Any

from msgspec import Struct

from sightline.suites.matrix.generator.recipe import KINDS
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording, join_sentences, load_texts

_TEXTS = load_texts(__name__)

CANARY = "sightline-matrix-canary-2c9a7d40-51be-4f0e-9d13-8f6a04c7e25b"
_ANNOTATORS = 10
Value = int | float | str
ROUNDING_TOLERANCE = 0.001
"""A tolerance as a share of the answer: no more than rounding."""
TESTS = 8
_MIN_DISTINCT_RESULTS = 4
"""Minimum number of different results of the tests, so that a constant is no solution."""
Call = dict[str, Any]
"""Name and arguments of a tool call, as JSON."""


class Item(Struct, frozen=True, kw_only=True):
    """A sample before it is written; the writer adds id, dimension, level, kind, language, seed and canary."""

    question: str
    """Without the options: the suite shows them."""
    ground_truth: Any
    """In the form that the marker takes; plain JSON."""
    metric: str
    """Name of a marker."""
    pictures: tuple[bytes, ...]
    """PNG files, in the order in which they are shown."""
    options: tuple[str, ...] = ()
    metadata: dict[str, Any] = {}
    """More that belongs to the question: `tolerance`, `tools`…"""
    target: bytes | None = None
    """A PNG file that the reply should draw: `ground_truth` becomes {"picture": its path}."""


Maker = Callable[[SampleRng, str, str], Item]
"""Makes a sample from a random number generator, level (l1–l4) and language (en, zh)."""
Scenes = dict[str, tuple[Callable[[SampleRng, str], Item], ...]]
"""Makers of samples by level, which take turns."""


def shuffle_options(rng: SampleRng, right: str, wrong: Sequence[str]) -> tuple[str, ...]:
    """Shuffle the options so that the right one is at each position equally often."""
    others = rng.shuffled(wrong)
    index = rng.balanced_choice("place of the right option", range(len(others) + 1))
    return (*others[:index], right, *others[index:])


def item_makers() -> dict[tuple[str, str], Maker]:
    """Return the maker of each dimension and kind; its module is imported at the first call."""
    return {
        (dimension, kind): partial(_make_item, dimension, kind) for dimension, kinds in KINDS.items() for kind in kinds
    }


def _make_item(dimension: str, kind: str, rng: SampleRng, level: str, language: str) -> Item:
    module = import_module(f"sightline.suites.matrix.generator.{dimension}.{kind}")
    item: Item = module.make(rng, level, language)
    return item


def annotator_answers(answer: str, *variants: str) -> list[str]:
    """Return ten annotator answers: the answer at least eight times, and variants."""
    fresh = [variant for variant in variants if variant != answer][:2]
    return [answer] * (_ANNOTATORS - len(fresh)) + fresh


def vqa_item(question: str, answers: list[str], *pictures: bytes) -> Item:
    """Make a sample with a short answer."""
    return Item(question=question, ground_truth=answers, metric="vqa_accuracy", pictures=pictures)


def clock_answers(hour: int, minute: int) -> list[str]:
    """Return annotator answers for a time on a 12-hour clock."""
    hour12 = (hour - 1) % 12 + 1
    return annotator_answers(f"{hour12}:{minute:02d}", f"{hour12:02d}:{minute:02d}")


def steps_item(
    rng: SampleRng,
    language: str,
    *,
    instruction: str,
    step_names: Sequence[str],
    end: str,
    steps: Sequence[Value],
    final: Value,
    pictures: tuple[bytes, ...],
    scene: dict[str, Any],
) -> Item:
    """Make a sample of a multi-step question.

    `step_names` tell what each step reports, `end` what the final answer is; `scene` holds the facts from which both
    follow.
    """
    comma = "；" if language == "zh" else "; "
    listed = comma.join(f"({k}) {what}" for k, what in enumerate(step_names, 1))
    places = ", ".join("…" for _ in step_names)
    form = fill_wording(rng, _TEXTS["steps"], language, steps=listed, places=places, end=end)
    truth = {"steps": [round_value(step) for step in steps], "final": round_value(final)}
    ideal = json.dumps(truth, ensure_ascii=False)
    return Item(
        question=join_sentences(language, instruction, form),
        ground_truth=truth,
        metric="chain",
        pictures=pictures,
        metadata={"ideal": ideal, "scene": scene, "tolerance": ROUNDING_TOLERANCE},
    )


def round_value(value: Value) -> Value:
    """Whole numbers without a decimal point, others with at most four decimals."""
    if isinstance(value, str):
        return value
    return int(value) if float(value).is_integer() else round(float(value), 4)


def counterfactual_item(
    instruction: str,
    answer: float | str,
    pictures: tuple[bytes, ...],
    scene: dict[str, Any],
    options: tuple[str, ...] = (),
) -> Item:
    """Make a sample of a counterfactual question, whose answer is a number or one of the options."""
    rounded = round_value(answer)
    exact = {} if options else {"tolerance": ROUNDING_TOLERANCE}
    return Item(
        question=instruction,
        ground_truth=rounded,
        metric="accuracy" if options else "numeric",
        pictures=pictures,
        options=options,
        metadata={"ideal": str(rounded), "scene": scene, **exact},
    )


def draw_tests(
    rng: SampleRng, reference: Callable[..., Any], draw_arguments: Callable[[], Sequence[Any]]
) -> list[dict[str, Any]]:
    """Draw unit tests with distinct arguments, and with results of which several differ."""
    while True:
        arguments: list[Sequence[Any]] = []
        for _ in range(1000):
            if len(arguments) == TESTS:
                break
            if (candidate := draw_arguments()) not in arguments:
                arguments.append(candidate)
        results = [reference(*values) for values in arguments]
        if len({repr(result) for result in results}) >= _MIN_DISTINCT_RESULTS:
            return [{"arguments": list(a), "result": result} for a, result in zip(arguments, results, strict=True)]


def program_item(
    rng: SampleRng,
    language: str,
    *,
    tests: list[dict[str, Any]],
    instruction: str,
    signature: str,
    solution: str,
    pictures: tuple[bytes, ...],
) -> Item:
    """Make a sample of a programming task, with the arguments and result of each unit test and a reference solution."""
    block = f"```python\n{solution.rstrip()}\n```"
    return Item(
        question=fill_wording(rng, _TEXTS["program"], language, instruction=instruction, signature=signature),
        ground_truth={"function": signature.partition("(")[0], "tests": tests},
        metric="execution",
        pictures=pictures,
        metadata={"solution": block, "ideal": block},
    )


def tool_call(name: str, **arguments: str | int) -> Call:
    """Return a call of a tool."""
    return {"name": name, "arguments": arguments}


def offer_tools(rng: SampleRng, tools: dict[str, Any], calls: list[Call]) -> dict[str, Any]:
    """Select the tools that the calls need, and two others."""
    needed = list(dict.fromkeys(call["name"] for call in calls))
    others = [name for name in tools if name not in needed]
    return {name: tools[name] for name in (*needed, *rng.some(others, 2))}


def tool_item(
    rng: SampleRng,
    language: str,
    *,
    instruction: str,
    tools: dict[str, Any],
    calls: list[Call],
    pictures: tuple[bytes, ...],
    scene: dict[str, Any],
) -> Item:
    """Make a sample of a tool-calling task; the offered tools are listed in random order."""
    schemas = [_tool_schema(name, tools[name], language) for name in rng.shuffled(list(tools))]
    listed = "\n".join(json.dumps(schema, ensure_ascii=False) for schema in schemas)
    return Item(
        question=f"{instruction}\n{fill_wording(rng, _TEXTS['tools'], language, tools=listed)}",
        ground_truth=calls,
        metric="tool_call",
        pictures=pictures,
        metadata={"tools": schemas, "ideal": json.dumps(calls, ensure_ascii=False), "scene": scene},
    )


def _tool_schema(name: str, tool: dict[str, Any], language: str) -> dict[str, Any]:
    """Describe a tool of `texts.toml` as JSON schema."""
    at = 2 if language == "zh" else 1
    properties = {key: {"type": words[0], "description": words[at]} for key, words in tool["takes"].items()}
    parameters = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": name, "description": tool[language], "parameters": parameters}
