"""A Python callable as a model: `evaluate("simulation", model=answer)`, where `answer` takes a `Prompt`.

On the command line: `--model callable:module:function`.
"""

from __future__ import annotations

import asyncio
import inspect
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from contextvars import copy_context
from pathlib import Path
from threading import Thread
from typing import Any

import msgspec
from msgspec.structs import replace

from sightline.core.errors import RejectedError, UsageError
from sightline.core.interfaces import Request
from sightline.core.records import Picture, Prompt, Reply, token_count
from sightline.core.registry import import_beside, import_object
from sightline.core.remarks import Remark
from sightline.core.seeds import repeat_seed
from sightline.data.pictures import PictureSettings, prepare_prompt

CALLABLE = "callable:"
"""What the id of a callable starts with."""
PromptFunction = Callable[..., str | Reply | Awaitable[str | Reply]]
"""A prompt in, the reply or its text out; may be a coroutine function, and may take the keywords seed and repeat."""


class CallableModel:
    """Calls a function for every prompt: a coroutine function as it is, any other in a thread of its own.

    The run is known by the name of the function: another function of the same name continues its run. A function with
    parameters `seed` or `repeat` gets the sampling seed of the repeat, and its number, which counts from 1.
    """

    def __init__(self, function: PromptFunction) -> None:
        self._function = function
        self._keywords = _check_signature(function)
        self.seed = 0
        """The seed of the run."""
        self.images: PictureSettings | None = None
        """How images are prepared before the function gets them; None: it gets them as they are."""
        self.name = f"python/{callable_name(function)}"

    async def ask(self, request: Request) -> Reply:
        """The function's reply; an exception that it raises fails this sample only."""
        prompt = request.prompt
        pictures: tuple[Picture, ...] = ()
        if self.images is not None and self.images.changes_pictures:
            prompt, pictures = await asyncio.to_thread(prepare_prompt, prompt, self.images)
        known = {"seed": repeat_seed(self.seed, request.repeat), "repeat": request.repeat}
        reply = await self._call(prompt, {name: known[name] for name in self._keywords})
        return replace(reply, pictures=pictures) if pictures else reply

    async def _call(self, prompt: Prompt, keywords: Mapping[str, int]) -> Reply:
        try:
            if inspect.iscoroutinefunction(self._function):
                reply = await self._function(prompt, **keywords)
            else:
                reply = await _call_in_thread(lambda: self._function(prompt, **keywords))
                if inspect.isawaitable(reply):  # of an object whose `__call__` is a coroutine function, or of a lambda
                    reply = await reply
        except Exception as error:
            why = _encodable(str(error))
            raise RejectedError("{error}: {why}", "callable", error=type(error).__name__, why=why) from error
        if isinstance(reply, str):
            return Reply(text=_encodable(reply))
        try:
            converted = msgspec.convert(msgspec.to_builtins(reply), Reply)
            converted = replace(
                converted,
                tokens_in=token_count(converted.tokens_in),
                tokens_out=token_count(converted.tokens_out),
                tokens_reasoning=token_count(converted.tokens_reasoning) or 0,
            )
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


async def _call_in_thread(function: Callable[[], Any]) -> Any:
    """Call a function in a thread of its own, which the end of the run and of the process does not wait for.

    The threads of asyncio are few, and both wait for them: a function that hangs could not be stopped by Ctrl-C.
    """
    loop = asyncio.get_running_loop()
    done: asyncio.Future[tuple[Any, BaseException | None]] = loop.create_future()
    context = copy_context()

    def settle(result: Any, error: BaseException | None) -> None:
        if not done.done():
            done.set_result((result, error))

    def call() -> None:
        result, error = None, None
        try:
            result = context.run(function)
        except BaseException as caught:  # raised again where it is awaited
            error = caught
        with suppress(RuntimeError):  # the run was stopped, and its event loop is closed
            loop.call_soon_threadsafe(settle, result, error)

    Thread(target=call, daemon=True).start()
    result, error = await done
    if error is not None:
        raise error
    return result


def load_callable(name: str) -> CallableModel:
    """Import `module:function`: what is installed, in PYTHONPATH, or beside the files of the current folder."""
    import_beside(Path("model"), name)
    function = import_object(
        name, Remark("Modules are looked for in what is installed, in PYTHONPATH, and in the current folder.").text
    )
    if not callable(function) or isinstance(function, type):
        raise UsageError(
            "'{name}' is a class, not a function."
            if isinstance(function, type)
            else "'{name}' is not a function: it is of type {type}.",
            hint="Name a function that takes a Prompt and returns the text of the reply.",
            name=name,
            type=type(function).__name__,
        )
    return CallableModel(function)


_KEYWORDS = ("seed", "repeat")


def _check_signature(function: PromptFunction) -> tuple[str, ...]:
    """Which of the keywords `seed` and `repeat` a function takes; raises if it can't be called with a prompt."""
    try:
        signature = inspect.signature(function)
    except (TypeError, ValueError):  # some functions that are written in C have none
        return ()
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    parameters = list(signature.parameters.values())
    prompt = parameters[0].name if parameters and parameters[0].kind is by_name[0] else ""
    names = {parameter.name for parameter in parameters if parameter.kind in by_name} - {prompt}
    keywords = tuple(name for name in _KEYWORDS if name in names)
    try:
        signature.bind(None, **dict.fromkeys(keywords))
    except TypeError as error:
        raise UsageError(
            "'{name}' cannot be called with a Prompt: {why}",
            hint="Expected: def answer(prompt, *, seed=0, repeat=1) -> str, where seed and repeat may be left out.",
            name=callable_name(function),
            why=error,
        ) from None
    return keywords


def _encodable(text: str) -> str:
    """The text without halves of characters, which no file can hold."""
    return text.encode("utf-8", "replace").decode()


def callable_name(function: Callable[..., Any]) -> str:
    """Module and qualified name of a callable."""
    named = function if hasattr(function, "__qualname__") else type(function)
    return f"{named.__module__}:{named.__qualname__}"
