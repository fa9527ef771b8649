"""Prompts and replies between our records and Inspect's."""

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

_STOPS: dict[str, Stop] = {
    "max_tokens": "truncated",
    "model_length": "truncated",
    "content_filter": "refused",
}
_FILMS: dict[str, Any] = {"video/mpeg": "mpeg", "video/quicktime": "mov"}


def messages_of(prompt: Prompt) -> list[ChatMessage]:
    """A prompt with its pictures as data URIs."""
    return [_message(message) for message in prompt.messages]


def _message(message: Message) -> ChatMessage:
    content: Any = [_content(part) for part in message.parts]
    if all(isinstance(part, ContentText) for part in content):
        content = "\n\n".join(part.text for part in content)
    kinds = {"system": ChatMessageSystem, "user": ChatMessageUser, "assistant": ChatMessageAssistant}
    made: ChatMessage = kinds[message.role](content=content)
    return made


def _content(part: Text | Media) -> ContentText | ContentImage | ContentVideo:
    if isinstance(part, Text):
        return ContentText(text=part.text)
    if part.kind == "text":
        return ContentText(text=load_text(part))
    uri = data_uri(part).decode()
    if part.kind == "video":
        return ContentVideo(video=uri, format=_FILMS.get(mime_type(part), "mp4"))
    return ContentImage(image=uri)


def answer_of(output: ModelOutput, sample: Sample, turn: int) -> Answer:
    """A model's output as the journal would keep it."""
    usage = output.usage
    return Answer(
        position=-1,
        sample=sample.id,
        turn=turn,
        text=output.completion,
        stop=_STOPS.get(str(output.stop_reason), "complete"),
        tokens_in=usage.input_tokens if usage else 0,
        tokens_out=usage.output_tokens if usage else 0,
    )
