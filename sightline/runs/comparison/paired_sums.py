"""Paired grades, summed by cluster and slice: all that differences and their intervals need of a million samples."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from msgspec import Struct

from sightline.runs.comparison.grades import KEY, MOST_VALUES, FirstRun, one_row
from sightline.runs.comparison.records import Flip, Pairing
from sightline.stats.clusters import EXACT, GROUPS
from sightline.stats.exact import ONE
from sightline.stats.intervals import Floats

_COLUMNS = ("score", "correct", "weight", "first_score", "first_correct")


class Sums(Struct, frozen=True, kw_only=True):
    """The pairs of a slice: one row a cluster, or a group of clusters where there are too many."""

    n: int
    first_only: int
    second_only: int
    both_right: int
    table: Floats
    """Σ weight · (second − first) of scores and of right answers, Σ weight, and both sums of the first run."""

    def column(self, name: str) -> Floats:
        """One column of the table."""
        found: Floats = self.table[:, _COLUMNS.index(name)]
        return found


class Pairs:
    """The table `pairs`, as it stands after `FirstRun.pair_with`."""

    def __init__(self, first: FirstRun, pairing: Pairing) -> None:
        self._base, self._table = first.base, first.table
        self.pairing = pairing
        self._scopes = {"task": "task", **{tag: f"tag{k}" for k, tag in enumerate(first.tags)}}
        facts = "count(DISTINCT cluster), min(weight), max(weight), bool_and(a IN (0, 1) AND b IN (0, 1))"
        counts = ", ".join(f"count(DISTINCT {column})" for column in self._scopes.values())
        clusters, least, most, binary, *values = one_row(self._base, f"SELECT {facts}, {counts} FROM pairs")  # noqa: S608
        self._values = dict(zip(self._scopes, values, strict=True))
        self.crowded = sorted([*first.crowded, *(scope for scope in first.tags if self._values[scope] > MOST_VALUES)])
        self.binary = bool(binary)
        self.weight = float(most or 0)
        self.even = least == most and self.weight > 0
        """Every sample counts the same: `weight`."""
        self._independent = clusters == pairing.pairs
        self._group = f"cluster % {GROUPS}" if clusters > EXACT else "cluster"

    def plain(self, sums: Sums) -> bool:
        """Whether every sample of a slice stands by itself and counts the same."""
        return self.even and (self._independent or len(sums.table) == sums.n)

    def whole(self) -> Sums:
        """All pairs."""
        return self._sums("''")[""]

    def slices(self) -> Iterator[tuple[str, dict[str, Sums]]]:
        """The pairs by task, then by tag; one value only, or the same parts under other names, tell nothing new."""
        seen = []
        for scope, column in self._scopes.items():
            if self._values[scope] > 1 and scope not in self.crowded:
                found = self._sums(column)
                parts = sorted((one.n, *one.table.sum(axis=0).tolist()) for one in found.values())
                if parts not in seen:
                    seen.append(parts)
                    yield scope, found

    def _sums(self, column: str) -> dict[str, Sums]:
        """Sums of whole numbers of 2⁻⁴⁰: the order of rows changes no digit."""
        a, b, a_right, b_right, weight = (
            f"round(weight * {what} * {ONE})::HUGEINT" for what in ("a", "b", "(a >= 1)::INT", "(b >= 1)::INT", "1")
        )
        rows = self._base.execute(
            f"SELECT {column} AS name, {self._group} AS place, count(*) AS n, "  # noqa: S608  # our own names
            f"sum({b} - {a}) AS score, sum({b_right} - {a_right}) AS correct, sum({weight}) AS weight, "
            f"sum({a}) AS first_score, sum({a_right}) AS first_correct, "
            "count(*) FILTER (a >= 1 AND b < 1) AS first_only, count(*) FILTER (a < 1 AND b >= 1) AS second_only, "
            "count(*) FILTER (a >= 1 AND b >= 1) AS both_right "
            f"FROM pairs WHERE {column} IS NOT NULL GROUP BY ALL ORDER BY 1, 2"
        ).fetchnumpy()
        names = np.asarray(rows["name"], dtype=object)
        table = np.stack([np.asarray(rows[name], np.float64) / ONE for name in _COLUMNS], axis=1)
        starts = np.flatnonzero(np.concatenate((np.ones(1, bool), names[1:] != names[:-1]))).tolist()
        found = {}
        for start, stop in zip(starts, [*starts[1:], len(names)], strict=True):
            counts = {
                name: int(rows[name][start:stop].sum()) for name in ("n", "first_only", "second_only", "both_right")
            }
            found[str(names[start])] = Sums(table=table[start:stop], **counts)
        return found

    def flips(self, most: int | None = None) -> Iterator[Flip]:
        """Samples that only one of the two got right, in the order of the data set; at most so many either way."""
        place = "row_number() OVER (PARTITION BY a >= 1 ORDER BY position, key)"
        limit = "" if most is None else f"QUALIFY {place} <= {most}"
        found = self._base.execute(
            "WITH flipped AS (SELECT key, position, a, b FROM pairs WHERE (a >= 1) <> (b >= 1) "  # noqa: S608
            f"{limit}) "
            f"SELECT sample, task, source, a, b FROM {self._table} AS grades "
            f"JOIN flipped ON flipped.key = {KEY} AND flipped.position = grades.position "
            "ORDER BY flipped.position, sample, task"
        )
        while rows := found.fetchmany(10_000):
            for sample, task, source, first, second in rows:
                yield Flip(sample=sample, task=task, source=source or "", first=first, second=second)
