"""Builds the manifest of a new run, including all deviations from the standard protocol."""

from __future__ import annotations

import hashlib
from datetime import datetime
from pathlib import Path

import msgspec

from sightline.core.config import RunConfig, masked
from sightline.core.errors import MediaError
from sightline.core.interfaces import Model, Suite
from sightline.core.records import Media, Remark, Sample
from sightline.data.fingerprint import VERSION
from sightline.data.media import load_bytes
from sightline.runs.manifest import Manifest, compute_run_key, package_versions


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
        config=masked(config),
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
        deviations.append(Remark("a sample of {count}, drawn evenly by {tags} and weighted back", args))
    if config.filter:
        deviations.append(Remark("only samples that match {words}", {"words": " + ".join(config.filter)}))
    if config.blind:
        deviations.append(Remark("blind: asked without pictures, videos and reports"))
    if config.system:
        deviations.append(Remark("a system prompt of the user's own"))
    if config.temperature is None:
        deviations.append(Remark("temperature left to the server"))
    elif config.temperature != 0:
        deviations.append(Remark("temperature {value}", {"value": config.temperature}))
    if config.max_retries:
        args = {"count": config.max_retries}
        deviations.append(
            Remark("up to {count} more attempts after feedback (the headline is the first attempt)", args)
        )
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
