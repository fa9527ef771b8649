"""Endpoints: base URLs and API keys from flags, environment and `.env`; keys are protected against disclosure."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Protocol, runtime_checkable
from urllib.parse import urlsplit

from msgspec import Struct
from msgspec.structs import replace

from sightline.core.config import RunConfig
from sightline.core.errors import UsageError
from sightline.core.interfaces import Model
from sightline.core.remarks import Remark
from sightline.core.secret_masking import without_password

OPENAI_BASE_URL = "https://api.openai.com/v1"
_DOTENV = ".env"
_MIN_SCRUBBED, _MIN_PROTECTED = 6, 16
"""Minimum length of a key to be masked in errors, and to be searched for in replies."""


class Secret:
    """An API key that is not disclosed by print, repr, format, pickle, or the local variables of a traceback."""

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
        """The key itself, for the Authorization header."""
        return self._value

    def scrub(self, text: str) -> str:
        """Mask every occurrence of the key in an error message, also in encoded form: servers may echo it.

        At the end of a message, which may have been shortened there, the beginning of the key is masked too. Never used
        on replies: graded text must stay unchanged, and a key may be a common word such as `none`.
        """
        if len(self._value) >= _MIN_SCRUBBED:
            for form in self._forms():
                text = _mask_cut(text.replace(form, "***"), form)
        return text

    def is_in(self, text: str) -> bool:
        """Whether a text contains the key; short placeholders such as `EMPTY` are not protected."""
        return len(self._value) >= _MIN_PROTECTED and any(form in text for form in self._forms())

    def _forms(self) -> list[str]:
        """The key verbatim, URL-encoded, and in base64 (alone, or after `Bearer `)."""
        from base64 import b64encode
        from urllib.parse import quote

        encoded = [b64encode(text.encode()).decode().rstrip("=") for text in (self._value, f"Bearer {self._value}")]
        return [self._value, *encoded, quote(self._value, safe="")]


def _mask_cut(text: str, secret: str) -> str:
    """The text without the beginning of a secret at its end."""
    whole = text.removesuffix("…")
    for length in range(min(len(whole), len(secret)), _MIN_SCRUBBED - 1, -1):
        if whole.endswith(secret[:length]):
            return f"{whole[:-length]}***"
    return text


class Endpoint(Struct, frozen=True, kw_only=True):
    """One server: base URL, API key, and its own limits, if any."""

    address: str
    key: Secret
    address_source: str = ""
    """Where the address comes from: a flag, an environment variable, or `.env`."""
    key_source: str = ""
    is_for_judge: bool = False
    """Whether address or key come from the settings of the judge, which error messages then name."""
    concurrency: int | None = None
    requests_per_minute: int | None = None
    tokens_per_minute: int | None = None

    @property
    def display_address(self) -> str:
        """The address without secrets, for messages."""
        return without_password(self.address)

    @property
    def flag(self) -> str:
        """The command-line flag that sets the address."""
        if self.is_launched:
            return "--launch"
        return "--judge-api-base" if self.is_for_judge else "--api-base"

    @property
    def is_launched(self) -> bool:
        """Whether `--launch` starts the server."""
        return self.address_source == "--launch"

    def url(self, path: str) -> str:
        """The URL of a path at the server; the query string of the base URL is kept."""
        base, _, query = self.address.partition("?")
        return f"{base}{path}{'&' if '?' in path else '?'}{query}" if query else f"{base}{path}"


def resolve_endpoints(config: RunConfig) -> list[Endpoint]:
    """Endpoints from flags, else OPENAI_BASE_URL and OPENAI_API_KEY, else the same names in `.env`."""
    endpoints = _find_endpoints(config)
    if not endpoints:
        raise UsageError(
            "Neither a server nor an API key is configured for the model '{model}'.",
            hint="Set --api-base (for example http://localhost:8000/v1) for a local server, or set OPENAI_API_KEY.",
            model=config.model,
        )
    return endpoints


def judge_as_model(config: RunConfig) -> RunConfig:
    """The settings with the judge as the model. The model's key is not sent to an address that is not the model's."""
    bases, keys = config.judge_api_base or config.api_base, config.judge_api_key or config.api_key
    if config.judge_api_base and not config.judge_api_key:
        keys_by_address = {endpoint.address: endpoint.key for endpoint in _find_endpoints(config)}
        judge_keys = [keys_by_address.get(_parse_endpoint(base, Secret("")).address) for base in bases]
        keys = tuple(key.reveal() if key else "-" for key in judge_keys)
    launch = "" if config.judge_api_base else config.launch
    return replace(config, model=config.judge, judge="", api_base=bases, api_key=keys, launch=launch)


class _Setting(Struct, frozen=True):
    """The values of one setting, and their source."""

    values: tuple[str, ...]
    source: str

    @property
    def is_from_user(self) -> bool:
        """Whether the user gave the values; a `.env` file may have come with a downloaded folder."""
        return self.source != _DOTENV


def _find_setting(given: tuple[str, ...], flag: str, name: str, dotenv: Mapping[str, str]) -> _Setting:
    if given:
        return _Setting(given, flag)
    if listed := _split(os.environ.get(name)):
        return _Setting(listed, name)
    return _Setting(_split(dotenv.get(name)), _DOTENV)


def _find_endpoints(config: RunConfig) -> list[Endpoint]:
    """The endpoints that settings and environment name; empty if there is neither an address nor a key."""
    dotenv = _read_dotenv()
    is_for_judge = any(
        given and given == used
        for given, used in ((config.judge_api_base, config.api_base), (config.judge_api_key, config.api_key))
    )
    prefix = "--judge-" if is_for_judge else "--"
    flag = "--launch" if config.launch else f"{prefix}api-base"  # both can't be given
    bases = _find_setting(config.api_base, flag, "OPENAI_BASE_URL", dotenv)
    keys = _find_setting(config.api_key, f"{prefix}api-key", "OPENAI_API_KEY", dotenv)
    if not bases.values:
        bases = _Setting((OPENAI_BASE_URL,) if keys.values else (), "default")
    _refuse_redirected_key(bases, keys)
    if len(keys.values) not in (0, 1, len(bases.values)):
        raise UsageError(
            "{keys} API keys were given for {servers} servers.",
            hint="Give one key for all servers, or one per server in the same order; use - for a server without a key.",
            keys=len(keys.values),
            servers=len(bases.values),
        )
    count = len(bases.values)
    all_keys = keys.values * count if len(keys.values) == 1 else keys.values or ("-",) * count
    secrets = [Secret("" if key == "-" else key) for key in all_keys]
    endpoints = [
        replace(
            _parse_endpoint(base, secret, is_for_judge),
            address_source=bases.source,
            key_source=keys.source if secret else "",
        )
        for base, secret in zip(bases.values, secrets, strict=True)
    ]
    addresses = [endpoint.display_address for endpoint in endpoints]
    for address in addresses:
        if addresses.count(address) > 1:
            raise UsageError("The server {server} is listed more than once.", server=address)
    return endpoints


def _refuse_redirected_key(bases: _Setting, keys: _Setting) -> None:
    """Raise if a key given by the user would go to an address from `.env`: a file that came with a downloaded folder
    must not redirect it."""
    if keys.is_from_user and not bases.is_from_user and any(key != "-" for key in keys.values):
        raise UsageError(
            "The server {server} comes from {address_source}, but the API key from {key_source}; it is not sent there.",
            hint="Set both in the same place, or set the server with --api-base.",
            server=", ".join(map(without_password, bases.values)),
            address_source=bases.source,
            key_source=keys.source,
        )


_LIMITS = ("concurrency", "requests_per_minute", "tokens_per_minute")


def _parse_endpoint(base: str, key: Secret, is_for_judge: bool = False) -> Endpoint:
    """Parse an address with optional limits: `http://host/v1#concurrency=8&requests_per_minute=60`."""
    if "@" in base:  # not repeated in the message: the limits of a password in it can't be determined
        raise UsageError(
            "A server address must not contain a user name or password.",
            hint="Use --api-key or OPENAI_API_KEY for the API key, and --judge-api-key for that of the judge.",
        )
    address, _, fragment = base.partition("#")
    limits: dict[str, int] = {}
    for part in filter(None, fragment.split("&")):
        name, _, value = part.partition("=")
        if name not in _LIMITS or not value.isascii() or not value.isdigit() or int(value) < 1:
            raise UsageError(
                "'{part}' is not a valid server limit.",
                hint="Valid limits: {listed}, each with a positive integer.",
                part=part,
                listed=", ".join(_LIMITS),
            )
        limits[name] = int(value)
    return replace(Endpoint(address=normalize_base_url(address), key=key, is_for_judge=is_for_judge), **limits)


def _split(listed: str | None) -> tuple[str, ...]:
    return tuple(part.strip() for part in (listed or "").split(",") if part.strip())


def normalize_base_url(base: str) -> str:
    """Normalize a base URL: with a scheme, without a trailing slash or `/chat/completions`. Raises if it is not one."""
    given, mark, query = base.strip().partition("?")
    # a bare word is not an address: more likely, a value was given to the wrong flag
    is_address = "://" in given or given == "localhost" or any(sign in given for sign in ".:/")
    address = given if "://" in given else f"http://{given}"
    address = address.rstrip("/").removesuffix("/chat/completions").rstrip("/")
    try:
        parts = urlsplit(address)
        is_address = is_address and parts.scheme.lower() in ("http", "https") and bool(parts.hostname)
        is_address = is_address and parts.port != 0
    except ValueError:  # a non-numeric port, an unclosed bracket
        is_address = False
    if not is_address:
        raise UsageError(
            "'{base}' is not a server address.", hint="Expected an address such as http://localhost:8000/v1", base=given
        )
    return f"{address}{mark}{query}"


def _read_dotenv() -> dict[str, str]:
    path = Path(_DOTENV)
    if not path.is_file():
        return {}
    from dotenv import dotenv_values

    # without ${NAME}: a file that came with a downloaded folder must not read the user's environment
    return {key: value for key, value in dotenv_values(path, interpolate=False).items() if value}


@runtime_checkable
class MultiServerModel(Model, Protocol):
    """A model at one endpoint that can provide the same model at the other endpoints."""

    endpoint: Endpoint

    def per_endpoint(self) -> Sequence[Model]:
        """The model at each endpoint, this one first."""


def describe_servers(model: Model) -> list[Remark]:
    """One sentence per server, shown before the first request: its address, and the sources of address and key."""
    if not isinstance(model, MultiServerModel):
        return []
    models = [server_model for server_model in model.per_endpoint() if isinstance(server_model, MultiServerModel)]
    return [
        Remark(
            "Server: {server} (from {address_source}), key from {key_source}"
            if endpoint.key
            else "Server: {server} (from {address_source}), no key",
            {
                "server": endpoint.display_address,
                "address_source": endpoint.address_source,
                "key_source": endpoint.key_source,
            },
        )
        for endpoint in (server_model.endpoint for server_model in models)
    ]
