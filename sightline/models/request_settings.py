"""Settings of a request: fields of its body from flags and `-M`, and adjustments to what a server refuses.

Reasoning models refuse settings that other models require: `max_tokens` is `max_completion_tokens` there, and a
temperature may not be set at all. A refusal that names such a setting is answered by one adjustment, which holds for
all further requests to that server and is recorded as a deviation of the run.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Set
from typing import Any

from msgspec import Struct

from sightline.core.config import RunConfig, thinking_budget
from sightline.core.remarks import Remark

_RENAMED = {"max_tokens": "max_completion_tokens", "max_completion_tokens": "max_tokens"}
_OPTIONAL = (
    "temperature",
    "seed",
    "top_p",
    "top_k",
    "min_p",
    "stop",
    "frequency_penalty",
    "presence_penalty",
    "repetition_penalty",
    "stream_options",
)
"""Settings that are left out where a server refuses them; all others are part of what is evaluated."""
_REFUSED = re.compile(
    r"unsupported|not (currently )?(support|permit|allow|accept|recogni|available)|unrecogni[sz]ed|unknown|unexpected"
    r"|extra[_ ](inputs|fields|forbidden)|only the default|only be set|deprecated"
    r"|(cannot|can't|must not) be (set|used|specified)|(doesn't|does not|don't) (support|accept|allow)|instead"
    r"|不支持|未知|不允许",
    re.IGNORECASE,
)


THINKING_FORMS = ("thinking", "chat_template_kwargs")
"""The settings that a thinking budget is sent as."""
_REQUIRED = frozenset({"model", "messages", "tools"})


def other_form(setting: str) -> str:
    """The other one of the settings that a thinking budget is sent as."""
    return THINKING_FORMS[setting == THINKING_FORMS[0]]


_TOOLS = re.compile(r"\btools?\b|tool[_ -]?(choice|call)|function[_ -]call", re.IGNORECASE)
_TOOLS_REFUSED = re.compile(rf"{_REFUSED.pattern}|requires?\b", re.IGNORECASE)


def refuses_tools(status: int, message: str) -> bool:
    """Whether an error response says that the server takes no native tool calls; llama.cpp says so with status 500."""
    is_refusal = status in (400, 404, 422, 500, 501)
    return is_refusal and _TOOLS.search(message) is not None and _TOOLS_REFUSED.search(message) is not None


class Adjustment(Struct, frozen=True):
    """A setting that a server refused, and what is sent in its place; nothing if that is empty."""

    server: str
    setting: str
    replacement: str = ""

    @property
    def remark(self) -> Remark:
        """The deviation in words."""
        args = {"server": self.server, "setting": self.setting, "replacement": self.replacement}
        if self.setting == "tools":
            return Remark("{server} does not accept native tool calls; tools are described in the text only", args)
        if self.setting in THINKING_FORMS:
            args["other"] = other_form(self.setting)
            return Remark("{server} does not accept {setting}; the thinking budget is sent as {other} only", args)
        if self.replacement:
            return Remark("{server} does not accept {setting}; {replacement} is sent instead", args)
        return Remark("{server} does not accept {setting}; it is left out", args)


def request_settings(name: str, config: RunConfig) -> dict[str, Any]:
    """The settings in the body of a request, by flags and `-M`; null removes one."""
    given = dict(config.model_args)
    budget = thinking_budget(given)
    given.pop("thinking_budget", None)
    body = {
        "model": name,
        "temperature": config.temperature,
        "max_tokens": config.max_tokens,
        "seed": config.seed,
        **(_thinking_settings(budget) if budget is not None else {}),
        **({"stream_options": {"include_usage": True}} if given.get("stream") else {}),
        **given,
    }
    return {key: value for key, value in body.items() if value is not None}


def _thinking_settings(budget: int) -> dict[str, Any]:
    """A thinking budget in the forms that servers take; unknown fields are ignored by most of them."""
    return {
        "thinking": {"type": "enabled", "budget_tokens": budget} if budget else {"type": "disabled"},
        "chat_template_kwargs": {"enable_thinking": True, "thinking_budget": budget}
        if budget
        else {"enable_thinking": False},
    }


def find_adjustment(server: str, settings: Mapping[str, Any], message: str, has_budget: bool) -> Adjustment | None:
    """The adjustment for a refusal (HTTP 400 or 422), if its message names a setting that can be changed."""
    if not _REFUSED.search(message):
        return None
    for setting, replacement in _RENAMED.items():
        if setting in settings and _names(message, setting) and replacement not in settings:
            return Adjustment(server, setting, replacement)
    for setting in _OPTIONAL:
        if setting in settings and _names(message, setting):
            return Adjustment(server, setting)
    forms = [setting for setting in THINKING_FORMS if setting in settings]
    if has_budget and len(forms) > 1:  # one form of the budget is enough, but without any the run would be another
        return next((Adjustment(server, form) for form in forms if _names(message, form)), None)
    return None


def find_refused(sent: Set[str], message: str) -> str:
    """The setting of a request that a refusal names; empty if there is none."""
    if not _REFUSED.search(message):
        return ""
    return next((setting for setting in sorted(sent - _REQUIRED, key=len)[::-1] if _names(message, setting)), "")


def _names(message: str, setting: str) -> bool:
    return re.search(rf"(?<![\w]){re.escape(setting)}(?![\w])", message) is not None


def apply_adjustment(settings: Mapping[str, Any], adjustment: Adjustment) -> dict[str, Any]:
    """The settings with one left out or renamed."""
    if adjustment.setting not in settings:
        return dict(settings)
    changed = {key: value for key, value in settings.items() if key != adjustment.setting}
    if adjustment.replacement:
        changed[adjustment.replacement] = settings[adjustment.setting]
    return changed
