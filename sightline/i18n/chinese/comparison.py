"""Chinese: comparisons and the leaderboard."""

from __future__ import annotations

TEXTS = {
    "data set: fingerprints by different algorithms cannot be compared (sightline regrade RUN updates it)": "数据集：不同算法计算的指纹无法比较（sightline regrade RUN 会重新计算）",
    "Run": "运行",
    "A comparison needs two runs or more.": "比较至少需要两次运行。",
    "sightline compare RUN_A RUN_B": "sightline compare RUN_A RUN_B",
    "These runs are not comparable:\n{differences}": "这些运行不能直接比较：\n{differences}",
    "--force compares the shared samples anyway.": "--force 仍会比较它们共有的样本。",
    "{pair}: {what}": "{pair}：{what}",
    "suite: {first} and {second} (different questions)": "评测套件：{first} 与 {second}（题目不同）",
    "suite version: {first} and {second} (scoring may have changed)": "评测套件版本：{first} 与 {second}（评分规则可能有变）",
    "data set: {first}… and {second}… (different files)": "数据集：{first}… 与 {second}…（文件不相同）",
    "option {name}: {first} and {second} (different prompts or scoring)": "选项 {name}：{first} 与 {second}（提示词或评分方式不同）",
    "selection by {name}: {first} and {second} (different samples)": "按 {name} 选取：{first} 与 {second}（样本不相同）",
    "{name}: {first} and {second} (different parsing or scoring)": "{name}：{first} 与 {second}（解析或评分方式不同）",
    "{first} and {second} have no answered sample in common.": "{first} 与 {second} 没有双方都作答的共同样本。",
    "{folder} has no grades.": "{folder} 中没有评分记录。",
    "{path} lacks the columns {names}, which a comparison needs.": "{path} 缺少比较所需的列：{names}。",
    "Cannot read the grades: {why}": "无法读取评分记录：{why}",
    "physical law": "物理定律",
    "Repeats are averaged per question; a question counts as right if more than half of its replies are.": "重复提问按题取平均；一道题的回复过半正确才算答对。",
    "{run} is incomplete: some of its samples have no answer.": "{run} 不完整：有些样本没有答案。",
    "{run}: {lenient} % read leniently, {strict} % as asked. All differences here are of replies read as asked, so they include what is lost to the format.": (
        "{run}：宽松读取为 {lenient}%，按要求读取为 {strict}%。此处所有差异均基于按要求读取的回复，因此包含格式造成的损失。"
    ),
    "The runs used different prompts: the prompt of the first sample differs.": "各次运行使用了不同的提示词：第一个样本的提示词不一样。",
    "{folder} is excluded: {reason}": "未计入 {folder}：{reason}",
}
