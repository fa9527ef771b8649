"""Prompt construction: without media for a blind run, with the last reply and feedback for a new attempt."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.core.records import Answer, Media, Message, Prompt, Text


def remove_media(prompt: Prompt) -> Prompt:
    """The prompt without images, videos and text files, for a blind run."""
    return Prompt(
        tuple(
            Message(message.role, tuple(part for part in message.parts if not isinstance(part, Media)))
            for message in prompt.messages
        )
    )


def add_feedback(prompt: Prompt, last_reply: str, feedback: str) -> Prompt:
    """The prompt followed by the last reply and the feedback on it; earlier turns are not sent again."""
    return prompt.then(
        # servers refuse an assistant message without content
        Message("assistant", (Text(last_reply or "(no reply)"),)),
        Message("user", (Text(feedback),)),
    )


def build_prompt(prompt: Prompt, turn: int, blind: bool, feedback: str, before: Sequence[Answer]) -> Prompt:
    """The prompt to send; `before` are the answers of the attempt that the feedback is about."""
    if blind:
        prompt = remove_media(prompt)
    if feedback:
        prompt = add_feedback(prompt, before[min(turn, len(before)) - 1].text, feedback)
    return prompt
