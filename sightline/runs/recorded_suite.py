"""The suite of a run folder, made from its manifest without running code that the folder names.

A run folder may come from anybody. Its manifest names a suite, which must be registered, and options of the suite,
which may name files; whatever code such a file names is imported only where the user has given the option as well.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sightline.core.errors import DataError, UsageError
from sightline.core.interfaces import Suite
from sightline.core.registry import load_suite, names
from sightline.runs.manifest import Manifest


def load_recorded_suite(manifest: Manifest, given: Mapping[str, Any] | None = None) -> Suite:
    """Make the suite that a manifest names; `given` are the options for files that the user has given again."""
    if manifest.suite not in names("suites"):  # never module:object
        raise DataError("The suite '{suite}' is not installed.", suite=manifest.suite)
    given = given or {}
    suite = load_suite(manifest.suite, **{**manifest.options, **given})
    for name in given:
        if name not in suite.file_options:
            raise UsageError("The option '{name}' can't be changed for a run that was asked.", name=name)
    suite.untrusted_options = frozenset(manifest.options) - frozenset(given)
    return suite
