"""Replies that are wrong in one known part: for `baseline/perturbed` and for tests."""

from __future__ import annotations

import copy
import json
from typing import Any


def spoiled(raw: dict[str, Any]) -> dict[str, str]:
    """One reply a way of being wrong."""
    made = {"unreadable": "I see a structure with supports and loads.", "empty": ""}
    for name, change in (("stretched", _stretched), ("unsupported", _unsupported), ("overloaded", _overloaded)):
        model = copy.deepcopy(raw)
        change(model)
        made[name] = f"<json>{json.dumps(model)}</json>"
    return made


def _stretched(model: dict[str, Any]) -> None:
    for point in model["points"]:
        point["x"] = 1.5 * point["x"]
        point["y"] = 1.5 * point["y"]


def _unsupported(model: dict[str, Any]) -> None:
    model["supports"] = model["supports"][1:]


def _overloaded(model: dict[str, Any]) -> None:
    for load in model["loads"]:
        for key in ("value", "wStart", "wEnd"):
            if key in load:
                load[key] = 2 * load[key]
