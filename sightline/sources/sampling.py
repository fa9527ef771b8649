"""A fair part of a large data set: so many samples of each stratum, weighted back to the whole.

Which samples are drawn depends on their ids and the seed alone, not on their order; a larger draw holds the smaller one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Sequence

import numpy as np
from msgspec.structs import replace

from sightline.errors import UsageError
from sightline.records import Invalid, Sample

Selection = Iterator[tuple[int, Sample | Invalid]]


def draw(samples: Callable[[], Iterable[tuple[int, Sample | Invalid]]], size: int, tags: Sequence[str], seed: int) -> Selection:
    """(position, sample) of the drawn ones, in the data set's order; each weighs what it stands for."""
    positions: dict[tuple[str, ...], list[tuple[int, int]]] = {}
    for position, sample in samples():
        positions.setdefault(_stratum(sample, tags), []).append((_ticket(sample.id, seed), position))
    shares = allot({stratum: len(members) for stratum, members in positions.items()}, size)
    weights: dict[int, float] = {}
    for stratum, members in positions.items():
        drawn = sorted(members)[: shares[stratum]]
        weights |= dict.fromkeys((position for _, position in drawn), len(members) / max(len(drawn), 1))
    for position, sample in samples():
        if position in weights:
            weighed = isinstance(sample, Sample)
            yield position, replace(sample, weight=sample.weight * weights[position]) if weighed else sample


def allot(sizes: dict[tuple[str, ...], int], size: int) -> dict[tuple[str, ...], int]:
    """How many of each stratum: the same number of each, small ones in full, what they leave shared by the others."""
    shares = dict.fromkeys(sizes, 0)
    left, open_strata = min(size, sum(sizes.values())), sorted(sizes)
    while left and open_strata:
        each, rest = divmod(left, len(open_strata))
        for place, stratum in enumerate(open_strata):
            more = min(each + (place < rest), sizes[stratum] - shares[stratum])
            shares[stratum] += more
            left -= more
        open_strata = [stratum for stratum in open_strata if shares[stratum] < sizes[stratum]]
    return shares


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


def _ticket(name: str, seed: int) -> int:
    return int.from_bytes(hashlib.blake2b(f"{seed}/{name}".encode(errors="replace"), digest_size=8).digest(), "little")
