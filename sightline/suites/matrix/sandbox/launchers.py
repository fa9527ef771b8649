"""Launch commands of the zygote process for each isolation method, and the paths it may read."""

from __future__ import annotations

import os
import shutil
import sys
import sysconfig
from collections.abc import Iterable
from pathlib import Path

from sightline.suites.matrix.sandbox.records import IsolationMethod, Limits

INSIDE = Path(__file__).resolve().parent / "inside"
SCRATCH_PATH = "/scratch"
SYSTEM_PATHS = (
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
START_CODE = "import sys; sys.path.append(sys.argv[2]); from inside.zygote import main; sys.path.pop(); main()"
NOBODY_ID = "65534"


def interpreter() -> str:
    """Return the interpreter behind the virtual environment."""
    return str(Path(sys.executable).resolve())


def library_folders() -> list[str]:
    """Return the folders of installed packages, in the order of `sys.path`."""
    site_folders = [folder for folder in sys.path if Path(folder).name in ("site-packages", "dist-packages")]
    folders = dict.fromkeys((*site_folders, sysconfig.get_path("purelib"), sysconfig.get_path("platlib")))
    return [folder for folder in folders if os.access(folder, os.R_OK)]


def outermost_paths(paths: Iterable[str]) -> list[str]:
    """Return the paths that are not below another one."""
    candidates = {Path(path) for path in paths}
    return sorted(str(path) for path in candidates if candidates.isdisjoint(path.parents))


def readable() -> list[str]:
    """Return the paths a program may read: interpreter, packages, system libraries and fonts."""
    python_paths = [
        interpreter(),
        str(Path(sys.base_prefix, "lib")),
        *(sysconfig.get_path(name) for name in ("stdlib", "platstdlib")),
    ]
    if library := sysconfig.get_config_var("LIBDIR"):
        python_paths.append(str(library))
    return outermost_paths(
        path for path in (*python_paths, *library_folders(), *SYSTEM_PATHS) if os.access(path, os.R_OK)
    )


def environment(folder: str) -> dict[str, str]:
    """Return the environment variables of a program; none are inherited."""
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


def command(method: IsolationMethod, control: int, folder: str, limits: Limits) -> list[str]:
    """Return the command that starts the zygote with its end of the control socket."""
    python = [interpreter(), "-I", "-S", "-B", "-X", "utf8", "-c", START_CODE, str(control), str(INSIDE.parent)]
    return python if method == "landlock" else [*_bubblewrap(folder, limits), *python]


def _bubblewrap(folder: str, limits: Limits) -> list[str]:
    binds = [argument for path in readable() for argument in ("--ro-bind", path, path)]
    package, inside_bind = INSIDE.parents[1], ["--ro-bind", str(INSIDE), str(INSIDE)]
    if any(package.is_relative_to(path) for path in readable()):  # the rest of ours is no business of a program
        inside_bind = ["--tmpfs", str(package), *inside_bind, "--remount-ro", str(package)]
    variables = [argument for name, value in environment(folder).items() for argument in ("--setenv", name, value)]
    # The libraries keep a little in the scratch folder, beside the program's own share.
    size = str((limits.scratch_mb + 16) << 20)
    namespaces = ["--unshare-all", "--unshare-user", "--disable-userns", "--uid", NOBODY_ID, "--gid", NOBODY_ID]
    rights = ["--cap-drop", "ALL", "--die-with-parent", "--new-session", "--clearenv", *variables]
    mounts = ["--proc", "/proc", "--dev", "/dev", "--size", size, "--perms", "0700", "--tmpfs", folder]
    final = ["--remount-ro", "/dev", "--remount-ro", "/", "--chdir", folder, "--"]
    return [bubblewrap() or "bwrap", *namespaces, *rights, *binds, *inside_bind, *mounts, *final]


def bubblewrap() -> str:
    """Return the path of bubblewrap, or an empty string."""
    return shutil.which("bwrap", path="/usr/bin:/usr/local/bin:/bin") or ""
