"""Sightline: scores one can trust for vision-language models. The public names, loaded when they are first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sightline.api.evaluation import Result, evaluate, generate, grade_again, load_run, score, score_replies
    from sightline.api.score_files import ScoreReport
    from sightline.api.sweep import SweepResult, sweep
    from sightline.core.registry import load_suite
    from sightline.i18n import set_language
    from sightline.runs.comparison.results import compare, leaderboard
    from sightline.scoring.score_one import score_one

__version__ = "0.1.0"
__all__ = [
    "Result",
    "ScoreReport",
    "SweepResult",
    "compare",
    "evaluate",
    "generate",
    "grade_again",
    "leaderboard",
    "load_run",
    "load_suite",
    "score",
    "score_one",
    "score_replies",
    "set_language",
    "sweep",
]

_HOMES = {
    "Result": "sightline.api.evaluation",
    "compare": "sightline.runs.comparison.results",
    "evaluate": "sightline.api.evaluation",
    "leaderboard": "sightline.runs.comparison.results",
    "generate": "sightline.api.evaluation",
    "load_run": "sightline.api.evaluation",
    "load_suite": "sightline.core.registry",
    "ScoreReport": "sightline.api.score_files",
    "SweepResult": "sightline.api.sweep",
    "grade_again": "sightline.api.evaluation",
    "score": "sightline.api.evaluation",
    "score_one": "sightline.scoring.score_one",
    "score_replies": "sightline.api.evaluation",
    "set_language": "sightline.i18n",
    "sweep": "sightline.api.sweep",
}


def __getattr__(name: str) -> Any:
    if home := _HOMES.get(name):
        from importlib import import_module

        return getattr(import_module(home), name)
    from sightline.core.registry import find, names

    if name in names("functions"):
        return find("functions", name)
    raise AttributeError(f"module 'sightline' has no attribute {name!r}")


def __dir__() -> list[str]:
    from sightline.core.registry import names

    return sorted([*__all__, *names("functions"), "__version__"])
