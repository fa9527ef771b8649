"""The table of paraphrases as it was read before: files in the cache folder that all processes map into their memory.

Reading the packed table takes seconds and 60 MB in each process; mapping it takes a moment, and the memory is shared.
"""

from __future__ import annotations

import shutil
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np

from sightline.core.cache_folder import cache_folder
from sightline.scoring.metrics.captions.meteor.paraphrases import Paraphrases, read_paraphrases

_FORMAT = 1
"""To be raised with every change of what the arrays hold."""


def kept_paraphrases(path: Path) -> Paraphrases:
    """The table of a packed file; read from the file itself where it was not yet, or can't be kept."""
    about = path.stat()
    folder = cache_folder() / "meteor" / f"{_FORMAT}-{about.st_size}-{about.st_mtime_ns}"
    try:
        return _mapped(folder)
    except (OSError, ValueError, EOFError):
        table = read_paraphrases(path)
    with suppress(OSError):
        _keep(table, folder)
    return table


def _mapped(folder: Path) -> Paraphrases:
    # mode c: nobody can write to the files, and yet the kernels see plain arrays
    return Paraphrases(*(np.asarray(np.load(folder / f"{name}.npy", mmap_mode="c")) for name in Paraphrases._fields))


def _keep(table: Paraphrases, folder: Path) -> None:
    """The folder is there whole or not at all; those of other files and formats go."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    making = Path(tempfile.mkdtemp(prefix=".making-", dir=folder.parent))
    try:
        for name, array in table._asdict().items():
            np.save(making / f"{name}.npy", array)
        for other in folder.parent.glob("[!.]*"):
            shutil.rmtree(other, ignore_errors=True)
        making.replace(folder)
    finally:
        shutil.rmtree(making, ignore_errors=True)
