"""Masking of secrets in settings, command lines and addresses: detection by name and by form."""

from __future__ import annotations

import hashlib
import json
import re
import shlex
import unicodedata
from collections.abc import Mapping
from typing import Any

import msgspec

_MASK = "***"
_WORDS = frozenset(
    {"apikey", "auth", "authorization", "bearer", "cookie", "cookies", "credential", "credentials", "header", "headers"}
    | {"key", "keys", "passphrase", "passwd", "password", "pwd", "secret", "secrets", "session", "sig", "signature"}
    | {"token", "tokens"}
)
_ENDINGS = ("key", "passphrase", "passwd", "password", "pwd", "secret", "token")
_CHINESE = ("密钥", "密码", "口令", "令牌")
_COUNTS = frozenset({"budget", "count", "id", "ids", "k", "length", "limit", "n", "size", "tokens"})
"""Last words of names whose numbers are counts, such as max_tokens and stop_token_ids."""
_LOOKS_SECRET = re.compile(
    r"\b(sk|pk|hf|gsk|xai|ghp)[-_][\w-]{15,}|\bAKIA[0-9A-Z]{12,}|\bAIza[\w-]{30,}|\b(Bearer|Basic)\s+\S{6,}"
    r"|\beyJ[\w-]{10,}\.|://[^/@\s]*:[^/@\s]*@|[?&](sig|signature|token|key|api_key)=[^&\s]{6,}",
    re.IGNORECASE,
)


def has_secret_name(name: str) -> bool:
    """Whether a setting, header or variable of that name may hold a key or password."""
    folded = unicodedata.normalize("NFKC", name)
    words = _split_words(folded)
    return bool(words & _WORDS) or folded.lower().endswith(_ENDINGS) or any(word in folded for word in _CHINESE)


def _split_words(name: str) -> set[str]:
    """The words of `snake_case`, `kebab-case` and `camelCase`."""
    parts = re.split(r"[^A-Za-z]+|(?<=[a-z])(?=[A-Z])", name)
    return {part.lower() for part in parts if part}


def mask_secrets(value: Any, name: str = "") -> Any:
    """Settings without their secrets, at any depth: values whose name suggests a secret (also headers and cookies), and
    texts that look like a key or contain a password."""
    is_secret = has_secret_name(name)
    if isinstance(value, Mapping):
        return {key: mask_secrets(inner, name if is_secret else str(key)) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [mask_secrets(inner, name) for inner in value]
    if isinstance(value, str):
        return _MASK if value and (is_secret or _LOOKS_SECRET.search(value)) else value
    if isinstance(value, bool) or value is None or not is_secret:
        return value
    return value if re.split(r"[^A-Za-z]+", name.lower())[-1] in _COUNTS else _MASK


_ASSIGNMENT = re.compile(r"(?P<name>-{0,2}[\w.-]+)=(?P<value>.*)", re.DOTALL)


def mask_command(command: str) -> str:
    """A command line without secrets: values of flags and variables that sound like one (`--api-key VALUE`,
    `HF_TOKEN=VALUE`), secrets in JSON and in commands within arguments, and texts that look like a key."""
    try:
        arguments = shlex.split(command)
    except ValueError:  # a quote that does not close
        return _MASK
    shown: list[str] = []
    flag, has_value = "", False
    for argument in arguments:
        # what follows `--api-key` is its value, even where it begins with a hyphen
        if argument.startswith("--") or (argument.startswith("-") and (has_value or not has_secret_name(flag))):
            flag, has_value = argument.partition("=")[0], "=" in argument
            shown.append(_mask_argument(argument))
        elif has_secret_name(flag) and not _is_count(flag, argument):
            has_value = True
            shown.append(_MASK)
        else:
            flag = ""
            shown.append(_mask_argument(argument))
    return " ".join(shlex.quote(part) if re.search(r"[\s'\"]", part) else part for part in shown)


def _is_count(name: str, value: str) -> bool:
    return value.isdigit() and re.split(r"[^A-Za-z]+", name.lower())[-1] in _COUNTS


def _mask_argument(argument: str) -> str:
    is_command = len(argument.split()) > 1 and not argument.startswith("-")
    if not is_command and (match := _ASSIGNMENT.fullmatch(argument)):
        name, value = match["name"], match["value"]
        is_shown = not has_secret_name(name) or _is_count(name, value)
        return f"{name}={_mask_argument(value) if is_shown else _MASK}"
    if argument[:1] in "{[":
        try:
            return json.dumps(mask_secrets(json.loads(argument)))
        except (ValueError, RecursionError):
            pass
    if is_command:
        return mask_command(argument)
    return _LOOKS_SECRET.sub(_MASK, argument)


_LOGIN = re.compile(
    r"(x[-_]?)?(api[-_]?key|auth|authorization|access[-_]?token|token|password|secret|cookie|(extra[-_]?)?headers)",
    re.I,
)


def digest_masked(settings: Mapping[str, Any]) -> str:
    """A digest of the settings that masking has changed, so that two different requests are not taken for the same.

    What only logs in may change from one start to the next and is left out. The digest is slow to compute, so that a
    short secret can't be guessed from it; empty where nothing is masked.
    """
    hidden = {
        name: value
        for name, value in settings.items()
        if mask_secrets(value, name) != _as_plain(value) and not _LOGIN.fullmatch(name)
    }
    if not hidden:
        return ""
    encoded = msgspec.json.encode(hidden, order="deterministic")
    return hashlib.pbkdf2_hmac("sha256", encoded, b"sightline settings", 200_000).hex()[:16]


def _as_plain(value: Any) -> Any:
    """A value with lists for tuples, as masking leaves it."""
    if isinstance(value, Mapping):
        return {key: _as_plain(inner) for key, inner in value.items()}
    return [_as_plain(inner) for inner in value] if isinstance(value, list | tuple) else value


def without_password(address: str) -> str:
    """The address with any user:password@ and any query left out."""
    from urllib.parse import urlsplit, urlunsplit

    try:
        parts = urlsplit(address)
    except ValueError:  # a bracket that does not close
        return address.partition("?")[0].rpartition("@")[2]
    host = parts.netloc.rpartition("@")[2]
    return urlunsplit((parts.scheme, host, parts.path, "", ""))
