"""The model seam: an id such as `openai/gpt-4o`, `gpt-4o`, `baseline/oracle` or `replay/FILE` becomes a `Model`."""

from __future__ import annotations

from sightline.core.config import RunConfig
from sightline.core.errors import UsageError
from sightline.core.interfaces import Model
from sightline.core.registry import find, names
from sightline.models.keys import for_judge


def make_model(config: RunConfig) -> Model:
    """The model that a run's settings name.

    An id whose first part is no registered provider is an OpenAI-compatible one: open models are called `org/name`.
    A judge that can't be is told here too, before anything is asked.
    """
    if config.judge:
        make_model(for_judge(config))
    if not config.model:
        raise UsageError(
            "No model was named.",
            hint="Try --model baseline/random (no network), or --model NAME --api-base http://localhost:8000/v1",
        )
    provider, slash, rest = config.model.partition("/")
    if slash and rest and provider in names("models"):
        made: Model = find("models", provider)(rest, config)
        return made
    default: Model = find("models", "openai")(config.model, config)
    return default
