"""Filtering of samples; positions stay those of the whole dataset, so that a run can be resumed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from sightline.core.records import Invalid, Sample


def filter_samples(
    samples: Iterable[Sample | Invalid], filters: Sequence[str] = (), limit: int | None = None
) -> Iterator[tuple[int, Sample | Invalid]]:
    """(position, sample) of the first `limit` samples that match all filters."""
    count = 0
    for position, sample in enumerate(samples):
        if all(matches_filter(sample, condition) for condition in filters):
            yield position, sample
            count += 1
            if count == limit:
                return


def matches_filter(sample: Sample | Invalid, condition: str) -> bool:
    """Case-insensitive match: `tag=value` compares one tag; a bare word is searched in id, task and all tag values."""
    key, equals, value = condition.partition("=")
    if equals:
        return sample.tags.get(key, "").casefold() == value.casefold()
    text_lower = condition.casefold()
    return any(text_lower in text.casefold() for text in (sample.id, sample.task, *sample.tags.values()))
