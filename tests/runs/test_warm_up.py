"""Kernels are compiled before the first request: the event loop that awaits replies never waits for a compiler."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from sightline.api.evaluation import generate
from tests.support.worlds import environment

PROGRAM = """
import gc, json, sys
from sightline.api.evaluation import evaluate
from sightline.core.registry import load_suite
from sightline.data.dataset import open_dataset
from pathlib import Path

def kernels():
    from numba.core.dispatcher import Dispatcher
    return sum(len(item.signatures) for item in gc.get_objects() if isinstance(item, Dispatcher))

suite = load_suite("remote-sensing")
targets = {sample.question: str(sample.target) for sample in open_dataset(suite, Path(sys.argv[1]))}
counts = []

async def answer(prompt):
    counts.append(kernels())
    text = " ".join(part.text for part in prompt.messages[-1].parts if hasattr(part, "text"))
    return next((target for question, target in targets.items() if question in text), "")

evaluate("remote-sensing", data=sys.argv[1], model=answer, output_dir=sys.argv[2], concurrency=1)
print(json.dumps(counts))
"""


@pytest.mark.slow
def test_no_kernel_is_loaded_between_requests(tmp_path: Path) -> None:
    data = generate("remote-sensing", tmp_path / "data", count=1, seed=1, size=128)
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, str(data), str(tmp_path / "runs")],
        env=environment(),
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    counts = json.loads(done.stdout)
    assert len(counts) > 10 and counts[0] > 0 and set(counts) == {counts[0]}
