"""Where the server and its key come from, and how the key is kept from being seen."""

from __future__ import annotations

import os
from pathlib import Path
from urllib.parse import urlsplit

from sightline.config import RunConfig, without_password
from sightline.errors import UsageError

OPENAI = "https://api.openai.com/v1"


class Secret:
    """A key that does not show itself: not by print, repr, format, pickle, nor in a traceback's locals."""

    __slots__ = ("_value",)

    def __init__(self, value: str) -> None:
        self._value = value

    def __repr__(self) -> str:
        return "Secret(***)" if self._value else "Secret()"

    def __bool__(self) -> bool:
        return bool(self._value)

    def __reduce__(self) -> tuple[type[Secret], tuple[str]]:
        return Secret, ("",)

    def reveal(self) -> str:
        """The key itself, for the one header that needs it."""
        return self._value

    def scrub(self, content: bytes) -> bytes:
        """The content with every occurrence of the key masked: servers like to echo it."""
        return content.replace(self._value.encode(), b"***") if len(self._value) >= 4 else content


def server_and_key(config: RunConfig) -> tuple[str, Secret]:
    """Base address and key: flags, else OPENAI_BASE_URL and OPENAI_API_KEY, else the same names in `.env`."""
    dotenv = _dotenv()
    base = config.api_base or os.environ.get("OPENAI_BASE_URL") or dotenv.get("OPENAI_BASE_URL") or ""
    key = config.api_key or os.environ.get("OPENAI_API_KEY") or dotenv.get("OPENAI_API_KEY") or ""
    if not base and not key:
        raise UsageError(
            "There is neither a server nor a key for the model '{model}'.",
            hint="Give --api-base http://localhost:8000/v1 for a server of your own, or set OPENAI_API_KEY.",
            model=config.model,
        )
    return mend_address(base or OPENAI), Secret(key.strip())


def mend_address(base: str) -> str:
    """The base address, whether or not people paste the whole endpoint, a trailing slash, or no scheme."""
    address = base.strip() if "://" in base else f"http://{base.strip()}"
    address = address.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    parts = urlsplit(address)
    if parts.scheme.lower() not in ("http", "https") or not parts.hostname:
        raise UsageError(
            "'{base}' is no address of a server.",
            hint="It should look like http://localhost:8000/v1",
            base=without_password(base),
        )
    return address


def _dotenv() -> dict[str, str]:
    path = Path(".env")
    if not path.is_file():
        return {}
    from dotenv import dotenv_values

    return {key: value for key, value in dotenv_values(path).items() if value}
