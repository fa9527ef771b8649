"""Prompts of a sample: turns of an attempt, new attempts after feedback, and blind prompts without media."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from msgspec import Struct
from msgspec.structs import replace

from sightline.core.config import RunConfig
from sightline.core.interfaces import Feedback, GradeAttempt, Suite
from sightline.core.records import Answer, Attempt, Grade, Media, Message, Prompt, Sample, Text


class PendingPrompt(Struct, frozen=True):
    """A prompt to be sent, with the attempt and the turn that it belongs to."""

    attempt: int
    turn: int
    prompt: Prompt


def get_feedback(suite: Suite, sample: Sample, grade: Grade) -> str | None:
    """The feedback on a wrong attempt; None if the suite gives none."""
    return suite.feedback(sample, grade) if isinstance(suite, Feedback) else None


def pending_prompts(
    suite: Suite, sample: Sample, attempts: list[Attempt], config: RunConfig, grade_attempt: GradeAttempt
) -> Iterator[PendingPrompt]:
    """The prompts that a sample still needs, determined from its attempts so far.

    Before the next prompt is requested, the answer to the last one must have been added to `attempts`, to which new
    attempts are appended here. A sample is finished when the answer is correct, no attempts are left, or one failed.
    """
    grade: Grade | None = None
    for number in range(1, config.max_retries + 2):
        feedback = get_feedback(suite, sample, grade) if grade is not None else ""
        if feedback is None:
            return
        if len(attempts) < number:
            attempts.append(Attempt())
        attempt = attempts[number - 1]
        while (prompt := suite.next_prompt(sample, attempt.answers)) is not None:
            turn = len(attempt.answers) + 1
            before = attempts[number - 2].answers
            yield PendingPrompt(number, turn, build_prompt(prompt, turn, config.blind, feedback, before))
        if attempt.failure is not None or number > config.max_retries:
            return
        grade = grade_attempt(suite, sample, attempt)
        if grade.score >= 1:
            return


def build_prompt(prompt: Prompt, turn: int, blind: bool, feedback: str, before: Sequence[Answer]) -> Prompt:
    """The prompt to send; `before` are the answers of the attempt that the feedback is about."""
    if blind:
        prompt = remove_media(prompt)
    if feedback:
        prompt = add_feedback(prompt, before[min(turn, len(before)) - 1].full_text if before else "", feedback)
    return prompt


def remove_media(prompt: Prompt) -> Prompt:
    """The prompt without images, videos and text files, for a blind run."""
    return prompt.map_messages(
        lambda message: replace(message, parts=tuple(part for part in message.parts if not isinstance(part, Media)))
    )


def add_feedback(prompt: Prompt, last_reply: str, feedback: str) -> Prompt:
    """The prompt followed by the last reply and the feedback on it; earlier turns are not sent again."""
    return prompt.then(
        # servers refuse an assistant message without content
        Message("assistant", (Text(last_reply or "(no reply)"),)),
        Message("user", (Text(feedback),)),
    )
