"""Chinese: what click says by itself. Its words, not ours: no table of `tr`, no sentence that is found again."""

from __future__ import annotations

TEXTS = {
    "Usage:": "用法:",
    "Options": "选项",
    "Commands": "命令",
    "Positional arguments": "参数",
    "Show this message and exit.": "显示本帮助并退出。",
    "default: {default}": "默认: {default}",
    "required": "必填",
    "env var: {var}": "环境变量: {var}",
    "(dynamic)": "（动态）",
    "deprecated": "已弃用",
    "Error: {message}": "错误: {message}",
    "Try '{command} {option}' for help.": "查看帮助：{command} {option}",
    "No such option {name!r}.": "没有选项 {name!r}。",
    "No such option: {name}": "没有选项 {name}。",  # click < 8.4
    "No such command {name!r}.": "没有命令 {name!r}。",
    "Did you mean {possibility}?": "您是不是要找 {possibilities}？",
    "Missing command.": "缺少命令。",
    "Missing argument": "缺少参数",
    "Missing option": "缺少选项",
    "Missing parameter": "缺少参数",
    "Missing parameter: {param_name}": "缺少参数：{param_name}",
    "Got unexpected extra argument ({args})": "多余的参数：{args}",
    "Option {name!r} does not take a value.": "选项 {name!r} 不带值。",
    "Option {name!r} requires an argument.": "选项 {name!r} 需要 {nargs} 个值。",
    "Argument {name!r} takes {nargs} values.": "参数 {name!r} 需要 {nargs} 个值。",
    "Takes {nargs} values but 1 was given.": "需要 {nargs} 个值，但给出了 {len} 个。",
    "{len_type} values are required, but {len_value} was given.": "需要 {len_type} 个值，但给出了 {len_value} 个。",
    "Invalid value: {message}": "值无效：{message}",
    "Invalid value for {param_hint}: {message}": "{param_hint} 的值无效：{message}",
    "Choose from:\n\t{choices}": "可选：\n\t{choices}",
    "{value!r} is not {choice}.": "{value!r} 不在可选值中：{choices}。",
    "{value} is not in the range {range}.": "{value} 不在范围 {range} 内。",
    "{value!r} is not a valid {number_type}.": "{value!r} 不是有效的数（{number_type}）。",
    "{value!r} is not a valid boolean.": "{value!r} 不是有效的布尔值。",  # click < 8.3
    "{value!r} is not a valid boolean. Recognized values: {states}": "{value!r} 不是有效的布尔值。可用：{states}",
    "{value!r} is not a valid UUID.": "{value!r} 不是有效的 UUID。",
    "{value!r} does not match the format {format}.": "{value!r} 不符合格式 {formats}。",
    "{name} {filename!r} does not exist.": "{filename!r} 不存在。",
    "{name} {filename!r} is a file.": "{filename!r} 是文件，不是文件夹。",
    "{name} {filename!r} is a directory.": "{filename!r} 是文件夹，不是文件。",
    "{name} '{filename}' is a directory.": "'{filename}' 是文件夹，不是文件。",  # click 8.1
    "{name} {filename!r} is not readable.": "{filename!r} 无法读取。",
    "{name} {filename!r} is not writable.": "{filename!r} 无法写入。",
    "{name} {filename!r} is not executable.": "{filename!r} 无法执行。",
    "Could not open file {filename!r}: {message}": "无法打开文件 {filename!r}：{message}",
    "unknown error": "未知错误",
}
"""By the text that click looks up; of a singular and a plural by the singular, and said so that it fits both."""
