"""Table of the consistency of logical pairs: the model's values beside those of the answer key."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sightline.core.interfaces import Figures
from sightline.suites.simulation.metrics import KeyOpposedPairs, OpposedPairs, PairRelation
from sightline.suites.simulation.tasks import FLUID, STRUCTURAL

_NAMES = {"opposed_pairs": OpposedPairs.title, "pair_relation": PairRelation.title}
_CEILING = "key_opposed_pairs"


def pair_table(figures: Figures) -> dict[str, tuple[Sequence[str], Sequence[Sequence[Any]]]]:
    """Return the table `pairs`: a row for all samples and one per task; empty if there are no pairs."""
    head = ["", "n", KeyOpposedPairs.title]
    for title in _NAMES.values():
        head += [title, f"{title}_low", f"{title}_high"]
    scopes = {("overall", ""): "All samples", **{("task", task.name): task.title for task in (STRUCTURAL, FLUID)}}
    rows = [row for scope, name in scopes.items() if (row := _row(figures, scope, name))]
    return {"pairs": (head, rows)} if rows else {}


def _row(figures: Figures, scope: tuple[str, str], name: str) -> list[Any]:
    estimates = [figures.get((*scope, metric)) for metric in (_CEILING, *_NAMES)]
    ceiling, *others = estimates
    if ceiling is None or not ceiling.n:
        return []
    row: list[Any] = [name, ceiling.n, ceiling.value]
    for estimate in others:
        row += [None, None, None] if estimate is None else [estimate.value, estimate.low, estimate.high]
    return row
