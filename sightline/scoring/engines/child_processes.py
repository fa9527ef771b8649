"""Command, module search path and environment of Python child processes, with least privilege.

A worker handles untrusted texts. So it gets no API keys, and it imports nothing from the current folder, which may be a
downloaded dataset that contains a `json.py`.
"""

from __future__ import annotations

import os
import re
import sys

from sightline.core.secret_masking import sounds_secret

_STORAGE = ("AWS_", "AZURE_", "FSSPEC_", "GCLOUD_", "GCS_", "GOOGLE_", "HADOOP_")
"""Prefixes of variables with credentials for fsspec file systems."""
_WORKING_FOLDER = "_SIGHTLINE_LATE_FOLDER"
"""The variable with the folder that a worker appends to its search path after startup."""
_ADDRESS_WITH_PASSWORD = re.compile(r"://[^/@\s]*:[^/@\s]*@")


def python_command(module: str, *arguments: str) -> list[str]:
    """The command that runs a module; with -P, so that Python does not search the current folder first."""
    return [sys.executable, "-P", "-m", module, *arguments]


def search_path() -> list[str]:
    """`sys.path` for a worker, so that it can import what the caller can, such as user plug-ins.

    Entries are handed on as they are: the folder of the user's script, PYTHONPATH, what was added by hand. Not so the
    empty entry, which stands for the current folder in an interactive session or a notebook, and stands first there. A
    module that the user wrote in that folder must be found by workers, too; but to them it comes last, so that no file
    in it can take the place of an installed module. (`python -m sightline` removes its entry: see `__main__`.)
    """
    folders = [
        path for path in sys.path if path and not path.startswith("__editable__")
    ]  # those are hooks, not folders
    return [*folders, os.getcwd()] if "" in sys.path else folders  # noqa: PTH109  # as Python itself spells it


def child_environment(*, storage: bool = False) -> dict[str, str]:
    """The environment of a worker: that of this process without secrets, and with its search path.

    `storage`: with the credentials of S3 and the like, for workers that read or write there themselves.
    """
    environment = {name: value for name, value in os.environ.items() if _may_pass(name, value, storage)}
    environment.pop(_WORKING_FOLDER, None)
    paths = search_path()
    if "" in sys.path:
        environment[_WORKING_FOLDER] = paths.pop()
    return {**environment, "PYTHONPATH": os.pathsep.join(paths)}


def append_working_folder() -> None:
    """Append the current folder of a notebook to `sys.path`, after the worker has started.

    Not by PYTHONPATH, since Python imports `sitecustomize` and `usercustomize` from there when it starts.
    """
    folder = os.environ.get(_WORKING_FOLDER)
    if folder and folder not in sys.path:
        sys.path.append(folder)


def _may_pass(name: str, value: str, storage: bool) -> bool:
    if storage and name.upper().startswith(_STORAGE):
        return True
    if name.lower().endswith("_proxy"):
        # without it no storage may be reached; whoever has a better proxy names no password
        return storage or not _ADDRESS_WITH_PASSWORD.search(value)
    return not sounds_secret(name) and not _ADDRESS_WITH_PASSWORD.search(value)
