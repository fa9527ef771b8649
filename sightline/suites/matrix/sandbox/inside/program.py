"""Runs one program and tells what came of it. This is the only place where model-written text is executed.

It is called in a process that has already shut itself in (or, where a user insists, in a plain one). What is needed
to tell the result is taken hold of before the program runs, so that a program that replaces parts of the library spoils
its own run at most. It can't be kept from lying about itself, and need not be: no expected value ever comes in here.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable
from importlib.abc import InspectLoader
from importlib.util import module_from_spec, spec_from_loader
from io import BytesIO
from pathlib import Path
from traceback import format_exception_only
from types import ModuleType
from typing import Any

Write = Callable[[bytes], None]
ERROR_LENGTH = 400


class Program(InspectLoader):
    """The text of a program as something that Python can load as its main module."""

    def __init__(self, text: str) -> None:
        self.text = text

    def get_source(self, fullname: str) -> str:
        """The text, for Python and for its tracebacks."""
        return self.text

    def load(self) -> ModuleType:
        """Execute the program from top to bottom."""
        spec = spec_from_loader("__main__", self, origin="<program>")
        assert spec is not None
        module = sys.modules["__main__"] = module_from_spec(spec)
        self.exec_module(module)
        return module


class Teller:
    """Sends frames: a mark that nobody can guess, a kind, a length, the content."""

    def __init__(self, write: Write, mark: bytes, most: int) -> None:
        self._write, self._mark, self._most = write, mark, most
        self._encode = json.JSONEncoder(allow_nan=False, default=_plain).encode

    def tell(self, state: str, result: Any = None, error: str = "") -> None:
        """How the program, or one call, ended."""
        content = self._encode({"state": state, "result": result, "error": error}).encode()
        if len(content) > self._most:
            content = self._encode({"state": "output", "error": "The result is too large."}).encode()
        self.send(b"J", content)

    def send(self, kind: bytes, content: bytes) -> None:
        """One frame."""
        self._write(self._mark + kind + len(content).to_bytes(4, "big") + content)


def _plain(value: Any) -> Any:
    """NumPy's numbers and arrays as Python's own; anything else is not JSON."""
    if type(value).__module__ == "numpy":
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not a JSON value")


def _attempt(teller: Teller, step: Callable[[], Any]) -> bool:
    """Do one step and tell how it ended; whatever a program raises is its own affair."""
    try:
        teller.tell("ok", step())
        return True
    except MemoryError:
        teller.tell("memory", error="MemoryError")
    except BaseException as problem:
        lines = format_exception_only(type(problem), problem)
        teller.tell("error", error=lines[-1].strip()[:ERROR_LENGTH] if lines else type(problem).__name__)
    return False


def run(request: dict[str, Any], write: Write) -> None:
    """Execute the program, make the calls, take the picture; one frame for each."""
    teller = Teller(write, bytes.fromhex(request["mark"]), request["most"])
    out, attempt, picture, modules = sys.stdout, _attempt, _picture, sys.modules
    program = Program(request["code"])

    def start() -> None:
        try:
            program.load()
        except SystemExit as ending:
            if ending.code not in (None, 0):
                raise

    def called(name: str, arguments: list[Any]) -> Any:
        return getattr(modules["__main__"], name)(*arguments)

    if attempt(teller, start):
        for name, arguments in request["calls"]:
            attempt(teller, lambda name=name, arguments=arguments: called(name, arguments))  # type: ignore[misc]
        if request["picture"]:
            attempt(teller, lambda: teller.send(b"P", picture()))
    out.flush()


def _picture() -> bytes:
    """The current figure of Matplotlib, or else the first PNG file in the scratch folder."""
    plots = sys.modules.get("matplotlib.pyplot")
    if plots is not None and plots.get_fignums():
        drawn = BytesIO()
        plots.gcf().savefig(drawn, format="png")
        return drawn.getvalue()
    files = sorted(Path.cwd().rglob("*.png"), key=lambda path: (path.stat().st_mtime_ns, path.name))
    if not files:
        raise LookupError("The program drew no picture.")
    return files[0].read_bytes()


def refuse(request: dict[str, Any], write: Write, why: str) -> None:
    """Tell that the program was not run, since its process could not be shut in."""
    Teller(write, bytes.fromhex(request["mark"]), request["most"]).tell("refused", error=why)


def writer(place: int) -> Write:
    """Writes to a descriptor, whatever becomes of `os` later."""
    write, view = os.write, memoryview

    def write_all(content: bytes) -> None:
        left = view(content)
        while left:
            left = left[write(place, left) :]

    return write_all


def main() -> None:
    """The plain way, without a wall: the request comes on the standard input, the frames go to a named file."""
    request = json.load(sys.stdin.buffer)
    os.chdir(request["folder"])
    with Path(request["reply"]).open("wb", buffering=0) as reply:
        run(request, writer(reply.fileno()))
    os._exit(0)
