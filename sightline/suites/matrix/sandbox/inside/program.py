"""Execution of one untrusted program and its result frames. Model-written code is executed only in this module.

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
MAX_ERROR_LENGTH = 400


class Program(InspectLoader):
    """Import loader that executes the source text as the `__main__` module."""

    def __init__(self, text: str) -> None:
        self.text = text

    def get_source(self, fullname: str) -> str:
        """Return the source text, also used for tracebacks."""
        return self.text

    def load(self) -> ModuleType:
        """Execute the program from top to bottom."""
        spec = spec_from_loader("__main__", self, origin="<program>")
        assert spec is not None
        module = sys.modules["__main__"] = module_from_spec(spec)
        self.exec_module(module)
        return module


class FrameWriter:
    """Writer of result frames: a random marker, a kind, a length and the content."""

    def __init__(self, write: Write, mark: bytes, max_bytes: int) -> None:
        self._write, self._mark, self._max_bytes = write, mark, max_bytes
        self._encode = json.JSONEncoder(allow_nan=False, default=_to_json_value).encode

    def send_result(self, state: str, result: Any = None, error: str = "") -> None:
        """Send the result of the program or of one call."""
        content = self._encode({"state": state, "result": result, "error": error}).encode()
        if len(content) > self._max_bytes:
            content = self._encode({"state": "output", "error": "The result is too large."}).encode()
        self.send(b"J", content)

    def send(self, kind: bytes, content: bytes) -> None:
        """Send one frame."""
        self._write(self._mark + kind + len(content).to_bytes(4, "big") + content)


def _to_json_value(value: Any) -> Any:
    """Convert NumPy scalars and arrays to Python values; reject anything else."""
    if type(value).__module__ == "numpy":
        return value.tolist()
    raise TypeError(f"{type(value).__name__} is not a JSON value")


def _run_step(frames: FrameWriter, step: Callable[[], Any]) -> bool:
    """Run one step and send its result; any exception becomes an error frame."""
    try:
        frames.send_result("ok", step())
        return True
    except MemoryError:
        frames.send_result("memory", error="MemoryError")
    except BaseException as error:
        lines = format_exception_only(type(error), error)
        frames.send_result("error", error=lines[-1].strip()[:MAX_ERROR_LENGTH] if lines else type(error).__name__)
    return False


def run(request: dict[str, Any], write: Write) -> None:
    """Execute the program, make the calls and take the picture; send one frame for each."""
    frames = FrameWriter(write, bytes.fromhex(request["mark"]), request["most"])
    out, run_step, picture, modules = sys.stdout, _run_step, _take_picture, sys.modules
    program = Program(request["code"])

    def start() -> None:
        try:
            program.load()
        except SystemExit as ending:
            if ending.code not in (None, 0):
                raise

    def call_function(name: str, arguments: list[Any]) -> Any:
        return getattr(modules["__main__"], name)(*arguments)

    if run_step(frames, start):
        for name, arguments in request["calls"]:
            run_step(frames, lambda name=name, arguments=arguments: call_function(name, arguments))  # type: ignore[misc]
        if request["picture"]:
            run_step(frames, lambda: frames.send(b"P", picture()))
    out.flush()


def _take_picture() -> bytes:
    """Return the current Matplotlib figure as PNG, else the first PNG file in the scratch folder."""
    plots = sys.modules.get("matplotlib.pyplot")
    if plots is not None and plots.get_fignums():
        buffer = BytesIO()
        plots.gcf().savefig(buffer, format="png")
        return buffer.getvalue()
    files = sorted(Path.cwd().rglob("*.png"), key=lambda path: (path.stat().st_mtime_ns, path.name))
    if not files:
        raise LookupError("The program drew no picture.")
    return files[0].read_bytes()


def send_refusal(request: dict[str, Any], write: Write, reason: str) -> None:
    """Report that the program was not run because its process could not be confined."""
    FrameWriter(write, bytes.fromhex(request["mark"]), request["most"]).send_result("refused", error=reason)


def descriptor_writer(descriptor: int) -> Write:
    """Return a function that writes to a descriptor, independent of later changes to `os`."""
    write, view = os.write, memoryview

    def write_all(content: bytes) -> None:
        remaining = view(content)
        while remaining:
            remaining = remaining[write(descriptor, remaining) :]

    return write_all


def main() -> None:
    """Entry point without isolation: the request comes on standard input, the frames go to a file."""
    request = json.load(sys.stdin.buffer)
    os.chdir(request["folder"])
    with Path(request["reply"]).open("wb", buffering=0) as reply:
        run(request, descriptor_writer(reply.fileno()))
    os._exit(0)
