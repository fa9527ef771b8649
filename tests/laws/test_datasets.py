"""Datasets of all suites: length, random access and lookup agree with iteration."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from sightline.core.interfaces import Dataset, Suite
from sightline.core.records import Invalid, Sample
from sightline.core.registry import load_suite, names
from sightline.data.dataset import IndexedDataset, open_dataset

OPTIONS: dict[str, dict[str, Any]] = {"simulation": {"modality": "all"}, "remote-sensing": {"task": ("VQA1", "计数")}}
"""Options that select among the samples of a suite."""


@pytest.fixture(scope="module")
def generate(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """Generates a dataset of a suite with a damaged file, once for all cases."""

    @cache
    def generate_once(name: str) -> Path:
        suite = load_suite(name)
        folder = tmp_path_factory.mktemp("dataset") / "data"
        suite.generate(folder, 8, seed=1, recipe=suite.demo_config)
        damaged = max((path for path in folder.rglob("*.*") if path.suffix in (".txt", ".jsonl", ".png")), key=str)
        damaged.write_bytes(b"{" + damaged.read_bytes())
        return folder

    return generate_once


@pytest.fixture(scope="module", params=[*names("suites"), *(f"{name} with options" for name in OPTIONS)])
def case(request: pytest.FixtureRequest, generate: Callable[[str], Path]) -> tuple[Suite, Path]:
    """A suite with its options, and a dataset."""
    name = request.param.removesuffix(" with options")
    return load_suite(name, **(OPTIONS[name] if name != request.param else {})), generate(name)


@pytest.fixture
def dataset(case: tuple[Suite, Path]) -> Dataset:
    suite, folder = case
    return open_dataset(suite, folder)


def test_length_is_the_number_of_samples(dataset: Dataset, case: tuple[Suite, Path]) -> None:
    samples = list(iter(open_dataset(*case)))
    assert len(dataset) == len(samples) > 1
    assert {type(sample) for sample in samples} <= {Sample, Invalid}


def test_every_position_is_that_of_iteration(dataset: Dataset) -> None:
    samples = list(iter(dataset))
    positions = [len(samples) - 1, 0, *range(len(samples))]
    assert [dataset[position] for position in positions] == [samples[position] for position in positions]


@pytest.mark.parametrize("beyond", [0, 1, 10**9])
def test_a_position_beyond_the_last_is_an_index_error(dataset: Dataset, beyond: int) -> None:
    with pytest.raises(IndexError):
        dataset[len(dataset) + beyond]
    with pytest.raises(IndexError):
        dataset[-1 - beyond]


def test_a_sample_is_found_by_its_id(dataset: Dataset) -> None:
    seen: dict[str, int] = {}
    for position, sample in enumerate(dataset):
        assert dataset.find(sample.id) == seen.setdefault(sample.id, position)
    assert dataset.find("no such id") is None
    assert dataset.find("") is None


def test_two_iterations_do_not_disturb_each_other(dataset: Dataset) -> None:
    first = iter(dataset)
    started = list(islice(first, 2))
    dataset[1], dataset.find("no such id")
    assert [*started, *first] == list(iter(dataset))


def test_random_access_reads_no_other_sample(dataset: Dataset, monkeypatch: pytest.MonkeyPatch) -> None:
    """Length, position and id take no pass over the data, once an index is built where there is one."""
    samples = list(iter(dataset))
    if isinstance(dataset, IndexedDataset):
        assert not dataset.has_random_access
        assert dataset.build_index() is dataset.build_index() is not None
    if not dataset.has_random_access:
        pytest.skip("read by iteration only")

    def refuse(self: Dataset) -> Iterator[Sample]:
        raise AssertionError("a pass over the data")

    monkeypatch.setattr(type(dataset), "__iter__", refuse)
    assert len(dataset) == len(samples)
    assert dataset[len(samples) - 1] == samples[-1]
    assert dataset.find(samples[-1].id) == [sample.id for sample in samples].index(samples[-1].id)


def test_nothing_is_read_before_the_dataset_is_used(case: tuple[Suite, Path], tmp_path: Path) -> None:
    suite, _ = case
    assert isinstance(open_dataset(suite, tmp_path / "nowhere"), Dataset)
