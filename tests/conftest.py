"""What all tests share."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from hypothesis import settings

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tests.support.worlds import SEESIM

# The tests start hundreds of processes, and each would compile everything that it imports.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

settings.register_profile("sightline", deadline=None)  # no test is about time, and machines may be busy
settings.load_profile("sightline")


def pytest_xdist_auto_num_workers(config: pytest.Config) -> int:
    """One worker more than there are cores: many tests wait for servers and child processes."""
    return int(os.environ.get("PYTEST_XDIST_AUTO_NUM_WORKERS", 0)) or (os.cpu_count() or 1) + 1


@pytest.fixture(autouse=True)
def _plain_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("SIGHTLINE_LANG", "en")


@pytest.fixture
def seesim() -> Path:
    """The real question set, where it is at hand."""
    if not SEESIM.exists():
        pytest.skip(f"the SeeSim data set is not at {SEESIM}")
    return SEESIM
