"""influences.parquet: how much each cluster moves each figure of a run, which a paired comparison of figures needs."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from sightline.core.errors import StorageError
from sightline.scoring.grades.duckdb_files import connect_duckdb, sql_literal
from sightline.stats.influence import Influence

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

Figure = tuple[str, str, str]
"""Scope, name within it, and metric."""
_FORMAT = "(FORMAT parquet, COMPRESSION zstd)"
_COLUMNS = "scope, name, metric, cluster, influence, is_folded, step_shift, step_reach, excess"


def write_influences(path: Path, influences: Mapping[Figure, Influence]) -> None:
    """Write one row per figure and cluster; without any figure there is no file."""
    path.unlink(missing_ok=True)
    if not influences:
        return
    import duckdb

    found, counts = list(influences.values()), [len(one) for one in influences.values()]
    figures = {
        "figure": np.arange(len(found)),
        **{
            name: np.array(texts, dtype=object)
            for name, texts in zip(_NAMES, zip(*influences, strict=True), strict=True)
        },
        "is_folded": np.array([one.is_folded for one in found]),
        "step_shift": np.array([one.step_shift for one in found]),
        "step_reach": np.array([one.step_reach for one in found]),
        "excess": np.array([one.excess for one in found]),
    }
    clusters = {
        "figure": np.repeat(np.arange(len(found)), counts),
        "cluster": np.concatenate([one.keys for one in found]),
        "influence": np.concatenate([one.values for one in found]),
    }
    temporary = path.with_suffix(".part")
    try:
        with connect_duckdb(path.parent) as base:
            base.register("figures", figures)
            base.register("clusters", clusters)
            select = f"SELECT {_COLUMNS} FROM figures JOIN clusters USING (figure) ORDER BY figure, cluster"  # noqa: S608
            base.execute(f"COPY ({select}) TO {sql_literal(temporary)} {_FORMAT}")
        temporary.replace(path)
    except (duckdb.Error, OSError) as error:
        raise StorageError("Cannot write {path}: {why}", path=path, why=error) from None


_NAMES = ("scope", "name", "metric")


def read_influences(base: DuckDBPyConnection, path: Path) -> dict[Figure, Influence]:
    """The influences of a run by figure; empty where the file is missing."""
    if not path.is_file():
        return {}
    rows = base.execute(
        f"SELECT {_COLUMNS} FROM read_parquet(?) "  # noqa: S608  # our own names
        "ORDER BY scope, name, metric, cluster",
        [_escape_glob(path)],
    ).fetchnumpy()
    names = [np.asarray(rows[name], dtype=object) for name in _NAMES]
    changed = np.any([column[1:] != column[:-1] for column in names], axis=0) if len(names[0]) else np.empty(0, bool)
    starts = np.flatnonzero(np.concatenate((np.ones(min(1, len(names[0])), bool), changed))).tolist()
    found = {}
    for start, stop in zip(starts, [*starts[1:], len(names[0])], strict=True):
        figure = tuple(str(column[start]) for column in names)
        found[figure] = Influence(
            np.asarray(rows["cluster"][start:stop], np.uint64),
            np.asarray(rows["influence"][start:stop], np.float64),
            bool(rows["is_folded"][start]),
            float(rows["step_shift"][start]),
            float(rows["step_reach"][start]),
            float(rows["excess"][start]),
        )
    return found  # type: ignore[return-value]  # three names each


def _escape_glob(path: Path) -> str:
    return "".join(f"[{sign}]" if sign in "*?[" else sign for sign in str(path))
