"""Exporters of the grades table: CSV for spreadsheets, Parquet for programs."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

from sightline.core.remarks import Remark
from sightline.interop.exporting import Exporter, ExportSource
from sightline.scoring.grades.duckdb_files import escape_formula

_COLUMNS = ("sample", "task", "status", "score", "weight", "attempts", "cluster", "source", "message")


class GradesCsv(Exporter):
    """One line per sample with its reply; formulas in cells are escaped."""

    title = "Grades (CSV)"
    suffixes = (".csv",)

    def write(self, run: ExportSource, out: Path) -> list[Remark]:
        """See `Exporter`."""
        columns = (*_COLUMNS, "repeat") if run.summary.repeat_count > 1 else _COLUMNS
        with out.open("w", encoding="utf-8-sig", newline="") as file:
            table = csv.writer(file)
            table.writerow([*columns, "tags", "values", "reply"])
            for grade in run.grades():
                cells = [getattr(grade, name) for name in columns]
                cells += [json.dumps(part, ensure_ascii=False) for part in (grade.tags, grade.values)]
                table.writerow(
                    [escape_formula(cell) if isinstance(cell, str) else cell for cell in (*cells, grade.reply or "")]
                )
        return []


class GradesParquet(Exporter):
    """A copy of the run's grades.parquet."""

    title = "Grades (Parquet)"
    suffixes = (".parquet",)

    def write(self, run: ExportSource, out: Path) -> list[Remark]:
        """See `Exporter`."""
        shutil.copyfile(run.folder.grades, out)
        return []
