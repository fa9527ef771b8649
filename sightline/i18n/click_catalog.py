"""Click's own words, such as "Usage" and "No such option", in the user's language.

Click looks every text up with gettext, under the name `_` in each of its modules, but has no Chinese. Catalogues of
gettext's own are binary files chosen by the system's locale; `--lang` and SIGHTLINE_LANG would not reach them.
"""

from __future__ import annotations

import gettext
import sys

from sightline.i18n import language


def install_click_translations() -> None:
    """Let click look its texts up here; where this click has others than we know, they stay as they are."""
    ours = {gettext.gettext: _translate, gettext.ngettext: _translate_plural}
    for module in [module for name, module in sys.modules.items() if name.startswith("click.")]:
        for name in ("_", "ngettext"):
            if (theirs := vars(module).get(name)) in ours:
                vars(module)[name] = ours[theirs]


def _translate(text: str) -> str:
    return _chinese(text) or gettext.gettext(text)


def _translate_plural(one: str, many: str, count: int) -> str:
    return _chinese(one) or gettext.ngettext(one, many, count)


def _chinese(text: str) -> str | None:
    if language() != "zh":
        return None
    from sightline.i18n.chinese.click_words import TEXTS

    return TEXTS.get(text)
