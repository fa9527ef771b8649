"""Prompt construction, feedback texts and protocol deviations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from sightline.core.records import Answer, Grade, Message, Prompt, Sample, Text
from sightline.core.remarks import Remark

if TYPE_CHECKING:
    from sightline.suites.simulation.suite import Options

QUESTION = "Question: {question} (True/False)\n\nAnswer with only True or False:"


def next_prompt(sample: Sample, answers: Sequence[Answer], vote: bool) -> Prompt | None:
    """Build the next prompt: the media, then the question; one frame per turn if frames vote."""
    shown = sample.media
    if vote:
        if len(answers) >= len(shown):
            return None
        shown = (shown[len(answers)],)
    elif answers:
        return None
    return Prompt((Message("user", (*shown, Text(QUESTION.format(question=sample.question)))),))


def feedback_text(grade: Grade) -> str:
    """Return the feedback after a wrong attempt."""
    if grade.status == "answered":
        return "That answer is wrong. Look again.\n\nAnswer with only True or False:"
    return "No answer could be found in your reply.\n\nAnswer with only True or False:"


def protocol_deviations(options: Options, modalities: tuple[str, ...]) -> list[Remark]:
    """Describe how the options deviate from the standard protocol."""
    remarks = []
    if options.domain:
        remarks.append(Remark("only the domains {names}", {"names": ", ".join(options.domain)}))
    if options.files:
        remarks.append(Remark("only the simulations {names}", {"names": ", ".join(options.files)}))
    if "video" in modalities and options.video_mode != "vote":
        remarks.append(Remark("videos shown as {mode}, not by a vote of frames", {"mode": options.video_mode}))
    if "video" in modalities and options.video_mode != "native" and options.fps != 1.0:
        remarks.append(Remark("{fps} frames per second instead of 1", {"fps": f"{options.fps:g}"}))
    return remarks
