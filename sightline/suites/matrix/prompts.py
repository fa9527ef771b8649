"""What a model is asked: pictures, question, options; in an interactive world what happened so far."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.core.records import Answer, Message, Prompt, Sample, Text
from sightline.scoring.scorers.options import append_options
from sightline.suites.matrix.maze import play


def turn(sample: Sample, answers: Sequence[Answer]) -> Prompt | None:
    """The next prompt of an attempt; None when it is complete."""
    words = append_options(sample.question, sample.target["options"], sample.tags["language"])
    first = Prompt((Message("user", (*sample.media, Text(words))),))
    if not answers:
        return first
    if sample.target["metric"] != "success":
        return None
    truth = sample.target["truth"]
    played = play(truth["world"], [answer.text for answer in answers], sample.tags["language"])
    if played.reached or len(answers) >= truth["most_turns"]:
        return None
    said = (
        message
        for answer, told in zip(answers, played.told, strict=True)
        for message in (Message("assistant", (Text(answer.text),)), Message("user", (Text(told),)))
    )
    return first.then(*said)
