"""Worker process: reads length-prefixed frames from standard input and writes them to standard output."""

from __future__ import annotations

import signal
import struct
import sys
from typing import IO

import msgspec

from sightline.scoring.engines.child_processes import append_working_folder, redirect_output
from sightline.web.service.handler import JobRequest, handle_job, warm_up

FRAME_HEADER = struct.Struct("!I")
READY = b"ready"


def main() -> None:
    """Handle requests from the parent process until its pipe closes."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is handled by the parent process
    append_working_folder()
    out = redirect_output()
    _limit_memory(int(sys.argv[1]))
    warm_up()
    _send(out, READY)
    source = sys.stdin.buffer
    decoder = msgspec.msgpack.Decoder(JobRequest)
    while len(head := source.read(FRAME_HEADER.size)) == FRAME_HEADER.size:
        _send(out, msgspec.msgpack.encode(handle_job(decoder.decode(source.read(FRAME_HEADER.unpack(head)[0])))))


def _send(out: IO[bytes], frame: bytes) -> None:
    out.write(FRAME_HEADER.pack(len(frame)) + frame)
    out.flush()


def _limit_memory(megabytes: int) -> None:
    """Limit the memory of this process with `RLIMIT_DATA` (POSIX only)."""
    if sys.platform == "win32" or not megabytes:
        return
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))


if __name__ == "__main__":
    main()
