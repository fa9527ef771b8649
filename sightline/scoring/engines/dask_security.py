"""TLS for a local Dask cluster: a temporary certificate shared only by the processes of one engine.

Dask runs whatever a connected client sends. Bound to loopback, a cluster can't be reached from the network; but other
users of the machine could connect, so each side has to show the certificate, and all that is sent is encrypted.
"""

from __future__ import annotations

from typing import Any

from msgspec import Struct

LOOPBACK = "127.0.0.1"
_CERTIFICATES = ("tls_ca_file", "tls_worker_cert", "tls_worker_key")
NO_HTTP: dict[str, Any] = {"distributed.scheduler.http.routes": [], "distributed.worker.http.routes": []}
"""Dask settings that disable the HTTP pages of scheduler and workers."""


class WorkerConfig(Struct, frozen=True):
    """Configuration of a worker process, sent to its standard input as one line of JSON."""

    scheduler: str
    folder: str
    """A private folder: Dask puts it first on the worker's search path."""
    certificates: dict[str, str]
    """Texts in PEM, by the names that `distributed.Security` has for them."""


def worker_certificates(security: Any) -> dict[str, str]:
    """The certificates of a `distributed.Security` that a worker needs to connect."""
    return {name: getattr(security, name) for name in _CERTIFICATES}
