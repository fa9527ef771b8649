"""Files named like modules in the current folder are never run, whatever is started there."""

from __future__ import annotations

import http.client
import json
import re
import subprocess
import sys
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

from tests.scoring.files.worlds import ALL_TASKS, write_world
from tests.support.worlds import ROOT, environment

MARKER = "ran"
PLANTED = (
    "import os\nwith open({marker!r}, 'a') as file:\n    file.write(__name__ + ' in ' + str(os.getpid()) + '\\n')\n"
)
BEFORE_US = "import runpy, sightline, sys; print(*sys.modules)"


def all_names() -> list[str]:
    """The names of all modules that can be imported here."""
    return sorted({*sys.stdlib_module_names, *packages_distributions(), "sightline", "tests"})


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A current folder as somebody else has filled it."""
    return plant(tmp_path / "downloaded", all_names())


def plant(folder: Path, names: list[str]) -> Path:
    folder.mkdir()
    for name in names:
        if name.isidentifier():
            (folder / f"{name}.py").write_text(PLANTED.format(marker=str(folder.parent / MARKER)))
    return folder


@pytest.fixture
def command(tmp_path: Path) -> list[str]:
    """The console script, as an installer writes it."""
    script = tmp_path / "bin" / "sightline"
    script.parent.mkdir()
    script.write_text("import sys\nfrom sightline.cli import main\nsys.exit(main())\n")
    return [sys.executable, "-u", str(script)]


def call(command: list[str], *args: str | Path, cwd: Path) -> subprocess.CompletedProcess[str]:
    done = subprocess.run(
        [*command, *map(str, args)],
        cwd=cwd,
        env=environment(PYTHONPATH=str(ROOT)),
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done


def ran(folder: Path) -> str:
    marker = folder.parent / MARKER
    return marker.read_text() if marker.exists() else ""


def test_the_planted_files_would_be_run(folder: Path) -> None:
    """The trap works: Python itself, asked to run a module, falls into it."""
    subprocess.run([sys.executable, "-c", "import json"], cwd=folder, env=environment(), check=True)
    assert "json in" in ran(folder)


@pytest.mark.parametrize(
    "engine",
    ["threads", "processes", pytest.param("dask", marks=pytest.mark.slow)],
)
def test_scoring_there_runs_none_of_them(folder: Path, command: list[str], tmp_path: Path, engine: str) -> None:
    if engine == "dask":
        pytest.importorskip("distributed")
    anno, out = write_world(tmp_path, {"计数": ALL_TASKS["计数"], "图片分类": ALL_TASKS["图片分类"]})
    args = ("score", "--anno-path", anno, "--model-result-path", out, "--engine", engine, "--workers", "2")
    done = call(command, *args, "--output-dir", tmp_path / "r", "--json", cwd=folder)
    assert len(json.loads(done.stdout)["models"]["out"]["tasks"]) == 2
    assert not ran(folder)


@pytest.mark.slow
def test_a_notebooks_workers_run_no_customization_of_the_current_folder(tmp_path: Path) -> None:
    """With -c and in notebooks the current folder is on the path; Python itself imports these names at its start."""
    here = plant(tmp_path / "downloaded", ["sitecustomize", "usercustomize"])
    anno, out = write_world(tmp_path, {"计数": ALL_TASKS["计数"]})
    settings = "output_dir='r', engine='processes', workers=2"
    code = f"import sightline; sightline.score({str(anno)!r}, {str(out)!r}, {settings})"
    call([sys.executable], "-c", code, cwd=here)
    assert not ran(here)


@pytest.mark.slow
def test_captions_run_none_of_them(folder: Path, command: list[str], tmp_path: Path) -> None:
    anno, out = write_world(tmp_path, {"简洁图片描述": [("2 ships near a well-known pier", "2 ships near a pier")] * 3})
    args = ("score", "--anno-path", anno, "--model-result-path", out, "--engine", "processes", "--workers", "1")
    call(command, *args, "--output-dir", tmp_path / "r", cwd=folder)
    assert not ran(folder)


@pytest.mark.slow
def test_the_sandbox_runs_none_of_them(folder: Path, command: list[str], tmp_path: Path) -> None:
    data = tmp_path / "cells"
    call(command, "generate", "matrix", "--out", data, "--count", "4", "--seed", "3", cwd=tmp_path)
    args = ("run", "matrix", "--data", data, "--model", "baseline/oracle", "--output-dir", tmp_path / "runs")
    call(command, *args, cwd=folder)
    assert not ran(folder)


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="SIGTERM is not Windows' way")
def test_a_service_started_there_runs_none_of_them(folder: Path, command: list[str], tmp_path: Path) -> None:
    secret = "0123456789abcdef0123456789abcdef"
    started = environment(PYTHONPATH=str(ROOT), SIGHTLINE_SERVE_TOKEN=secret, OPENAI_API_KEY="hidden")
    with (tmp_path / "log").open("w") as log:
        process = subprocess.Popen(
            [*command, "serve", "--port", "0", "--workers", "1"],
            cwd=folder,
            env=started,
            stdout=subprocess.PIPE,
            stderr=log,
            text=True,
        )
    assert process.stdout is not None
    try:
        port = re.search(r"http://127\.0\.0\.1:(\d+)", process.stdout.readline())
        assert port is not None, (tmp_path / "log").read_text()
        line = http.client.HTTPConnection("127.0.0.1", int(port[1]), timeout=120)
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {secret}"}
        line.request("POST", "/v1/score", json.dumps({"task": "counting", "gt": "3", "output": "3"}), headers)
        assert line.getresponse().status == 200
        line.close()
        workers = _children(process.pid)
        assert workers and all(b"hidden" not in seen and secret.encode() not in seen for seen in workers)
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()
    assert not ran(folder)


def _children(parent: int) -> list[bytes]:
    """The environments of the child processes."""
    psutil = pytest.importorskip("psutil")
    return [repr(child.environ()).encode() for child in psutil.Process(parent).children()]


@pytest.mark.parametrize("args", [("--version",), ("suites",), ("doctor",)])
def test_python_m_runs_none_that_python_has_not_run_already(tmp_path: Path, args: tuple[str, ...]) -> None:
    """`python -m` looks for the package in the current folder itself, before any line of ours."""
    env = environment(PYTHONPATH=str(ROOT))
    told = subprocess.run(
        [sys.executable, "-c", BEFORE_US], cwd=ROOT, env=env, capture_output=True, text=True, check=True
    )
    folder = plant(tmp_path / "downloaded", [name for name in all_names() if name not in told.stdout.split()])
    assert (folder / "json.py").exists() and (folder / "numpy.py").exists() and (folder / "click.py").exists()
    call([sys.executable, "-m", "sightline"], *args, cwd=folder)
    assert not ran(folder)


@pytest.mark.slow
@pytest.mark.parametrize("start", [["-P"], []])
def test_python_m_scores_in_processes_there(tmp_path: Path, folder: Path, start: list[str]) -> None:
    if not start:  # what Python imports before us, it takes from there
        for path in folder.glob("*.py"):
            if path.stem not in ("json", "numpy", "msgspec", "random", "click", "queue", "struct", "pickle"):
                path.unlink()
    anno, out = write_world(tmp_path, {"计数": ALL_TASKS["计数"]})
    args = ("score", "--anno-path", anno, "--model-result-path", out, "--engine", "processes", "--workers", "1")
    call([sys.executable, *start, "-m", "sightline"], *args, "--output-dir", tmp_path / "r", cwd=folder)
    assert not ran(folder)


@pytest.mark.slow
def test_a_plug_in_beside_the_users_script_works_in_workers(tmp_path: Path) -> None:
    """The folder of a script is the user's own: Python has it first, and so have the workers."""
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    home.mkdir()
    elsewhere.mkdir()
    anno, out = write_world(tmp_path, {"mine": [("a", "a"), ("a", "b")]})
    (home / "my_metrics.py").write_text("def same(truth, reply):\n    return float(truth == reply)\n")
    (elsewhere / "tasks.json").write_text('{"mine": {"parser": "text", "core": ["my_metrics:same"]}}')
    (home / "program.py").write_text(
        "import sys, sightline\n"
        "anno, out, tasks, to = sys.argv[1:]\n"
        "report = sightline.score(anno, out, task_config=tasks, output_dir=to, engine='processes', workers=1)\n"
        "print(report.value('mine', 'my_metrics:same'))\n"
    )
    done = call(
        [sys.executable, str(home / "program.py")],
        anno,
        out,
        elsewhere / "tasks.json",
        tmp_path / "r",
        cwd=elsewhere,
    )
    assert done.stdout.split()[-1] == "0.5"
    assert [path.name for path in elsewhere.iterdir()] == ["tasks.json"]
