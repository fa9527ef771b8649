"""Child processes in Python: their command, module search path and environment, with nothing that they do not need.

A worker handles texts that strangers wrote. So it gets no API keys, and it imports nothing from the current folder,
which may be a data set from the internet with a `json.py` in it.
"""

from __future__ import annotations

import os
import re
import sys

from sightline.core.secret_masking import sounds_secret

_STORAGE = ("AWS_", "AZURE_", "FSSPEC_", "GCLOUD_", "GCS_", "GOOGLE_", "HADOOP_")
"""How variables begin by which fsspec's file systems log in."""
_LATE_FOLDER = "_SIGHTLINE_LATE_FOLDER"
"""The variable that tells a worker which folder is searched last, once it has started."""
_ADDRESS_WITH_PASSWORD = re.compile(r"://[^/@\s]*:[^/@\s]*@")


def python_command(module: str, *arguments: str) -> list[str]:
    """The command that runs a module of ours; with -P, for otherwise Python would look in the current folder first."""
    return [sys.executable, "-P", "-m", module, *arguments]


def search_path() -> list[str]:
    """`sys.path` for a worker: what the caller can import, it can, so that it finds the user's plug-ins.

    Entries are handed on as they are: the folder of the user's script, PYTHONPATH, what was added by hand. Not so the
    empty entry, which stands for the current folder in an interactive session or a notebook, and stands first there. A
    module that the user wrote in that folder must be found by workers, too; but to them it comes last, so that no file
    in it can take the place of an installed module. (`python -m sightline` removes its entry: see `__main__`.)
    """
    named = [path for path in sys.path if path and not path.startswith("__editable__")]  # those are hooks, not folders
    return [*named, os.getcwd()] if "" in sys.path else named  # noqa: PTH109  # as Python itself spells it


def child_environment(*, storage: bool = False) -> dict[str, str]:
    """The environment of a worker: ours without secrets, and with our search path.

    `storage`: with the credentials of S3 and the like, for workers that read or write there themselves.
    """
    kept = {name: value for name, value in os.environ.items() if _may_pass(name, value, storage)}
    kept.pop(_LATE_FOLDER, None)
    paths = search_path()
    if "" in sys.path:
        kept[_LATE_FOLDER] = paths.pop()
    return {**kept, "PYTHONPATH": os.pathsep.join(paths)}


def append_late_folder() -> None:
    """In a worker that has started: append the current folder of a notebook to `sys.path`.

    Not by PYTHONPATH, since Python imports `sitecustomize` and `usercustomize` from there when it starts.
    """
    folder = os.environ.get(_LATE_FOLDER)
    if folder and folder not in sys.path:
        sys.path.append(folder)


def _may_pass(name: str, value: str, storage: bool) -> bool:
    if storage and name.upper().startswith(_STORAGE):
        return True
    if name.lower().endswith("_proxy"):
        # without it no storage may be reached; whoever has a better proxy names no password
        return storage or not _ADDRESS_WITH_PASSWORD.search(value)
    return not sounds_secret(name) and not _ADDRESS_WITH_PASSWORD.search(value)
