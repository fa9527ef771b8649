"""A remembered stream is the stream, however often and however interleaved it is begun."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import pytest

from sightline.core.records import Sample
from sightline.data import sample_cache
from sightline.data.sample_cache import SampleCache


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
    monkeypatch.setattr(sample_cache, "MAX_SAMPLES", most)
    memory = SampleCache(Source(10))
    first = memory()
    begun = list(islice(first, 2))
    for _ in range(3):
        assert list(memory()) == list(Source(10)())
    assert [*begun, *first] == list(Source(10)())
