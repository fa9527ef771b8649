"""Retries of storage operations with exponential backoff; error messages without secrets."""

from __future__ import annotations

import errno
import os
import time
from collections.abc import Callable
from typing import TypeVar

from sightline.core.errors import SightlineError
from sightline.data.storage.addresses import redact

MAX_TRIES = 5
FIRST_PAUSE = 0.5
"""Seconds before the second try; doubled before each further one."""
_PERMANENT = (FileNotFoundError, PermissionError, IsADirectoryError, NotImplementedError, ValueError, SightlineError)
_PERMANENT_NAMES = {"NoCredentialsError", "PartialCredentialsError", "ParamValidationError", "ProfileNotFound"}
T = TypeVar("T")


def call_with_retries(work: Callable[[], T]) -> T:
    """Call `work`, with retries and exponential backoff for transient errors; permanent errors are raised at once."""
    for pause in range(MAX_TRIES - 1):
        try:
            return work()
        except Exception as error:  # every storage has exceptions of its own
            if is_permanent(error):
                raise
            time.sleep(FIRST_PAUSE * 2**pause)
    return work()


def is_permanent(error: BaseException) -> bool:
    """Whether an error is permanent, so that a retry is useless."""
    error = _cause(error)
    status = getattr(error, "status", None)
    if isinstance(status, int) and 400 <= status < 500:
        return status not in (408, 425, 429)
    return isinstance(error, _PERMANENT) or type(error).__name__ in _PERMANENT_NAMES


def is_missing(error: BaseException) -> bool:
    """Whether the storage reports that the file does not exist."""
    error = _cause(error)
    return isinstance(error, FileNotFoundError) or getattr(error, "status", None) in (404, 410)


def error_reason(error: BaseException) -> str:
    """The message of a storage error, without secrets."""
    error = _cause(error)
    status = getattr(error, "status", None)
    if isinstance(status, int):
        return f"HTTP {status}"
    message = redact(getattr(error, "strerror", None) or str(error))
    if isinstance(error, FileNotFoundError) and " " not in message:  # only the name, which is shown anyway
        return os.strerror(errno.ENOENT)
    return message or type(error).__name__


def _cause(error: BaseException) -> BaseException:
    """The underlying error: fsspec's HTTP client raises `FileNotFoundError` for any failure, chained to the cause."""
    cause = error.__cause__ if isinstance(error, FileNotFoundError) else None
    is_underlying = isinstance(cause, SightlineError | TimeoutError | ConnectionError)
    return cause if cause is not None and (is_underlying or type(cause).__module__.startswith("aiohttp")) else error
