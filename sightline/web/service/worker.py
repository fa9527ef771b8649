"""The program of a worker process: frames on standard input, frames on standard output, until the input ends."""

from __future__ import annotations

import signal
import struct
import sys
from typing import IO

import msgspec

from sightline.scoring.engines.child_processes import append_working_folder
from sightline.scoring.engines.pipes import redirect_output
from sightline.web.service.handler import Job, warm_up, work

HEAD = struct.Struct("!I")
READY = b"ready"


def main() -> None:
    """Serve the parent."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C is the parent's, which lets us finish
    append_working_folder()
    out = redirect_output()
    _limit_memory(int(sys.argv[1]))
    warm_up()
    _send(out, READY)
    source = sys.stdin.buffer
    decoder = msgspec.msgpack.Decoder(Job)
    while len(head := source.read(HEAD.size)) == HEAD.size:
        _send(out, msgspec.msgpack.encode(work(decoder.decode(source.read(HEAD.unpack(head)[0])))))


def _send(out: IO[bytes], frame: bytes) -> None:
    out.write(HEAD.pack(len(frame)) + frame)
    out.flush()


def _limit_memory(megabytes: int) -> None:
    """So that a request can't take the machine's memory; Linux and its like alone."""
    if sys.platform == "win32" or not megabytes:
        return
    import resource

    resource.setrlimit(resource.RLIMIT_DATA, (megabytes << 20, megabytes << 20))


if __name__ == "__main__":
    main()
