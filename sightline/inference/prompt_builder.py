"""Prompts as they are sent: without pictures for a blind run, with the last exchange and feedback on a new attempt."""

from __future__ import annotations

from collections.abc import Sequence

from sightline.core.records import Answer, Media, Message, Prompt, Text


def remove_media(prompt: Prompt) -> Prompt:
    """The same words without pictures, videos and reports."""
    return Prompt(
        tuple(
            Message(message.role, tuple(part for part in message.parts if not isinstance(part, Media)))
            for message in prompt.messages
        )
    )


def add_feedback(prompt: Prompt, last_reply: str, feedback: str) -> Prompt:
    """The question, the last reply and what was wrong with it; earlier exchanges are not sent again."""
    return prompt.then(
        # servers refuse an assistant message without content
        Message("assistant", (Text(last_reply or "(no reply)"),)),
        Message("user", (Text(feedback),)),
    )


def build_prompt(prompt: Prompt, turn: int, blind: bool, feedback: str, before: Sequence[Answer]) -> Prompt:
    """A prompt as it is sent; `before` are the answers of the attempt that the feedback is about."""
    if blind:
        prompt = remove_media(prompt)
    if feedback:
        prompt = add_feedback(prompt, before[min(turn, len(before)) - 1].text, feedback)
    return prompt
