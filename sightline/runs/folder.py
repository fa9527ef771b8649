"""Run folders: creation, naming and file paths."""

from __future__ import annotations

import re
from datetime import datetime
from pathlib import Path

from sightline.core.errors import StorageError
from sightline.core.run_paths import RunPaths
from sightline.runs.manifest import Manifest, load_manifest


class RunFolder(RunPaths):
    """A run folder `<time>_<suite>_<model>` with the paths of its files."""

    def load_manifest(self) -> Manifest:
        """Load the manifest of this run."""
        return load_manifest(self.manifest)


def create_run_folder(output_dir: Path, name: str, manifest: Manifest) -> RunFolder:
    """Create a new run folder and write its manifest."""
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
            raise StorageError("Cannot create the folder {path}: {why}", path=path, why=error.strerror) from None
        return RunFolder(path)
    raise StorageError("Cannot create a run folder in {path}.", path=output_dir)


def slugify(text: str) -> str:
    """Convert text into a safe file name component (no separators, no leading dots)."""
    return re.sub(r"[^\w.-]+", "-", text).strip("-.")[:80] or "model"
