"""A Python function as a model: its replies, its failures, and the name of its run."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Any

import pytest

import sightline
from sightline.core.errors import UsageError
from sightline.core.records import Prompt, Reply
from sightline.core.seeds import repeat_seed
from tests.support.worlds import environment, sightline_here, write_questions


def always_true(prompt: Prompt) -> str:
    return "True"


async def always_true_later(prompt: Prompt) -> Reply:
    return Reply(text="True", tokens_out=1)


class AlwaysTrueLater:
    async def __call__(self, prompt: Prompt) -> str:
        return "True"


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


@pytest.mark.parametrize("model", [AlwaysTrueLater(), lambda prompt: always_true_later(prompt)])
def test_what_is_awaitable_is_awaited(tmp_path: Path, model: Any) -> None:
    assert run(tmp_path, model).summary.statuses == {"answered": 12}


def test_as_many_calls_run_at_once_as_the_settings_allow(tmp_path: Path) -> None:
    together = threading.Barrier(8, timeout=60)

    def answer(prompt: Prompt) -> str:
        together.wait()
        return "True"

    write_questions(tmp_path / "data", 8)
    given: dict[str, Any] = {"data": str(tmp_path / "data"), "output_dir": str(tmp_path / "runs"), "concurrency": 8}
    result = sightline.evaluate("simulation", model=answer, **given)
    assert result.summary.statuses == {"answered": 8}


def test_a_function_that_hangs_does_not_outlast_ctrl_c(tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 4)
    body = "    pathlib.Path('asked').touch()\n    time.sleep(600)\n    return 'True'\n"
    (tmp_path / "hanging.py").write_text(f"import pathlib, time\ndef answer(prompt):\n{body}")
    command = [sys.executable, "-m", "sightline", "run", "simulation", "--model", "callable:hanging:answer"]
    process = subprocess.Popen([*command, "--data", str(data)], cwd=tmp_path, env=environment())
    try:
        while not (tmp_path / "asked").exists() and process.poll() is None:
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 3
    finally:
        process.kill()
        process.wait()


MODULE = """
def answer(prompt):
    return 'True'

def none():
    return 'True'

def two(prompt, image):
    return 'True'

class Model:
    def __init__(self, prompt):
        pass

number = 7
"""


def test_a_function_named_on_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.path", [*sys.path])
    (tmp_path / "my_answers.py").write_text(MODULE)
    data = write_questions(tmp_path / "data", 6)
    call = ("run", "simulation", "--data", data, "--json", "--model")
    done = sightline_here(*call, "callable:my_answers:answer", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["model"] == "python/my_answers:answer"
    (tmp_path / "importing.py").write_text("import no_such_library_here")
    (tmp_path / "broken.py").write_text("1 / 0")
    for name, words, hint in (
        ("my_answers:number", "is not a function: it is of type int", "Name a function that takes a Prompt"),
        ("my_answers:Model", "is a class, not a function", "Name a function that takes a Prompt"),
        ("my_answers:anwser", "has no attribute 'anwser'", "Did you mean 'answer'?"),
        ("my_answers:none", "cannot be called with a Prompt: too many positional", "def answer(prompt, *, seed=0"),
        ("my_answers:two", "cannot be called with a Prompt: missing a required argument: 'image'", "def answer(prompt"),
        ("no_such_module_here:f", "No module named 'no_such_module_here'", "and in the current folder"),
        ("importing:f", "No module named 'no_such_library_here'", "imports 'no_such_library_here': install it"),
        ("broken:f", "ZeroDivisionError", "The module itself raises this error when it is imported."),
    ):
        refused = sightline_here(*call, f"callable:{name}", cwd=tmp_path)
        assert refused.returncode == 2 and words in refused.stderr and hint in refused.stderr, refused.stderr
    assert "not of the form" in sightline_here(*call, "callable:os.system('x')", cwd=tmp_path).stderr


def test_seed_and_repeat_are_passed_where_the_function_takes_them(tmp_path: Path) -> None:
    data, calls = write_questions(tmp_path / "data", 1), set()

    def both(prompt: Prompt, *, seed: int, repeat: int = 0) -> str:
        calls.add((seed, repeat))
        return "True"

    async def only_seed(prompt: Prompt, seed: int = 99) -> str:
        calls.add((seed, None))
        return "True"

    def neither(prompt: Prompt, **more: object) -> str:
        return str(not more)

    given: dict[str, Any] = {"data": str(data), "output_dir": str(tmp_path / "runs"), "repeats": 3, "seed": 5}
    seeds = [repeat_seed(5, repeat) for repeat in (1, 2, 3)]
    assert sightline.evaluate("simulation", model=both, **given).complete
    assert calls == set(zip(seeds, (1, 2, 3), strict=True)) and seeds[0] == 5
    calls.clear()
    assert sightline.evaluate("simulation", model=only_seed, **given).complete
    assert calls == {(seed, None) for seed in seeds}
    assert sightline.evaluate("simulation", model=neither, **given).summary.statuses == {"answered": 3}


def test_a_function_with_a_wrong_signature_is_refused_in_python_too(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be called with a Prompt"):
        run(tmp_path, lambda: "True")
