"""Replies that are known to be right, and replies that are known to be wrong."""

from __future__ import annotations

import json
from collections import Counter
from typing import Any

from sightline.core.records import Sample
from sightline.scoring.scorers.options import option_letter, option_letter_of_text
from sightline.suites.matrix.maze import perfect_reply


def ideal(sample: Sample) -> str:
    """The reply that earns full marks."""
    target, truth = sample.target, sample.target["truth"]
    if target["options"]:
        return str(option_letter_of_text(str(truth), target["options"]))
    if target["metric"] == "success":
        return perfect_reply(truth["world"], (), sample.tags["language"])
    if isinstance(prepared := target["metadata"].get("ideal") or target["metadata"].get("solution"), str):
        return prepared
    return _plain(target["metric"], truth)


def _plain(metric: str, truth: Any) -> str:
    match metric:
        case "vqa_accuracy":
            return Counter(map(str, truth)).most_common(1)[0][0]
        case "f1":
            return ", ".join(map(str, truth)) if isinstance(truth, list) else str(truth)
        case "bleu" | "anls" | "cer" | "contains":
            return str(truth[0] if isinstance(truth, list) else truth)
    return truth if isinstance(truth, str) else json.dumps(truth, ensure_ascii=False)


def wrong(sample: Sample) -> str:
    """A reply in the right form that is not right, or one in no form at all."""
    options = sample.target["options"]
    if options:
        right = option_letter_of_text(str(sample.target["truth"]), options)
        return next(letter for letter in map(option_letter, range(len(options))) if letter != right)
    return "zzz"
