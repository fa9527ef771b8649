"""Storages on loopback: S3 by moto's server, a web server, and a proxy that breaks connections."""

from __future__ import annotations

import hashlib
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

KEYS = {
    "AWS_ACCESS_KEY_ID": "AKIATESTING",
    "AWS_SECRET_ACCESS_KEY": "the-secret-key",
    "AWS_DEFAULT_REGION": "us-east-1",
}


def aws(address: str) -> dict[str, str]:
    """The environment of someone who uses the S3 at an address."""
    return {**KEYS, "AWS_ENDPOINT_URL": address, "AWS_CONFIG_FILE": "/none", "AWS_SHARED_CREDENTIALS_FILE": "/none"}


def free_port() -> int:
    """A port that nobody listens at."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@contextmanager
def s3_server() -> Iterator[str]:
    """A process of moto's S3; yields its address."""
    port = free_port()
    command = [sys.executable, "-m", "moto.server", "-H", "127.0.0.1", "-p", str(port)]
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        deadline = time.monotonic() + 60
        while True:
            with suppress(OSError), socket.create_connection(("127.0.0.1", port), timeout=1):
                break
            assert process.poll() is None and time.monotonic() < deadline
            time.sleep(0.05)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.kill()
        process.wait()


def bucket(address: str, name: str) -> Any:
    """A new bucket, seen by boto3: a client that shares no code with ours."""
    import boto3

    client = boto3.resource(
        "s3",
        endpoint_url=address,
        region_name=KEYS["AWS_DEFAULT_REGION"],
        aws_access_key_id=KEYS["AWS_ACCESS_KEY_ID"],
        aws_secret_access_key=KEYS["AWS_SECRET_ACCESS_KEY"],
    )
    return client.create_bucket(Bucket=name)


def upload(folder: Path, target: Any, prefix: str) -> None:
    """All files of a folder, below a prefix."""
    for path in sorted(folder.rglob("*")):
        if path.is_file():
            target.upload_file(str(path), f"{prefix}/{path.relative_to(folder).as_posix()}")


class CuttingProxy:
    """Passes bytes on to an address; as often as told, it drops a connection after so many bytes of the answer."""

    def __init__(self, address: str, after: int, times: int) -> None:
        host, _, port = address.rpartition("//")[2].partition(":")
        self._target, self._after, self.left, self.cuts = (host, int(port)), after, times, 0
        self._lock = threading.Lock()
        self._socket = socket.create_server(("127.0.0.1", 0))
        self.address = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        threading.Thread(target=self._accept, daemon=True).start()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                client, _ = self._socket.accept()
                server = socket.create_connection(self._target)
                threading.Thread(target=self._up, args=(client, server), daemon=True).start()
                threading.Thread(target=self._down, args=(client, server), daemon=True).start()

    def _up(self, client: socket.socket, server: socket.socket) -> None:
        with suppress(OSError):
            while piece := client.recv(1 << 16):
                server.sendall(piece)
            server.shutdown(socket.SHUT_WR)

    def _down(self, client: socket.socket, server: socket.socket) -> None:
        passed = 0
        with suppress(OSError):
            while piece := server.recv(1 << 16):
                passed += len(piece)
                if passed > self._after and self._may_cut():
                    break
                client.sendall(piece)
        for end in (client, server):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)
            end.close()

    def _may_cut(self) -> bool:
        with self._lock:
            if not self.left:
                return False
            self.left -= 1
            self.cuts += 1
            return True

    def close(self) -> None:
        """Listen no longer."""
        self._socket.close()


class Web:
    """A web server of some files: with ranges or without, breaking off as often as told, sending elsewhere."""

    def __init__(self, files: dict[str, bytes], ranges: bool = True) -> None:
        self.files, self.ranges = files, ranges
        self.break_after: list[int] = []
        """Of each next answer so many bytes are sent before the connection is closed."""
        self.redirect: dict[str, str] = {}
        self.asked: list[tuple[str, str, str]] = []
        """Method, path with its query, and the range that was asked for."""
        self.on_break: Any = lambda: None
        web = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: Any) -> None:
                """Nothing."""

            def do_HEAD(self) -> None:
                web.answer(self, with_body=False)

            def do_GET(self) -> None:
                web.answer(self, with_body=True)

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def answer(self, to: BaseHTTPRequestHandler, with_body: bool) -> None:
        """One answer."""
        span = to.headers.get("Range", "")
        self.asked.append((to.command, to.path, span))
        name = to.path.partition("?")[0]
        if name in self.redirect:
            return self._head(to, 302, {"Location": self.redirect[name], "Content-Length": "0"})
        if name not in self.files:
            return self._head(to, 404, {"Content-Length": "0"})
        whole = self.files[name]
        found = re.fullmatch(r"bytes=(\d+)-(\d*)", span) if self.ranges else None
        first = int(found[1]) if found else 0
        last = int(found[2]) if found and found[2] else len(whole) - 1
        body = whole[first : last + 1]
        facts = {"Content-Length": str(len(body)), "ETag": f'"{hashlib.md5(whole).hexdigest()}"'}
        if self.ranges:
            facts["Accept-Ranges"] = "bytes"
        if found:
            facts["Content-Range"] = f"bytes {first}-{first + len(body) - 1}/{len(whole)}"
        self._head(to, 206 if found else 200, facts)
        if not with_body:
            return None
        if self.break_after:
            to.wfile.write(body[: self.break_after.pop(0)])
            to.wfile.flush()
            self.on_break()
            to.connection.shutdown(socket.SHUT_RDWR)
            to.close_connection = True
        else:
            with suppress(OSError):
                to.wfile.write(body)
        return None

    @staticmethod
    def _head(to: BaseHTTPRequestHandler, status: int, facts: dict[str, str]) -> None:
        to.send_response(status)
        for name, value in facts.items():
            to.send_header(name, value)
        to.end_headers()

    def close(self) -> None:
        """Listen no longer."""
        self._server.shutdown()
        self._server.server_close()
