"""The Chinese of everything that can be said, by its English. A test finds what is missing and what is left over."""

from __future__ import annotations

CHINESE: dict[str, str] = {
    # commands
    "Commands": "命令",
    "Ask a model the questions of a suite, and grade it.": "向模型提出某个评测套件的问题并评分。",
    "Grade a run again, or replies saved in a file; asks nothing.": "对一次运行或文件中保存的回复重新评分；不会提问。",
    "Grade a run again, or replies saved in a file. Nothing is asked.": "对一次运行或文件中保存的回复重新评分。不会提问。",
    "Show the figures of a run.": "显示一次运行的结果。",
    "Show the figures of a run; without a name, of the last one.": "显示一次运行的结果；不指定时显示最近一次。",
    "List the suites, their tasks and their options.": "列出评测套件及其任务和选项。",
    "List the suites with their tasks and their own options.": "列出评测套件及其任务和各自的选项。",
    "Make a fresh data set of a suite.": "为某个评测套件生成全新的数据集。",
    "The whole way on fresh data, with no network and no key.": "用全新数据走完整个流程，无需网络和密钥。",
    "The whole way on fresh data of every installed suite, with no network and no key.": (
        "用每个已安装套件的全新数据走完整个流程，无需网络和密钥。"
    ),
    "Look whether everything is in place.": "检查一切是否就绪。",
    "Look whether everything is in place. Nothing leaves this machine.": "检查一切是否就绪。不会有任何信息离开本机。",
    "Options of {suite}": "{suite} 的选项",
    "Options of every run": "所有运行通用的选项",
    "No command is called '{name}'. Did you mean '{near}'?": "没有名为“{name}”的命令。您是不是要找“{near}”？",
    "Name the suite first: sightline run SUITE {flags}": "请先写套件名：sightline run SUITE {flags}",
    "Error": "错误",
    "default": "默认",
    # options of single commands
    "the suite that the replies belong to": "这些回复所属的套件",
    "file of saved replies (JSON lines or a JSON array)": "保存回复的文件（JSON 行或 JSON 数组）",
    "where the runs are, when none is named": "未指定运行时，在哪里查找运行",
    "print everything as JSON": "以 JSON 输出全部内容",
    "print as JSON": "以 JSON 输出",
    "how many items": "生成多少项",
    "the same seed gives the same bytes": "相同的种子得到逐字节相同的结果",
    "a new folder": "一个新文件夹",
    "items of fresh data a suite": "每个套件生成多少项数据",
    "file with settings": "设置文件",
    # settings of a run
    "model id: openai/NAME or bare NAME, baseline/…, replay/FILE": (
        "模型标识：openai/名称 或直接写名称，baseline/…，replay/文件"
    ),
    "the data set's folder or file": "数据集的文件夹或文件",
    "parameter count to name in reports, such as 11B": "报告中注明的参数量，例如 11B",
    "ask only the first N samples": "只问前 N 个样本",
    "keep samples whose id, task or tag holds this word, or whose tag is given as tag=value": (
        "只保留标识、任务或标签包含该词的样本，或用 标签=值 指定"
    ),
    "ask without the pictures: the control for what the text alone gives away": (
        "不给图片提问：用来检验仅凭文字能得多少分"
    ),
    "grade the suite's ideal replies; anything below full marks is an error": "给套件的理想回复评分；不是满分即为错误",
    "count samples, tokens and cost; ask nothing": "只统计样本数、词元数和费用，不提问",
    "address of an OpenAI-compatible server (else OPENAI_BASE_URL)": "兼容 OpenAI 的服务器地址（否则用 OPENAI_BASE_URL）",
    "key for the server (else OPENAI_API_KEY, also from .env)": "服务器密钥（否则用 OPENAI_API_KEY，也可来自 .env）",
    "system prompt": "系统提示词",
    "sampling temperature; none leaves it to the server": "采样温度；none 表示由服务器决定",
    "longest reply in tokens; none leaves it to the server": "回复的最大词元数；none 表示由服务器决定",
    "seed for sampling, baselines and intervals": "采样、基线和区间所用的随机种子",
    "extra body of the request as key=value; null takes a key out": "请求体的附加字段，写作 键=值；null 表示去掉该键",
    "most requests in flight; adapts downwards by itself": "同时进行的最大请求数；会自动下调",
    "seconds to wait for one reply": "等待一个回复的秒数",
    "tries of one request before it counts as failed": "一个请求在算作失败前的尝试次数",
    "cap on requests a minute": "每分钟请求数上限",
    "cap on tokens a minute": "每分钟词元数上限",
    "stop after so many requests": "达到这么多请求后停止",
    "stop before the run costs more than this (needs the prices)": "费用超过该值之前停止（需要给出价格）",
    "price of a million prompt tokens": "每百万输入词元的价格",
    "price of a million reply tokens": "每百万输出词元的价格",
    "attempts after feedback on a wrong answer": "答错并得到反馈后的重试次数",
    "reuse replies to the very same request across runs": "跨运行重用完全相同请求的回复",
    "file of the reply cache; empty means the user's cache folder": "回复缓存文件；留空表示用户的缓存文件夹",
    "folder that holds the run folders": "存放各次运行的文件夹",
    "start a new run even where an unfinished one of the same command could go on": (
        "即使同一命令有未完成的运行，也开始新的运行"
    ),
    "exit with 1 when the headline score (0–1) is below this": "主要得分（0–1）低于该值时以 1 退出",
    "print the result as JSON on standard output": "在标准输出以 JSON 打印结果",
    "language of messages and reports": "消息和报告的语言",
    # the simulation suite
    "True/false questions on simulations": "关于仿真结果的判断题",
    "Structural simulations": "结构仿真",
    "Fluid simulations": "流体仿真",
    "what the model is shown; several may be joined by commas": "给模型看什么；多个用逗号连接",
    "only these domains": "只用这些领域",
    "only these simulations, such as File_1,File_7": "只用这些仿真，例如 File_1,File_7",
    "vote: one question a frame, the majority counts; frames: all in one prompt; native: the file itself": (
        "vote：每帧问一次，多数决定；frames：所有帧放进一个提示；native：直接发送视频文件"
    ),
    "frames a second that are taken from a video": "每秒从视频中取多少帧",
    "only the domains {names}": "只用领域 {names}",
    "only the simulations {names}": "只用仿真 {names}",
    "videos shown as {mode}, not by a vote of frames": "视频以 {mode} 方式展示，而不是逐帧投票",
    "{fps} frames a second instead of 1": "每秒 {fps} 帧，而不是 1 帧",
    "{domain}: numbered from 1 on disk ({name} is {disk})": "{domain}：磁盘上从 1 编号（{name} 即 {disk}）",
    "{domain}: names on disk as in the question file": "{domain}：磁盘上的名称与题目文件一致",
    "A data set needs at least one simulation, not {count}.": "数据集至少需要一个仿真，而不是 {count} 个。",
    "{data} holds no question file.": "{data} 中没有题目文件。",
    "Expected {data}/benchmark/*.json and {data}/data/<domain>/<images, videos, text>.": (
        "应有 {data}/benchmark/*.json 和 {data}/data/<领域>/<images、videos、text>。"
    ),
    "{path} has not the form of a question file: {why}": "{path} 不符合题目文件的格式：{why}",
    "Expected {form}": "应为 {form}",
    "{path} lists no simulation.": "{path} 没有列出任何仿真。",
    # protocol and facts
    "only the first {count} samples": "只用前 {count} 个样本",
    "only samples that match {words}": "只用匹配 {words} 的样本",
    "blind: asked without pictures, videos and reports": "盲测：提问时不给图片、视频和报告",
    "a system prompt of the user's own": "用户自己的系统提示词",
    "temperature left to the server": "温度由服务器决定",
    "temperature {value}": "温度 {value}",
    "up to {count} more attempts after feedback (the headline is the first attempt)": (
        "得到反馈后最多再试 {count} 次（主要得分以第一次为准）"
    ),
    "{count} lines of the journal can't be read; their samples count as not asked.": (
        "日志中有 {count} 行无法读取；对应样本视为尚未提问。"
    ),
    "The tag '{tag}' has too many values for a table; grades.parquet has them all.": (
        "标签“{tag}”的取值太多，无法列表；全部内容见 grades.parquet。"
    ),
    # figures and reports
    "Model": "模型",
    "Suite": "套件",
    "Accuracy": "准确率",
    "Mean score": "平均得分",
    "Score": "得分",
    "Score after feedback": "反馈后得分",
    "Best attempt": "最佳一次得分",
    "Balanced accuracy": "平衡准确率",
    "MCC": "马修斯相关系数",
    "Physical-law accuracy": "物理定律题准确率",
    "Opposed pairs": "对立题对",
    "Opposed pairs in the key": "标准答案中的对立题对",
    "Pair relation as in the key": "题对关系与标准答案一致",
    "Best control": "最佳对照",
    "Skill above it": "高于对照的技巧分",
    "Skill": "技巧分",
    "Between": "可能范围",
    "Coverage": "覆盖率",
    "Usage": "用量",
    "All samples": "全部样本",
    "Metric": "指标",
    "Value": "数值",
    "95 % interval": "95 % 区间",
    "Unread": "未读出",
    "Failed": "失败",
    "Invalid": "无效",
    "Control": "对照",
    "By {scope}": "按{scope}",
    "What looking away would score": "不看内容能得多少分",
    "always {answer}": "总是回答 {answer}",
    "guessing": "随机猜测",
    "overall": "总体",
    "task": "任务",
    "modality": "模态",
    "file": "文件",
    "ok": "正常",
    "unparsed": "未能解析",
    "empty": "空回复",
    "truncated": "被截断",
    "refused": "被拒答",
    "failed": "失败",
    "invalid": "无效",
    "no data": "无数据",
    "none": "无",
    "data": "数据",
    "prompt of the first sample": "第一个样本的提示词",
    "{count} samples": "{count} 个样本",
    "{count} not asked yet": "{count} 个尚未提问",
    "{requests} requests, {tokens_in} tokens in, {tokens_out} out": (
        "{requests} 个请求，输入 {tokens_in} 词元，输出 {tokens_out} 词元"
    ),
    "Bars: the value, its 95 % interval (line), the best control (mark).": "条形：数值；细线：95 % 区间；竖线：最佳对照。",
    "Intervals: Wilson, independent samples.": "区间：Wilson 法，样本相互独立。",
    "Intervals: bootstrap over {clusters} clusters of samples.": "区间：对 {clusters} 个样本簇做自助法。",
    "Deviations from the standard protocol": "与标准流程的偏离",
    "How the data were read": "数据的读取方式",
    "Notes": "备注",
    "What was run": "运行信息",
    "Report": "报告",
    # while a run goes on
    "Going on with {folder}": "继续 {folder}",
    "Run folder: {folder}": "运行文件夹：{folder}",
    "The journal's last line was torn ({bytes} bytes) and is set aside.": "日志最后一行不完整（{bytes} 字节），已另存。",
    "asking": "提问中",
    "grading": "评分中",
    "{count} graded": "已评分 {count} 个",
    "{time} left": "剩余 {time}",
    "{count} in flight": "进行中 {count}",
    "{retried} tried again, {failed} failed": "重试 {retried}，失败 {failed}",
    "cost {cost}": "费用 {cost}",
    "score {score}": "得分 {score}",
    "Stopped early": "提前停止",
    "Stopped by the user.": "已由用户停止。",
    "{count} samples failed; the same command asks them again.": "{count} 个样本失败；再次执行同一命令会重新提问。",
    "The ideal replies did not earn full marks.": "理想回复没有得到满分。",
    "Below --fail-under {gate}.": "低于 --fail-under {gate}。",
    "Samples": "样本数",
    "Requests": "请求数",
    "Tokens in, about": "输入词元（约）",
    "Tokens out, about": "输出词元（约）",
    "Cost, about": "费用（约）",
    "unknown: give --price-in and --price-out": "未知：请给出 --price-in 和 --price-out",
    "Nothing was asked.": "没有提问。",
    # demo, generate, doctor
    "Making fresh data for {suite} …": "正在为 {suite} 生成全新数据……",
    "Asking {model} …": "正在询问 {model}……",
    "Written to {folder}. Next: sightline run {suite} --data {folder} --debug": (
        "已写入 {folder}。下一步：sightline run {suite} --data {folder} --debug"
    ),
    "Skill 0 is what the best blind strategy scores: a constant answer never rises above it.\n\n"
    "Where to look next:\n"
    "  the report page       {report}\n"
    "  the figures again     sightline show {run}\n"
    "  what was asked        {journal}\n"
    "  a model of your own   sightline run {suite} --data {data} --model NAME --api-base http://localhost:8000/v1": (
        "技巧分 0 就是不看内容的最佳策略的水平：总答同一个答案，技巧分不会高于 0。\n\n"
        "接下来可以看：\n"
        "  报告页面      {report}\n"
        "  再看结果      sightline show {run}\n"
        "  问答记录      {journal}\n"
        "  换成您的模型  sightline run {suite} --data {data} --model 名称 --api-base http://localhost:8000/v1"
    ),
    "set": "已设置",
    "not set": "未设置",
    "missing: pip install {name}": "缺失：pip install {name}",
    "not installed: pip install 'sightline[{extra}]'": "未安装：pip install 'sightline[{extra}]'",
    # names and settings that are wrong
    "No {kind} is called '{name}'.": "没有名为“{name}”的 {kind}。",
    "No {kind} is called '{name}'. Did you mean '{near}'?": "没有名为“{name}”的 {kind}。您是不是要找“{near}”？",
    "Known: {listed}": "可用：{listed}",
    "The plug-in '{name}' ({where}) could not be loaded: {why}": "插件“{name}”（{where}）无法加载：{why}",
    "Install it again, or uninstall the package that registers it.": "请重新安装，或卸载注册它的软件包。",
    "Unknown setting '{key}' in {where}.": "{where} 中有未知设置“{key}”。",
    "Unknown setting '{key}' in {where}. Did you mean '{near}'?": "{where} 中有未知设置“{key}”。您是不是要写“{near}”？",
    "{name} in {where} can't be {value}: {why}": "{where} 中的 {name} 不能是 {value}：{why}",
    "{name} in {where} can't be {value}: at least {least}": "{where} 中的 {name} 不能是 {value}：至少为 {least}",
    "{name} in {where} can't be {value}: at most {most}": "{where} 中的 {name} 不能是 {value}：至多为 {most}",
    "{name} in {where} can't be '{value}'. Did you mean '{near}'?": (
        "{where} 中的 {name} 不能是“{value}”。您是不是要写“{near}”？"
    ),
    "{flag} takes key=value, not '{text}'.": "{flag} 的写法是 键=值，而不是“{text}”。",
    "{path}: a settings file ends in .toml, .json, .yaml or .yml.": (
        "{path}：设置文件的后缀应为 .toml、.json、.yaml 或 .yml。"
    ),
    "{path} must hold keys and values at its top.": "{path} 的最外层必须是键和值。",
    "Can't read the settings file {path}: {why}": "无法读取设置文件 {path}：{why}",
    "--max-cost needs to know the prices.": "--max-cost 需要知道价格。",
    "Give --price-in and --price-out, a million tokens each.": "请给出 --price-in 和 --price-out，均按每百万词元计。",
    "No model was named.": "没有指定模型。",
    "Try --model baseline/random (no network), or --model NAME --api-base http://localhost:8000/v1": (
        "可试 --model baseline/random（无需网络），或 --model 名称 --api-base http://localhost:8000/v1"
    ),
    "There is neither a server nor a key for the model '{model}'.": "模型“{model}”既没有服务器也没有密钥。",
    "Give --api-base http://localhost:8000/v1 for a server of your own, or set OPENAI_API_KEY.": (
        "自己的服务器请给出 --api-base http://localhost:8000/v1，否则请设置 OPENAI_API_KEY。"
    ),
    "'{base}' is no address of a server.": "“{base}”不是服务器地址。",
    "It should look like http://localhost:8000/v1": "应当形如 http://localhost:8000/v1",
    "baseline/constant needs its answer.": "baseline/constant 需要给出答案。",
    "Write baseline/constant:True, for instance.": "例如写 baseline/constant:True。",
    "baseline/perturbed takes a rate between 0 and 1, not '{rate}'.": (
        "baseline/perturbed 需要 0 到 1 之间的比例，而不是“{rate}”。"
    ),
    # data that are wrong
    "Where is the data set? Give --data.": "数据集在哪里？请给出 --data。",
    "A fresh one: sightline generate {suite} --out DIR": "生成新的：sightline generate {suite} --out 文件夹",
    "There is no data set at {data}.": "{data} 处没有数据集。",
    "Make one with `sightline generate {suite} --out DIR`, or check --data.": (
        "请用 `sightline generate {suite} --out 文件夹` 生成，或检查 --data。"
    ),
    "No sample is left to ask.": "没有可提问的样本。",
    "No sample is left to grade.": "没有可评分的样本。",
    "Check --data, --filter and the suite's own options.": "请检查 --data、--filter 和套件自己的选项。",
    "Can't read {path}: {why}": "无法读取 {path}：{why}",
    "{path} can't be read: {why}": "{path} 无法解析：{why}",
    "Can't read the replies {path}: {why}": "无法读取回复文件 {path}：{why}",
    "{path} holds no reply: each line must be an object with one of {ids} and one of {texts}.": (
        "{path} 中没有回复：每行必须是一个对象，含 {ids} 之一和 {texts} 之一。"
    ),
    "{path} has no reply for this sample.": "{path} 中没有该样本的回复。",
    "Can't load {where}: {why}": "无法加载 {where}：{why}",
    "Can't decode the video {path}: {why}": "无法解码视频 {path}：{why}",
    "Decoding this video needs PyAV: pip install 'sightline[video]'": "解码该视频需要 PyAV：pip install 'sightline[video]'",
    "The video {path} has no frame.": "视频 {path} 没有任何帧。",
    "{folder} is there already and not empty.": "{folder} 已存在且不为空。",
    "Name a new folder.": "请换一个新文件夹。",
    # runs that are wrong
    "{folder} is no run folder: it has no manifest.json.": "{folder} 不是运行文件夹：缺少 manifest.json。",
    "Give a folder that `sightline run` made, such as runs/2026…": "请给出 `sightline run` 生成的文件夹，例如 runs/2026…",
    "{folder} has no metrics yet.": "{folder} 还没有评分结果。",
    "Grade it: sightline score {folder}": "评分：sightline score {folder}",
    "There is no graded run in {folder}.": "{folder} 中没有已评分的运行。",
    "Make one: sightline demo": "生成一个：sightline demo",
    "The run's data set is not at {data}.": "该运行的数据集不在 {data}。",
    "Say where it is: --data DIR": "请说明它在哪里：--data 文件夹",
    "The journal in {folder} is about other samples than those at {data}.": "{folder} 中的日志与 {data} 处的样本不符。",
    "Give the data set that the run was made with.": "请给出该运行所用的数据集。",
    "Give a run folder, or --suite, --data and --replies.": "请给出运行文件夹，或给出 --suite、--data 和 --replies。",
    "See sightline score --help": "参见 sightline score --help",
    "score needs a run folder, or a suite with its data and a file of replies.": (
        "score 需要运行文件夹，或套件及其数据和回复文件。"
    ),
    # asking that goes wrong
    "{server} refuses the model '{model}' (HTTP {status}): {why}": "{server} 拒绝模型“{model}”（HTTP {status}）：{why}",
    "Check the key: --api-key, OPENAI_API_KEY, or .env.": "请检查密钥：--api-key、OPENAI_API_KEY 或 .env。",
    "Check the model's name and --api-base; it usually ends in /v1.": "请检查模型名称和 --api-base；后者通常以 /v1 结尾。",
    "Nobody answers: {why}": "无人应答：{why}",
    "Is the server running, and is --api-base right? The same command goes on from here.": (
        "服务器是否在运行，--api-base 是否正确？再次执行同一命令会从这里继续。"
    ),
    "The first {count} requests all failed; the last one: {why}": "前 {count} 个请求全部失败；最后一个：{why}",
    "Mend what it says (a setting the server does not know can be taken out by -M key=null).": (
        "请按提示修正（服务器不认识的设置可用 -M 键=null 去掉）。"
    ),
    "--max-requests {count} is spent.": "--max-requests {count} 已用完。",
    "--max-cost {cost} is spent.": "--max-cost {cost} 已用完。",
    "The same command with a higher cap goes on from here.": "提高上限后再次执行同一命令会从这里继续。",
    "The same command goes on from here.": "再次执行同一命令会从这里继续。",
    "Another process is asking in {folder}.": "另一个进程正在 {folder} 中提问。",
    "Wait for it, end it, or start a run of its own with --fresh.": "请等待它、结束它，或用 --fresh 另开一次运行。",
    "Can't write the journal {path}: {why}": "无法写入日志 {path}：{why}",
    "Make room or mend the rights, then give the same command again: it goes on where it stopped.": (
        "请腾出空间或修正权限，然后再次执行同一命令：会从停下的地方继续。"
    ),
    "Can't write into {folder}: {why}": "无法写入 {folder}：{why}",
    "What was asked is kept. Make room, then: sightline score {folder}": (
        "已提问的内容都在。请腾出空间，然后执行：sightline score {folder}"
    ),
    "Can't write {path}: {why}": "无法写入 {path}：{why}",
    "Can't make the folder {path}: {why}": "无法创建文件夹 {path}：{why}",
    "Can't make a run folder in {path}.": "无法在 {path} 中创建运行文件夹。",
    "Can't use the reply cache {path}: {why}": "无法使用回复缓存 {path}：{why}",
    "Remove the file, or leave --cache out.": "请删除该文件，或不用 --cache。",
    "Can't connect to {server}: {why}": "无法连接 {server}：{why}",
    "No answer within {seconds} s.": "{seconds} 秒内没有回复。",
    "The connection broke: {why}": "连接中断：{why}",
    "HTTP {status}: {why}": "HTTP {status}：{why}",
    "The server answered with an error: {why}": "服务器返回错误：{why}",
    "The server's answer can't be read: {why}": "服务器的回复无法解析：{why}",
    "The server's answer holds no choice.": "服务器的回复中没有内容。",
}
