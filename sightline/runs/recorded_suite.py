"""Instantiate the suite recorded in a manifest without executing code that the run folder names.

A run folder is untrusted input. The manifest names a suite, which must be registered, and options, which may name
files; code that such a file refers to is imported only if the user passes the option again.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sightline.core.errors import DataError, UsageError
from sightline.core.interfaces import Suite
from sightline.core.registry import load_suite, names
from sightline.runs.manifest import Manifest


def load_recorded_suite(manifest: Manifest, trusted_options: Mapping[str, Any] | None = None) -> Suite:
    """Load the suite that a manifest names; `trusted_options` are file options passed again by the user."""
    if manifest.suite not in names("suites"):  # never module:object
        raise DataError("The suite '{suite}' is not installed.", suite=manifest.suite)
    trusted_options = trusted_options or {}
    suite = load_suite(manifest.suite, **{**manifest.options, **trusted_options})
    for name in trusted_options:
        if name not in suite.file_options:
            raise UsageError("The option '{name}' can't be changed for a run that was asked.", name=name)
    suite.untrusted_options = frozenset(manifest.options) - frozenset(trusted_options)
    return suite
