"""What a scoring job goes by: a suite whose samples are graded in columns, told what the settings say."""

from __future__ import annotations

from sightline.contracts import ColumnSuite
from sightline.errors import UsageError
from sightline.registry import find, names
from sightline.score_config import ScoreConfig
from sightline.settings import table


def column_suite(config: ScoreConfig, name: str = "") -> ColumnSuite:
    """The suite of that name, or the first that is graded in columns, with the settings that it knows."""
    for known in [name] if name else names("suites"):
        kind = find("suites", known)
        if issubclass(kind, ColumnSuite):
            options = {row.name: getattr(config, row.name) for row in table(kind.options_type)}
            suite: ColumnSuite = kind(kind.options_type(**options))
            # a wrong name is told before any file is opened
            _ = suite.wanted, suite.reading, suite.rename
            return suite
    raise UsageError("The suite '{suite}' has no annotation files.", suite=name)
