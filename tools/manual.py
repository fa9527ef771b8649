"""What mkdocs does for the manual beyond its own: a link to the twin page, Chinese words around Chinese pages.

Named under `hooks` in mkdocs.yml.
"""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
_HAN = "[\u3000-\u303f\u4e00-\u9fff\uff00-\uffef]"
_BROKEN = re.compile(f"(?<={_HAN})\n(?={_HAN})")
_FENCE = re.compile(r"(^```.*?^```)", re.DOTALL | re.MULTILINE)
_LINK = re.compile(r"\[([^\]]+)\]\((?!https?:)([^)#\s]+)(#[^)\s]*)?\)")


def twin(path: str, known: set[str]) -> str:
    """The same page in the other language, or nothing where there is none."""
    other = path.removeprefix("zh/") if path.startswith("zh/") else f"zh/{path}"
    return other if other in known else ""


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    """The link to the twin above the page; links that leave the manual become the names of files."""
    here = page.file.src_uri
    text = _LINK.sub(lambda found: _inside(found, posixpath.dirname(here)), joined(markdown))
    other = twin(here, {file.src_uri for file in files.documentation_pages()})
    if not other:
        return text
    word = "English" if here.startswith("zh/") else "中文"
    return f"[{word}]({posixpath.relpath(other, posixpath.dirname(here) or '.')})\n\n{text}"


def joined(markdown: str) -> str:
    """Chinese paragraphs without the spaces that line breaks would become; code stays as it is."""
    parts = _FENCE.split(markdown)
    return "".join(part if part.startswith("```") else _BROKEN.sub("", part) for part in parts)


def _inside(found: re.Match[str], folder: str) -> str:
    """A link into the repository but out of the manual can't be followed on a site: its place is told instead."""
    target = posixpath.normpath(posixpath.join("docs", folder, found.group(2)))
    is_ours = target.startswith("docs/") or not (ROOT / target).exists()
    return found.group() if is_ours else f"{found.group(1)} (`{target}`)"


def on_page_context(context: Any, page: Any, config: Any, nav: Any) -> Any:
    """Buttons, search and headings in the page's own language."""
    config.theme["language"] = "zh" if page.file.src_uri.startswith("zh/") else "en"
    return context
