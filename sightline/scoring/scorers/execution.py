"""Code execution scorer: unit tests of a function, or similarity of a drawn picture; code runs in a sandbox only."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol

from sightline.core.errors import SightlineError, exception_remark
from sightline.core.records import Score
from sightline.core.remarks import Explanation, Remark, as_remark
from sightline.scoring.parsers.thinking import without_thinking
from sightline.scoring.scorers import Examples, Question
from sightline.scoring.scorers.numbers import is_close, match_deep
from sightline.scoring.scorers.reply_text import EMPTY_REPLY, invalid_score, unparsed_score

FULL_MARKS_SIMILARITY = 0.95
"""A drawing of at least this similarity scores 1."""
MAX_PROGRAM_LENGTH = 1 << 20
NO_SANDBOX = "unavailable: no sandbox"
NO_TESTS = "the truth is neither tests of a function nor a picture"
TOO_LONG = "the program is too long"
UNREADABLE_TARGET = "cannot read the true picture"
UNREADABLE_DRAWING = "cannot read the drawn picture"

_FENCE = re.compile(r"```+[ \t]*([A-Za-z0-9_+-]*)[^\n]*\n")
_PYTHON = ("python", "py", "python3")


class ExecutionResult(Protocol):
    """Result of running a program or one call of its functions."""

    @property
    def state(self) -> str:
        """`ok`, or the kind of failure."""

    @property
    def result(self) -> Any:
        """The return value of the function, as JSON data."""

    @property
    def picture(self) -> bytes | None:
        """A PNG of what was drawn."""

    @property
    def error(self) -> str:
        """The last line of the traceback."""


class CodeRunner(Protocol):
    """Interface of a sandbox for untrusted code, such as `sightline.suites.matrix.sandbox.Sandbox`."""

    def run(
        self, code: str, *, call: str = "", arguments: Sequence[Any] = (), picture: bool = False
    ) -> ExecutionResult:
        """Execute a program; then call one of its functions, or take the picture it drew."""

    def run_many(self, code: str, calls: Sequence[tuple[str, Sequence[Any]]]) -> Sequence[ExecutionResult]:
        """Execute a program once and call its functions in turn."""


def extract_program(reply: str) -> str:
    """Return the first Python code block of a reply, else its first code block, else the whole reply."""
    text = without_thinking(reply)
    fences = list(_FENCE.finditer(text[:MAX_PROGRAM_LENGTH]))
    opening = next((fence for fence in fences if fence.group(1).lower() in _PYTHON), fences[0] if fences else None)
    if opening is None:
        return text.strip()
    end = text.find("```", opening.end())
    return text[opening.end() : end if end >= 0 else len(text)].strip("\n")


def results_match(actual: Any, expected: Any) -> bool:
    """Deep comparison of return values: numbers within 10⁻⁶, NaN equal to NaN, strings exactly."""

    def match_leaves(one: Any, other: Any) -> bool:
        if isinstance(one, int | float) and isinstance(other, int | float):
            return is_close(one, other) or (one != one and other != other)  # NaN alone differs from itself
        return type(one) is type(other) and bool(one == other)

    return match_deep(actual, expected, match_leaves)


class Execution:
    """Run a program in the sandbox: the fraction of unit tests passed, or the similarity of its picture to the target.

    The target is {"function": name, "tests": [{"arguments": […], "result": …}, …]} (numbers within 10⁻⁶), or
    {"picture": path or bytes}; `folder` in the facts is where a relative path begins. Likeness is the mean of structure
    (SSIM of grey thumbnails of 256 pixels, weighed by contrast) and colours (histograms without the background);
    0.95 or more earns full marks. The program is the first Python block of the reply, else all of it. Without a sandbox
    nothing is run and the mark is `failed`, never wrong.
    """

    title: ClassVar[str] = "Execution"
    accepts: ClassVar[Examples] = (
        (
            {"function": "double", "tests": [{"arguments": [2], "result": 4}, {"arguments": [-1.5], "result": -3}]},
            "```python\ndef double(x):\n    return 2 * x\n```",
        ),
    )
    refuses: ClassVar[Examples] = (
        (
            {"function": "double", "tests": [{"arguments": [2], "result": 4}, {"arguments": [3], "result": 6}]},
            "def double(x):\n    return x + 2",
        ),
        ({"function": "double", "tests": [{"arguments": [2], "result": 4}]}, "I would multiply by two."),
    )

    def __init__(self, sandbox: CodeRunner | None = None) -> None:
        self.sandbox = sandbox

    def score(self, reply: str, question: Question) -> Score:
        """Score a reply against the target of the question."""
        target = question.target if isinstance(question.target, dict) else {}
        calls = _test_calls(target)
        source = _picture_source(target.get("picture"), question.metadata)
        if calls is None and source is None:
            return invalid_score(NO_TESTS)
        code = extract_program(reply)
        if not code.strip():
            return unparsed_score(EMPTY_REPLY)
        if len(code) > MAX_PROGRAM_LENGTH:
            return unparsed_score(TOO_LONG)
        if self.sandbox is None:
            return Score(value=0.0, status="failed", message=NO_SANDBOX)
        try:
            if calls is not None:
                return _run_tests(self.sandbox, code, calls, target["tests"])
            return _compare_drawing(self.sandbox, code, source or b"")
        except (SightlineError, OSError) as problem:
            return _unavailable(exception_remark(problem))


def _unavailable(problem: Explanation) -> Score:
    return Score(status="failed", message=Remark("unavailable: {problem}", {"problem": as_remark(problem)}))


def _error_message(result: ExecutionResult) -> Explanation:
    """How a program ended that did not return a result."""
    return Remark("{kind}: {message}", {"kind": result.state, "message": Remark(result.error)})


def _test_calls(target: Mapping[str, Any]) -> list[tuple[str, Sequence[Any]]] | None:
    """Return the function calls of the unit tests; None if the target has no valid tests."""
    name, tests = target.get("function"), target.get("tests")
    if not isinstance(name, str) or not name or not isinstance(tests, list) or not tests:
        return None
    are_valid = all(
        isinstance(test, dict) and isinstance(test.get("arguments"), list) and "result" in test for test in tests
    )
    return [(name, test["arguments"]) for test in tests] if are_valid else None


def _picture_source(picture: Any, facts: Mapping[str, Any]) -> bytes | Path | None:
    if isinstance(picture, bytes):
        return picture
    folder = facts.get("folder", "")
    if isinstance(picture, str | Path) and str(picture) and "\0" not in f"{folder}{picture}":
        return Path(str(folder)) / picture
    return None


def _run_tests(
    sandbox: CodeRunner, code: str, calls: list[tuple[str, Sequence[Any]]], tests: Sequence[Mapping[str, Any]]
) -> Score:
    results = sandbox.run_many(code, calls)
    if any(result.state == "refused" for result in results):
        return _unavailable(results[0].error)
    passed = [
        result.state == "ok" and results_match(result.result, test["result"])
        for result, test in zip(results, tests, strict=False)
    ]
    message = next((_error_message(result) for result in results if result.state != "ok"), "")
    return Score(value=sum(passed) / len(tests), message=message, details={"passed": sum(passed), "tests": len(tests)})


def _compare_drawing(sandbox: CodeRunner, code: str, truth: bytes | Path) -> Score:
    from sightline.scoring.scorers.image_similarity import image_similarity, load_picture

    expected = load_picture(truth)
    if expected is None:
        return invalid_score(UNREADABLE_TARGET)
    result = sandbox.run(code, picture=True)
    if result.state == "refused":
        return _unavailable(result.error)
    if result.state != "ok":
        return Score(value=0.0, message=_error_message(result), details={"likeness": 0.0})
    drawing = load_picture(result.picture or b"")
    if drawing is None:
        return Score(value=0.0, message=UNREADABLE_DRAWING, details={"likeness": 0.0})
    similarity = image_similarity(drawing, expected)
    return Score(value=1.0 if similarity >= FULL_MARKS_SIMILARITY else similarity, details={"likeness": similarity})
