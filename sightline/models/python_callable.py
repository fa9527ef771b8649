"""A Python callable as a model: `evaluate("simulation", model=answer)`, where `answer` takes a `Prompt`.

On the command line: `--model callable:module:function`.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from sightline.core.errors import RejectedError, UsageError
from sightline.core.interfaces import Request
from sightline.core.records import Picture, Prompt, Reply
from sightline.core.registry import import_beside, import_object
from sightline.data.pictures import PictureSettings, prepare_prompt

CALLABLE = "callable:"
"""What the id of a callable starts with."""
PromptFunction = Callable[[Prompt], str | Reply | Awaitable[str | Reply]]
"""A prompt in, the reply or its text out; may be a coroutine function."""


class CallableModel:
    """Calls a function for every prompt: a coroutine function as it is, any other in a thread.

    The run is known by the name of the function: another function of the same name continues its run.
    """

    def __init__(self, function: PromptFunction) -> None:
        self._function = function
        self.images: PictureSettings | None = None
        """How images are prepared before the function gets them; None: it gets them as they are."""
        self.name = f"python/{callable_name(function)}"

    async def ask(self, request: Request) -> Reply:
        """The function's reply; an exception that it raises fails this sample only."""
        prompt = request.prompt
        pictures: tuple[Picture, ...] = ()
        if self.images is not None and self.images.changes_pictures:
            prompt, pictures = await asyncio.to_thread(prepare_prompt, prompt, self.images)
        reply = await self._call(prompt)
        return replace(reply, pictures=pictures) if pictures else reply

    async def _call(self, prompt: Prompt) -> Reply:
        try:
            if inspect.iscoroutinefunction(self._function):
                reply = await self._function(prompt)
            else:
                reply = await asyncio.to_thread(self._function, prompt)
        except Exception as error:
            why = _encodable(str(error))
            raise RejectedError("{error}: {why}", "callable", error=type(error).__name__, why=why) from error
        if isinstance(reply, str):
            return Reply(text=_encodable(reply))
        try:
            converted = msgspec.convert(msgspec.to_builtins(reply), Reply)
            msgspec.json.encode(converted)  # fails for halves of characters, which no file can hold
            return converted
        except (msgspec.ValidationError, TypeError, UnicodeError):
            name = type(reply).__name__
            raise RejectedError("The model returned {type}, not a text.", "callable", type=name) from None

    def identity(self) -> Mapping[str, Any]:
        """The function's name."""
        return {"callable": self.name}

    async def close(self) -> None:
        """There is no connection to close."""


def load_callable(name: str) -> CallableModel:
    """Import `module:function`: what is installed, in PYTHONPATH, or beside the files of the current folder."""
    import_beside(Path("model"), name)
    function = import_object(name)
    if not callable(function):
        raise UsageError("'{name}' is not a function.", hint="It takes a Prompt and returns a text.", name=name)
    return CallableModel(function)


def _encodable(text: str) -> str:
    """The text without halves of characters, which no file can hold."""
    return text.encode("utf-8", "replace").decode()


def callable_name(function: Callable[..., Any]) -> str:
    """Module and qualified name of a callable."""
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}:{named.__qualname__}"
