"""The Chinese of everything that can be said, by its English, a file for each part of the system.

A test finds what is missing, what is left over, and what is there twice.
"""

from __future__ import annotations

from sightline.language.chinese import (
    asking,
    cli,
    comparing,
    interchange,
    matrix,
    metrics,
    remote_sensing,
    reports,
    serve,
    settings,
    shared,
    simulation,
    sources,
    structural,
    viewer,
)

TABLES = (
    asking.TEXTS,
    cli.TEXTS,
    comparing.TEXTS,
    interchange.TEXTS,
    matrix.TEXTS,
    metrics.TEXTS,
    remote_sensing.TEXTS,
    reports.TEXTS,
    serve.TEXTS,
    settings.TEXTS,
    shared.TEXTS,
    simulation.TEXTS,
    sources.TEXTS,
    structural.TEXTS,
    viewer.TEXTS,
)
CHINESE: dict[str, str] = {text: there for table in TABLES for text, there in table.items()}
