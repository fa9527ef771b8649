"""The lock file: everything that pyproject.toml asks for, one version each, with hashes, and no package host."""

from __future__ import annotations

import re
import tomllib
from collections import defaultdict
from importlib.metadata import PackageNotFoundError, requires

import pytest
from packaging.markers import Marker
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.worlds import ROOT

LOCK = (ROOT / "requirements.lock").read_text(encoding="utf-8")
CONSTRAINTS = (ROOT / "constraints.txt").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
ENTRY = re.compile(r"^(\S+)==([^\s;]+)(?: ; ([^\\\n]+?))?((?: \\\n +--hash=sha256:[0-9a-f]{64})+)\n", re.MULTILINE)
PINS: dict[str, list[tuple[str, str]]] = defaultdict(list)
for name, version, marker, _ in ENTRY.findall(LOCK):
    PINS[canonicalize_name(name)].append((version, marker))
SYSTEMS = [
    {"sys_platform": system, "platform_system": title, "os_name": kind, "python_version": minor,
     "python_full_version": f"{minor}.9", "platform_python_implementation": "CPython", "implementation_name": "cpython"}
    for system, title, kind in (("linux", "Linux", "posix"), ("win32", "Windows", "nt"), ("darwin", "Darwin", "posix"))
    for minor in ("3.11", "3.12", "3.13")
]  # fmt: skip


def holds(marker: object, system: dict[str, str], extra: str = "") -> bool:
    return marker in (None, "") or Marker(str(marker)).evaluate({**system, "extra": extra})


def asked(extra: str) -> list[Requirement]:
    """What an extra asks for, with those that it names of Sightline's own."""
    project = PROJECT["project"]
    listed = project["optional-dependencies"][extra] if extra else project["dependencies"]
    found = []
    for requirement in map(Requirement, listed):
        if requirement.name == "sightline":
            found += [one for inner in requirement.extras for one in asked(inner)]
        else:
            found.append(requirement)
    return found


def test_every_line_is_a_version_with_hashes() -> None:
    assert ENTRY.sub("", LOCK).splitlines() == [LOCK.splitlines()[0]]
    assert len(PINS) > 100 and "://" not in LOCK + CONSTRAINTS and "--index" not in LOCK


def test_constraints_are_the_same_versions() -> None:
    bare = ENTRY.sub(lambda m: f"{m[1]}=={m[2]}{f' ; {m[3]}' if m[3] else ''}\n", LOCK)
    assert CONSTRAINTS.splitlines()[1:] == bare.splitlines()[1:]


@pytest.mark.parametrize("system", SYSTEMS, ids=lambda system: f"{system['sys_platform']}-{system['python_version']}")
def test_one_version_of_all_that_is_asked_for(system: dict[str, str]) -> None:
    for name, pins in PINS.items():
        assert sum(holds(marker, system) for _, marker in pins) <= 1, name
    for requirement in (
        *asked(""),
        *asked("dev"),
        *asked("peers"),
        *map(Requirement, PROJECT["build-system"]["requires"]),
    ):
        if not holds(requirement.marker, system, "dev"):
            continue
        pins = [version for version, marker in PINS[canonicalize_name(requirement.name)] if holds(marker, system)]
        assert len(pins) == 1, f"run tools/lock.py: {requirement}"
        assert requirement.specifier.contains(pins[0], prereleases=True), f"run tools/lock.py: {requirement}, {pins}"


def test_what_these_ask_for_in_turn_is_locked_too() -> None:
    """As far as it is installed here: whatever the packages of this environment name."""
    ahead = [(one.name, extra) for one in (*asked(""), *asked("dev"), *asked("peers")) for extra in ("", *one.extras)]
    seen = set()
    while ahead:
        here = ahead.pop()
        if here in seen:
            continue
        seen.add(here)
        try:
            listed = requires(here[0]) or []
        except PackageNotFoundError:
            continue  # of another system
        for requirement in map(Requirement, listed):
            if requirement.marker is None or requirement.marker.evaluate({"extra": here[1]}):
                assert PINS[canonicalize_name(requirement.name)], f"run tools/lock.py: {here[0]} needs {requirement}"
                ahead += [(requirement.name, extra) for extra in ("", *requirement.extras)]


@pytest.mark.parametrize("name", ["aiohttp", "duckdb", "numba", "numpy", "dask", "distributed", "shapely", "scipy"])
def test_what_makes_figures_is_bounded_above(name: str) -> None:
    found = [one for one in (*asked(""), *asked("simulation"), *asked("dask")) if one.name == name]
    assert found and all(any(part.operator == "<" for part in one.specifier) for one in found)


@pytest.mark.parametrize("name", ["requirements-real-server.lock", "requirements-litellm.lock", "requirements-hf.lock"])
def test_what_tests_need_beside_is_locked_too(name: str) -> None:
    lock = (ROOT / name).read_text(encoding="utf-8")
    assert ENTRY.sub("", lock).splitlines() == [lock.splitlines()[0]] and "://" not in lock
    pins = {canonicalize_name(package): version for package, version, _, _ in ENTRY.findall(lock)}
    extra = name.removeprefix("requirements-").removesuffix(".lock")
    wanted = [Requirement("litellm[proxy]")] if extra == "litellm" else asked(extra)
    for requirement in wanted:
        if requirement.name == "torch":  # a build without CUDA, where there is one
            continue
        assert requirement.specifier.contains(pins[canonicalize_name(requirement.name)]), requirement
