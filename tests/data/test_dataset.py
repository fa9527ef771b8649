"""Datasets in memory and by iteration, plain lists from plug-ins, the sample cache, and what `--sample` reads."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Any

import pytest

from sightline.core.config import RunConfig
from sightline.core.errors import UsageError
from sightline.core.interfaces import Dataset, Suite
from sightline.core.records import Invalid, Sample
from sightline.core.registry import load_suite
from sightline.data import dataset
from sightline.data.dataset import IterableDataset, ListDataset, SampleCache, open_dataset
from sightline.data.selection import select_samples


class Source:
    """Counts how often it is begun and how much is read."""

    def __init__(self, count: int) -> None:
        self.count, self.begun, self.read = count, 0, 0

    def __call__(self) -> Iterator[Any]:
        self.begun += 1
        for number in range(self.count):
            self.read += 1
            yield number, Sample(id=str(number), task="t", question="", target=None)


@pytest.mark.parametrize("count", [0, 1, 10])
def test_few_samples_are_read_once(count: int) -> None:
    source = Source(count)
    memory = SampleCache(source)
    assert list(islice(memory(), 3)) == list(Source(count)())[:3]
    assert source.read <= 3
    for _ in range(3):
        assert list(memory()) == list(Source(count)())
    assert (source.begun, source.read) == (1, count)


def test_two_streams_at_once_are_both_whole() -> None:
    source = Source(10)
    memory = SampleCache(source)
    pairs = list(zip(memory(), memory(), strict=True))
    assert pairs == [(one, one) for one in Source(10)()] and source.read == 10


@pytest.mark.parametrize("most", [0, 1, 4, 9])
def test_many_samples_are_streamed_and_none_is_lost(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "MAX_SAMPLES", most)
    memory = SampleCache(Source(10))
    first = memory()
    begun = list(islice(first, 2))
    for _ in range(3):
        assert list(memory()) == list(Source(10)())
    assert [*begun, *first] == list(Source(10)())


def test_an_error_while_reading_is_met_again() -> None:
    """A cache that took what was read before the error for the whole would lose samples without a word."""

    def fail() -> Iterator[Any]:
        yield 0, Sample(id="0", task="t", question="", target=None)
        raise ValueError("torn")

    memory = SampleCache(fail)
    first = memory()
    assert next(first)[0] == 0
    for stream in (memory(), first, memory()):
        with pytest.raises(ValueError, match="torn"):
            list(stream)
    assert not memory.is_complete


def make_samples(count: int) -> list[Sample]:
    return [Sample(id=f"s{number}", task="t", question="", target=None) for number in range(count)]


class Numbers(Dataset):
    """Random access that counts what is read."""

    has_random_access = True

    def __init__(self, count: int) -> None:
        self.samples, self.read = make_samples(count), 0

    def __iter__(self) -> Iterator[Sample]:
        for sample in self.samples:
            self.read += 1
            yield sample

    def __len__(self) -> int:
        return len(self.samples)

    def __getitem__(self, position: int) -> Sample:
        self.read += 1
        return self.samples[position]


class OnlyIteration(Dataset):
    """A dataset with nothing but the required method."""

    def __iter__(self) -> Iterator[Sample]:
        return iter(make_samples(3))


@pytest.mark.parametrize(
    "samples", [ListDataset(make_samples(3)), IterableDataset(lambda: iter(make_samples(3))), OnlyIteration()]
)
@pytest.mark.parametrize("most", [0, 2, 5_000])
def test_each_kind_has_length_position_and_lookup(samples: Dataset, most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dataset, "MAX_SAMPLES", most)
    assert list(samples) == make_samples(3) == [samples[position] for position in range(3)]
    assert len(samples) == 3
    assert [samples.find(name) for name in ("s0", "s2", "s3")] == [0, 2, None]
    for position in (3, -1):
        with pytest.raises(IndexError):
            samples[position]


def test_access_by_position_reads_a_small_dataset_once() -> None:
    source = Source(10)
    samples = IterableDataset(lambda: (sample for _, sample in source()))
    assert [samples[position].id for position in (7, 3, 9)] == ["7", "3", "9"]
    assert samples.find("5") == 5 and len(samples) == 10
    assert (source.begun, source.read) == (1, 10)


class Listed(Suite):
    """A suite that returns whatever it is made with."""

    name = "listed"
    samples: Any = ()

    def dataset(self, path: Path) -> Any:
        return self.samples

    def next_prompt(self, sample: Sample, answers: Any) -> None:
        return None

    def scorer(self, task: str) -> Any:
        raise NotImplementedError


def test_a_plain_list_or_tuple_is_a_dataset(tmp_path: Path) -> None:
    suite = Listed()
    for samples in (make_samples(2), tuple(make_samples(2))):
        suite.samples = samples
        opened = open_dataset(suite, tmp_path)
        assert isinstance(opened, ListDataset) and list(opened) == make_samples(2) and opened.find("s1") == 1


def test_an_iterator_is_refused_with_a_remedy(tmp_path: Path) -> None:
    suite = Listed()
    suite.samples = iter(make_samples(2))
    with pytest.raises(UsageError, match="neither a Dataset nor a list") as caught:
        open_dataset(suite, tmp_path)
    assert "IterableDataset" in caught.value.hint


@pytest.mark.parametrize("most", [5_000, 10])
def test_a_draw_reads_the_whole_once(most: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawn samples come from the cache if all fit into it, else by position."""
    config = RunConfig(sample=4)
    numbers = Numbers(100)
    expected = list(select_samples(ListDataset(numbers.samples), config))
    monkeypatch.setattr(dataset, "MAX_SAMPLES", most)
    assert list(select_samples(numbers, config)) == expected and len(expected) == 4
    assert numbers.read <= 100 + 4 + 11, "the first pass, the drawn ones, and what the cache gave up"
    streamed = IterableDataset(lambda: iter(numbers.samples))
    assert list(select_samples(streamed, config)) == expected


@pytest.mark.parametrize(("size", "is_fetched"), [(1, True), (5, False)])
def test_a_draw_from_annotation_files_is_the_same_by_index(
    size: int, is_fetched: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    suite = load_suite("remote-sensing")
    suite.generate(tmp_path / "data", 1, seed=0)
    config = RunConfig(sample=size, stratify=("task",), seed=3)
    samples = open_dataset(suite, tmp_path / "data")
    expected = list(select_samples(samples, config))
    assert len(expected) == size and not samples.has_random_access
    fetched: list[int] = []
    load = type(samples).load_sample  # type: ignore[attr-defined]

    def load_counted(samples: Any, index: Any, position: int) -> Any:
        fetched.append(position)
        return load(samples, index, position)

    monkeypatch.setattr(type(samples), "load_sample", load_counted)
    monkeypatch.setattr(dataset, "MAX_SAMPLES", 0)
    assert list(select_samples(samples, config)) == expected
    assert fetched == ([position for position, _ in expected] if is_fetched else [])


@pytest.mark.parametrize("make", [ListDataset, lambda samples: IterableDataset(lambda: iter(samples))])
@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"weight": float("nan")}, "The weight nan is not a positive finite number."),
        ({"weight": float("inf")}, "The weight inf is not a positive finite number."),
        ({"weight": 0.0}, "The weight 0.0 is not a positive finite number."),
        ({"question": "half \ud800"}, "The question is not valid Unicode text."),
        ({"id": "half \ud800"}, "The id is not valid Unicode text."),
    ],
)
def test_a_sample_that_cannot_be_used_is_invalid(make: Any, change: dict[str, Any], reason: str) -> None:
    values = {"id": "one", "task": "t", "question": "", "target": None} | change
    (sample,) = make([Sample(**values)])
    assert isinstance(sample, Invalid) and str(sample.reason) == reason
    sample.id.encode()


@pytest.mark.parametrize("entry", ["a question", {"id": "one"}, None])
def test_an_object_that_is_no_sample_is_refused(entry: Any) -> None:
    with pytest.raises(UsageError, match=type(entry).__name__):
        ListDataset([entry])
    with pytest.raises(UsageError, match=type(entry).__name__):
        list(IterableDataset(lambda: iter([entry])))
