"""All suites through a LiteLLM proxy, which users put before their servers; its models are mocks of its own."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from sightline.api.evaluation import generate
from tests.support.real_servers import PROXY_KEY, litellm_proxy
from tests.support.worlds import journal, only_run, sightline_here, write_questions

pytestmark = pytest.mark.slow

RECIPES: dict[str, dict[str, object]] = {"structural": {}, "matrix": {}, "remote-sensing": {"size": 128}}


@pytest.fixture(scope="module")
def proxy(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with litellm_proxy(tmp_path_factory.mktemp("litellm"), truth="True", judge="equal") as base:
        yield base


@pytest.mark.parametrize("suite", ["simulation", *RECIPES])
def test_a_suite_through_the_proxy(suite: str, proxy: str, tmp_path: Path) -> None:
    if suite == "simulation":
        data = write_questions(tmp_path / "data", 12)
    else:
        data = generate(suite, tmp_path / "data", count=1, seed=1, **RECIPES[suite])
    done = sightline_here(
        *("run", suite, "--data", data, "--model", "truth", "--api-base", proxy, "--api-key", PROXY_KEY),
        *("--limit", "12", "--json"),
        cwd=tmp_path,
    )
    assert done.returncode == 0, done.stderr
    lines = journal(only_run(tmp_path / "runs"))
    assert lines and all((line["type"], line["text"]) == ("answer", "True") for line in lines)
    if suite == "simulation":
        assert json.loads(done.stdout)["statuses"] == {"answered": 12}


def test_a_judge_behind_the_proxy(proxy: str, tmp_path: Path) -> None:
    data = generate("matrix", tmp_path / "data", count=2, seed=1, kind=("image_description",))
    done = sightline_here(
        *("run", "matrix", "--data", data, "--model", "truth", "--judge", "judge", "--cache-path", tmp_path / "cache"),
        *("--api-base", proxy, "--api-key", PROXY_KEY),
        cwd=tmp_path,
    )
    assert done.returncode == 0 and "at least as good" in done.stdout, done.stderr


def test_an_unknown_model_ends_the_run_with_the_proxys_words(proxy: str, tmp_path: Path) -> None:
    data = write_questions(tmp_path / "data", 40)
    done = sightline_here(
        *("run", "simulation", "--data", data, "--model", "nobody", "--api-base", proxy, "--api-key", PROXY_KEY),
        cwd=tmp_path,
    )
    assert done.returncode == 2 and "Invalid model name passed in model=nobody" in done.stdout + done.stderr
    assert PROXY_KEY not in done.stdout + done.stderr
