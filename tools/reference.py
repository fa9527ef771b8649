"""Writes the pages that come from the code: docs/reference/settings.md, names.md and their Chinese.

python tools/reference.py
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

from sightline.core.config import RunConfig
from sightline.core.registry import find, load_suite, names
from sightline.core.score_config import ScoreConfig
from sightline.core.settings import Setting, table
from sightline.i18n import set_language, tr
from sightline.scoring.resolve import find_metric

ROOT = Path(__file__).resolve().parents[1]
FOLDERS = {"en": ROOT / "docs" / "reference", "zh": ROOT / "docs" / "zh" / "reference"}
WORDS = {
    "en": {
        "title": "All settings",
        "intro": "Made from the code by `python tools/reference.py`. A setting is a flag, a `SIGHTLINE_…` environment "
        "variable and a key of `--config FILE` (TOML, JSON or YAML). Flags win over the environment, the environment "
        "over the file, the file over the default; an unknown key is an error.",
        "run": "Every run",
        "head": ("flag", "environment", "file key", "default", "meaning"),
        "score": "Scoring files: `sightline score --anno-path …`",
        "scorers": "Scorers",
        "scorer_head": ("name", "meaning", "full marks for", "not for"),
        "metrics": "Metrics",
        "metric_head": ("name", "meaning"),
        "names": "All names",
        "names_intro": "Made from the code by `python tools/reference.py`: what is registered, by kind. Plug-ins add "
        "to it ([Extending](../extending.md)); `sightline suites` lists what your installation has. Formulas of "
        "metrics: [Metrics and formulas](../metrics.md).",
        "suites": "Suites and their tasks",
        "task_head": ("task", "other names", "parser", "core metrics", "auxiliary metrics"),
        "parsers": "Parsers",
        "parser_head": ("name", "reads"),
        "importers": "Importers: `sightline import NAME SOURCE --out DIR`",
        "exporters": "Exporters: `sightline export NAME RUN --out FILE`",
        "models": "Models: `--model PROVIDER/NAME`",
        "format_head": ("name", "format"),
    },
    "zh": {
        "title": "全部设置",
        "intro": "由 `python tools/reference.py` 从代码生成。每个设置都是一个命令行选项、一个 `SIGHTLINE_…` 环境变量，"
        "也是 `--config 文件`（TOML、JSON 或 YAML）中的一个键。命令行优先于环境变量，环境变量优先于文件，"
        "文件优先于默认值；未知的键会报错。",
        "run": "所有运行",
        "head": ("选项", "环境变量", "文件键", "默认值", "含义"),
        "score": "对文件评分：`sightline score --anno-path …`",
        "scorers": "评分器",
        "scorer_head": ("名称", "含义", "满分示例", "不得满分示例"),
        "metrics": "指标",
        "metric_head": ("名称", "含义"),
        "names": "全部名称",
        "names_intro": "由 `python tools/reference.py` 从代码生成：按种类列出所有已注册的名称。插件可以增加名称"
        "（见[扩展](../extending.md)）；`sightline suites` 列出您的安装中有什么。"
        "指标的公式见[指标与公式](../metrics.md)。",
        "suites": "套件及其任务",
        "task_head": ("任务", "其他名称", "解析器", "核心指标", "辅助指标"),
        "parsers": "解析器",
        "parser_head": ("名称", "读取什么"),
        "importers": "导入器：`sightline import NAME SOURCE --out DIR`",
        "exporters": "导出器：`sightline export NAME RUN --out FILE`",
        "models": "模型：`--model PROVIDER/NAME`",
        "format_head": ("名称", "格式"),
    },
}
READS = {
    "boxes": (
        "a count if there is one, then `<box><x1><y1><x2><y2></box>`…",
        "数目（可省略），然后是 `<box><x1><y1><x2><y2></box>`…",
    ),
    "dots": ("changed areas: `<dot><x><y>…</dot>`…", "变化区域：`<dot><x><y>…</dot>`…"),
    "indices": ("whole numbers in their order: `1,2`", "按顺序的整数：`1,2`"),
    "json_object": (
        "one JSON object: between tags, in a fence or by its braces",
        "一个 JSON 对象：在标签中、代码围栏中，或按花括号查找",
    ),
    "label": ("exactly one label", "恰好一个标签"),
    "labels": ("a set of labels: `car;truck`", "一组标签：`car;truck`"),
    "number": ("one plain number: `36`, `1,234`, `３６`", "一个数：`36`、`1,234`、`３６`"),
    "one_box": ("exactly one box", "恰好一个框"),
    "option_letter": (
        "the only letter that is chosen: `B`, `(B)`, `The answer is B.`",
        "所选的唯一字母：`B`、`(B)`、`The answer is B.`",
    ),
    "polygons": ("`<poly><x><y>…</poly>`…", "`<poly><x><y>…</poly>`…"),
    "quads": (
        "as `boxes`, with four corners: `<quad><x1>…<y4></quad>`…",
        "同 `boxes`，但为四个角点：`<quad><x1>…<y4></quad>`…",
    ),
    "text": ("any text that shows, without thinking", "任何可见文本，去掉思考部分"),
    "true_false": ("True or False, by the published rules", "True 或 False，按公开的规则"),
    "yes_no": ("`yes` or `no`, `是` or `否`, and nothing else", "`yes` 或 `no`，`是` 或 `否`，不接受其他内容"),
}
"""What each parser takes, in English and Chinese."""
ANSWERS = {
    "baseline": (
        "no network: `baseline/oracle`, `baseline/random`, `baseline/constant:ANSWER`, `baseline/perturbed:RATE`",
        "不需要网络：`baseline/oracle`、`baseline/random`、`baseline/constant:ANSWER`、`baseline/perturbed:RATE`",
    ),
    "hf": (
        "a checkpoint, loaded with transformers in this process (extra `hf`): `hf/FOLDER`",
        "用 transformers 在本进程中加载的检查点（附加组件 `hf`）：`hf/FOLDER`",
    ),
    "openai": (
        "any OpenAI-compatible server; also taken where the first part of an id is no provider: `Qwen/Qwen2.5-VL-7B`",
        "任何 OpenAI 兼容的服务器；标识的第一部分不是已知提供者时也用它：`Qwen/Qwen2.5-VL-7B`",
    ),
    "replay": ("replies saved in a file, by sample: `replay/FILE`", "文件中保存的回复，按样本查找：`replay/FILE`"),
}
"""Where each kind of model gets its replies, in English and Chinese."""


def settings_page(language: str) -> str:
    """All settings, metrics and scorers in one language."""
    words = WORDS[language]
    set_language(language)
    try:
        parts = [f"# {words['title']}", str(words["intro"]), f"## {words['run']}"]
        parts.append(rows(table(RunConfig), words["head"]))
        parts += [f"## {words['score']}", rows(table(ScoreConfig), words["head"])]
        for name in names("suites"):
            parts += [
                f"## `{name}`: {tr(load_suite(name).title)}",
                rows(table(find("suites", name).options_type), words["head"]),
            ]
        parts += [f"## {words['metrics']}", metrics(words["metric_head"])]
        parts += [f'<a id="scorers"></a>\n\n## {words["scorers"]}', scorer_table(words["scorer_head"])]
        return "\n\n".join(parts) + "\n"
    finally:
        set_language("")


def names_page(language: str) -> str:
    """Every registered name in one language."""
    words = WORDS[language]
    which = list(WORDS).index(language)
    set_language(language)
    try:
        parts = [f"# {words['names']}", str(words["names_intro"]), f"## {words['suites']}"]
        for name in names("suites"):
            parts += [f"### `{name}`: {tr(load_suite(name).title)}", tasks(name, words["task_head"])]
        known = [[f"`{name}`", READS[name][which]] for name in names("parsers")]
        parts += [f"## {words['parsers']}", markdown(words["parser_head"], known)]
        for kind in ("importers", "exporters"):
            formats = [[f"`{name}`", tr(find(kind, name).title)] for name in names(kind)]
            parts += [f"## {words[kind]}", markdown(words["format_head"], formats)]
        models = [[f"`{name}`", ANSWERS[name][which]] for name in names("models")]
        parts += [f"## {words['models']}", markdown(words["parser_head"], models)]
        return "\n\n".join(parts) + "\n"
    finally:
        set_language("")


def tasks(suite: str, head: object) -> str:
    """A table of a suite's tasks."""
    lines = []
    for task in load_suite(suite).tasks().values():
        others = [name for name in dict.fromkeys((task.title, *task.aliases)) if name and name != task.name]
        figures = [", ".join(f"`{name}`" for name in chosen) or "–" for chosen in (task.metrics, task.auxiliary)]
        lines.append([f"`{task.name}`", ", ".join(others) or "–", f"`{task.parser}`", *figures])
    return markdown(head, lines)


def rows(settings: Sequence[Setting], head: object) -> str:
    """A table of settings."""
    lines = [[f"`{s.flag}`", f"`{s.env}`", f"`{s.name}`", default(s), tr(s.help) + choices(s)] for s in settings]
    return markdown(head, lines)


def metrics(head: object) -> str:
    """A table of all registered metrics, those over columns too."""
    titles = {name: find_metric(name).title for name in names("metrics")}
    return markdown(head, [[f"`{name}`", tr(title)] for name, title in sorted(titles.items())])


def scorer_table(head: object) -> str:
    """A table of all scorers with an example that each accepts and one that it refuses."""
    lines = []
    for name in names("scorers"):
        scorer = find("scorers", name)
        lines.append([f"`{name}`", tr(scorer.title), example(scorer.accepts), example(scorer.refuses)])
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
    shown = ",".join(map(str, setting.default)) if isinstance(setting.default, tuple) else str(setting.default)
    return f"`{shown}`"


def choices(setting: Setting) -> str:
    """The values to choose from."""
    return f" ({', '.join(f'`{c}`' for c in setting.choices if c)})" if setting.choices else ""


def markdown(head: object, lines: list[list[str]]) -> str:
    """A Markdown table."""
    assert isinstance(head, tuple)
    table_lines = [head, ["---"] * len(head), *lines]
    return "\n".join("| " + " | ".join(cell.replace("|", "\\|") for cell in line) + " |" for line in table_lines)


PAGES: dict[Path, Callable[[], str]] = {
    folder / name: partial(make, language)
    for language, folder in FOLDERS.items()
    for name, make in (("settings.md", settings_page), ("names.md", names_page))
}
"""What each page is made by."""

if __name__ == "__main__":
    for path, make in PAGES.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(make(), encoding="utf-8")
        print(path.relative_to(ROOT))
