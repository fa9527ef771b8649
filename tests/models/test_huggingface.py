"""`hf/PATH`: a tiny LLaVA with random weights, loaded with transformers; code and pickles of checkpoints stay shut."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from sightline.core.config import RunConfig
from sightline.core.errors import ConfigError, UsageError
from sightline.models import make_model
from tests.support.worlds import ROOT, environment, write_questions

QUESTIONS = 5


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """The runs of tests/support/huggingface_runs.py.

    In a process of its own, with the packages of TORCH_PACKAGES beside those of this environment: a CPU build of torch
    and requirements-hf.lock.
    """
    packages = os.environ.get("TORCH_PACKAGES", "")
    if not (packages and (Path(packages) / "torch").is_dir()) and find_spec("torch") is None:
        pytest.skip("no torch: TORCH_PACKAGES names no folder with a CPU build of it and requirements-hf.lock")
    folder = tmp_path_factory.mktemp("hf")
    data = write_questions(folder / "data", QUESTIONS)
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.huggingface_runs", str(folder), str(data)],
        cwd=ROOT,
        env=environment(PYTHONPATH=packages, HF_HUB_OFFLINE="1", HF_HOME=str(folder / "home")),
        capture_output=True,
        text=True,
        timeout=500,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def by_sample(run: dict[str, Any], field: str) -> dict[str, Any]:
    return {line["sample"]: line[field] for line in run["answers"]}


@pytest.mark.slow
def test_replies_of_a_checkpoint(runs: dict[str, Any]) -> None:
    for name in ("batches", "single", "blind", "sampled"):
        assert not runs[name]["stopped"] and len(runs[name]["answers"]) == QUESTIONS
        assert all(line["tokens_out"] <= 6 for line in runs[name]["answers"])
    assert by_sample(runs["batches"], "text") == by_sample(runs["single"], "text")  # padding changes nothing
    assert by_sample(runs["sampled"], "text") != by_sample(runs["single"], "text")
    seen, blind = (by_sample(runs[name], "tokens_in") for name in ("batches", "blind"))
    assert all(seen[sample] == blind[sample] + 4 for sample in blind)  # a picture has 4 patches
    assert runs["single"]["identity"]["files"] and runs["single"]["identity"]["max_new_tokens"] == 6


@pytest.mark.slow
def test_code_of_a_checkpoint_runs_only_where_it_is_trusted(runs: dict[str, Any]) -> None:
    assert "cannot be loaded" in runs["untrusted"]["stopped"] and "trust_remote_code" in runs["untrusted"]["stopped"]
    assert not runs["untrusted"]["touched"] and runs["trusted"]["touched"]  # the second shows that the first can fail


@pytest.mark.slow
def test_pickled_weights_are_refused(runs: dict[str, Any]) -> None:
    assert "cannot be loaded" in runs["pickled"]["stopped"] and "safetensors" in runs["pickled"]["stopped"]
    assert not runs["pickled"]["answers"]


def test_what_can_be_said_without_torch(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is not a checkpoint"):
        make_model(RunConfig(model=f"hf/{tmp_path}"))
    (tmp_path / "config.json").write_text("{}")
    for wrong in ({"dtype": "int8"}, {"batch_size": 0}, {"trust_remote_code": "maybe"}, {"device": 1}):
        with pytest.raises(ConfigError, match="Invalid options of hf/"):
            make_model(RunConfig(model=f"hf/{tmp_path}", model_args=wrong))
    if find_spec("torch") is None:
        with pytest.raises(UsageError, match="requires torch") as refused:
            make_model(RunConfig(model=f"hf/{tmp_path}"))
        assert "sightline[hf]" in str(refused.value)
