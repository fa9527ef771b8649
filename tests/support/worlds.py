"""Small worlds for tests: a question set of any size, a server process, the command line as a user calls it."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager, redirect_stderr, redirect_stdout
from contextvars import copy_context
from pathlib import Path
from unittest.mock import patch

ROOT = Path(__file__).resolve().parents[2]
SEESIM = ROOT.parent / "shared" / "data" / "seesim"

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d4948445200000001000000010802000000907753de0000000c49444154789c63f8cfc000000301010018dd8db0"
    "0000000049454e44ae426082"
)


def write_questions(folder: Path, questions: int = 2000, simulations: int = 1, picture: bytes = PIXEL) -> Path:
    """A data set of `simulations` × `questions`; the questions differ, and half of the answers are True."""
    asked = [{"qid": f"q{k}", "question": f"Is statement {k} right?"} for k in range(questions)]
    images = folder / "data" / "structural" / "images"
    images.mkdir(parents=True)
    files = {}
    for number in range(1, simulations + 1):
        (images / f"File_{number}.png").write_bytes(picture)
        files[f"File_{number}"] = {"answers": {row["qid"]: (number + k) % 2 == 0 for k, row in enumerate(asked)}}
    block = {"description": "", "questions": asked, "files": files}
    (folder / "benchmark").mkdir()
    (folder / "benchmark" / "questions.json").write_text(json.dumps({"structural": block}))
    return folder


def environment(**more: str) -> dict[str, str]:
    """A clean environment: no keys, no settings, no language of the developer's own."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith(("SIGHTLINE_", "OPENAI_", "LANG", "LC_"))}
    return {**kept, "SIGHTLINE_LANG": "en", "NO_PROXY": "127.0.0.1", **more}


def sightline(*args: str | Path, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Call the command line in a process of its own."""
    command = [sys.executable, "-m", "sightline", *map(str, args)]
    return subprocess.run(
        command, cwd=cwd, env=environment(**more), capture_output=True, text=True, timeout=300, encoding="utf-8"
    )


def sightline_here(*args: str | Path, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    """Call the command line in this process: as `sightline` does, without the half second that a process takes.

    Not for help: click keeps its own line of it in the language in which it was first asked for.
    """
    from sightline.cli import main

    command = ["sightline", *map(str, args)]
    out, err, code = io.StringIO(), io.StringIO(), 0
    with (
        patch.dict(os.environ, environment(**more), clear=True),
        patch.object(sys, "argv", command),
        chdir(cwd),
        redirect_stdout(out),
        redirect_stderr(err),
    ):
        try:
            copy_context().run(main)  # whatever it sets, such as the language, ends with it
        except SystemExit as end:
            code = int(end.code or 0)
    return subprocess.CompletedProcess(command, code, out.getvalue(), err.getvalue())


@contextmanager
def server(*args: str | Path, program: str = "loopback.py") -> Iterator[str]:
    """A server process on loopback; yields its base address."""
    program = str(Path(__file__).with_name(program))
    process = subprocess.Popen([sys.executable, program, *map(str, args)], stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{process.stdout.readline().strip()}/v1"
    finally:
        process.kill()
        process.wait()
        process.stdout.close()


def only_run(folder: Path) -> Path:
    """The one run folder that is there."""
    runs = [path for path in folder.iterdir() if (path / "manifest.json").exists()]
    assert len(runs) == 1, runs
    return runs[0]


def journal(run: Path) -> list[dict[str, object]]:
    """All lines of a run's journal, in all its parts."""
    parts = sorted(run.glob("journal*.jsonl"))
    return [json.loads(line) for part in parts for line in part.read_text(encoding="utf-8").split("\n") if line]
