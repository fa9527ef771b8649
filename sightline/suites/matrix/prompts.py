"""Prompt construction: pictures, question and options; in an interactive world also the turns so far."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.core.records import Answer, Message, Prompt, Sample, Text
from sightline.scoring.scorers.options import append_options
from sightline.suites.matrix.maze import play


def next_prompt(sample: Sample, answers: Sequence[Answer]) -> Prompt | None:
    """Build the next prompt of an attempt; None when it is complete."""
    question = append_options(sample.question, sample.target["options"], sample.tags["language"])
    first_prompt = Prompt((Message("user", (*sample.media, Text(question))),))
    if not answers:
        return first_prompt
    if sample.target["metric"] != "success":
        return None
    truth = sample.target["truth"]
    game = play(truth["world"], [answer.text for answer in answers], sample.tags["language"])
    if game.reached or len(answers) >= truth["most_turns"]:
        return None
    messages = (
        message
        for answer, response in zip(answers, game.responses, strict=True)
        for message in (Message("assistant", (Text(answer.text),)), Message("user", (Text(response),)))
    )
    return first_prompt.then(*messages)
