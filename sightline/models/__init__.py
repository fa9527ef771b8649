"""Model factory: an id becomes a `Model`.

Ids are `openai/gpt-4o`, `gpt-4o`, `hf/PATH`, `callable:module:function`, `baseline/oracle`, `replay/FILE`.
"""

from __future__ import annotations

from sightline.core.config import RunConfig
from sightline.core.errors import UsageError
from sightline.core.interfaces import Model
from sightline.core.registry import find, names
from sightline.models.endpoints import judge_as_model
from sightline.models.python_callable import CALLABLE, load_callable


def make_model(config: RunConfig) -> Model:
    """Create the model that the settings of a run name.

    An id whose first component is not a registered provider is an OpenAI-compatible model: open models are named
    `org/name`. Errors in the settings of the judge are raised here too, before any request is sent.
    """
    if config.judge:
        make_model(judge_as_model(config))
    if not config.model:
        raise UsageError(
            "No model was specified.",
            hint="Use --model baseline/random (no network), or --model NAME --api-base http://localhost:8000/v1",
        )
    if config.model.startswith(CALLABLE):
        return load_callable(config.model.removeprefix(CALLABLE))
    provider, separator, name = config.model.partition("/")
    model: Model
    if separator and name and provider in names("models"):
        model = find("models", provider)(name, config)
    else:
        model = find("models", "openai")(config.model, config)
    return model
