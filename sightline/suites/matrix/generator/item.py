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
from sightline.suites.matrix.generator.wording import fill_wording

CANARY = "sightline-matrix-canary-2c9a7d40-51be-4f0e-9d13-8f6a04c7e25b"
_ANNOTATORS = 10
Value = int | float | str
ROUNDING_TOLERANCE = 0.001
"""A tolerance as a share of the answer: no more than rounding."""
_STEPS_FORM = {
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
TESTS = 8
_MIN_DISTINCT_RESULTS = 4
"""So many of the tests differ in their results: a constant is no solution."""
_PROGRAM_FORM = {
    "en": (
        "{instruction} Write a Python function `{signature}` that does this. Answer with one Python code block.",
        "{instruction} Program it in Python as `{signature}`, in a single code block and without printing anything.",
    ),
    "zh": (
        "{instruction}请编写一个完成此任务的 Python 函数 `{signature}`。用一个 Python 代码块回答。",
        "{instruction}请用 Python 实现为 `{signature}`，只给出一个代码块，不要打印任何内容。",
    ),
}
Call = dict[str, Any]
"""Name and arguments of a tool call, as JSON."""
_TOOL_FORM = {
    "en": (
        "You can call these tools:\n{tools}\nAnswer with nothing but a JSON list of the calls that are needed: "
        '[{{"name": "…", "arguments": {{…}}}}, …].',
        'Tools, each with its parameters as JSON schema:\n{tools}\nGive the needed calls as a JSON list of {{"name": '
        '…, "arguments": {{…}}}} and nothing else.',
    ),
    "zh": (
        '你可以调用以下工具：\n{tools}\n只用一个 JSON 列表回答需要的调用：[{{"name": "…", "arguments": {{…}}}}, …]。',
        '工具如下，参数以 JSON schema 描述：\n{tools}\n请以 {{"name": …, "arguments": {{…}}}} 组成的 JSON '
        "列表给出所需的调用，不要输出其他内容。",
    ),
}


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


def steps_item(puzzle: StepsQuestion, rng: SampleRng, language: str) -> Item:
    """Convert a multi-step question to a sample."""
    comma = "；" if language == "zh" else "; "
    steps = comma.join(f"({k}) {what}" for k, what in enumerate(puzzle.step_names, 1))
    places = ", ".join("…" for _ in puzzle.step_names)
    form = fill_wording(rng, _STEPS_FORM, language, steps=steps, places=places, end=puzzle.end)
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


class Program(Struct, frozen=True, kw_only=True):
    """A programming task: pictures, unit tests and a reference solution."""

    tests: list[dict[str, Any]]
    """Arguments and result of each."""
    instruction: str
    signature: str
    solution: str
    pictures: tuple[bytes, ...]


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


def program_item(program: Program, rng: SampleRng, language: str) -> Item:
    """Convert a programming task to a sample."""
    block = f"```python\n{program.solution.rstrip()}\n```"
    return Item(
        question=fill_wording(
            rng, _PROGRAM_FORM, language, instruction=program.instruction, signature=program.signature
        ),
        ground_truth={"function": program.signature.partition("(")[0], "tests": program.tests},
        metric="execution",
        pictures=program.pictures,
        metadata={"solution": block, "ideal": block},
    )


class Tool(Struct, frozen=True):
    """A tool: what it does and what its arguments mean, in English and Chinese; a type each (string or integer)."""

    name: str
    does: tuple[str, str]
    takes: dict[str, tuple[str, str, str]]

    def call(self, **arguments: str | int) -> Call:
        """Return a call of this tool."""
        return {"name": self.name, "arguments": arguments}

    def schema(self, language: str) -> dict[str, Any]:
        """Return its description as JSON schema."""
        at = 1 if language == "zh" else 0
        return {
            "name": self.name,
            "description": self.does[at],
            "parameters": {
                "type": "object",
                "properties": {
                    name: {"type": words[0], "description": words[1 + at]} for name, words in self.takes.items()
                },
                "required": list(self.takes),
            },
        }


class ToolTask(Struct, frozen=True, kw_only=True):
    """A tool-calling task: instruction, available tools and expected calls."""

    instruction: str
    tools: tuple[Tool, ...]
    """Those that are needed and some that are not."""
    calls: list[Call]
    pictures: tuple[bytes, ...]
    scene: dict[str, Any]


def tool_item(task: ToolTask, rng: SampleRng, language: str) -> Item:
    """Convert a task to a sample; tools are listed in random order."""
    tools = [tool.schema(language) for tool in rng.shuffled(task.tools)]
    listed = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
    return Item(
        question=f"{task.instruction}\n{fill_wording(rng, _TOOL_FORM, language, tools=listed)}",
        ground_truth=task.calls,
        metric="tool_call",
        pictures=task.pictures,
        metadata={"tools": tools, "ideal": json.dumps(task.calls, ensure_ascii=False), "scene": task.scene},
    )
