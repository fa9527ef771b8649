"""A Python function as a model: its replies, its failures, and the name of its run."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import pytest

import sightline
from sightline.core.records import Prompt, Reply
from tests.support.worlds import sightline_here, write_questions


def always_true(prompt: Prompt) -> str:
    return "True"


async def always_true_later(prompt: Prompt) -> Reply:
    return Reply(text="True", tokens_out=1)


class Counting:
    """A callable object that fails every third time."""

    def __init__(self) -> None:
        self.calls = 0

    def __call__(self, prompt: Prompt) -> Any:
        self.calls += 1
        if self.calls % 3 == 0:
            raise ValueError("no answer")
        return 7 if self.calls % 3 == 1 else "True"


def run(tmp_path: Path, model: Any) -> sightline.Result:
    data = tmp_path / "data"
    if not data.exists():
        write_questions(data, 12)
    return sightline.evaluate("simulation", data=str(data), model=model, output_dir=str(tmp_path / "runs"))


@pytest.mark.parametrize("model", [always_true, always_true_later])
def test_it_scores_as_the_constant_baseline_does(tmp_path: Path, model: Any) -> None:
    result = run(tmp_path, model)
    expected = run(tmp_path, "baseline/constant:True")
    assert result.complete and result.summary.rows == expected.summary.rows
    assert result.summary.model == f"python/{__name__}:{model.__name__}"


def test_an_exception_or_a_wrong_type_fails_its_sample_only(tmp_path: Path) -> None:
    result = run(tmp_path, Counting())
    assert result.summary.statuses == {"answered": 4, "failed": 8}
    reasons = " ".join(group.reason for group in result.summary.failures)
    assert "ValueError: no answer" in reasons and "The model returned int, not a text." in reasons


MODULE = "def answer(prompt):\n    return 'True'\n\nnumber = 7\n"


def test_a_function_named_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    (tmp_path / "my_answers.py").write_text(MODULE)
    data = write_questions(tmp_path / "data", 6)
    call = ("run", "simulation", "--data", data, "--json", "--model")
    done = sightline_here(*call, "callable:my_answers:answer", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["model"] == "python/my_answers:answer"
    for name, words in (("number", "is not a function"), ("missing", "could not be loaded")):
        refused = sightline_here(*call, f"callable:my_answers:{name}", cwd=tmp_path)
        assert refused.returncode == 2 and words in refused.stderr
    assert "not of the form" in sightline_here(*call, "callable:os.system('x')", cwd=tmp_path).stderr
