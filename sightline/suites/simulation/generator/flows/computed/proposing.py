"""A flow that may be computed: what it should answer, and how to find out."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from sightline.suites.simulation.generator.case import Candidate, Case
from sightline.suites.simulation.generator.flows.computed.setting import Outlook, Setting, expected

if TYPE_CHECKING:
    from sightline.suites.simulation.generator.flows.computed.basin import Basin


def proposed(setting: Setting, outlook: Outlook, basin: Callable[[], Basin]) -> Candidate:
    """Solved and told where it is chosen."""
    return Candidate(expected(setting, outlook), lambda: _told(basin(), setting))


def _told(basin: Basin, setting: Setting) -> Case:
    from sightline.suites.simulation.generator.flows.computed.telling import tell

    return tell(basin, setting)
