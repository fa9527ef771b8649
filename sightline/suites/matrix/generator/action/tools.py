"""Tool definitions with JSON schemas, and tool-calling tasks."""

from __future__ import annotations

import json
from typing import Any

from msgspec import Struct

from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.wording import fill_wording

Arguments = dict[str, str | int]


class Tool(Struct, frozen=True, kw_only=True):
    """A tool: what it does and what its arguments mean, in English and Chinese; a type each (string or integer)."""

    name: str
    does: tuple[str, str]
    takes: dict[str, tuple[str, str, str]]

    def schema(self, language: str) -> dict[str, Any]:
        """Its description as JSON schema."""
        at = 1 if language == "zh" else 0
        return {
            "name": self.name,
            "description": self.does[at],
            "parameters": {
                "type": "object",
                "properties": {
                    name: {"type": words[0], "description": words[1 + at]} for name, words in self.takes.items()
                },
                "required": list(self.takes),
            },
        }


class Call(Struct, frozen=True, kw_only=True):
    """A call of a tool."""

    name: str
    arguments: Arguments


class ToolTask(Struct, frozen=True, kw_only=True):
    """A tool-calling task: instruction, available tools and expected calls."""

    instruction: str
    tools: tuple[Tool, ...]
    """Those that are needed and some that are not."""
    calls: tuple[Call, ...]
    pictures: tuple[bytes, ...]
    scene: dict[str, Any]


_FORM = {
    "en": (
        "You can call these tools:\n{tools}\nAnswer with nothing but a JSON list of the calls that are needed: "
        '[{{"name": "…", "arguments": {{…}}}}, …].',
        "Tools, each with its parameters as JSON schema:\n{tools}\nGive the needed calls as a JSON list of "
        '{{"name": …, '
        '"arguments": {{…}}}} and nothing else.',
    ),
    "zh": (
        '你可以调用以下工具：\n{tools}\n只用一个 JSON 列表回答需要的调用：[{{"name": "…", "arguments": {{…}}}}, …]。',
        '工具如下，参数以 JSON schema 描述：\n{tools}\n请以 {{"name": …, "arguments": {{…}}}} 组成的 JSON '
        "列表给出所需的调用，不要输出其他内容。",
    ),
}


def make_item(task: ToolTask, rng: SampleRng, language: str) -> Item:
    """Convert a task to a sample; tools are listed in random order."""
    tools = [tool.schema(language) for tool in rng.shuffled(task.tools)]
    listed = "\n".join(json.dumps(tool, ensure_ascii=False) for tool in tools)
    truth = [{"name": call.name, "arguments": call.arguments} for call in task.calls]
    return Item(
        question=f"{task.instruction}\n{fill_wording(rng, _FORM, language, tools=listed)}",
        ground_truth=truth,
        metric="tool_call",
        pictures=task.pictures,
        metadata={"tools": tools, "ideal": json.dumps(truth, ensure_ascii=False), "scene": task.scene},
    )
