"""Corrupted replies with a single known error, for `baseline/perturbed` and for tests."""

from __future__ import annotations

import copy
import json
from typing import Any


def corrupted_replies(raw: dict[str, Any]) -> dict[str, str]:
    """A corrupted reply for each kind of error."""
    replies = {"unreadable": "I see a structure with supports and loads.", "empty": ""}
    for name, change in (("stretched", _stretch), ("unsupported", _drop_first_support), ("overloaded", _double_loads)):
        model = copy.deepcopy(raw)
        change(model)
        replies[name] = f"<json>{json.dumps(model)}</json>"
    return replies


def _stretch(model: dict[str, Any]) -> None:
    for point in model["points"]:
        point["x"] = 1.5 * point["x"]
        point["y"] = 1.5 * point["y"]


def _drop_first_support(model: dict[str, Any]) -> None:
    model["supports"] = model["supports"][1:]


def _double_loads(model: dict[str, Any]) -> None:
    for load in model["loads"]:
        for key in ("value", "wStart", "wEnd"):
            if key in load:
                load[key] = 2 * load[key]
