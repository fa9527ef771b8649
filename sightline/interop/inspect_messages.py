"""Conversion of prompts and replies between Sightline's and Inspect's types."""

from __future__ import annotations

from typing import Any

from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageSystem,
    ChatMessageUser,
    ContentImage,
    ContentText,
    ContentVideo,
    ModelOutput,
)

from sightline.core.records import Answer, Media, Message, Prompt, Sample, Stop, Text
from sightline.data.media import data_uri, load_text, mime_type

_STOP_REASONS: dict[str, Stop] = {
    "max_tokens": "truncated",
    "model_length": "truncated",
    "content_filter": "refused",
}
_VIDEO_FORMATS: dict[str, Any] = {"video/mpeg": "mpeg", "video/quicktime": "mov"}


def to_inspect_messages(prompt: Prompt) -> list[ChatMessage]:
    """Convert a prompt to Inspect messages, with media as data URIs."""
    return [_message(message) for message in prompt.messages]


def _message(message: Message) -> ChatMessage:
    content: Any = [_content(part) for part in message.parts]
    if all(isinstance(part, ContentText) for part in content):
        content = "\n\n".join(part.text for part in content)
    classes = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    converted: ChatMessage = classes[message.role](content=content)
    return converted


def _content(part: Text | Media) -> ContentText | ContentImage | ContentVideo:
    if isinstance(part, Text):
        return ContentText(text=part.text)
    if part.kind == "text":
        return ContentText(text=load_text(part))
    uri = data_uri(part).decode()
    if part.kind == "video":
        return ContentVideo(video=uri, format=_VIDEO_FORMATS.get(mime_type(part), "mp4"))
    return ContentImage(image=uri)


def from_inspect_output(output: ModelOutput, sample: Sample, turn: int) -> Answer:
    """Convert Inspect's model output to an `Answer`."""
    usage = output.usage
    return Answer(
        position=-1,
        sample=sample.id,
        turn=turn,
        text=output.completion,
        stop=_STOP_REASONS.get(str(output.stop_reason), "complete"),
        tokens_in=usage.input_tokens if usage else 0,
        tokens_out=usage.output_tokens if usage else 0,
    )
