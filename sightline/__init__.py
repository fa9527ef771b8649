"""Sightline: scores one can trust for vision-language models. The public names, loaded when they are first used."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sightline.comparing.results import compare, leaderboard
    from sightline.evaluation import Result, evaluate, generate, grade_again, load_run, score, score_replies
    from sightline.language import set_language
    from sightline.registry import load_suite
    from sightline.scoring.one import score_one
    from sightline.scoring.report import ScoreReport

__version__ = "0.1.0"
__all__ = [
    "Result",
    "ScoreReport",
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
]

_HOMES = {
    "Result": "sightline.evaluation",
    "compare": "sightline.comparing.results",
    "evaluate": "sightline.evaluation",
    "leaderboard": "sightline.comparing.results",
    "generate": "sightline.evaluation",
    "load_run": "sightline.evaluation",
    "load_suite": "sightline.registry",
    "ScoreReport": "sightline.scoring.report",
    "grade_again": "sightline.evaluation",
    "score": "sightline.evaluation",
    "score_one": "sightline.scoring.one",
    "score_replies": "sightline.evaluation",
    "set_language": "sightline.language",
}


def __getattr__(name: str) -> Any:
    if home := _HOMES.get(name):
        from importlib import import_module

        return getattr(import_module(home), name)
    from sightline.registry import find, names

    if name in names("functions"):
        return find("functions", name)
    raise AttributeError(f"module 'sightline' has no attribute {name!r}")


def __dir__() -> list[str]:
    from sightline.registry import names

    return sorted([*__all__, *names("functions"), "__version__"])
