"""Selection of samples: filters, and stratified sampling with equal allocation per stratum.

Positions stay those of the whole dataset, so that a run can be resumed. Which samples are drawn depends on their ids
and the seed alone, not on their order; a larger sample contains a smaller one of the same seed. Weights are inverse
probabilities.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial

from msgspec.structs import replace

from sightline.core.config import RunConfig
from sightline.core.errors import UsageError
from sightline.core.interfaces import Dataset
from sightline.core.records import Invalid, Sample
from sightline.data.dataset import IndexedDataset, SampleCache
from sightline.stats.exact import stable_hash

Selection = Iterator[tuple[int, Sample | Invalid]]


def select_samples(dataset: Dataset, config: RunConfig) -> Selection:
    """Select samples by the settings `filter`, `limit` and `sample`."""
    if config.sample is None:
        return filter_samples(dataset, config.filter, config.limit)
    # a first pass draws positions; the drawn samples come from the cache, by random access, or from a second pass
    candidates = SampleCache(lambda: filter_samples(dataset, config.filter, config.limit))
    fetch = partial(_fetch_samples, dataset, candidates)
    return draw_stratified(candidates, config.sample, config.stratify, config.seed, fetch)


def _fetch_samples(dataset: Dataset, candidates: SampleCache, positions: Sequence[int]) -> Selection:
    if not candidates.is_complete and _is_fetched_faster(dataset, len(positions)):
        for position in positions:
            yield position, dataset[position]
    else:
        yield from candidates()


def _is_fetched_faster(dataset: Dataset, count: int) -> bool:
    """Whether random access to some samples is faster than another pass over the dataset."""
    if isinstance(dataset, IndexedDataset):
        # a single row of a file takes about ten times as long as a row in a pass over the file
        return dataset.build_index() is not None and 10 * count < len(dataset)
    return dataset.has_random_access


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


def draw_stratified(
    samples: Callable[[], Iterable[tuple[int, Sample | Invalid]]],
    size: int,
    tags: Sequence[str],
    seed: int,
    fetch: Callable[[list[int]], Selection] | None = None,
) -> Selection:
    """(position, sample) of a stratified sample in dataset order, weighted by the number of samples each represents.

    `fetch` reads the drawn positions; without it, they are picked out in a second pass.
    """
    positions: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for position, sample in samples():
        positions.setdefault(_stratum(sample, tags), []).append((stable_hash(f"{seed}/{sample.id}"), position))
    counts = allocate({stratum: len(members) for stratum, members in positions.items()}, size)
    weights: dict[int, float] = {}
    for stratum, members in positions.items():
        drawn = sorted(members)[: counts[stratum]]
        weights |= dict.fromkeys((position for _, position in drawn), len(members) / max(len(drawn), 1))
    drawn_samples = samples() if fetch is None else fetch(sorted(weights))
    for position, sample in drawn_samples:
        if position in weights:
            if isinstance(sample, Sample):
                sample = replace(sample, weight=sample.weight * weights[position])
            yield position, sample


def allocate(sizes: dict[tuple[str, ...], int], size: int) -> dict[tuple[str, ...], int]:
    """Equal allocation: the same number from each stratum; small strata in full, their remainder to the others."""
    total = min(size, sum(sizes.values()))
    # the largest number per stratum that does not exceed the total
    levels = range(max(sizes.values(), default=0) + 1)
    level = (
        bisect_right(levels, total, key=lambda level_size: sum(min(members, level_size) for members in sizes.values()))
        - 1
    )
    counts = {stratum: min(members, level) for stratum, members in sizes.items()}
    larger = sorted(stratum for stratum, members in sizes.items() if members > level)
    for stratum in larger[: total - sum(counts.values())]:
        counts[stratum] += 1
    return counts


def _stratum(sample: Sample | Invalid, tags: Sequence[str]) -> tuple[str, ...]:
    unknown = [tag for tag in tags if tag != "task" and tag not in sample.tags]
    if unknown and isinstance(sample, Sample):
        raise UsageError(
            "Samples have no tag '{tag}' to stratify by.",
            hint="Known: {listed}",
            tag=unknown[0],
            listed=", ".join(["task", *sample.tags]),
        )
    return tuple(sample.task if tag == "task" else sample.tags.get(tag, "") for tag in tags)
