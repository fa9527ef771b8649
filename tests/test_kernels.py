"""The same digits on every CPU: OpenBLAS is told to compute as on other processors, with one thread and with two."""

from __future__ import annotations

import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

from tests.support.worlds import ROOT, environment, sightline

KERNELS = ("Haswell", "SkylakeX", "Zen", "Prescott")
NUMERICAL = (
    "tests/suites/structural/fem",
    "tests/stats",
    "tests/suites/structural/test_framecalc.py",
    "tests/suites/structural/test_framecalc_repairs.py",
    "tests/suites/structural/test_mutations.py",
    "tests/suites/structural/test_named_faults.py",
    "tests/suites/structural/test_structural_tools.py",
)
PROBE = """
import numpy as np
from threadpoolctl import threadpool_info
a = np.eye(64) + 0.01
assert np.isfinite(np.linalg.inv(a) @ a).all()
print([library.get("architecture") for library in threadpool_info()])
"""


@cache
def computes_as(kernel: str) -> str:
    """The name by which the library knows a kernel; nothing where this CPU lacks its instructions: the process dies."""
    command = [sys.executable, "-c", PROBE]
    ran = subprocess.run(command, env=environment(OPENBLAS_CORETYPE=kernel), capture_output=True, text=True)
    return ran.stdout if ran.returncode == 0 else ""


def kernels() -> list[str]:
    """Those that this CPU has, each once: a library may treat several processors alike."""
    known = {computes_as(kernel): kernel for kernel in reversed(KERNELS)}
    return [kernel for kernel in KERNELS if kernel in known.values() and computes_as(kernel)]


def ways() -> list[tuple[str, str]]:
    return [(kernel, threads) for kernel in kernels() for threads in ("1", "2")]


def contents(folder: Path, *patterns: str) -> dict[str, bytes]:
    paths = sorted(path for pattern in patterns for path in folder.glob(pattern))
    return {str(path.relative_to(folder)): path.read_bytes() for path in paths}


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("kernels") / "data"
    made = sightline("generate", "structural", "--count", "24", "--seed", "7", "--out", folder, cwd=folder.parent)
    assert made.returncode == 0, made.stderr
    return folder


@pytest.mark.slow
def test_truth_is_the_same_bytes(data: Path) -> None:
    written = []
    for kernel, threads in ways():
        more = {"OPENBLAS_CORETYPE": kernel, "OPENBLAS_NUM_THREADS": threads}
        assert sightline("truth", data, cwd=data.parent, **more).returncode == 0
        written.append(contents(data, "ground_truth_meta/*.json"))
        assert len(written[-1]) == 24
    assert all(other == written[0] for other in written)


@pytest.mark.slow
def test_scores_are_the_same_bytes(data: Path, tmp_path: Path) -> None:
    """Grades, and figures with all digits of their intervals."""
    ran = sightline("run", "structural", "--data", data, "--model", "baseline/perturbed:0.5", cwd=tmp_path)
    assert ran.returncode in (0, 3), ran.stderr
    (run,) = (tmp_path / "runs").iterdir()
    written = []
    for kernel, threads in ways():
        more = {"OPENBLAS_CORETYPE": kernel, "OPENBLAS_NUM_THREADS": threads}
        scored = sightline("regrade", run, cwd=tmp_path, **more)
        assert scored.returncode in (0, 3), scored.stderr
        written.append(contents(run, "grades.parquet", "report.json", "report.csv"))
        assert len(written[-1]) == 3
    assert all(other == written[0] for other in written)


@pytest.mark.slow
@pytest.mark.parametrize("kernel", KERNELS)
def test_the_numerical_tests_pass(kernel: str) -> None:
    if kernel not in kernels():
        pytest.skip(f"this CPU lacks the instructions of {kernel}, or OpenBLAS has no kernel of its own for it")
    command = [sys.executable, "-m", "pytest", "-n", "0", "-p", "no:cacheprovider", *NUMERICAL]
    ran = subprocess.run(
        command, cwd=ROOT, env=environment(OPENBLAS_CORETYPE=kernel), capture_output=True, text=True, timeout=590
    )
    assert ran.returncode == 0, ran.stdout[-4000:] + ran.stderr[-1000:]
