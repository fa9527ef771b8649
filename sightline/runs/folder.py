"""Where the things of a run are."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

from sightline.core.errors import JournalError
from sightline.core.run_paths import RunPaths
from sightline.runs.manifest import Manifest, load_manifest


class RunFolder(RunPaths):
    """A folder `<time>_<suite>_<model>` and the names inside it."""

    def load(self) -> Manifest:
        """The manifest."""
        return load_manifest(self.manifest)


def make_folder(output_dir: Path, name: str, manifest: Manifest) -> RunFolder:
    """A new run folder with its manifest."""
    time = datetime.now().strftime("%Y%m%d-%H%M%S")
    for number in range(1, 1000):
        path = output_dir / (f"{time}_{name}" + (f"_{number}" if number > 1 else ""))
        try:
            path.mkdir(parents=True)
            manifest.save(path / "manifest.json")
        except FileExistsError:
            if output_dir.is_file():
                break
            continue
        except OSError as error:
            raise JournalError("Can't make the folder {path}: {why}", path=path, why=error.strerror) from None
        return RunFolder(path)
    raise JournalError("Can't make a run folder in {path}.", path=output_dir)


def slug(text: str) -> str:
    """The text as part of a file name that can't leave its folder."""
    return re.sub(r"[^\w.-]+", "-", text).strip("-.")[:80] or "model"
