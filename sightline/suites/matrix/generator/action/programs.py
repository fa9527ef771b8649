"""Programming tasks: pictures, unit tests and a reference solution."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from msgspec import Struct

from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording

TESTS = 8
_MIN_DISTINCT_RESULTS = 4
"""So many of the tests differ in their results: a constant is no solution."""


class Program(Struct, frozen=True, kw_only=True):
    """A programming task."""

    instruction: str
    function: str
    signature: str
    arguments: tuple[Sequence[Any], ...]
    results: tuple[Any, ...]
    solution: str
    """The reference program."""
    pictures: tuple[bytes, ...]


_ASK = {
    "en": (
        "{told} Write a Python function `{signature}` that does this. Answer with one Python code block.",
        "{told} Program it in Python as `{signature}`, in a single code block and without printing anything.",
    ),
    "zh": (
        "{told}请编写一个完成此任务的 Python 函数 `{signature}`。用一个 Python 代码块回答。",
        "{told}请用 Python 实现为 `{signature}`，只给出一个代码块，不要打印任何内容。",
    ),
}


def draw_tests(
    rng: SampleRng, reference: Callable[..., Any], draw_arguments: Callable[[], Sequence[Any]]
) -> tuple[tuple[Sequence[Any], ...], tuple[Any, ...]]:
    """Draw distinct test arguments and their results, of which several differ."""
    while True:
        arguments: list[Sequence[Any]] = []
        for _ in range(1000):
            if len(arguments) == TESTS:
                break
            if (candidate := draw_arguments()) not in arguments:
                arguments.append(candidate)
        results = [reference(*values) for values in arguments]
        if len({repr(result) for result in results}) >= _MIN_DISTINCT_RESULTS:
            return tuple(arguments), tuple(results)


def make_item(program: Program, rng: SampleRng, language: str) -> Item:
    """Convert a programming task to a sample."""
    tests = [
        {"arguments": list(values), "result": result}
        for values, result in zip(program.arguments, program.results, strict=True)
    ]
    block = f"```python\n{program.solution.rstrip()}\n```"
    return Item(
        question=fill_wording(rng, _ASK, language, told=program.instruction, signature=program.signature),
        ground_truth={"function": program.function, "tests": tests},
        metric="execution",
        pictures=program.pictures,
        metadata={"solution": block, "ideal": block},
    )
