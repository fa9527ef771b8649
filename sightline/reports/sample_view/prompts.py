"""What was asked, part by part: words, or media by their numbers."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec import Struct

from sightline.core.records import Media, Prompt, Sample


class Part(Struct, frozen=True):
    """A prompt's part on a page: words, or a medium by its number."""

    role: str
    text: str = ""
    media: int = -1


def all_media(sample: Sample, prompts: Sequence[Sequence[Prompt]]) -> list[Media]:
    """The media of a sample and of its prompts, each once; plates and addresses count in this list."""
    sent = [
        part
        for turns in prompts
        for prompt in turns
        for message in prompt.messages
        for part in message.parts
        if isinstance(part, Media)
    ]
    return list(dict.fromkeys((*sample.media, *sent)))


def prompt_parts(prompt: Prompt, media: Sequence[Media]) -> tuple[Part, ...]:
    """The parts of a prompt in their order."""
    numbers = {medium: number for number, medium in enumerate(media)}
    return tuple(
        Part(message.role, media=numbers[part]) if isinstance(part, Media) else Part(message.role, text=part.text)
        for message in prompt.messages
        for part in message.parts
    )
