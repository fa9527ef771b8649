"""The consistency of logical pairs as a panel: the model's figures beside the ceiling that the key itself sets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sightline.core.interfaces import Figures
from sightline.suites.simulation.metrics import KeyOpposedPairs, OpposedPairs, PairRelation
from sightline.suites.simulation.tasks import FLUID, STRUCTURAL

_NAMES = {"opposed_pairs": OpposedPairs.title, "pair_relation": PairRelation.title}
_CEILING = "key_opposed_pairs"


def pair_table(figures: Figures) -> dict[str, tuple[Sequence[str], Sequence[Sequence[Any]]]]:
    """`pairs`: one row over all samples and one a task; empty where no question has a partner."""
    head = ["", "n", KeyOpposedPairs.title]
    for title in _NAMES.values():
        head += [title, f"{title}_low", f"{title}_high"]
    places = {("overall", ""): "All samples", **{("task", task.name): task.title for task in (STRUCTURAL, FLUID)}}
    rows = [row for scope, name in places.items() if (row := _row(figures, scope, name))]
    return {"pairs": (head, rows)} if rows else {}


def _row(figures: Figures, scope: tuple[str, str], name: str) -> list[Any]:
    found = [figures.get((*scope, metric)) for metric in (_CEILING, *_NAMES)]
    ceiling, *own = found
    if ceiling is None or not ceiling.n:
        return []
    row: list[Any] = [name, ceiling.n, ceiling.value]
    for one in own:
        row += [None, None, None] if one is None else [one.value, one.low, one.high]
    return row
