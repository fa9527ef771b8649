"""Repeats of a question (`--repeats`): the seed of each repeat, and requests that carry it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec import Raw
from msgspec.structs import replace

from sightline.core.interfaces import Request
from sightline.core.records import Reply
from sightline.core.seeds import repeat_seed

if TYPE_CHECKING:
    from sightline.inference.cache import CacheableModel
    from sightline.models.chat_format import EncodedRequest

_decoder = msgspec.json.Decoder(dict[str, Raw])
_encoder = msgspec.json.Encoder()


def set_repeat_seed(body: bytes, repeat: int) -> bytes:
    """The serialized request with the seed of a repeat; without a seed in the request, none is added."""
    if repeat == 1:
        return body
    fields = _decoder.decode(body)  # messages with their images stay undecoded
    seed = msgspec.json.decode(fields["seed"]) if "seed" in fields else None
    if type(seed) is not int:
        return body
    fields["seed"] = Raw(_encoder.encode(repeat_seed(seed, repeat)))
    return _encoder.encode(fields)


async def encode_repeat(model: CacheableModel, request: Request) -> EncodedRequest:
    """The serialized request of a prompt, with the seed of its repeat, and the images in it."""
    encoded = await model.encode(request.prompt)
    return replace(encoded, body=set_repeat_seed(encoded.body, request.repeat))


class SeededModel:
    """A model whose requests carry the seed of their repeat."""

    def __init__(self, model: CacheableModel) -> None:
        self.name = model.name
        self._model = model

    async def ask(self, request: Request) -> Reply:
        """The reply to a request; the first repeat is sent as it is without repeats."""
        if request.repeat == 1:
            return await self._model.ask(request)
        encoded = await encode_repeat(self._model, request)
        return replace(await self._model.send(encoded.body), pictures=encoded.pictures)

    def identity(self) -> Mapping[str, Any]:
        """The identity of the wrapped model."""
        return self._model.identity()

    async def close(self) -> None:
        """Close the model."""
        await self._model.close()
