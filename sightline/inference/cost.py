"""Estimate of the samples, requests, tokens and cost of a run, before any request is sent."""

from __future__ import annotations

import io
from collections.abc import Iterable
from itertools import islice

from msgspec import Struct

from sightline.core.config import RunConfig
from sightline.core.errors import MediaError
from sightline.core.interfaces import Suite, oracle_reply
from sightline.core.records import Answer, Invalid, Media, Prompt, Sample
from sightline.data.media import load_bytes, load_text
from sightline.data.pictures import PictureSettings
from sightline.inference.prompts import remove_media

MAX_INSPECTED = 200
"""Samples whose prompts are inspected; the others are assumed to be like them on average."""
_SHORT_REPLY = 64
"""Tokens of a reply at least: models say more than the bare answer."""


class CostEstimate(Struct, kw_only=True):
    """Estimated size and cost of a run; token counts differ between models by a factor of two and more."""

    samples: int
    invalid: int
    requests: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    looked_at: int


def estimate_cost(suite: Suite, samples: Iterable[tuple[int, Sample | Invalid]], config: RunConfig) -> CostEstimate:
    """Count all samples, estimate the tokens of the first ones, and extrapolate."""
    images = PictureSettings.of(config)
    total = invalid = looked_at = requests = tokens = replies = 0
    for _, sample in samples:
        total += 1
        if isinstance(sample, Invalid):
            invalid += 1
        elif looked_at < MAX_INSPECTED:
            looked_at += 1
            reply = _reply_tokens(oracle_reply(suite, sample), config.max_tokens)
            for prompt in _prompts(suite, sample):
                requests += 1
                replies += reply
                tokens += _count_tokens(remove_media(prompt) if config.blind else prompt, images)
    scale = (total - invalid) / looked_at if looked_at else 0.0
    scale *= config.repeats
    requests, tokens, replies = (round(count * scale) for count in (requests, tokens, replies))
    has_prices = config.price_in or config.price_out
    price_factor = config.batch_price if config.batch else 1.0
    return CostEstimate(
        samples=total,
        invalid=invalid,
        requests=requests,
        tokens_in=tokens,
        tokens_out=replies,
        cost=price_factor * (tokens * config.price_in + replies * config.price_out) / 1e6 if has_prices else None,
        looked_at=looked_at,
    )


def _prompts(suite: Suite, sample: Sample) -> Iterable[Prompt]:
    """The prompts of one attempt, assuming the ideal reply on every turn."""
    answers: list[Answer] = []
    while (prompt := suite.next_prompt(sample, answers)) is not None:
        yield prompt
        answers.append(Answer(position=-1, sample=sample.id, turn=len(answers) + 1, text=oracle_reply(suite, sample)))


def _reply_tokens(ideal: str, limit: int | None) -> int:
    """As long as the ideal reply; the reasoning of a model comes on top and is not known before."""
    expected = max(_SHORT_REPLY, _text_tokens(ideal))
    return expected if limit is None else min(expected, limit)


def _count_tokens(prompt: Prompt, images: PictureSettings) -> int:
    return sum(_part_tokens(part, images) for message in prompt.messages for part in message.parts)


def _part_tokens(part: object, images: PictureSettings) -> int:
    if not isinstance(part, Media):
        return _text_tokens(getattr(part, "text", ""))
    try:
        if part.kind == "text":
            return _text_tokens(load_text(part))
        return _image_tokens(load_bytes(part), images) if part.kind == "image" else 5000
    except MediaError:
        return 0


def _text_tokens(text: str) -> int:
    """Rule of thumb: one token per four Latin letters or per Chinese character."""
    wide = sum(1 for letter in islice(text, 200_000) if ord(letter) > 0x2E80)
    return wide + (len(text) - wide) // 4 + 1


def _image_tokens(content: bytes, images: PictureSettings) -> int:
    """One token per 28 × 28 pixels, at most 1,600: about what current servers count."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(content)) as image:
            width, height = images.sent_size(image.size)
            return min(1600, max(1, width * height // 784))
    except (OSError, ValueError, SyntaxError, Image.DecompressionBombError):
        return 800
