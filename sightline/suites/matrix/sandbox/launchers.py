"""How a clean process is started in each way, and what it and its children may read."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from sightline.suites.matrix.sandbox.records import Limits, Way

INSIDE = Path(__file__).resolve().parent / "inside"
SCRATCH = "/scratch"
SYSTEM = (
    "/usr/lib",
    "/usr/lib64",
    "/usr/lib32",
    "/lib",
    "/lib64",
    "/usr/local/lib",
    "/usr/share/fonts",
    "/usr/share/zoneinfo",
    "/usr/share/fontconfig",
    "/etc/fonts",
    "/etc/ld.so.cache",
    "/etc/localtime",
)
START = "import sys; sys.path.append(sys.argv[2]); from inside.zygote import main; sys.path.pop(); main()"
NOBODY = "65534"


def interpreter() -> str:
    """The interpreter behind the virtual environment."""
    return str(Path(sys.executable).resolve())


def library_folders() -> list[str]:
    """Where the installed packages are, in the order of our own path."""
    named = [place for place in sys.path if Path(place).name in ("site-packages", "dist-packages")]
    places = dict.fromkeys((*named, sysconfig.get_path("purelib"), sysconfig.get_path("platlib")))
    return [place for place in places if os.access(place, os.R_OK)]


def outermost(paths: Iterable[str]) -> list[str]:
    """The paths that lie beneath no other."""
    places = {Path(path) for path in paths}
    return sorted(str(place) for place in places if places.isdisjoint(place.parents))


def readable() -> list[str]:
    """What a program may read: interpreter, packages, the system's libraries and fonts; no home, no settings."""
    own = [
        interpreter(),
        str(Path(sys.base_prefix, "lib")),
        *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib")),
    ]
    if library := sysconfig.get_config_var("LIBDIR"):
        own.append(str(library))
    return outermost(path for path in (*own, *library_folders(), *SYSTEM) if os.access(path, os.R_OK))


def environment(folder: str) -> dict[str, str]:
    """All that a program can see of the environment: nothing of ours."""
    threads = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS")
    return {
        "PATH": "/usr/bin:/bin",
        "LANG": "C.UTF-8",
        "HOME": folder,
        "TMPDIR": folder,
        "MPLBACKEND": "Agg",
        "MPLCONFIGDIR": folder,
        "MALLOC_ARENA_MAX": "2",  # an arena a thread would eat the address space
        **dict.fromkeys(threads, "1"),
    }


def command(way: Way, control: int, folder: str, limits: Limits) -> list[str]:
    """The command that starts the clean process, with its end of the control socket."""
    python = [interpreter(), "-I", "-S", "-B", "-X", "utf8", "-c", START, str(control), str(INSIDE.parent)]
    return python if way == "landlock" else [*_bubblewrap(folder, limits), *python]


def _bubblewrap(folder: str, limits: Limits) -> list[str]:
    binds = [part for path in readable() for part in ("--ro-bind", path, path)]
    package, own = INSIDE.parents[1], ["--ro-bind", str(INSIDE), str(INSIDE)]
    if any(package.is_relative_to(path) for path in readable()):  # the rest of ours is no business of a program
        own = ["--tmpfs", str(package), *own, "--remount-ro", str(package)]
    variables = [part for name, value in environment(folder).items() for part in ("--setenv", name, value)]
    # The libraries keep a little in the scratch folder, beside the program's own share.
    size = str((limits.scratch_mb + 16) << 20)
    namespaces = ["--unshare-all", "--unshare-user", "--disable-userns", "--uid", NOBODY, "--gid", NOBODY]
    rights = ["--cap-drop", "ALL", "--die-with-parent", "--new-session", "--clearenv", *variables]
    places = ["--proc", "/proc", "--dev", "/dev", "--size", size, "--perms", "0700", "--tmpfs", folder]
    closed = ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", folder, "--"]
    return [bubblewrap() or "bwrap", *namespaces, *rights, *binds, *own, *places, *closed]


def bubblewrap() -> str:
    """Where bubblewrap is, or an empty string."""
    return shutil.which("bwrap", path="/usr/bin:/usr/local/bin:/bin") or ""
