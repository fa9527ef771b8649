"""Length-prefixed frames over the pipes of a worker.

Jobs are sent as pickles of a function and its argument. A worker reads them from its standard input, to which only the
process that started it can write, and that could run anything in it anyway. Answers are returned as MessagePack,
decoded as the declared return type of the function: a worker handles untrusted texts, has no keys, and must not be able
to run code in the process that has.
"""

from __future__ import annotations

import os
import pickle
import struct
from collections.abc import Callable
from typing import IO, Any, Optional, get_type_hints

from msgspec import msgpack

_LENGTH = struct.Struct("<Q")


def redirect_output() -> IO[bytes]:
    """Reserve standard output for answers; whatever libraries print from now on goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def send_job(pipe: IO[bytes], value: Any) -> None:
    """Send a value to a worker. Raises `OSError` if the worker is gone."""
    _send(pipe, pickle.dumps(value, protocol=5))


def receive_job(pipe: IO[bytes]) -> Any:
    """Receive a value in a worker. Raises `EOFError` if the caller is gone, even in the middle of a value."""
    return pickle.loads(_receive(pipe))  # noqa: S301  # from the process that has started this one


def send_answer(pipe: IO[bytes], value: Any, why: str) -> None:
    """Send the value of a job, or why it failed. Raises `TypeError` for a value that can't be encoded."""
    _send(pipe, msgpack.encode((value, why)))


def receive_answer(pipe: IO[bytes], decoder: msgpack.Decoder[tuple[Any, str]]) -> tuple[Any, str]:
    """Receive the value of a job. Raises `EOFError` if the worker is gone, `ValueError` for an invalid answer."""
    return decoder.decode(_receive(pipe))


def answer_decoder(work: Callable[[Any], Any]) -> msgpack.Decoder[tuple[Any, str]]:
    """Decoder for the answers of a function, by its declared return type."""
    return_type = get_type_hints(work).get("return", Any)
    return msgpack.Decoder(tuple[Optional[return_type], str])  # type: ignore[valid-type]  # noqa: UP045  # known at run time


def _send(pipe: IO[bytes], data: bytes) -> None:
    pipe.write(_LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> bytes:
    (length,) = _LENGTH.unpack(_read_exactly(pipe, _LENGTH.size))
    return _read_exactly(pipe, length)


def _read_exactly(pipe: IO[bytes], count: int) -> bytes:
    data = pipe.read(count)
    if len(data) < count:
        raise EOFError
    return data
