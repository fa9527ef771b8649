"""Secrets among settings and variables: what sounds like one, what looks like one, and values without them."""

from __future__ import annotations

import hashlib
import re
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


def sounds_secret(name: str) -> bool:
    """Whether a setting, header or variable of that name may hold a key or password."""
    folded = unicodedata.normalize("NFKC", name)
    words = _split_words(folded)
    return bool(words & _WORDS) or folded.lower().endswith(_ENDINGS) or any(word in folded for word in _CHINESE)


def _split_words(name: str) -> set[str]:
    """The words of `snake_case`, `kebab-case` and `camelCase`."""
    parts = re.split(r"[^A-Za-z]+|(?<=[a-z])(?=[A-Z])", name)
    return {part.lower() for part in parts if part}


def mask_secrets(value: Any, name: str = "") -> Any:
    """Settings without their secrets, at any depth: what stands under a name that sounds like one (also headers and
    cookies), and texts that look like a key or hold a password."""
    is_secret = sounds_secret(name)
    if isinstance(value, Mapping):
        return {key: mask_secrets(inner, name if is_secret else str(key)) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [mask_secrets(inner, name) for inner in value]
    if isinstance(value, str):
        return _MASK if value and (is_secret or _LOOKS_SECRET.search(value)) else value
    if isinstance(value, bool) or value is None or not is_secret:
        return value
    return value if re.split(r"[^A-Za-z]+", name.lower())[-1] in _COUNTS else _MASK


_FLAG = re.compile(r"(?P<flag>--?[\w.-]+)(?P<sign>\s*=\s*|\s+)(?P<value>\"[^\"]*\"|'[^']*'|[^\s-]\S*)")


def mask_command(command: str) -> str:
    """A command line without the values of flags that sound secret (`--api-key VALUE`), and without texts that look
    like a key; numbers are counts."""

    def mask(match: re.Match[str]) -> str:
        is_secret = sounds_secret(match["flag"]) and not match["value"].isdigit()
        return f"{match['flag']}{match['sign']}{_MASK}" if is_secret else match[0]

    return _LOOKS_SECRET.sub(_MASK, _FLAG.sub(mask, command))


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
