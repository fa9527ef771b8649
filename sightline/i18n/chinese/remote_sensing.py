"""Chinese: the remote-sensing suite and scored files."""

from __future__ import annotations

TEXTS = {
    "scored with a known fault: {fault}": "按已知的评分错误计分：{fault}",
    "reproduce a known fault of published scorers, such as plus-one-iou-0-1; empty: score correctly": (
        "复现已发表评分程序的一种已知错误，例如 plus-one-iou-0-1；留空则正确计分"
    ),
    "also write known_faults.html: what each known fault of published scorers would report": (
        "同时写出 known_faults.html：已发表评分程序的每种已知错误会报告什么结果"
    ),
    "The same files, scored again with one known fault at a time. Everything else is computed correctly, so the "
    "difference is due to the fault alone.": (
        "对同一批文件逐一引入一种已知错误重新计分，其余计算均正确，因此差异完全来自该错误。"
    ),
    "What known faults of published scorers would report": "已发表评分程序的已知错误会报告什么结果",
    "What known faults would report: {model}": "已知错误会报告的结果：{model}",
    "The faults": "错误说明",
    "Fault": "错误",
    "Correct": "正确值",
    "Shares in percent; in brackets the difference to the correct figure, in points.": (
        "比例以百分数表示；括号内为与正确值之差（百分点）。"
    ),
    "What it does": "做法",
    "known faults reproduced": "已复现的已知错误",
    "adds 1 to widths, heights and overlaps of boxes whose coordinates lie between 0 and 1": (
        "坐标在 0–1 之间，却给框的宽、高和重叠部分各加 1"
    ),
    "adds 1 to widths, heights and overlaps of boxes whose coordinates lie between 0 and 100": (
        "坐标在 0–100 之间，却给框的宽、高和重叠部分各加 1"
    ),
    "takes the second corner of both boxes for width and height": "把两个框的第二个角点当作宽和高",
    "reads runs of digits as coordinates, so that 0.12 becomes 0 and 12": (
        "把连续数字当作坐标，于是 0.12 变成 0 和 12"
    ),
    "takes each box in the coordinate space in which it fits the truth best": ("对每个框取与真值最吻合的坐标空间"),
    "ranks boxes without confidence by their order in the files": "按文件中的顺序给没有置信度的框排序",
    "counts a reply as right if the truth occurs anywhere in it": "只要回复中出现真值文本就算正确",
    "leaves replies that could not be read out of the denominator": "把无法解析的回复排除在分母之外",
    'pip install "sightline[dask]"': 'pip install "sightline[dask]"',
    "The engine dask is not installed.": "未安装 dask 引擎。",
    "Unknown engine '{name}'.": "没有名为“{name}”的引擎。",
    "Cannot reach the scheduler {address}: {why}": "无法连接调度器 {address}：{why}",
    "The Dask workers did not start within {seconds} s.": "Dask 工作进程未能在 {seconds} 秒内启动。",
    "The engine dask requires the package cryptography for TLS between its processes.": "dask 引擎需要 cryptography 软件包，用于进程间的 TLS 加密。",
    "Use another engine: --engine processes": "请换用其他引擎：--engine processes",
    "Start one with: dask scheduler": "可用以下命令启动：dask scheduler",
    "The shard {path} is damaged: {why}": "分片 {path} 已损坏：{why}",
    "Delete that folder and rerun the same command.": "删除该文件夹后，用同一命令即可重新生成。",
    "{count} samples could not be graded after three attempts: {why}": "{count} 个样本尝试三次仍无法评分：{why}",
    "The parser '{parser}' of the task '{task}' returned {value}, not Parsed or Unparsed.": (
        "任务“{task}”的解析器“{parser}”返回了 {value}，而不是 Parsed 或 Unparsed。"
    ),
    "The metric '{metric}' of the task '{task}' returned {value}, not a number from 0 to 1.": (
        "任务“{task}”的指标“{metric}”返回了 {value}，而不是 0 到 1 之间的数。"
    ),
    "the metric's result is {value}, not an Estimate with a finite number": (
        "该指标的结果是 {value}，而不是带有限数值的 Estimate"
    ),
    "'{name}' is not a parser. Expected a function that takes a text and returns Parsed or Unparsed.": (
        "“{name}”不是解析器。应为接受文本并返回 Parsed 或 Unparsed 的函数。"
    ),
    "'{name}' is not a metric. Expected a function of truth and reply, or a class with add, merge and result.": (
        "“{name}”不是指标。应为以真值和回复为参数的函数，或带有 add、merge 和 result 的类。"
    ),
    "'{name}' is not of the form module:object, such as my_package.angles:read_angle.": (
        "“{name}”不是“模块:对象”的形式，例如 my_package.angles:read_angle。"
    ),
    "'{name}' could not be loaded: {why}": "无法加载“{name}”：{why}",
    "Modules are looked for in what is installed, in PYTHONPATH, and in the folder of the task file.": (
        "会在已安装的包、PYTHONPATH 以及任务文件所在的文件夹中查找模块。"
    ),
    "{path} names '{name}', but the module '{module}' beside it is hidden by another: {other}": (
        "{path} 指定了“{name}”，但同一文件夹中的模块“{module}”被另一个模块遮住：{other}"
    ),
    "Give the module another name; Python keeps the first module of a name.": (
        "请给模块换个名称；同一个 Python 会话中，同名模块只保留最先加载的那个。"
    ),
    "{path}: the task '{name}': invalid value {value} for the option '{option}'; expected such as {form}": (
        "{path}：任务“{name}”：选项“{option}”的值 {value} 无效，应形如：{form}"
    ),
    "The name '{name}' of the task '{task}' is already used by the task '{other}'.": (
        "任务“{task}”的名称“{name}”已被任务“{other}”使用。"
    ),
    "Choose another name, or call yours '{other}': it then takes the other's place.": (
        "请另取名称，或把您的任务命名为“{other}”，以取代原有任务。"
    ),
    "Remote-sensing tasks at image, region and pixel level": "图像级、区域级和像素级遥感任务",
    "image retrieval": "图片检索",
    "image classification": "图片分类",
    "presence question": "存在性问答",
    "count question": "数量问答",
    "box question": "定位问答",
    "brief caption": "简洁图片描述",
    "detailed caption": "详细图片描述",
    "horizontal region class": "水平区域分类",
    "rotated region class": "旋转区域分类",
    "rotated detection": "旋转区域检测",
    "visual grounding": "视觉定位",
    "region caption": "区域描述",
    "pixel class": "像素分类",
    "semantic segmentation": "语义分割",
    "instance segmentation": "实例分割",
    "change detection": "变化检测",
    "fine-grained recognition": "细粒度识别",
    "region": "区域",
    "pixel": "像素",
    "only these tasks, by their Chinese or English names": "只要这些任务，可用中文或英文名称",
    "side of a picture in pixels": "图片边长（像素）",
    "also write the outputs of a model that errs in known ways": "同时写出一个以已知方式出错的模型的输出",
    "A data set needs at least one sample a task, not {count}.": "数据集的每个任务至少需要一个样本，而不是 {count} 个。",
    "empty output": "输出为空",
    "missing output": "缺少输出",
    "not a number": "不是数字",
    "number out of range": "数字超出范围",
    "not a whole number": "不是整数",
    "index out of range": "序号超出范围",
    "too many indices": "序号过多",
    "not yes or no": "不是“是”或“否”",
    "more than one label": "标签多于一个",
    "label too long": "标签过长",
    "too many labels": "标签过多",
    "box lacks a coordinate": "box 缺少坐标",
    "box has too many coordinates": "box 坐标过多",
    "no box": "没有 box",
    "more than one box": "box 多于一个",
    "quad lacks a coordinate": "quad 缺少坐标",
    "quad has too many coordinates": "quad 坐标过多",
    "no quad": "没有 quad",
    "polygon has fewer than three points": "多边形少于三个点",
    "odd number of coordinates": "坐标个数为奇数",
    "no polygon": "没有多边形",
    "unclosed tag": "标记未闭合",
    "text outside the tags": "标记之外有文字",
    "too many shapes": "目标过多",
    "the picture's size is unknown, so coordinates cannot be converted": "图片尺寸未知，无法换算坐标",
    "unknown task": "未知任务",
    "duplicate id": "标识重复",
    "output without a sample": "输出没有对应的样本",
    "{where}: {what}: {why}": "{where}：{what}：{why}",
    "1 file was paired with its outputs {way}.": "1 个文件与其输出的配对方式：{way}。",
    "{count} files were paired with their outputs {way}.": "{count} 个文件与其输出的配对方式：{way}。",
    "by sample_id": "按 sample_id",
    "{file} was read as {encoding}.": "{file} 按 {encoding} 编码读取。",
    "Some texts are not valid UTF-8. If the files are GBK, use --encoding gbk.": "有些文本不是有效的 UTF-8。如果文件是 GBK 编码，请用 --encoding gbk。",
    "by the order of lines": "按行的顺序",
    "by the row number in sample_id": "按 sample_id 中的行号",
    "by task and the order of lines": "按任务和行的顺序",
    "by source": "按 source",
    "No outputs for {files}: {count} samples are not scored.": "{files} 没有输出：{count} 个样本未评分。",
    "shapes far out of range: another coordinate space was probably meant": "目标远超坐标范围：很可能用了另一种坐标空间",
    "only the first {count} samples of each task": "每个任务只用前 {count} 个样本",
    "only the tasks {tasks}": "只用任务 {tasks}",
    "labels unified by a mapping": "标签经映射统一",
    "labels unified by a mapping of {count} entries": "标签经映射统一（{count} 个词）",
    "user-defined tasks": "用户自定义的任务",
    "coordinates converted from {source} to {target}": "坐标由 {source} 换算为 {target}",
    "MB read": "已读取（MB）",
    "target batches read": "已浏览真值（批）",
    "The suite '{suite}' does not score annotation files.": "套件“{suite}”不使用标注文件。",
    "The task '{task}': the metric '{metric}' is about {takes}, but the parser '{parser}' reads {kind}.": "任务“{task}”：指标“{metric}”针对 {takes}，而解析器“{parser}”读出的是 {kind}。",
    "{path}: the task '{name}': {why}": "{path}：任务“{name}”：{why}",
    "{path}: '{key}' must be a text, not {value}.": "{path}：“{key}”必须是文本，而不是 {value}。",
    "The report has no '{metric}' of '{task}'.": "报告中没有“{task}”的“{metric}”。",
    "No output file at {outputs} matches an annotation file at {annotations}.": "{outputs} 处没有与 {annotations} 处标注文件对应的输出文件。",
    "Outputs of NAME.txt are expected as NAME_output.txt, .jsonl or .json.": "NAME.txt 的输出按 NAME_output.txt、.jsonl 或 .json 查找。",
    "optical (colour, near infrared, thermal), sar, or both, drawn per scene": "optical（可见光、近红外、热红外）、sar 或两者，逐场景抽取",
    "ground resolutions, drawn per scene: metres per 1/512 of a picture's side, 0.1 to 0.75": "地面分辨率，逐场景抽取：图片边长的 1/512 对应的米数，0.1 至 0.75",
    "hundreds of small objects where the class of a scene allows it": "在场景类别允许时布置数百个小目标",
    "strength of haze": "薄雾强度",
    "largest share of a picture under clouds": "云层覆盖图片的最大比例",
    "largest view angle from the vertical in degrees": "观测方向偏离天底的最大角度（度）",
    "also objects that the border of the picture cuts": "也包含被图片边界截断的目标",
    "pictures as PNG with 16 bits per channel instead of JPEG": "图片写成每通道 16 位的 PNG，而不是 JPEG",
    "share of truths that are made wrong and listed": "故意写错并列出的真值所占比例",
    "A ground resolution must be between {low} and {high} metres, not {value}.": "地面分辨率须在 {low} 到 {high} 米之间，而不是 {value}。",
    "Under these conditions no question of the task '{task}' could be decided from a picture.": "在这些条件下，没有一幅图片能回答任务“{task}”的题目。",
    "Leave the task out, or choose other conditions.": "请去掉该任务，或改用其他条件。",
    # reply formats
    "text around the tags": "标签之外有文字",
    "Qwen-VL tags": "Qwen-VL 标签",
    "Qwen2-VL box tokens": "Qwen2-VL 框标记",
    "JSON with bbox_2d": "含 bbox_2d 的 JSON",
    "InternVL box lists": "InternVL 框列表",
    "JSON with box_2d": "含 box_2d 的 JSON",
    "PaliGemma location tokens": "PaliGemma 位置标记",
    "Florence-2 location tokens": "Florence-2 位置标记",
    "DeepSeek-VL2 detection tokens": "DeepSeek-VL2 检测标记",
    "GeoChat rotated boxes": "GeoChat 旋转框",
    "Kosmos-2 patch indices": "Kosmos-2 图块编号",
    "Molmo points": "Molmo 点",
    "JSON with named corners": "含角点名称的 JSON",
    "JSON with other keys": "含其他键的 JSON",
    "plain coordinates": "纯坐标",
    "list cut off": "列表被截断",
    "box instead of quad or polygon": "以水平框代替四边形或多边形",
    "quad or polygon instead of box": "以四边形或多边形代替水平框",
    "nothing, in words": "用文字说明没有目标",
    "answer tags or marker": "答案标签或标记",
    "code fence": "代码块",
    "Markdown": "Markdown",
    "JSON": "JSON",
    "number in a sentence": "句子中的数",
    "number in words": "用文字写的数",
    "yes or no in a sentence": "句子中的是与否",
    "label in a sentence": "句子中的标签",
    "plural or article": "复数或冠词",
    "indices in a sentence": "句子中的编号",
    "introduction before the text": "正文前有引言",
    "not in the declared reply format": "不是所声明的回复格式",
    "{path}, line {line}: expected source, width and height.": "{path} 第 {line} 行：应为来源、宽度和高度。",
    "{tasks}: bbox_2d is read as 0–1000 (Qwen3-VL, GLM) unless a coordinate is beyond 1000 or --coords is given; for Qwen2.5-VL give --reply-format qwen2.5-vl.": (
        "{tasks}：bbox_2d 按 0–1000 读取（Qwen3-VL、GLM），除非有坐标超过 1000 或给出了 --coords；对于 Qwen2.5-VL，请给出 "
        "--reply-format qwen2.5-vl。"
    ),
    "{task}: {count} replies cannot be read leniently, since the sizes of their pictures are unknown; give frames, width and height, or --image-sizes.": (
        "{task}：{count} 条回复因图片尺寸未知而无法宽松读取；请提供 frames、width 和 height，或 --image-sizes。"
    ),
    "{task}: {share} % of the replies fit the coordinate space {space}, but {declared} holds; check --coords and --reply-format. Nothing was changed.": (
        "{task}：{share}% 的回复符合坐标空间 {space}，但当前采用的是 {declared}；请检查 --coords 和 --reply-format。未作任何更改。"
    ),
    "Format is not sight: of the mean score, {format} points are lost to the format of replies ({strict} as asked, {lenient} read leniently) and {sight} points to wrong, missing or unreadable content; the two readings differ in {count} of {total} replies.": (
        "格式不等于看懂：平均得分中，{format} 分损失于回复格式（按要求读取为 {strict}，宽松读取为 {lenient}），{sight} 分损失于内容错误、缺失或无法读取；"
        "{total} 条回复中有 {count} 条的两种读取结果不同。"
    ),
    "As asked": "按要求读取",
    "Read leniently": "宽松读取",
    "Deviation": "格式偏差",
    "Replies": "回复数",
    "Replies not as asked": "不合要求格式的回复",
    "Share": "占比",
    "Only the lenient reading reads these replies, or reads them otherwise. The headline is the strict score.": (
        "只有宽松读取能读出这些回复，或读法不同。主要得分是严格得分。"
    ),
    "form of the reply: auto, strict or the name of a profile": "回复格式：auto、strict 或某个格式的名称",
    "score with the reply read leniently; null: the truth is invalid, or read as asked only": (
        "宽松读取回复时的得分；null：真值无效，或只按要求读取"
    ),
    "value with replies read leniently": "宽松读取回复时的值",
    "what is not as asked in a reply that is read leniently": "宽松读取的回复有哪些不合要求",
    "the form of replies: auto (as asked, and a lenient reading beside it), strict, or a profile such as qwen2.5-vl; TASK=FORMAT or MODEL=FORMAT for one task or model": (
        "回复的格式：auto（按要求读取，并附宽松读取）、strict，或 qwen2.5-vl 等格式名；用 任务=格式 或 模型=格式 指定单个任务或模型"
    ),
    "smallest and largest area of an image and the multiple of its sides to which the server resizes it, for coordinates in the space 'resized'": (
        "服务器缩放图片时的最小、最大像素数和边长倍数，用于坐标空间 resized"
    ),
    "CSV file with source, width and height of images, for annotations without frames and sizes": (
        "含图片来源、宽度和高度的 CSV 文件，用于没有 frames 和尺寸的标注"
    ),
}
