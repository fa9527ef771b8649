"""Streaming reader of Excel workbooks; only the shared-string table is kept in memory."""

from __future__ import annotations

import zipfile
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sightline.core.errors import DataError, UsageError

MAX_UNPACKED_BYTES = 2 * 2**30
"""Bytes of a workbook when unpacked."""


def read_workbook(path: Path) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the rows of the first sheet as records, with their row numbers."""
    try:
        from openpyxl import load_workbook  # type: ignore[import-untyped,import-not-found,unused-ignore]
    except ImportError:
        raise UsageError(
            "Reading .xlsx needs openpyxl.", hint='pip install "sightline[xlsx]", or save the table as TSV.'
        ) from None
    _check_size(path)
    try:
        workbook = load_workbook(path, read_only=True, data_only=True)
        sheet = workbook.worksheets[0]
        sheet.reset_dimensions()  # the dimensions in the file may be wrong
        rows = sheet.iter_rows(values_only=True)
        head = [str(cell) if cell is not None else "" for cell in next(rows, ())]
    except (OSError, SyntaxError, KeyError, ValueError, IndexError, zipfile.BadZipFile, zlib.error) as error:
        raise DataError("{path} can't be read: {why}", path=path, why=error) from None
    try:
        for number, cells in enumerate(rows, 2):
            if any(cell is not None for cell in cells):
                yield number, {name: cell for name, cell in zip(head, cells, strict=False) if name}
    except (SyntaxError, KeyError, ValueError, zipfile.BadZipFile, zlib.error) as error:  # broken XML is a SyntaxError
        raise DataError("{path} can't be read: {why}", path=path, why=error) from None
    finally:
        workbook.close()


def _check_size(path: Path) -> None:
    try:
        with zipfile.ZipFile(path) as archive:
            size = sum(member.file_size for member in archive.infolist())
    except (OSError, zipfile.BadZipFile) as error:
        raise DataError("{path} can't be read: {why}", path=path, why=error) from None
    if size > MAX_UNPACKED_BYTES:
        raise DataError("{path} is too large for a workbook.", hint="Save the table as TSV, which streams.", path=path)
