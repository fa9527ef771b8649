"""Resource limits and outcomes of sandboxed programs, and the reader of their untrusted results."""

from __future__ import annotations

import re
import struct
import zlib
from io import BytesIO
from typing import Any, Literal

import msgspec
from msgspec import Struct

from sightline.core.errors import SightlineError

State = Literal["ok", "error", "timeout", "memory", "output", "killed", "refused"]
"""`output`: too much was printed or written; `killed`: ended by a signal; `refused`: the program was never started."""

IsolationMethod = Literal["bubblewrap", "landlock", "unsafe"]


class Limits(Struct, frozen=True, kw_only=True):
    """Resource limits of a program. Threads are allowed, new processes and connections never."""

    seconds: float = 10
    cpu_seconds: float = 8
    memory_mb: int = 1024
    """On top of what the interpreter with its libraries takes."""
    output_kb: int = 256
    """Of printed text, and of each result."""
    file_mb: int = 16
    """The largest file, and the largest picture."""
    scratch_mb: int = 64
    """All files together."""


class Outcome(Struct, frozen=True, kw_only=True):
    """Outcome of a program or of one call of its functions."""

    state: State
    result: Any = None
    picture: bytes | None = None
    stdout: str = ""
    error: str = ""
    """The last line of the traceback, or a message of the sandbox; one line without control characters."""
    seconds: float = 0


class SandboxUnavailableError(SightlineError):
    """No isolation method works on this system, so untrusted code is not run."""


PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
MAX_PIXELS = 16_000_000
MAX_ERROR_LENGTH = 400
_CONTROL_CHARACTERS = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class Frame(Struct, frozen=True):
    """A result frame sent by the child process for the program or one call."""

    state: State
    result: Any = None
    error: str = ""


class ProcessResult(Struct, frozen=True, kw_only=True):
    """Result of a process that ran a program: its output, its reply, and how it ended."""

    output: bytes = b""
    reply: bytes = b""
    state: State = "ok"
    """`ok` if the process was neither stopped nor ended by a signal."""
    error: str = ""
    seconds: float = 0


def strip_control_characters(text: str) -> str:
    """Replace control characters, which could rewrite a terminal."""
    return _CONTROL_CHARACTERS.sub("�", text)


def split_frames(reply: bytes, mark: bytes) -> tuple[list[Frame], bytes | None]:
    """Split a reply into its frames and picture; bytes between frames are ignored."""
    frames, picture, start = [], None, 0
    head = len(mark) + 5
    while (start := reply.find(mark, start)) >= 0:
        kind = reply[start + len(mark) : start + len(mark) + 1]
        size = int.from_bytes(reply[start + len(mark) + 1 : start + head], "big")
        content = reply[start + head : start + head + size]
        if len(content) < size:
            break
        if kind == b"P":
            picture = content
        else:
            frames.append(_decode_frame(content))
        start += head + size
    return frames, picture


def _decode_frame(content: bytes) -> Frame:
    try:
        return msgspec.json.decode(content, type=Frame)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return Frame("error", None, "The result is not readable JSON.")


def read_outcomes(result: ProcessResult, mark: bytes, calls: int, picture: bool, limits: Limits) -> list[Outcome]:
    """Return one outcome per call, or one for the program if there are no calls."""
    missing_frame = _missing_frame(result)
    frames, picture_bytes = split_frames(result.reply, mark)
    expected = 1 + calls + picture
    frames = [*frames, *[missing_frame] * (expected - len(frames))][:expected]
    call_frames = frames[1 : 1 + calls] or frames[:1]
    if result.state == "output":  # whatever else was reported
        call_frames = [missing_frame] * len(call_frames)
    elif frames[0].state != "ok":
        call_frames = frames[:1] * len(call_frames)
    if picture and call_frames[-1].state == "ok":
        picture_bytes, error_frame = _check_picture(picture_bytes, frames[-1], limits)
        call_frames = call_frames if picture_bytes else [*call_frames[:-1], error_frame]
    stdout = strip_control_characters(result.output[: limits.output_kb << 10].decode("utf-8", "replace"))
    return [
        Outcome(
            state=frame.state,
            result=frame.result if frame.state == "ok" else None,
            picture=picture_bytes if picture and frame.state == "ok" else None,
            stdout=stdout,
            error=strip_control_characters(frame.error).replace("\n", " ")[:MAX_ERROR_LENGTH]
            if frame.state != "ok"
            else "",
            seconds=result.seconds,
        )
        for frame in call_frames
    ]


def _missing_frame(result: ProcessResult) -> Frame:
    if result.state != "ok":
        return Frame(result.state, None, result.error)
    return Frame("error", None, "The program ended before its result.")


def _check_picture(content: bytes | None, last: Frame, limits: Limits) -> tuple[bytes | None, Frame]:
    """Return the picture if it is valid, else an error frame."""
    if content is None:
        return None, last if last.state != "ok" else Frame("error", None, "The program drew no picture.")
    if len(content) > limits.file_mb << 20:
        return None, Frame("output", None, "The picture is too large.")
    if not is_valid_png(content):
        return None, Frame("error", None, "The picture is not a readable PNG of at most 16 megapixels.")
    return content, last


def is_valid_png(content: bytes) -> bool:
    """Whether the bytes are a PNG of at most `MAX_PIXELS` pixels with valid checksums."""
    from PIL import Image

    if not content.startswith(PNG_SIGNATURE) or content[12:16] != b"IHDR":
        return False
    width, height = int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")
    if not 0 < width * height <= MAX_PIXELS:
        return False
    try:
        with Image.open(BytesIO(content), formats=["PNG"]) as image:
            image.verify()
    except (OSError, SyntaxError, ValueError, OverflowError, MemoryError, EOFError, struct.error, zlib.error):
        return False
    return True
