"""Writes the pages that come from the code: docs/reference/settings.md and its Chinese.

python tools/reference.py
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from sightline.config import RunConfig
from sightline.language import say, set_language
from sightline.registry import find, load_suite, names
from sightline.score_config import ScoreConfig
from sightline.settings import Setting, table

ROOT = Path(__file__).resolve().parents[1]
PAGES = {"en": ROOT / "docs" / "reference" / "settings.md", "zh": ROOT / "docs" / "zh" / "reference" / "settings.md"}
WORDS = {
    "en": {
        "title": "All settings",
        "intro": "Made from the code by `python tools/reference.py`. A setting is a flag, a `SIGHTLINE_…` environment "
        "variable and a key of `--config FILE` (TOML, JSON or YAML). Flags win over the environment, the environment "
        "over the file, the file over the default; an unknown key is an error.",
        "run": "Every run",
        "head": ("flag", "environment", "file key", "default", "meaning"),
        "score": "Scoring files: `sightline score --anno-path …`",
        "markers": "Markers",
        "marker_head": ("name", "meaning", "full marks for", "not for"),
        "metrics": "Metrics",
        "metric_head": ("name", "meaning"),
    },
    "zh": {
        "title": "全部设置",
        "intro": "由 `python tools/reference.py` 从代码生成。每个设置都是一个命令行选项、一个 `SIGHTLINE_…` 环境变量，"
        "也是 `--config 文件`（TOML、JSON 或 YAML）中的一个键。命令行优先于环境变量，环境变量优先于文件，"
        "文件优先于默认值；未知的键会报错。",
        "run": "所有运行",
        "head": ("选项", "环境变量", "文件键", "默认值", "含义"),
        "score": "对文件评分：`sightline score --anno-path …`",
        "markers": "评分器",
        "marker_head": ("名称", "含义", "满分示例", "不得满分示例"),
        "metrics": "指标",
        "metric_head": ("名称", "含义"),
    },
}


def page(language: str) -> str:
    """The whole page in one language."""
    words = WORDS[language]
    set_language(language)
    try:
        parts = [f"# {words['title']}", str(words["intro"]), f"## {words['run']}"]
        parts.append(rows(table(RunConfig), words["head"]))
        parts += [f"## {words['score']}", rows(table(ScoreConfig), words["head"])]
        for name in names("suites"):
            parts += [
                f"## `{name}`: {say(load_suite(name).title)}",
                rows(table(find("suites", name).options_type), words["head"]),
            ]
        parts += [f"## {words['metrics']}", metrics(words["metric_head"])]
        parts += [f'<a id="markers"></a>\n\n## {words["markers"]}', markers(words["marker_head"])]
        return "\n\n".join(parts) + "\n"
    finally:
        set_language("")


def rows(settings: Sequence[Setting], head: object) -> str:
    """A table of settings."""
    lines = [[f"`{s.flag}`", f"`{s.env}`", f"`{s.name}`", default(s), say(s.help) + choices(s)] for s in settings]
    return markdown(head, lines)


def metrics(head: object) -> str:
    """A table of all registered metrics, those over columns too."""
    titles = {name: find(kind, name).title for kind in ("metrics", "figures") for name in names(kind)}
    return markdown(head, [[f"`{name}`", say(title)] for name, title in sorted(titles.items())])


def markers(head: object) -> str:
    """A table of all markers with an example that each accepts and one that it refuses."""
    lines = []
    for name in names("markers"):
        marker = find("markers", name)
        lines.append([f"`{name}`", say(marker.title), example(marker.accepts), example(marker.refuses)])
    return markdown(head, lines)


def example(pairs: Sequence[tuple[object, str]]) -> str:
    """The first example, as truth ← reply."""
    if not pairs:
        return "–"
    target, reply = pairs[0]
    truth = getattr(target, "target", target)
    shown = [text if len(text) < 60 else text[:57] + "…" for text in (repr(truth), repr(reply))]
    return f"`{shown[0]}` ← `{shown[1]}`"


def default(setting: Setting) -> str:
    """The default as one would write it."""
    if setting.default in (None, "", (), {}):
        return "–"
    shown = ",".join(setting.default) if isinstance(setting.default, tuple) else str(setting.default)
    return f"`{shown}`"


def choices(setting: Setting) -> str:
    """The values to choose from."""
    return f" ({', '.join(f'`{c}`' for c in setting.choices if c)})" if setting.choices else ""


def markdown(head: object, lines: list[list[str]]) -> str:
    """A Markdown table."""
    assert isinstance(head, tuple)
    table_lines = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in table_lines)


if __name__ == "__main__":
    for language, path in PAGES.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page(language), encoding="utf-8")
        print(path.relative_to(ROOT))
