"""Exporter of output files: `NAME_output.txt` of annotation `NAME.txt`, as `sightline score` and other tools read it.

A sample without an id of its own has the id `NAME__INDEX`, the number of its row in the annotation file from 0.
"""

from __future__ import annotations

import json
from contextlib import ExitStack
from pathlib import Path
from typing import IO

import numpy as np

from sightline.core.errors import DataError, SightlineError
from sightline.core.interfaces import ColumnSuite
from sightline.core.remarks import Remark
from sightline.data.lines import index_file
from sightline.data.pairing import OUTPUT_ENDING, find_pairs
from sightline.interop.exporting import Exporter, ExportSource, GradedSample

_MOST_OPEN = 64


class OutputFiles(Exporter):
    """A folder with one file of outputs per annotation file."""

    title = "Output files beside annotations (NAME_output.txt)"
    suffixes = ("",)
    writes_folder = True

    def write(self, run: ExportSource, out: Path) -> list[Remark]:
        """See `Exporter`."""
        suite = run.suite()
        if not isinstance(suite, ColumnSuite):
            raise DataError("{folder} is no run on annotation files.", folder=run.folder.path)
        rows = {} if run.manifest.data == "" else _row_numbers(Path(run.manifest.data), suite)
        lost, unnumbered = 0, 0
        with ExitStack() as stack:
            files: dict[str, IO[str]] = {}
            for grade in run.grades():
                if grade.status == "invalid" or grade.repeat > 1:
                    continue
                if grade.reply is None:
                    lost += 1
                    continue
                name = str(grade.tags.get("file", "")) or "outputs"
                if name not in files:
                    if len(files) == _MOST_OPEN:
                        files.pop(next(iter(files))).close()
                    path = _output_path(out, name)
                    files[name] = stack.enter_context(path.open("a", encoding="utf-8"))
                sample_id = _sample_id(grade, name, rows.get(name))
                unnumbered += not sample_id
                line = {"sample_id": sample_id} if sample_id else {}
                line |= {"task": grade.task, "model_output": grade.reply, "source": grade.source}
                files[name].write(json.dumps(line, ensure_ascii=False) + "\n")
        remarks = [Remark("{count} samples have no reply to be exported.", {"count": lost})] if lost else []
        if unnumbered:
            facts = {"count": unnumbered}
            remarks.append(Remark("{count} outputs have no id: the rows of the annotation files are not known.", facts))
        return remarks


def _output_path(folder: Path, name: str) -> Path:
    """The file of an annotation file's outputs; a name that leads out of the folder is refused."""
    path = folder / f"{name}{OUTPUT_ENDING}.txt"
    if not path.resolve().is_relative_to(folder.resolve()):
        raise DataError("The name {name} of an annotation file leads out of the folder.", name=name)
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def _sample_id(grade: GradedSample, name: str, numbers: dict[str, int] | None) -> str:
    """The sample's own id, else the name of its file and the number of its row; empty where that is not known."""
    stem, colon, line = grade.sample.rpartition(":")
    if stem != name or not colon or not line.isdigit():
        return grade.sample
    number = None if numbers is None else numbers.get(line)
    return "" if number is None else f"{Path(name).name}__{number}"


def _row_numbers(data: Path, suite: ColumnSuite) -> dict[str, dict[str, int]]:
    """The number of the row in each line of each annotation file, where every row has a line of its own."""
    found: dict[str, dict[str, int]] = {}
    folder = data / "anno" if (data / "anno").is_dir() else data
    try:
        pairs = find_pairs(folder, folder, recursive=bool(getattr(suite.options, "recursive", False)))[0]
        for pair in pairs:
            with index_file(pair.annotation, ("sample_id",), suite.rename, encoding=suite.encoding) as index:
                if len(np.unique(index.lines)) == len(index):
                    numbers = zip(index.lines.tolist(), index.row_numbers.tolist(), strict=True)
                    found[pair.name] = {str(line): number for line, number in numbers}
    except (SightlineError, OSError):  # the data may lie elsewhere by now
        return found
    return found
