"""Tasks of the suite: beams, frames, trusses. The main metric is the score weighted by difficulty."""

from __future__ import annotations

from sightline.core.interfaces import Task

_CORE = ("weighted_score", "full_marks")
_AUXILIARY = ("geometry_right", "supports_right", "joints_right")


def _task(name: str, title: str, alias: str) -> Task:
    return Task(name=name, title=title, aliases=(alias,), parser="json_object", metrics=_CORE, auxiliary=_AUXILIARY)


BEAM = _task("beam", "Beams", "梁")
FRAME = _task("frame", "Frames", "刚架")
TRUSS = _task("truss", "Trusses", "桁架")
