"""The Chinese of everything that can be said, by its English, a file for each part of the system.

A test finds what is missing, what is left over, and what is there twice.
"""

from __future__ import annotations

from sightline.i18n.chinese import (
    cli,
    comparison,
    data,
    images,
    inference,
    interop,
    matrix,
    metrics,
    remote_sensing,
    reports,
    service,
    settings,
    shared,
    simulation,
    structural,
    viewer,
)

TABLES = (
    inference.TEXTS,
    cli.TEXTS,
    comparison.TEXTS,
    images.TEXTS,
    interop.TEXTS,
    matrix.TEXTS,
    metrics.TEXTS,
    remote_sensing.TEXTS,
    reports.TEXTS,
    service.TEXTS,
    settings.TEXTS,
    shared.TEXTS,
    simulation.TEXTS,
    data.TEXTS,
    structural.TEXTS,
    viewer.TEXTS,
)
CHINESE: dict[str, str] = {text: there for table in TABLES for text, there in table.items()}
