"""Every engine does the same with the same jobs, and no job can take another one with it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from sightline.core.errors import UsageError
from sightline.scoring.engines import Engine, JobResult, open_engine
from tests.scoring.engines import work

ENGINES = ["serial", "processes", pytest.param("dask", marks=pytest.mark.slow)]


@pytest.fixture(params=ENGINES)
def engine(request: pytest.FixtureRequest) -> Iterator[Engine]:
    if request.param == "dask":
        pytest.importorskip("distributed")
    made = open_engine(request.param, workers=2)
    yield made
    made.close()


def ends(engine: Engine, job: Any, jobs: Any) -> dict[int, JobResult[Any]]:
    found = list(engine.run(job, jobs))
    assert sorted(end.number for end in found) == list(range(len(found)))
    return {end.number: end for end in found}


def test_every_job_ends_once(engine: Engine) -> None:
    found = ends(engine, work.double, range(11))
    assert [found[number].value for number in range(11)] == [2 * number for number in range(11)]
    assert not list(engine.run(work.double, []))


def test_a_job_that_fails_is_told_and_the_rest_is_done(engine: Engine) -> None:
    found = ends(engine, work.fails_at_three, range(6))
    assert found.pop(3) == JobResult(3, why="ValueError: three")
    assert [end.value for _, end in sorted(found.items())] == [0, 1, 2, 4, 5]


@pytest.mark.parametrize("engine", ENGINES[1:], indirect=True)
def test_a_dead_worker_costs_only_its_job(engine: Engine, tmp_path: Path) -> None:
    found = ends(engine, work.dies_once, [(str(tmp_path / "mark"), number) for number in range(8)])
    assert [end.value for _, end in sorted(found.items())] == list(range(8))
    found = ends(engine, work.dies_at_three, range(6))
    assert found.pop(3) == JobResult(3, why="the worker died")
    assert [end.value for _, end in sorted(found.items())] == [0, 1, 2, 4, 5]


def test_an_error_in_making_jobs_is_the_callers(engine: Engine) -> None:
    def jobs() -> Iterator[int]:
        yield 1
        raise KeyError("no more")

    with pytest.raises(KeyError):
        list(engine.run(work.double, jobs()))


def test_an_unknown_engine_is_refused() -> None:
    with pytest.raises(UsageError, match="hadoop"):
        open_engine("hadoop", 1)
