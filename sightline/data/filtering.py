"""Which samples of a data set are wanted: positions stay those of the whole set, so that a run can be continued."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sightline.core.records import Invalid, Sample


def select(
    samples: Iterable[Sample | Invalid], words: Sequence[str] = (), limit: int | None = None
) -> Iterator[tuple[int, Sample | Invalid]]:
    """(position, sample) of those that match every word, the first `limit` of them."""
    taken = 0
    for position, sample in enumerate(samples):
        if all(matches(sample, word) for word in words):
            yield position, sample
            taken += 1
            if taken == limit:
                return


def matches(sample: Sample | Invalid, word: str) -> bool:
    """`tag=value` compares one tag; a bare word is looked for in id, task and all tag values; case does not matter."""
    key, equals, value = word.partition("=")
    if equals:
        return sample.tags.get(key, "").casefold() == value.casefold()
    sought = word.casefold()
    return any(sought in text.casefold() for text in (sample.id, sample.task, *sample.tags.values()))
