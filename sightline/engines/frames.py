"""Python values through the pipes of a worker: a length, then as many bytes of pickle."""

from __future__ import annotations

import os
import pickle
import struct
from typing import IO, Any

_LENGTH = struct.Struct("<Q")


def own_output() -> IO[bytes]:
    """Standard output for answers alone: what any library prints there from now on goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def send(pipe: IO[bytes], value: Any) -> None:
    """Write one value. Raises `OSError` where nobody reads any more."""
    data = pickle.dumps(value, protocol=5)
    pipe.write(_LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def receive(pipe: IO[bytes]) -> Any:
    """Read one value. Raises `EOFError` where the other side is gone, in the middle of a value too."""
    (length,) = _LENGTH.unpack(_exactly(pipe, _LENGTH.size))
    return pickle.loads(_exactly(pipe, length))  # noqa: S301  # from a process that this one started, or its parent


def _exactly(pipe: IO[bytes], count: int) -> bytes:
    data = pipe.read(count)
    if len(data) < count:
        raise EOFError
    return data
