"""Small runs to look at, and a visitor who has the token."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path

import pytest

pytest.importorskip("starlette", reason="the pages need starlette: pip install 'sightline[viewer]'")
pytest.importorskip("httpx", reason="the pages' tests need httpx")

from sightline import evaluate, generate, load_suite
from sightline.core.records import Sample
from sightline.web.viewer.server import make_app
from tests.support.worlds import write_questions
from tests.web.viewer.visits import PORT, TOKEN, TestClient, Visit, edit_journal


@pytest.fixture(scope="session")
def questions(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two runs over the same true/false questions."""
    place = tmp_path_factory.mktemp("questions")
    data = write_questions(place / "data", 30, simulations=4)
    for rate in ("0.3", "0.6"):
        evaluate("simulation", data=str(data), model=f"baseline/perturbed:{rate}", output_dir=str(place / "runs"))
    return place / "runs"


@pytest.fixture(scope="session")
def shapes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose replies are boxes, quads and polygons; all are right."""
    place = tmp_path_factory.mktemp("shapes")
    generate("remote-sensing", place / "data", count=1)
    evaluate(
        "remote-sensing",
        data=str(place / "data"),
        model="baseline/oracle",
        output_dir=str(place / "runs"),
        task=("水平区域检测", "旋转区域检测", "实例分割"),
    )
    return place / "runs"


@pytest.fixture(scope="session")
def models(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run over structural drawings: the first reply has a wrong load, the second can't be read, others are right."""
    place = tmp_path_factory.mktemp("models")
    generate("structural", place / "data", count=3, seed=3)
    suite = load_suite("structural")
    evaluate("structural", data=str(place / "data"), model="baseline/oracle", output_dir=str(place / "runs"))
    first, second = islice(suite.dataset(place / "data"), 2)
    assert isinstance(first, Sample) and isinstance(second, Sample)
    run = next((place / "runs").iterdir())
    edit_journal(run, 0, text=suite.corrupted_replies(first)["overloaded"])
    edit_journal(run, 1, text=suite.corrupted_replies(second)["unreadable"])
    return place / "runs"


@pytest.fixture
def visit() -> Iterator[Callable[[Path], Visit]]:
    """A visitor of the runs in a folder."""
    opened: list[TestClient] = []

    def start(runs: Path) -> Visit:
        client = TestClient(make_app(runs, TOKEN, PORT), base_url=f"http://127.0.0.1:{PORT}")
        client.__enter__()
        opened.append(client)
        assert client.get(f"/?token={TOKEN}").status_code == 200
        return Visit(client)

    yield start
    for client in opened:
        client.__exit__(None, None, None)
