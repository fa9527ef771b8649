"""What a run was: enough to repeat it, to continue it, and to see how it left the standard protocol. No secrets."""

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

_COMPARABLE = 2
"""Fingerprints by this rule and by later ones are equal where they cover the same files."""


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
    """Hash of all that decides what is asked: the same command finds its unfinished run by it."""
    data: str
    data_sha256: str
    """Fingerprint of the data set that was asked."""
    data_fingerprint_version: int = 1
    """The rule that `data_sha256` was made by."""
    graded_data_sha256: str = ""
    """Fingerprint of the data set that was graded last, by the present rule, where it is not `data_sha256`."""
    prompt_sha256: str = ""
    """Hash of the first sample's prompt, words and pictures."""
    config: dict[str, Any] = {}
    options: dict[str, Any] = {}
    identity: dict[str, Any] = {}
    facts: list[Remark] = []
    deviations: list[Remark] = []
    versions: dict[str, str] = {}
    servers: dict[str, ServerCount] = {}
    """What each of several servers was sent, by its address."""
    served_models: dict[str, int] = {}
    """How many replies came under which name of a model, as the server gave it."""

    @property
    def grading_fingerprint(self) -> tuple[int, str]:
        """The data set that the grades were made with: the rule of its fingerprint, and the fingerprint."""
        if self.graded_data_sha256:
            return _COMPARABLE, self.graded_data_sha256
        return min(self.data_fingerprint_version, _COMPARABLE), self.data_sha256

    def save(self, path: Path) -> None:
        """Write, whole or not at all."""
        write_json(path, self)


_decoder = JsonDecoder[Manifest](Manifest)


def load_manifest(path: Path) -> Manifest:
    """Read a run's manifest, or say that this is no run folder."""
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


def run_key(suite: Suite, config: RunConfig, identity: Mapping[str, Any], data_sha256: str) -> str:
    """Hash of suite, options, model, settings and data: everything that decides what is asked."""
    asked = {k: v for k, v in masked(config).items() if k not in PACE_ONLY and k != "data"}
    asked["api_base"] = asked["api_base"].partition(",")[0]  # the first server names the run; others come and go
    parts = [suite.name, suite.version, msgspec.to_builtins(suite.options), asked, dict(identity), data_sha256]
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()


def versions() -> dict[str, str]:
    """Python, platform, and the packages that matter."""
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found
