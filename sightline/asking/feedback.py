"""Prompts as they are sent: without pictures for a blind run, with the last exchange and feedback on a new attempt."""

from __future__ import annotations

from sightline.records import Media, Message, Prompt, Text


def blinded(prompt: Prompt) -> Prompt:
    """The same words without pictures, videos and reports."""
    return Prompt(
        tuple(
            Message(message.role, tuple(part for part in message.parts if not isinstance(part, Media)))
            for message in prompt.messages
        )
    )


def after_feedback(prompt: Prompt, last_reply: str, feedback: str) -> Prompt:
    """The question, the last reply and what was wrong with it; earlier exchanges are not sent again."""
    return prompt.then(
        # servers refuse an assistant message without content
        Message("assistant", (Text(last_reply or "(no reply)"),)),
        Message("user", (Text(feedback),)),
    )
