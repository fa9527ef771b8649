"""Where the server and its key come from, and how the key is kept from being seen."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from sightline.core.config import RunConfig
from sightline.core.errors import UsageError
from sightline.core.secret_masking import without_password

OPENAI = "https://api.openai.com/v1"
_DOTENV = ".env"
_SHORTEST_SCRUBBED, _SHORTEST_PROTECTED = 6, 16
"""Characters of a key from which on it is masked in errors, and looked for in replies."""


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

    def scrub(self, text: str) -> str:
        """An error message with every occurrence of the key masked, also encoded: servers like to echo it.

        Never for replies: what is graded must stay as it came, and a key may be a common word such as `none`.
        """
        if len(self._value) >= _SHORTEST_SCRUBBED:
            for form in self._forms():
                text = text.replace(form, "***")
        return text

    def is_in(self, text: str) -> bool:
        """Whether a reply repeats the key; a short placeholder such as `EMPTY` is not worth protecting."""
        return len(self._value) >= _SHORTEST_PROTECTED and any(form in text for form in self._forms())

    def _forms(self) -> list[str]:
        """The key as it is, in a URL, and in base64 (alone, or behind `Bearer `)."""
        from base64 import b64encode
        from urllib.parse import quote

        encoded = [b64encode(text.encode()).decode().rstrip("=") for text in (self._value, f"Bearer {self._value}")]
        return [self._value, *encoded, quote(self._value, safe="")]


class Endpoint(Struct, frozen=True, kw_only=True):
    """One server: where it is, its key, and the limits of its own, where it has any."""

    address: str
    key: Secret
    address_source: str = ""
    """Where the address comes from: a flag, a variable of the environment, or `.env`."""
    key_source: str = ""
    is_judges: bool = False
    """Whether address or key come from the judge's own settings: messages name those."""
    concurrency: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None

    @property
    def shown(self) -> str:
        """The address as it may be told."""
        return without_password(self.address)

    @property
    def flag(self) -> str:
        """What the user gives the address by."""
        return "--judge-api-base" if self.is_judges else "--api-base"

    def at(self, path: str) -> str:
        """The address of a path at the server; a query that the server's own address has stays at the end."""
        base, _, query = self.address.partition("?")
        return f"{base}{path}{'&' if '?' in path else '?'}{query}" if query else f"{base}{path}"


def endpoints(config: RunConfig) -> list[Endpoint]:
    """Addresses and keys: flags, else OPENAI_BASE_URL and OPENAI_API_KEY, else the same names in `.env`."""
    found = _find_endpoints(config)
    if not found:
        raise UsageError(
            "There is neither a server nor a key for the model '{model}'.",
            hint="Give --api-base http://localhost:8000/v1 for a server of your own, or set OPENAI_API_KEY.",
            model=config.model,
        )
    return found


def for_judge(config: RunConfig) -> RunConfig:
    """The settings with the judge as the model. At an address that is not the model's, the model's key is not sent."""
    bases, keys = config.judge_api_base or config.api_base, config.judge_api_key or config.api_key
    if config.judge_api_base and not config.judge_api_key:
        known = {one.address: one.key for one in _find_endpoints(config)}
        own = [known.get(_endpoint(base, Secret("")).address) for base in bases]
        keys = tuple(key.reveal() if key else "-" for key in own)
    return replace(config, model=config.judge, judge="", api_base=bases, api_key=keys)


class _Found(Struct, frozen=True):
    """The values of one setting, and where they come from."""

    values: tuple[str, ...]
    source: str

    @property
    def is_users_own(self) -> bool:
        """Whether the user gave them; a `.env` file may have come with the folder."""
        return self.source != _DOTENV


def _look_up(given: tuple[str, ...], flag: str, name: str, dotenv: Mapping[str, str]) -> _Found:
    if given:
        return _Found(given, flag)
    if listed := _split(os.environ.get(name)):
        return _Found(listed, name)
    return _Found(_split(dotenv.get(name)), _DOTENV)


def _find_endpoints(config: RunConfig) -> list[Endpoint]:
    """The servers that settings and environment name; none where there is not even a key."""
    dotenv = _read_dotenv()
    is_judges = any(
        given and given == used
        for given, used in ((config.judge_api_base, config.api_base), (config.judge_api_key, config.api_key))
    )
    prefix = "--judge-" if is_judges else "--"
    bases = _look_up(config.api_base, f"{prefix}api-base", "OPENAI_BASE_URL", dotenv)
    keys = _look_up(config.api_key, f"{prefix}api-key", "OPENAI_API_KEY", dotenv)
    if not bases.values:
        bases = _Found((OPENAI,) if keys.values else (), "default")
    _refuse_redirected_key(bases, keys)
    if len(keys.values) not in (0, 1, len(bases.values)):
        raise UsageError(
            "There are {keys} keys for {servers} servers.",
            hint="Give one key for all, or one for each address in the same order; - where a server needs none.",
            keys=len(keys.values),
            servers=len(bases.values),
        )
    count = len(bases.values)
    each = keys.values * count if len(keys.values) == 1 else keys.values or ("-",) * count
    secrets = [Secret("" if key == "-" else key) for key in each]
    found = [
        replace(
            _endpoint(base, secret, is_judges),
            address_source=bases.source,
            key_source=keys.source if secret else "",
        )
        for base, secret in zip(bases.values, secrets, strict=True)
    ]
    shown = [one.shown for one in found]
    for address in shown:
        if shown.count(address) > 1:
            raise UsageError("The server {server} is named twice.", server=address)
    return found


def _refuse_redirected_key(bases: _Found, keys: _Found) -> None:
    """A key that the user gave goes only to an address that the user gave: a `.env` file that came with a folder must
    not send it elsewhere."""
    if keys.is_users_own and not bases.is_users_own and any(key != "-" for key in keys.values):
        raise UsageError(
            "The address {server} comes from {address_source}, but the key from {key_source}: it is not sent there.",
            hint="Give both in the same place, or name the server yourself by --api-base.",
            server=", ".join(map(without_password, bases.values)),
            address_source=bases.source,
            key_source=keys.source,
        )


_LIMITS = ("concurrency", "requests_per_minute", "tokens_per_minute")


def _endpoint(base: str, key: Secret, is_judges: bool = False) -> Endpoint:
    """The address with the limits that may follow it: `http://host/v1#concurrency=8&requests_per_minute=60`."""
    if "@" in base:  # nothing of it is repeated: where a password begins and ends is anybody's guess
        raise UsageError(
            "An address of a server must hold neither user nor password.",
            hint="Give the key by --api-key or OPENAI_API_KEY, the judge's by --judge-api-key.",
        )
    address, _, fragment = base.partition("#")
    limits: dict[str, int] = {}
    for part in filter(None, fragment.split("&")):
        name, _, value = part.partition("=")
        if name not in _LIMITS or not value.isascii() or not value.isdigit() or int(value) < 1:
            raise UsageError(
                "'{part}' is no limit of a server.",
                hint="Known: {listed}, each with a whole number.",
                part=part,
                listed=", ".join(_LIMITS),
            )
        limits[name] = int(value)
    return replace(Endpoint(address=mend_address(address), key=key, is_judges=is_judges), **limits)


def _split(listed: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (listed or "").split(",") if part.strip())


def mend_address(base: str) -> str:
    """The base address, whether or not people paste the whole endpoint, a trailing slash, or no scheme."""
    given, mark, query = base.strip().partition("?")
    # a bare word is no address: more likely, a value went to the wrong flag
    is_address = "://" in given or given == "localhost" or any(sign in given for sign in ".:/")
    address = given if "://" in given else f"http://{given}"
    address = address.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    try:
        parts = urlsplit(address)
        is_address = is_address and parts.scheme.lower() in ("http", "https") and bool(parts.hostname)
        is_address = is_address and parts.port != 0
    except ValueError:  # a port that is no number, a bracket that does not close
        is_address = False
    if not is_address:
        raise UsageError(
            "'{base}' is no address of a server.", hint="It should look like http://localhost:8000/v1", base=given
        )
    return f"{address}{mark}{query}"


def _read_dotenv() -> dict[str, str]:
    path = Path(_DOTENV)
    if not path.is_file():
        return {}
    from dotenv import dotenv_values

    # never with ${NAME}: the file may have come with the folder, and must not read the user's environment
    return {key: value for key, value in dotenv_values(path, interpolate=False).items() if value}
