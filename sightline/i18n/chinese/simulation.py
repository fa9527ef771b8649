"""Chinese: the simulation suite."""

from __future__ import annotations

TEXTS = {
    "computed: finite elements and lattice Boltzmann, a few seconds per case; exact: closed-form, instant": "computed：有限元和格子玻尔兹曼方法，每例数秒；exact：解析解，立即得到",
    "Computed structures need scikit-fem, which is not installed.": "求解结构算例需要 scikit-fem，但尚未安装。",
    'pip install "sightline[simulation]", or take --fields exact': 'pip install "sightline[simulation]"，或使用 --fields exact',
    "True/false questions on simulations": "关于仿真结果的判断题",
    "Structural simulations": "结构仿真",
    "Fluid simulations": "流体仿真",
    "what the model is shown; several may be joined by commas": "给模型看什么；多个用逗号连接",
    "only these domains": "只用这些领域",
    "only these simulations, such as File_1,File_7": "只用这些仿真，例如 File_1,File_7",
    "vote: one question per frame, the majority counts; frames: all in one prompt; native: the file itself": "vote：每帧问一次，多数决定；frames：所有帧放进一个提示；native：直接发送视频文件",
    "frames per second to extract from a video": "每秒从视频中提取的帧数",
    "only the domains {names}": "只用领域 {names}",
    "only the simulations {names}": "只用仿真 {names}",
    "videos shown as {mode}, not by a vote of frames": "视频以 {mode} 方式展示，而不是逐帧投票",
    "{fps} frames per second instead of 1": "每秒 {fps} 帧，而不是 1 帧",
    "{domain}: numbered from 1 on disk ({name} is {disk})": "{domain}：磁盘上从 1 编号（{name} 即 {disk}）",
    "{domain}: names on disk as in the question file": "{domain}：磁盘上的名称与题目文件一致",
    "A data set needs at least one simulation, not {count}.": "数据集至少需要一个仿真，而不是 {count} 个。",
    "{data} holds no question file.": "{data} 中没有题目文件。",
    "Expected {data}/benchmark/*.json and {data}/data/<domain>/<images, videos, text>.": "应有 {data}/benchmark/*.json 和 {data}/data/<领域>/<images、videos、text>。",
    "{path} has not the form of a question file: {why}": "{path} 不符合题目文件的格式：{why}",
    "Expected {form}": "应为 {form}",
    "{path} lists no simulation.": "{path} 没有列出任何仿真。",
    "Physical-law accuracy": "物理定律题准确率",
    "Opposed pairs": "对立题对",
    "Opposed pairs in the key": "标准答案中的对立题对",
    "Pair relation as in the key": "题对关系与标准答案一致",
}
