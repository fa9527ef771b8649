"""Span reader: reads the values of many rows by their byte spans, with nearby spans coalesced into one read."""

from __future__ import annotations

import os
import threading
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from sightline.core.errors import DataError
from sightline.data.columns import TextColumn
from sightline.data.lines.span_kernels import plan_reads, take_texts
from sightline.data.storage import AnyPath

GAP_BYTES = 1 << 16
"""Minimum gap in bytes between two spans that are read separately."""
STAGE_BYTES = 1 << 22
"""Bytes that are read before their texts are extracted."""
Offsets = NDArray[np.int64]


class SpanReader:
    """Reads spans of an open file. Thread-safe."""

    def __init__(self, file: BinaryIO, path: AnyPath) -> None:
        self._file, self._path = file, path
        self._lock = threading.Lock()

    def read_into(self, buffer: memoryview, offset: int) -> None:
        """Fill a buffer with the bytes from an offset on."""
        done = 0
        while done < len(buffer):
            if hasattr(os, "preadv"):
                count = os.preadv(self._file.fileno(), [buffer[done:]], offset + done)
            else:
                with self._lock:  # seek and read must not be interleaved with those of another thread
                    self._file.seek(offset + done)
                    count = self._file.readinto(buffer[done:])  # type: ignore[attr-defined]  # every file here has it
            if not count:
                raise DataError("{path} was changed while it was being read.", path=self._path)
            done += count

    def texts(self, offsets: Offsets, lengths: Offsets, escaped: NDArray[np.bool_]) -> TextColumn:
        """The texts of the spans in the given order, unescaped where `escaped` is set."""
        starts = np.concatenate((np.zeros(1, np.int64), np.cumsum(lengths)))
        out, starts = np.empty(int(starts[-1]), np.uint8), starts[:-1]
        non_empty = np.flatnonzero(lengths)
        in_file = non_empty[np.argsort(offsets[non_empty], kind="stable")]
        stops = starts.copy()
        begins, sizes = offsets[in_file], lengths[in_file]
        firsts = plan_reads(begins, sizes, GAP_BYTES, STAGE_BYTES)
        ends = np.maximum.reduceat(begins + sizes, firsts[:-1]) if len(in_file) else begins
        bytes_of_reads = np.concatenate((np.zeros(1, np.int64), np.cumsum(ends - begins[firsts[:-1]])))
        read = 0
        while read < len(firsts) - 1:
            # as many reads as the stage holds, at least one
            after = max(int(np.searchsorted(bytes_of_reads, bytes_of_reads[read] + STAGE_BYTES, "right")) - 1, read + 1)
            chosen = slice(int(firsts[read]), int(firsts[after]))
            shift = bytes_of_reads[read:after] - bytes_of_reads[read] - begins[firsts[read:after]]
            positions = begins[chosen] + np.repeat(shift, np.diff(firsts[read : after + 1]))
            stage = self._stage(begins[firsts[read:after]], ends[read:after])
            rows = in_file[chosen]
            row_stops = stops[rows]
            spans = np.stack((positions, sizes[chosen]))
            take_texts(stage.ctypes.data, spans, escaped[rows], out.ctypes.data, starts[rows], row_stops)
            stops[rows] = row_stops
            read = after
        return TextColumn(out, starts, stops)

    def _stage(self, begins: Offsets, ends: Offsets) -> NDArray[np.uint8]:
        """The concatenated bytes of some reads."""
        stage = np.empty(int((ends - begins).sum()), np.uint8)
        buffer, at = stage.data, 0
        for begin, end in zip(begins.tolist(), ends.tolist(), strict=True):
            self.read_into(buffer[at : at + end - begin], begin)
            at += end - begin
        return stage

    def close(self) -> None:
        """Close the file."""
        self._file.close()
