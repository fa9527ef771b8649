"""Programs: what they return, or what they draw. They run in a sandbox alone, never here."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, ClassVar, Protocol

from sightline.core.errors import SightlineError
from sightline.scoring.parsers.thinking import without_thinking
from sightline.scoring.scorers import Asked, Mark
from sightline.scoring.scorers.examples import Examples
from sightline.scoring.scorers.numbers import close
from sightline.scoring.scorers.texts import EMPTY_REPLY, invalid, unparsed

ALIKE = 0.95
"""A picture that is so much like the truth earns full marks."""
LONGEST_PROGRAM = 1 << 20
NO_SANDBOX = "unavailable: no sandbox"
NO_TESTS = "the truth is neither tests of a function nor a picture"
TOO_LONG = "the program is too long"
BAD_PICTURE = "the true picture can't be read"
DRAWN_BADLY = "the drawn picture can't be read"

_FENCE = re.compile(r"```+[ \t]*([A-Za-z0-9_+-]*)[^\n]*\n")
_PYTHON = ("python", "py", "python3")
_DEEPEST = 64


class Ran(Protocol):
    """How a program, or one call of its functions, ended."""

    @property
    def state(self) -> str:
        """`ok`, or what went wrong."""

    @property
    def result(self) -> Any:
        """What the function returned, as JSON has it."""

    @property
    def picture(self) -> bytes | None:
        """A PNG of what was drawn."""

    @property
    def error(self) -> str:
        """The last line of the traceback."""


class Runs(Protocol):
    """A place where programs can do no harm, as `sightline.suites.matrix.sandbox.Sandbox` is."""

    def run(self, code: str, *, call: str = "", arguments: Sequence[Any] = (), picture: bool = False) -> Ran:
        """Execute a program; then call one of its functions, or take the picture it drew."""

    def run_many(self, code: str, calls: Sequence[tuple[str, Sequence[Any]]]) -> Sequence[Ran]:
        """Execute a program once and call its functions in turn."""


def program(reply: str) -> str:
    """The first block of Python in a reply, else its first block of code, else all of it."""
    text = without_thinking(reply)
    fences = list(_FENCE.finditer(text[:LONGEST_PROGRAM]))
    opening = next((fence for fence in fences if fence.group(1).lower() in _PYTHON), fences[0] if fences else None)
    if opening is None:
        return text.strip()
    end = text.find("```", opening.end())
    return text[opening.end() : end if end >= 0 else len(text)].strip("\n")


def same_result(found: Any, wanted: Any, depth: int = 0) -> bool:
    """Equal all the way down: numbers within a millionth, texts to the letter."""
    if depth > _DEEPEST:
        return False
    if isinstance(found, bool) or isinstance(wanted, bool) or found is None or wanted is None:
        return found is wanted
    if isinstance(found, int | float) and isinstance(wanted, int | float):
        return close(found, wanted) or _both_nan(found, wanted)
    if isinstance(found, dict) and isinstance(wanted, dict):
        return found.keys() == wanted.keys() and all(same_result(found[key], wanted[key], depth + 1) for key in wanted)
    if isinstance(found, list | tuple) and isinstance(wanted, list | tuple):
        pairs = zip(found, wanted, strict=False)
        return len(found) == len(wanted) and all(same_result(one, other, depth + 1) for one, other in pairs)
    return type(found) is type(wanted) and bool(found == wanted)


def _both_nan(one: float, other: float) -> bool:
    return isinstance(one, float) and isinstance(other, float) and math.isnan(one) and math.isnan(other)


class Execution:
    """A program is run in the sandbox: the share of its tests that pass, or how much its picture is like the truth.

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

    def __init__(self, sandbox: Runs | None = None) -> None:
        self.sandbox = sandbox

    def mark(self, reply: str, asked: Asked) -> Mark:
        """What the reply earns."""
        target = asked.target if isinstance(asked.target, dict) else {}
        calls = _calls(target)
        drawn = _source(target.get("picture"), asked.facts)
        if calls is None and drawn is None:
            return invalid(NO_TESTS)
        code = program(reply)
        if not code.strip():
            return unparsed(EMPTY_REPLY)
        if len(code) > LONGEST_PROGRAM:
            return unparsed(TOO_LONG)
        if self.sandbox is None:
            return Mark(score=0.0, state="failed", note=NO_SANDBOX)
        try:
            if calls is not None:
                return _tested(self.sandbox, code, calls, target["tests"])
            return _drawn(self.sandbox, code, drawn or b"")
        except (SightlineError, OSError) as problem:
            return Mark(score=0.0, state="failed", note=f"unavailable: {problem}")


def _calls(target: Mapping[str, Any]) -> list[tuple[str, Sequence[Any]]] | None:
    """What the tests call; None where the target has no sound tests."""
    name, tests = target.get("function"), target.get("tests")
    if not isinstance(name, str) or not name or not isinstance(tests, list) or not tests:
        return None
    sound = all(
        isinstance(test, dict) and isinstance(test.get("arguments"), list) and "result" in test for test in tests
    )
    return [(name, test["arguments"]) for test in tests] if sound else None


def _source(picture: Any, facts: Mapping[str, Any]) -> bytes | Path | None:
    if isinstance(picture, bytes):
        return picture
    folder = facts.get("folder", "")
    if isinstance(picture, str | Path) and str(picture) and "\0" not in f"{folder}{picture}":
        return Path(str(folder)) / picture
    return None


def _tested(
    sandbox: Runs, code: str, calls: list[tuple[str, Sequence[Any]]], tests: Sequence[Mapping[str, Any]]
) -> Mark:
    ran = sandbox.run_many(code, calls)
    if any(one.state == "refused" for one in ran):
        return Mark(score=0.0, state="failed", note=f"unavailable: {ran[0].error}")
    passed = [
        one.state == "ok" and same_result(one.result, test["result"]) for one, test in zip(ran, tests, strict=False)
    ]
    note = next((f"{one.state}: {one.error}" for one in ran if one.state != "ok"), "")
    return Mark(score=sum(passed) / len(tests), note=note, values={"passed": sum(passed), "tests": len(tests)})


def _drawn(sandbox: Runs, code: str, truth: bytes | Path) -> Mark:
    from sightline.scoring.scorers.pictures import likeness, load_picture

    wanted = load_picture(truth)
    if wanted is None:
        return invalid(BAD_PICTURE)
    ran = sandbox.run(code, picture=True)
    if ran.state == "refused":
        return Mark(score=0.0, state="failed", note=f"unavailable: {ran.error}")
    if ran.state != "ok":
        return Mark(score=0.0, note=f"{ran.state}: {ran.error}", values={"likeness": 0.0})
    found = load_picture(ran.picture or b"")
    if found is None:
        return Mark(score=0.0, note=DRAWN_BADLY, values={"likeness": 0.0})
    alike = likeness(found, wanted)
    return Mark(score=1.0 if alike >= ALIKE else alike, values={"likeness": alike})
