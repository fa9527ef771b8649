"""Execution in an ordinary subprocess with a time limit and no isolation; only if the user allows it explicitly."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from sightline.suites.matrix.sandbox.outcomes import Limits, ProcessResult
from sightline.suites.matrix.sandbox.worker import INSIDE, library_folders

START_CODE = """
import sys
sys.path.append(sys.argv[1])
from inside.program import main
sys.path[-1:] = sys.argv[2:]
main()
"""
KEPT_VARIABLES = ("PATH", "SYSTEMROOT", "TEMP", "TMP", "LANG")
POLL_SECONDS = 0.02


def run_unsandboxed(request_data: dict[str, Any], limits: Limits, max_reply_bytes: int) -> ProcessResult:
    """Run one program with limits on time and output only."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        request, output, reply = (Path(folder, name) for name in ("request", "output", "reply"))
        scratch = Path(folder, "scratch")
        scratch.mkdir()
        request.write_text(json.dumps({**request_data, "reply": str(reply), "folder": str(scratch)}), encoding="utf-8")
        variables = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
        with request.open("rb") as source, output.open("wb") as sink:
            process = subprocess.Popen(  # noqa: S603  # the command is ours; the program comes on its input
                [sys.executable, "-I", "-S", "-X", "utf8", "-c", START_CODE, str(INSIDE.parent), *library_folders()],
                stdin=source,
                stdout=sink,
                stderr=subprocess.DEVNULL,
                env={**variables, "HOME": str(scratch), "MPLBACKEND": "Agg", "MPLCONFIGDIR": str(scratch)},
            )
            return _wait(process, output, reply, limits, max_reply_bytes)


def _wait(
    process: subprocess.Popen[bytes], output: Path, reply: Path, limits: Limits, max_reply_bytes: int
) -> ProcessResult:
    started, state = time.monotonic(), ""
    while not state:
        try:
            process.wait(POLL_SECONDS)
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
    return ProcessResult(
        output=_read_start(output, limits.output_kb << 10),
        reply=_read_start(reply, max_reply_bytes),
        state=state,  # type: ignore[arg-type]  # one of the four above
        error=ERRORS[state],
        seconds=time.monotonic() - started,
    )


ERRORS = {
    "ok": "",
    "killed": "The program was ended by a signal.",
    "timeout": "The time limit is reached.",
    "output": "The output limit is reached.",
}


def _read_start(path: Path, max_bytes: int) -> bytes:
    if not path.exists():
        return b""
    with path.open("rb") as file:
        return file.read(max_bytes)
