"""Run manifest: everything needed to reproduce, resume and audit a run. Contains no secrets."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from sightline.core.atomic_io import write_json
from sightline.core.config import PACE_ONLY, RunConfig, masked
from sightline.core.errors import DataError
from sightline.core.interfaces import Suite
from sightline.core.records import Remark, ServerCount
from sightline.data.json_decoding import JsonDecoder

_PACKAGES = ("sightline", "aiohttp", "duckdb", "msgspec", "numpy", "pillow", "av")

_FIRST_COMPARABLE_VERSION = 2
"""Fingerprints of this and later algorithm versions are equal if they cover the same files."""


class Manifest(Struct, kw_only=True):
    """The contents of `manifest.json`."""

    suite: str
    suite_version: str
    title: str
    model: str
    params: str = ""
    state: Literal["running", "partial", "finished"] = "running"
    why_stopped: str = ""
    started: str = ""
    ended: str = ""
    seconds_asking: float = 0.0
    key: str
    """Hash of everything that affects the prompts; an unfinished run is resumed by this key."""
    data: str
    data_sha256: str
    """Fingerprint of the dataset that inference ran on."""
    data_fingerprint_version: int = 1
    """Version of the fingerprint algorithm of `data_sha256`."""
    graded_data_sha256: str = ""
    """Fingerprint of the dataset that was graded last, by the current algorithm, if it differs from `data_sha256`."""
    prompt_sha256: str = ""
    """Hash of the first sample's prompt, text and media."""
    config: dict[str, Any] = {}
    options: dict[str, Any] = {}
    identity: dict[str, Any] = {}
    facts: list[Remark] = []
    deviations: list[Remark] = []
    versions: dict[str, str] = {}
    servers: dict[str, ServerCount] = {}
    """Request counts per server address."""
    served_models: dict[str, int] = {}
    """Number of replies per model name reported by the servers."""

    @property
    def grading_fingerprint(self) -> tuple[int, str]:
        """Fingerprint of the dataset the grades are based on, as (algorithm version, SHA-256)."""
        if self.graded_data_sha256:
            return _FIRST_COMPARABLE_VERSION, self.graded_data_sha256
        return min(self.data_fingerprint_version, _FIRST_COMPARABLE_VERSION), self.data_sha256

    def save(self, path: Path) -> None:
        """Write the manifest atomically."""
        write_json(path, self)


_decoder = JsonDecoder[Manifest](Manifest)


def load_manifest(path: Path) -> Manifest:
    """Load a run manifest; raises `DataError` if the folder is not a run folder."""
    try:
        return _decoder.decode(path.read_bytes())
    except OSError as error:
        if path.exists():
            raise DataError("{path} can't be read: {why}", path=path, why=error.strerror) from None
        raise DataError(
            "{folder} is no run folder: it has no manifest.json.",
            hint="Give a folder that `sightline run` made, such as runs/2026…",
            folder=path.parent,
        ) from None
    except msgspec.DecodeError as error:
        raise DataError("{path} can't be read: {why}", path=path, why=error) from None


def compute_run_key(suite: Suite, config: RunConfig, identity: Mapping[str, Any], data_sha256: str) -> str:
    """Compute the run key: a hash of suite, options, model, settings and data, i.e. of all that affects the prompts."""
    settings = {k: v for k, v in masked(config).items() if k not in PACE_ONLY and k != "data"}
    settings["api_base"] = settings["api_base"].partition(",")[0]  # the first server names the run; others come and go
    parts = [suite.name, suite.version, msgspec.to_builtins(suite.options), settings, dict(identity), data_sha256]
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()


def package_versions() -> dict[str, str]:
    """Versions of Python, the platform and the main packages."""
    versions = {"python": platform.python_version(), "platform": platform.platform()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions
