"""Frames through the pipes of a worker: a length, then as many bytes.

Jobs go down as pickles: a function and what it is given. A worker takes them from its standard input, where only the
process that started it can write, and that could run anything in it anyway. Answers come back as MessagePack, read as
the type that the function declares: a worker handles texts that strangers wrote, has no keys, and must not be able to
run anything in the process that has.
"""

from __future__ import annotations

import os
import pickle
import struct
from collections.abc import Callable
from typing import IO, Any, Optional, get_type_hints

from msgspec import msgpack

_LENGTH = struct.Struct("<Q")


def own_output() -> IO[bytes]:
    """Standard output for answers alone: what any library prints there from now on goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def send_job(pipe: IO[bytes], value: Any) -> None:
    """Write one value for a worker. Raises `OSError` where nobody reads any more."""
    _send(pipe, pickle.dumps(value, protocol=5))


def receive_job(pipe: IO[bytes]) -> Any:
    """Read one value, in a worker. Raises `EOFError` where the caller is gone, in the middle of a value too."""
    return pickle.loads(_receive(pipe))  # noqa: S301  # from the process that has started this one


def send_answer(pipe: IO[bytes], value: Any, why: str) -> None:
    """Write what a job gave, or why it gave nothing. Raises `TypeError` for what is neither a record nor a value."""
    _send(pipe, msgpack.encode((value, why)))


def receive_answer(pipe: IO[bytes], decoder: msgpack.Decoder[tuple[Any, str]]) -> tuple[Any, str]:
    """Read what a job gave. Raises `EOFError` where the worker is gone, `ValueError` where it says something else."""
    return decoder.decode(_receive(pipe))


def answer_decoder(work: Callable[[Any], Any]) -> msgpack.Decoder[tuple[Any, str]]:
    """Reads answers of a function: values of the type that it declares to return."""
    given = get_type_hints(work).get("return", Any)
    return msgpack.Decoder(tuple[Optional[given], str])  # type: ignore[valid-type]  # noqa: UP045  # known at run time


def _send(pipe: IO[bytes], data: bytes) -> None:
    pipe.write(_LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> bytes:
    (length,) = _LENGTH.unpack(_exactly(pipe, _LENGTH.size))
    return _exactly(pipe, length)


def _exactly(pipe: IO[bytes], count: int) -> bytes:
    data = pipe.read(count)
    if len(data) < count:
        raise EOFError
    return data
