"""Command `sightline doctor`: check of the installation."""

from __future__ import annotations

import os
import platform
import re
import sys
import tempfile
from collections.abc import Iterator
from importlib.metadata import PackageNotFoundError, requires, version
from pathlib import Path

import click

from sightline.core.registry import Kind, find, names
from sightline.i18n import tr
from sightline.i18n.cli import TranslatedCommand

_KINDS: tuple[Kind, ...] = ("suites", "tasks", "metrics", "parsers", "models")


@click.command("doctor", cls=TranslatedCommand, epilog="\b\nExample:\n  sightline doctor")
def command() -> int:
    """Check the installation. Nothing leaves this machine."""
    problems = 0
    for is_ok, name, details in _checks():
        mark = click.style("ok ", fg="green") if is_ok else click.style("!! ", fg="red")
        problems += not is_ok
        click.echo(f"{mark} {name:<18} {details}")
    return 2 if problems else 0


def _checks() -> Iterator[tuple[bool, str, str]]:
    yield sys.version_info >= (3, 11), "python", f"{platform.python_version()} ({platform.platform()})"
    for package in _base_packages():
        installed = _version(package)
        yield bool(installed), package, installed or tr("missing: pip install {name}", name=package)
    for extra, packages in _extras().items():
        is_installed = all(map(_version, packages))
        versions = ", ".join(f"{package} {_version(package)}" for package in packages)
        missing = tr("not installed: pip install 'sightline[{extra}]'", extra=extra)
        yield True, f"extra {extra}", versions if is_installed else missing
    for kind in _KINDS:
        broken = [name for name in names(kind) if not _loads(kind, name)]
        yield not broken, kind, ", ".join(broken or names(kind))
    yield _writable(Path.cwd())
    yield True, "OPENAI_BASE_URL", _describe_variable("OPENAI_BASE_URL")
    yield True, "OPENAI_API_KEY", tr("set") if os.environ.get("OPENAI_API_KEY") else tr("not set")


def _base_packages() -> list[str]:
    wanted = [line for line in requires("sightline") or () if "extra ==" not in line]
    return [match.group() for line in wanted if (match := re.match(r"[\w.-]+", line))]


def _extras() -> dict[str, list[str]]:
    """Every extra, and the packages that it brings."""
    extras: dict[str, dict[str, None]] = {}
    for line in requires("sightline") or ():
        if match := re.match(r"([\w.-]+)\b.*extra == ['\"]([\w-]+)['\"]", line):
            extras.setdefault(match[2], {})[match[1]] = None  # an extra may name a package twice
    extras.pop("dev", None)
    return {extra: list(packages) for extra, packages in extras.items()}


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return ""


def _loads(kind: Kind, name: str) -> bool:
    from sightline.core.errors import UsageError

    try:
        find(kind, name)
    except UsageError:
        return False
    return True


def _writable(folder: Path) -> tuple[bool, str, str]:
    try:
        with tempfile.TemporaryFile(dir=folder):
            return True, "folder", str(folder)
    except OSError as error:
        return False, "folder", f"{folder}: {error.strerror}"


def _describe_variable(name: str) -> str:
    from sightline.core.secret_masking import without_password

    return without_password(os.environ[name]) if os.environ.get(name) else tr("not set")
