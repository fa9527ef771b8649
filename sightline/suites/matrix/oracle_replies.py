"""Oracle replies: replies known to be correct, and replies known to be wrong."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from sightline.core.records import Sample
from sightline.scoring.scorers.options import option_letter, option_letter_of_text
from sightline.suites.matrix.maze import optimal_reply


def ideal_reply(sample: Sample) -> str:
    """Return a reply that scores 1."""
    target, truth = sample.target, sample.target["truth"]
    if target["options"]:
        return str(option_letter_of_text(str(truth), target["options"]))
    if target["metric"] == "success":
        return optimal_reply(truth["world"], (), sample.tags["language"])
    if isinstance(stored := target["metadata"].get("ideal") or target["metadata"].get("solution"), str):
        return stored
    return _reply_for_target(target["metric"], truth)


def _reply_for_target(metric: str, truth: Any) -> str:
    match metric:
        case "vqa_accuracy":
            return Counter(map(str, truth)).most_common(1)[0][0]
        case "f1":
            return ", ".join(map(str, truth)) if isinstance(truth, list) else str(truth)
        case "bleu" | "anls" | "cer" | "contains":
            return str(truth[0] if isinstance(truth, list) else truth)
    return truth if isinstance(truth, str) else json.dumps(truth, ensure_ascii=False)


def wrong_reply(sample: Sample) -> str:
    """Return a wrong reply: another option's letter, or an unrelated word."""
    options = sample.target["options"]
    if options:
        correct = option_letter_of_text(str(sample.target["truth"]), options)
        return next(letter for letter in map(option_letter, range(len(options))) if letter != correct)
    return "zzz"
