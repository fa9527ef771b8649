"""Command, module search path and environment of Python child processes, with least privilege.

A worker handles untrusted texts. So it gets no API keys, and it imports nothing from the current folder, which may be a
downloaded dataset that contains a `json.py`.
"""

from __future__ import annotations

import os
import pickle
import re
import struct
import sys
from collections.abc import Callable
from typing import IO, Any, Optional, get_type_hints

from msgspec import msgpack

from sightline.core.secret_masking import has_secret_name

_STORAGE = ("AWS_", "AZURE_", "FSSPEC_", "GCLOUD_", "GCS_", "GOOGLE_", "HADOOP_")
"""Prefixes of variables with credentials for fsspec file systems."""
_WORKING_FOLDER = "_SIGHTLINE_LATE_FOLDER"
"""The variable with the folder that a worker appends to its search path after startup."""
_ADDRESS_WITH_PASSWORD = re.compile(r"://[^/@\s]*:[^/@\s]*@")


def python_command(module: str, *arguments: str) -> list[str]:
    """The command that runs a module; with -P, so that Python does not search the current folder first."""
    return [sys.executable, "-P", "-m", module, *arguments]


def search_path() -> list[str]:
    """`sys.path` for a worker, so that it can import what the caller can, such as user plug-ins.

    Entries are handed on as they are: the folder of the user's script, PYTHONPATH, what was added by hand. Not so the
    empty entry, which stands for the current folder in an interactive session or a notebook, and stands first there. A
    module that the user wrote in that folder must be found by workers, too; but to them it comes last, so that no file
    in it can take the place of an installed module. (`python -m sightline` removes its entry: see `__main__`.)
    """
    folders = [
        path for path in sys.path if path and not path.startswith("__editable__")
    ]  # those are hooks, not folders
    return [*folders, os.getcwd()] if "" in sys.path else folders  # noqa: PTH109  # as Python itself spells it


def child_environment(*, storage: bool = False) -> dict[str, str]:
    """The environment of a worker: that of this process without secrets, and with its search path.

    `storage`: with the credentials of S3 and other storages, for workers that read or write there themselves.
    """
    environment = {name: value for name, value in os.environ.items() if _may_pass(name, value, storage)}
    environment.pop(_WORKING_FOLDER, None)
    paths = search_path()
    if "" in sys.path:
        environment[_WORKING_FOLDER] = paths.pop()
    return {**environment, "PYTHONPATH": os.pathsep.join(paths)}


def append_working_folder() -> None:
    """Append the current folder of a notebook to `sys.path`, after the worker has started.

    Not by PYTHONPATH, since Python imports `sitecustomize` and `usercustomize` from there when it starts.
    """
    folder = os.environ.get(_WORKING_FOLDER)
    if folder and folder not in sys.path:
        sys.path.append(folder)


def _may_pass(name: str, value: str, storage: bool) -> bool:
    if storage and name.upper().startswith(_STORAGE):
        return True
    if name.lower().endswith("_proxy"):
        # without a proxy the storage may be unreachable, even if its address contains a password
        return storage or not _ADDRESS_WITH_PASSWORD.search(value)
    return not has_secret_name(name) and not _ADDRESS_WITH_PASSWORD.search(value)


FRAME_LENGTH = struct.Struct("<Q")
"""What a frame on a pipe begins with: the number of bytes that follow."""


def redirect_output() -> IO[bytes]:
    """Reserve standard output for answers; whatever libraries print from now on goes to standard error."""
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    return answers


def send_job(pipe: IO[bytes], value: Any) -> None:
    """Send a value to a worker. Raises `OSError` if the worker is gone."""
    send_frame(pipe, pickle.dumps(value, protocol=5))


def receive_job(pipe: IO[bytes]) -> Any:
    """Receive a value in a worker. Raises `EOFError` if the caller is gone, even in the middle of a value."""
    return pickle.loads(receive_frame(pipe))  # noqa: S301  # from the process that has started this one


def send_answer(pipe: IO[bytes], value: Any, why: str) -> None:
    """Send the value of a job, or why it failed. Raises `TypeError` for a value that can't be encoded."""
    send_frame(pipe, msgpack.encode((value, why)))


def receive_answer(pipe: IO[bytes], decoder: msgpack.Decoder[tuple[Any, str]]) -> tuple[Any, str]:
    """Receive the value of a job. Raises `EOFError` if the worker is gone, `ValueError` for an invalid answer."""
    return decoder.decode(receive_frame(pipe))


def answer_decoder(work: Callable[[Any], Any]) -> msgpack.Decoder[tuple[Any, str]]:
    """Decoder for the answers of a function, by its declared return type."""
    return_type = get_type_hints(work).get("return", Any)
    return msgpack.Decoder(tuple[Optional[return_type], str])  # type: ignore[valid-type]  # noqa: UP045  # known at run time


def send_frame(pipe: IO[bytes], data: bytes) -> None:
    """Write a length-prefixed frame."""
    pipe.write(FRAME_LENGTH.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def receive_frame(pipe: IO[bytes]) -> bytes:
    """Read a length-prefixed frame. Raises `EOFError` at the end, even in the middle of a frame."""
    (length,) = FRAME_LENGTH.unpack(_read_exactly(pipe, FRAME_LENGTH.size))
    return _read_exactly(pipe, length)


def _read_exactly(pipe: IO[bytes], count: int) -> bytes:
    data = pipe.read(count)
    if len(data) < count:
        raise EOFError
    return data
