"""Runs a program in a plain process of its own, with a time limit and no wall: only where a user insists on it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from sightline.suites.matrix.sandbox.launchers import INSIDE, library_folders
from sightline.suites.matrix.sandbox.records import Limits
from sightline.suites.matrix.sandbox.result_reader import Ending

START = """
import sys
sys.path.append(sys.argv[1])
from inside.program import main
sys.path[-1:] = sys.argv[2:]
main()
"""
KEPT = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "LANG")
GLANCE = 0.02


def run_plainly(asked: dict[str, Any], limits: Limits, most: int) -> Ending:
    """One program with its time and output limited; nothing else is."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        request, output, reply = (Path(folder, name) for name in ("request", "output", "reply"))
        scratch = Path(folder, "scratch")
        scratch.mkdir()
        request.write_text(json.dumps({**asked, "reply": str(reply), "folder": str(scratch)}), encoding="utf-8")
        variables = {name: os.environ[name] for name in KEPT if name in os.environ}
        with request.open("rb") as source, output.open("wb") as sink:
            process = subprocess.Popen(  # noqa: S603  # the command is ours; the program comes on its input
                [sys.executable, "-I", "-S", "-X", "utf8", "-c", START, str(INSIDE.parent), *library_folders()],
                stdin=source,
                stdout=sink,
                stderr=subprocess.DEVNULL,
                env={**variables, "HOME": str(scratch), "MPLBACKEND": "Agg", "MPLCONFIGDIR": str(scratch)},
            )
            return _wait(process, output, reply, limits, most)


def _wait(process: subprocess.Popen[bytes], output: Path, reply: Path, limits: Limits, most: int) -> Ending:
    started, state = time.monotonic(), ""
    while not state:
        try:
            process.wait(GLANCE)
            state = "ok" if process.returncode >= 0 else "killed"
        except subprocess.TimeoutExpired:
            if time.monotonic() - started > limits.seconds:
                state = "timeout"
            elif output.stat().st_size > limits.output_kb << 10:
                state = "output"
    process.kill()
    process.wait()
    if output.stat().st_size > limits.output_kb << 10:
        state = "output"
    return Ending(
        output=_start_of(output, limits.output_kb << 10),
        reply=_start_of(reply, most),
        state=state,  # type: ignore[arg-type]  # one of the four above
        error=WORDS[state],
        seconds=time.monotonic() - started,
    )


WORDS = {
    "ok": "",
    "killed": "The program was ended by a signal.",
    "timeout": "The time limit is reached.",
    "output": "The output limit is reached.",
}


def _start_of(path: Path, most: int) -> bytes:
    if not path.exists():
        return b""
    with path.open("rb") as file:
        return file.read(most)
