"""One table behind flags, environment variables, file keys and docs: the fields of a settings record.

A field says all there is to say: `concurrency: Annotated[int, setting("how many at once", ge=1)] = 32`. Values are
layered defaults < file < environment < flags, and an unknown key is refused with the nearest known one.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping
from os import PathLike, fspath
from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeVar, Union, get_args, get_origin, get_type_hints

import msgspec
from msgspec import Meta, Struct

from sightline.core.errors import ConfigError
from sightline.core.registry import nearest
from sightline.core.remarks import Remark

ENV_PREFIX = "SIGHTLINE_"
Group = Literal["", "Model", "Images", "Data", "Scoring", "Budget", "Batch", "Judge", "Output"]
"""Headings of `--help`, in the order in which they are shown; the empty one is for options of a suite."""
S = TypeVar("S", bound=Struct)
_BOOLEANS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


def setting(
    help: str,
    *,
    short: str = "",
    secret: bool = False,
    choices: tuple[str, ...] = (),
    ge: float | None = None,
    le: float | None = None,
    group: Group = "",
) -> Meta:
    """Describe a field of a settings record; `group` is its heading in `--help`."""
    # bounds are kept beside the type: msgspec refuses them on `int | None`
    more = {"short": short, "secret": secret, "choices": choices, "ge": ge, "le": le, "group": group}
    return Meta(description=help, extra=more)


class Setting(Struct, frozen=True, kw_only=True):
    """One row of the table."""

    name: str
    type: Any
    default: Any
    help: str
    short: str = ""
    secret: bool = False
    choices: tuple[str, ...] = ()
    ge: float | None = None
    le: float | None = None
    group: Group = ""

    @property
    def flag(self) -> str:
        """The name on the command line."""
        return "--" + self.name.replace("_", "-")

    @property
    def env(self) -> str:
        """The name in the environment."""
        return ENV_PREFIX + self.name.upper()

    @property
    def shape(self) -> str:
        """`text`, `whole number`, `number`, `switch`, `list` or `pairs`: how a value is written."""
        bare = [arg for arg in _alternatives(self.type) if arg is not NoneType]
        kind = get_origin(bare[0]) or bare[0]
        names = {bool: "switch", int: "whole number", float: "number", tuple: "list", dict: "pairs"}
        return names.get(kind, "text")

    @property
    def optional(self) -> bool:
        """Whether "none" is a value."""
        return NoneType in _alternatives(self.type)


def _alternatives(hint: Any) -> tuple[Any, ...]:
    if get_origin(hint) is Annotated:
        hint = get_args(hint)[0]
    return get_args(hint) if get_origin(hint) in (Union, UnionType) else (hint,)


def table(record: type[Struct]) -> list[Setting]:
    """The settings that a record's fields declare, in their order."""
    hints = get_type_hints(record, include_extras=True)
    rows = []
    for info in msgspec.structs.fields(record):
        metas = [m for m in get_args(hints[info.name])[1:] if isinstance(m, Meta)]
        if not metas:
            raise TypeError(f"{record.__name__}.{info.name} lacks setting(…)")
        default = info.default_factory() if info.default is msgspec.NODEFAULT else info.default
        rows.append(
            Setting(
                name=info.name,
                type=hints[info.name],
                default=default,
                help=metas[-1].description or "",
                **(metas[-1].extra or {}),
            )
        )
    return rows


def from_text(row: Setting, text: str) -> Any:
    """The value that a flag or an environment variable spells."""
    word = text.strip()
    if row.optional and word.lower() in ("", "none", "null"):
        return None
    match row.shape:
        case "list":
            return tuple(part.strip() for part in word.split(",") if part.strip())
        case "pairs":
            return dict(_pair(row, part) for part in word.split(",") if part.strip())
        case "switch" if word.lower() in _BOOLEANS:
            return _BOOLEANS[word.lower()]
    return text


def _pair(row: Setting, text: str) -> tuple[str, Any]:
    key, equals, value = text.partition("=")
    if not equals or not key.strip():
        raise ConfigError("{flag} takes key=value, not '{text}'.", flag=row.flag, text=text)
    try:
        return key.strip(), json.loads(value)
    except ValueError:
        return key.strip(), value


def pairs_from_text(row: Setting, texts: Iterable[str]) -> dict[str, Any]:
    """The mapping that a repeated key=value flag spells; a value is JSON where it can be, else text."""
    return dict(_pair(row, text) for text in texts)


def check(row: Setting, value: Any, where: str) -> Any:
    """The value in the setting's own type, or a `ConfigError` that says where it came from."""
    try:
        if row.shape == "list" and isinstance(value, str):
            value = from_text(row, value)
        if isinstance(value, PathLike):
            value = fspath(value)
        if row.shape == "whole number" and isinstance(value, str):
            value = expand_suffix(value)
        value = msgspec.convert(value, row.type, strict=False)
    except msgspec.ValidationError as error:
        raise ConfigError(
            "Invalid value {value} for {setting}: {why}",
            setting=_describe_source(row, where),
            value="***" if row.secret else repr(value),
            why=_describe_type(row) or error,
        ) from None
    if isinstance(value, int | float):
        _check_bounds(row, value, where)
    chosen = value if isinstance(value, tuple) else (value,)
    for one in chosen if row.choices else ():
        if one not in row.choices:
            near = nearest(str(one), list(row.choices)) or row.choices[0]
            raise ConfigError(
                "Invalid value '{value}' for {setting}. Did you mean '{near}'?",
                hint="Known: {listed}",
                setting=_describe_source(row, where),
                value=one,
                near=near,
                listed=", ".join(row.choices),
            )
    return value


def _describe_source(row: Setting, where: str) -> str | Remark:
    """The setting as the user gave it: the flag, or its name and where it comes from."""
    return where if where in (row.flag, row.env) else Remark("{name} in {where}", {"name": row.name, "where": where})


def _describe_type(row: Setting) -> Remark | None:
    """What a value has to be; None for texts and lists."""
    match row.shape, row.optional:
        case "whole number", False:
            return Remark("an integer is expected")
        case "whole number", True:
            return Remark("an integer, such as 500 or 100k, or none is expected")
        case "number", False:
            return Remark("a number is expected")
        case "number", True:
            return Remark("a number or none is expected")
        case "switch", _:
            return Remark("true or false is expected")
    return None


def expand_suffix(text: str) -> str | int:
    """A whole number written with k or M, such as 100k or 1.5M; any other text as it is."""
    match = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,6})?)([kM])\s*", text)
    return round(float(match[1]) * {"k": 1e3, "M": 1e6}[match[2]]) if match else text


def _check_bounds(row: Setting, value: float, where: str) -> None:
    facts: dict[str, Any] = {"setting": _describe_source(row, where), "value": value}
    if row.ge is not None and not value >= row.ge:  # nor is nan
        raise ConfigError("Invalid value {value} for {setting}: must be at least {least}", least=row.ge, **facts)
    if row.le is not None and not value <= row.le:
        raise ConfigError("Invalid value {value} for {setting}: must be at most {most}", most=row.le, **facts)


def convert(record: type[S], values: Mapping[str, Any], where: str = "the call") -> S:
    """A settings record from plain values; unknown keys are refused."""
    rows = {row.name: row for row in table(record)}
    refuse_unknown(values, list(rows), where)
    return record(**{key: check(rows[key], value, where) for key, value in values.items()})


def refuse_unknown(keys: Iterable[str], known: list[str], where: str) -> None:
    """Raise on the first key that no setting has, naming the nearest."""
    for key in keys:
        if key not in known:
            near = nearest(key, known)
            raise ConfigError(
                "Unknown setting '{key}' in {where}. Did you mean '{near}'?"
                if near
                else "Unknown setting '{key}' in {where}.",
                hint="Known: {listed}",
                key=key,
                where=where,
                near=near,
                listed=", ".join(known),
            )


def read_file(path: Path, keep_keys: bool = False, list_key: str = "") -> dict[str, Any]:
    """The settings in a TOML, JSON or YAML file; hyphens in keys are underscores unless keys are kept.

    A list is taken for the value of `list_key`, where one is given.
    """
    try:
        text = path.read_text(encoding="utf-8-sig")
        match path.suffix.lower():
            case ".toml":
                import tomllib

                values = tomllib.loads(text)
            case ".json":
                values = json.loads(text)
            case ".yaml" | ".yml":
                import yaml

                values = yaml.safe_load(text)
            case _:
                raise ConfigError("{path}: a settings file ends in .toml, .json, .yaml or .yml.", path=path)
    except OSError as error:
        raise ConfigError("Cannot read the settings file {path}: {why}", path=path, why=error.strerror) from None
    except (ValueError, RecursionError) as error:  # tomllib and json raise ValueErrors, and that for a thousand levels
        raise ConfigError("Cannot read {path}: {why}", path=path, why=error) from None
    except Exception as error:
        if type(error).__module__.startswith("yaml"):
            raise ConfigError("Cannot read {path}: {why}", path=path, why=error) from None
        raise
    if isinstance(values, list) and list_key:
        values = {list_key: values}
    if not isinstance(values, dict):
        raise ConfigError("{path} must contain a mapping at the top level.", path=path)
    return {key if keep_keys else key.replace("-", "_"): value for key, value in values.items()}


def layer_values(
    rows: Iterable[Setting],
    file: Path | None,
    environment: Mapping[str, str] | None,
    flags: Mapping[str, Any] | None,
    other_keys: Mapping[str, str] | None = None,
) -> dict[str, Any]:
    """Checked values: file < environment < flags; `other_keys` are keys of a file that mean the same as ours."""
    by_name = {row.name: row for row in rows}
    other_keys, values = other_keys or {}, dict[str, Any]()
    if file is not None:
        in_file = rename_keys(read_file(file), other_keys, file)
        refuse_unknown(in_file, [*by_name, *other_keys], str(file))
        values |= {key: check(by_name[key], value, str(file)) for key, value in in_file.items()}
    values |= from_environment(by_name.values(), environment or {})
    refuse_unknown(flags or {}, list(by_name), "the call")
    return values | {key: check(by_name[key], value, by_name[key].flag) for key, value in (flags or {}).items()}


def rename_keys(values: Mapping[str, Any], other_keys: Mapping[str, str], file: Path) -> dict[str, Any]:
    """Values by our own keys; an empty value of another tool's key says nothing."""
    renamed: dict[str, Any] = {}
    for key, value in values.items():
        name = other_keys.get(key, key)
        if key in other_keys and value in (None, "", []):
            continue
        if name in renamed:
            raise ConfigError("{path}: '{key}' and another key both set {name}.", path=file, key=key, name=name)
        renamed[name] = value
    return renamed


def from_environment(rows: Iterable[Setting], environment: Mapping[str, str]) -> dict[str, Any]:
    """The settings that SIGHTLINE_* variables give; other variables are ignored."""
    return {
        row.name: check(row, from_text(row, environment[row.env]), row.env) for row in rows if environment.get(row.env)
    }
