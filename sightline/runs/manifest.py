"""Run manifest: everything needed to reproduce, resume and audit a run. Contains no secrets."""

from __future__ import annotations

import hashlib
import platform
from collections.abc import Mapping
from datetime import datetime
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any, Literal

import msgspec
from msgspec import Struct

from sightline.core.atomic_io import write_json
from sightline.core.config import ADDED_SETTINGS, MAX_REPEATS, PACE_ONLY, RunConfig, mask_config
from sightline.core.errors import DataError, MediaError, UsageError
from sightline.core.interfaces import Model, Suite
from sightline.core.legacy import upgrade_record
from sightline.core.records import Media, Sample, ServerCount
from sightline.core.registry import load_suite, names
from sightline.core.remarks import Remark
from sightline.data.fingerprint import VERSION
from sightline.data.json_decoding import JsonDecoder, decode_json
from sightline.data.media import load_bytes

_PACKAGES = ("sightline", "aiohttp", "duckdb", "msgspec", "numpy", "pillow", "av")

_DEFAULTS = {name: getattr(RunConfig(), name) for name in ADDED_SETTINGS}

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
    usage: dict[str, Any] = {}
    """Requests, tokens, cost and speed, as in report.json."""

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
        content = path.read_bytes()
        if b'"facts":{' in content.replace(b" ", b""):  # remarks of an earlier version
            content = msgspec.json.encode(upgrade_record(decode_json(content), keys=False))
        return _decoder.decode(content)
    except OSError as error:
        if path.exists():
            raise DataError("Cannot read {path}: {why}", path=path, why=error.strerror) from None
        raise DataError(
            "{folder} is not a run folder: it has no manifest.json.",
            hint="Give a folder created by `sightline run`, such as runs/2026…",
            folder=path.parent,
        ) from None
    except msgspec.DecodeError as error:
        raise DataError("Cannot read {path}: {why}", path=path, why=error) from None


def compute_run_key(suite: Suite, config: RunConfig, identity: Mapping[str, Any], data_sha256: str) -> str:
    """Compute the run key: a hash of suite, options, model, settings and data, i.e. of all that affects the prompts."""
    settings = {k: v for k, v in mask_config(config).items() if k not in PACE_ONLY and k != "data"}
    for name in ADDED_SETTINGS:
        if settings[name] == _DEFAULTS[name]:
            del settings[name]
    # the first server names the run; others come and go, and so does the port of a launched one
    settings["api_base"] = "" if config.launch else settings["api_base"].partition(",")[0]
    parts = [suite.name, suite.version, msgspec.to_builtins(suite.options), settings, dict(identity), data_sha256]
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()


def recorded_repeats(manifest: Manifest) -> int:
    """How often every question of a run is asked."""
    count = manifest.config.get("repeats")
    return count if type(count) is int and 1 <= count <= MAX_REPEATS else 1  # a run folder may hold anything


def package_versions() -> dict[str, str]:
    """Versions of Python, the platform and the main packages."""
    versions = {"python": platform.python_version(), "platform": platform.platform()}
    for package in _PACKAGES:
        try:
            versions[package] = version(package)
        except PackageNotFoundError:
            continue
    return versions


def build_manifest(
    suite: Suite, config: RunConfig, model: Model, data: Path, data_sha256: str, first: Sample | None
) -> Manifest:
    """Build the manifest of a run on a dataset with the given fingerprint (current algorithm version)."""
    identity = dict(model.identity())
    return Manifest(
        suite=suite.name,
        suite_version=suite.version,
        title=suite.title,
        model=model.name,
        params=config.params,
        started=datetime.now().astimezone().isoformat(timespec="seconds"),
        key=compute_run_key(suite, config, identity, data_sha256),
        data=str(data),
        data_sha256=data_sha256,
        data_fingerprint_version=VERSION,
        prompt_sha256=_prompt_hash(suite, first),
        config=mask_config(config),
        options=msgspec.to_builtins(suite.options),
        identity=identity,
        facts=list(suite.dataset_notes(data)),
        deviations=[*_deviations(config), *suite.deviations()],
        versions=package_versions(),
    )


def _deviations(config: RunConfig) -> list[Remark]:
    deviations = []
    if config.limit is not None:
        deviations.append(Remark("only the first {count} samples", {"count": config.limit}))
    if config.sample is not None:
        args = {"count": config.sample, "tags": ", ".join(config.stratify)}
        deviations.append(Remark("a stratified sample of {count} by {tags}, reweighted", args))
    if config.filter:
        deviations.append(Remark("only samples that match {words}", {"words": " + ".join(config.filter)}))
    if config.blind:
        deviations.append(Remark("blind: no images, videos or reports in the prompt"))
    if config.system:
        deviations.append(Remark("custom system prompt"))
    if config.temperature is None:
        deviations.append(Remark("temperature: server default"))
    elif config.temperature != 0:
        deviations.append(Remark("temperature {value}", {"value": config.temperature}))
    deviations += _image_deviations(config)
    if config.repeats > 1:
        deviations.append(Remark("every question asked {count} times", {"count": config.repeats}))
    if config.max_retries:
        args = {"count": config.max_retries}
        deviations.append(
            Remark("up to {count} additional attempts with feedback (the headline is the first attempt)", args)
        )
    return deviations


def _image_deviations(config: RunConfig) -> list[Remark]:
    deviations = []
    if config.max_pixels is not None:
        deviations.append(Remark("images of at most {count} pixels", {"count": f"{config.max_pixels:,}"}))
    if config.min_pixels is not None:
        deviations.append(Remark("images of at least {count} pixels", {"count": f"{config.min_pixels:,}"}))
    if config.pixel_multiple > 1:
        args = {"count": config.pixel_multiple}
        deviations.append(Remark("sides of images resized to multiples of {count}", args))
    if config.image_format != "auto":
        deviations.append(Remark("format of sent images: {format}", {"format": config.image_format}))
    if config.image_detail:
        deviations.append(Remark("detail of images: {detail}", {"detail": config.image_detail}))
    return deviations


def _prompt_hash(suite: Suite, sample: Sample | None) -> str:
    prompt = suite.next_prompt(sample, ()) if sample is not None else None
    if prompt is None:
        return ""
    digest = hashlib.sha256()
    for message in prompt.messages:
        digest.update(message.role.encode())
        for part in message.parts:
            try:
                digest.update(load_bytes(part) if isinstance(part, Media) else part.text.encode())
            except MediaError:
                continue
    return digest.hexdigest()


def load_recorded_suite(manifest: Manifest, trusted_options: Mapping[str, Any] | None = None) -> Suite:
    """Load the suite that a manifest names; `trusted_options` are file options passed again by the user."""
    if manifest.suite not in names("suites"):  # never module:object
        raise DataError("The suite '{suite}' is not installed.", suite=manifest.suite)
    trusted_options = trusted_options or {}
    suite = load_suite(manifest.suite, **{**manifest.options, **trusted_options})
    for name in trusted_options:
        if name not in (*suite.file_options, *suite.grading_options):
            raise UsageError("The option '{name}' cannot be changed for an existing run.", name=name)
    suite.untrusted_options = frozenset(manifest.options) - frozenset(trusted_options)
    return suite
