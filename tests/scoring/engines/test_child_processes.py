"""What worker processes are given: no secrets, no modules of the current folder, no way into the caller."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from sightline.scoring.engines import JobResult, open_engine
from sightline.scoring.engines.child_processes import child_environment, python_command, search_path
from tests.scoring.engines import work

SECRETS = ("OPENAI_API_KEY", "SIGHTLINE_API_KEY", "SIGHTLINE_JUDGE_API_KEY", "SIGHTLINE_SERVE_TOKEN", "GITHUB_TOKEN")
MORE_SECRETS = ("DB_PASSWORD", "PGPASSWD", "MY_CREDENTIALS", "CLIENT_SECRET", "HTTP_AUTHORIZATION", "SSH_AUTH_SOCK")
STORAGE = ("AWS_SECRET_ACCESS_KEY", "GOOGLE_APPLICATION_CREDENTIALS", "FSSPEC_S3_KEY", "AZURE_STORAGE_KEY")
NEEDED = ("SIGHTLINE_LANG", "PATH", "XDG_CACHE_HOME")


@pytest.fixture
def secrets(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in (*SECRETS, *MORE_SECRETS, *STORAGE, *NEEDED[::2]):
        monkeypatch.setenv(name, "hidden")
    monkeypatch.setenv("DATABASE_URL", "postgres://me:hidden@host/db")
    monkeypatch.setenv("HTTPS_PROXY", "http://me:hidden@proxy:3128")


@pytest.mark.usefixtures("secrets")
def test_no_secret_is_in_the_environment_of_a_child() -> None:
    found = child_environment()
    assert "hidden" not in {value for name, value in found.items() if name not in NEEDED}
    assert not {*SECRETS, *MORE_SECRETS, *STORAGE, "DATABASE_URL", "HTTPS_PROXY"} & found.keys()
    assert found.keys() >= set(NEEDED)


@pytest.mark.usefixtures("secrets")
@pytest.mark.parametrize("name", ["processes", pytest.param("dask", marks=pytest.mark.slow)])
def test_workers_see_no_keys_but_those_of_storages(name: str) -> None:
    if name == "dask":
        pytest.importorskip("distributed")
    engine = open_engine(name, workers=1)
    try:
        (end,) = engine.run(work.name_variables, [0])
    finally:
        engine.close()
    assert end.value is not None
    assert not {*SECRETS, *MORE_SECRETS, "DATABASE_URL"} & set(end.value)
    assert {*STORAGE, *NEEDED, "HTTPS_PROXY"} <= set(end.value)


def test_the_search_path_is_handed_on_and_the_current_folder_stands_last(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    own = str(tmp_path / "own")
    monkeypatch.setattr(sys, "path", [own, "/installed"])  # a script: its folder stands first
    assert search_path() == [own, "/installed"]
    monkeypatch.setattr(sys, "path", ["", "/installed", "__editable__.x.finder.__path_hook__"])  # a notebook
    assert search_path() == ["/installed", str(Path.cwd())]
    assert python_command("json.tool")[:3] == [sys.executable, "-P", "-m"]


def test_a_notebooks_modules_are_found_but_hide_nothing(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("json", "numpy", "my_own_metric"):
        (tmp_path / f"{name}.py").write_text("")
    root = str(Path(__file__).parents[3])
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", ["", root, *(path for path in sys.path if path not in ("", root))])
    engine = open_engine("processes", workers=1)
    try:
        found = {end.number: end.value for end in engine.run(work.find_module, ["json", "numpy", "my_own_metric"])}
    finally:
        engine.close()
    assert found[2] == str(tmp_path / "my_own_metric.py")
    assert str(tmp_path) not in str(found[0]) + str(found[1])


def test_answers_are_values_of_the_declared_type_and_never_more() -> None:
    engine = open_engine("processes", workers=1)
    try:
        (end,) = engine.run(work.load_itself, [0])
        assert end.value is None and end.why.startswith("TypeError: Encoding objects of type object")
        (end,) = engine.run(work.lie, [7])
        assert end == JobResult(0, why="the worker died")
        (end,) = engine.run(work.raise_end, [7])
        assert end == JobResult(0, why="EOFError: the job's own")
        (end,) = engine.run(work.double, [7])
        assert end == JobResult(0, 14)
    finally:
        engine.close()
