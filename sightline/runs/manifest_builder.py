"""What a run will be, before it starts: the manifest, and every way in which it leaves the standard protocol."""

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
from sightline.runs.manifest import Manifest, run_key, versions


def describe_run(
    suite: Suite, config: RunConfig, model: Model, data: Path, data_sha256: str, first: Sample | None
) -> Manifest:
    """The manifest of a run that is about to start on a data set with a fingerprint of the present rule."""
    identity = dict(model.identity())
    return Manifest(
        suite=suite.name,
        suite_version=suite.version,
        title=suite.title,
        model=model.name,
        params=config.params,
        started=datetime.now().astimezone().isoformat(timespec="seconds"),
        key=run_key(suite, config, identity, data_sha256),
        data=str(data),
        data_sha256=data_sha256,
        data_fingerprint_version=VERSION,
        prompt_sha256=_prompt_hash(suite, first),
        config=masked(config),
        options=msgspec.to_builtins(suite.options),
        identity=identity,
        facts=list(suite.facts(data)),
        deviations=[*_deviations(config), *suite.deviations()],
        versions=versions(),
    )


def _deviations(config: RunConfig) -> list[Remark]:
    told = []
    if config.limit is not None:
        told.append(Remark("only the first {count} samples", {"count": config.limit}))
    if config.sample is not None:
        facts = {"count": config.sample, "tags": ", ".join(config.stratify)}
        told.append(Remark("a sample of {count}, drawn evenly by {tags} and weighted back", facts))
    if config.filter:
        told.append(Remark("only samples that match {words}", {"words": " + ".join(config.filter)}))
    if config.blind:
        told.append(Remark("blind: asked without pictures, videos and reports"))
    if config.system:
        told.append(Remark("a system prompt of the user's own"))
    if config.temperature is None:
        told.append(Remark("temperature left to the server"))
    elif config.temperature != 0:
        told.append(Remark("temperature {value}", {"value": config.temperature}))
    if config.max_retries:
        count = {"count": config.max_retries}
        told.append(Remark("up to {count} more attempts after feedback (the headline is the first attempt)", count))
    return told


def _prompt_hash(suite: Suite, sample: Sample | None) -> str:
    prompt = suite.turn(sample, ()) if sample is not None else None
    if prompt is None:
        return ""
    total = hashlib.sha256()
    for message in prompt.messages:
        total.update(message.role.encode())
        for part in message.parts:
            try:
                total.update(load_bytes(part) if isinstance(part, Media) else part.text.encode())
            except MediaError:
                continue
    return total.hexdigest()
