"""Reads what a program left behind. It is hostile until proven harmless: bounded, decoded as JSON, never evaluated."""

from __future__ import annotations

import re
import struct
import zlib
from io import BytesIO
from typing import Any

import msgspec
from msgspec import Struct

from sightline.suites.matrix.sandbox.records import Limits, Outcome, State

SIGNATURE = b"\x89PNG\r\n\x1a\n"
PIXELS = 16_000_000
ERROR_LENGTH = 400
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028-\u202e\u2066-\u2069]")


class Frame(Struct, frozen=True):
    """What the child says of the program or of one call."""

    state: State
    result: Any = None
    error: str = ""


class Ending(Struct, frozen=True, kw_only=True):
    """What is left of a process that ran a program: its output, its reply, and how it ended."""

    output: bytes = b""
    reply: bytes = b""
    state: State = "ok"
    """`ok` where nobody had to end it and no signal did."""
    error: str = ""
    seconds: float = 0


def clean(text: str) -> str:
    """Text without control characters, which could rewrite a reader's terminal."""
    return _CONTROL.sub("�", text)


def split(reply: bytes, mark: bytes) -> tuple[list[Frame], bytes | None]:
    """The frames of a reply and its picture. What lies between the marks is the program's own noise."""
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
            frames.append(_frame(content))
        start += head + size
    return frames, picture


def _frame(content: bytes) -> Frame:
    try:
        return msgspec.json.decode(content, type=Frame)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError):
        return Frame("error", None, "The result is not readable JSON.")


def outcomes(ending: Ending, mark: bytes, calls: int, picture: bool, limits: Limits) -> list[Outcome]:
    """One outcome for each call, or one for the program where there are no calls."""
    missing = _missing(ending)
    frames, drawn = split(ending.reply, mark)
    expected = 1 + calls + picture
    frames = [*frames, *[missing] * (expected - len(frames))][:expected]
    told = frames[1 : 1 + calls] or frames[:1]
    if ending.state == "output":  # whatever was said beside the flood
        told = [missing] * len(told)
    elif frames[0].state != "ok":
        told = frames[:1] * len(told)
    if picture and told[-1].state == "ok":
        drawn, fault = _checked(drawn, frames[-1], limits)
        told = told if drawn else [*told[:-1], fault]
    stdout = clean(ending.output[: limits.output_kb << 10].decode("utf-8", "replace"))
    return [
        Outcome(
            state=frame.state,
            result=frame.result if frame.state == "ok" else None,
            picture=drawn if picture and frame.state == "ok" else None,
            stdout=stdout,
            error=clean(frame.error).replace("\n", " ")[:ERROR_LENGTH] if frame.state != "ok" else "",
            seconds=ending.seconds,
        )
        for frame in told
    ]


def _missing(ending: Ending) -> Frame:
    if ending.state != "ok":
        return Frame(ending.state, None, ending.error)
    return Frame("error", None, "The program ended before its result.")


def _checked(drawn: bytes | None, last: Frame, limits: Limits) -> tuple[bytes | None, Frame]:
    """The picture if it is one, or else what is wrong with it."""
    if drawn is None:
        return None, last if last.state != "ok" else Frame("error", None, "The program drew no picture.")
    if len(drawn) > limits.file_mb << 20:
        return None, Frame("output", None, "The picture is too large.")
    if not is_picture(drawn):
        return None, Frame("error", None, "The picture is not a readable PNG of at most 16 megapixels.")
    return drawn, last


def is_picture(content: bytes) -> bool:
    """Whether these bytes are a PNG of a bearable size, with every checksum right."""
    from PIL import Image

    if not content.startswith(SIGNATURE) or content[12:16] != b"IHDR":
        return False
    width, height = int.from_bytes(content[16:20], "big"), int.from_bytes(content[20:24], "big")
    if not 0 < width * height <= PIXELS:
        return False
    try:
        with Image.open(BytesIO(content), formats=["PNG"]) as image:
            image.verify()
    except (OSError, SyntaxError, ValueError, OverflowError, MemoryError, EOFError, struct.error, zlib.error):
        return False
    return True
