"""Chinese: images as they are sent, and sweeps over pixel budgets."""

from __future__ import annotations

TEXTS = {
    # settings
    "maximum pixels of an image, such as 100k or 1.5M; larger ones are resized": "图像的最大像素数，例如 100k 或 1.5M；更大的图像会先缩小",
    "minimum pixels of an image; smaller ones are enlarged": "图像的最小像素数；更小的图像会先放大",
    "resize both sides of an image to multiples of this, such as 28": "将图像的宽和高调整为该数的倍数，例如 28",
    "format of sent images; auto: PNG and JPEG as they are, others as PNG; keep: WebP and GIF as they are too": (
        "发送图像的格式；auto：PNG 和 JPEG 原样发送，其他格式转为 PNG；keep：WebP 和 GIF 也原样发送"
    ),
    "`detail` of images in requests": "请求中图像的 `detail`",
    "--max-pixels is smaller than the square of --pixel-multiple.": "--max-pixels 小于 --pixel-multiple 的平方。",
    "--min-pixels is larger than --max-pixels.": "--min-pixels 大于 --max-pixels。",
    # deviations
    "images of at most {count} pixels": "图像最多 {count} 像素",
    "images of at least {count} pixels": "图像最少 {count} 像素",
    "sides of images resized to multiples of {count}": "图像的宽和高调整为 {count} 的倍数",
    "format of sent images: {format}": "发送图像的格式：{format}",
    "detail of images: {detail}": "图像的 detail：{detail}",
    "images of {count} samples were resized before they were sent": "{count} 个样本的图像在发送前改变了尺寸",
    "images of {count} samples were converted to another format before they were sent": "{count} 个样本的图像在发送前转换了格式",
    "images of {count} samples were converted from CMYK or another colour space to RGB": (
        "{count} 个样本的图像由 CMYK 或其他色彩空间转换为 RGB"
    ),
    "images of {count} samples have more than 8 bits per band: each band was scaled from its 2nd to its 98th percentile to 8 bits": (
        "{count} 个样本的图像每波段超过 8 位：各波段按其第 2 至第 98 百分位线性拉伸到 8 位"
    ),
    "images of {count} samples have 16 bits per band, of which the upper 8 were sent": (
        "{count} 个样本的图像每波段为 16 位，只发送了高 8 位"
    ),
    "images of {count} samples have other bands than grey or RGB: the first three were sent as red, green and blue, of two bands the first": (
        "{count} 个样本的图像不是灰度或 RGB 波段：以前三个波段作为红、绿、蓝发送，只有两个波段时发送第一个"
    ),
    "images of {count} samples are partly transparent and were sent on white": "{count} 个样本的图像部分透明，以白色为背景发送",
    "images of {count} samples were turned upright by their EXIF orientation": "{count} 个样本的图像按 EXIF 方向转正",
    "images of {count} samples have several frames or pages, of which the first was sent": (
        "{count} 个样本的图像有多帧或多页，只发送了第一帧"
    ),
    # why an image is not sent
    "{where}: {why}": "{where}：{why}",
    "not an image": "不是图像",
    "not an image, but text: {start}": "不是图像，而是文本：{start}",
    "the file is empty": "文件为空",
    "the image cannot be decoded: {why}": "无法解码图像：{why}",
    "the image has more than {count} pixels": "图像超过 {count} 像素",
    "the {format} file cannot be decoded": "无法解码该 {format} 文件",
    # sweeps
    "Run a suite at several image sizes and find the smallest that is as good as the largest.": (
        "以多种图像尺寸运行评测套件，找出不逊于最大尺寸的最小尺寸。"
    ),
    "pixel budgets, such as 100k,400k,1.6M; none: images as they are": "像素预算，例如 100k,400k,1.6M；none：图像保持原样",
    "loss against the largest budget that is accepted at the knee, as a share": "拐点处相对最大预算可接受的损失（比例）",
    "folder of the report; default: `sweep` in the run folder of the largest budget": (
        "报告所在文件夹；默认为最大预算的运行文件夹中的 `sweep`"
    ),
    "Each budget is an ordinary run of the same samples. Rerun the same command to resume a sweep; budgets whose runs are finished send no request. With --cache, images within several budgets are sent once.": (
        "每个预算都是对相同样本的一次普通运行。再次执行同一命令即可继续；已完成的预算不再发送请求。使用 --cache 时，不超过多个预算的图像只发送一次。"
    ),
    "The knee is the last budget, in steps down from the largest, for which the whole 95 % interval of the paired difference to the largest budget lies above −MARGIN.": (
        "拐点：从最大预算开始逐级减小，与最大预算的配对差异的 95 % 置信区间仍全部高于 −MARGIN 的最后一个预算。"
    ),
    "Exit codes: 0 success, 2 usage error, 3 partial, 4 standard output could not be written.": (
        "退出码：0 成功，2 用法错误，3 部分完成，4 无法写入标准输出。"
    ),
    "'{text}' is not a number of pixels.": "“{text}”不是像素数。",
    "For example: --max-pixels 100k,400k,none": "例如：--max-pixels 100k,400k,none",
    "A sweep needs two pixel budgets or more.": "扫描至少需要两个像素预算。",
    "--max-pixels 100k,200k,400k": "--max-pixels 100k,200k,400k",
    "Budget {number} of {count}: {budget}": "预算 {number}/{count}：{budget}",
    "original size": "原始尺寸",
    "Max. pixels": "最大像素数",
    "Mean pixels sent": "发送的平均像素数",
    "Prompt tokens per request": "每次请求的提示词元",
    "Prompt tokens\nper request": "每次请求的\n提示词元",
    "Difference to the largest (points)": "与最大预算之差（百分点）",
    "Δ to largest": "与最大预算之差 Δ",
    "Δ: paired difference to the largest budget, in points.": "Δ：与最大预算的配对差值，单位为百分点。",
    "Total": "合计",
    "largest": "最大",
    "knee": "拐点",
    "mean score": "平均得分",
    "knee: by paired differences to the largest budget, margin {margin} points": (
        "拐点：按与最大预算的配对差异，容许差 {margin} 个百分点"
    ),
    "Sweep over pixel budgets": "像素预算扫描",
    "Knee: the last budget, in steps down from the largest, for which the whole 95 % interval of the paired difference to the largest budget ({measure}, same samples) lies above −{margin} points.": (
        "拐点：从最大预算开始逐级减小，与最大预算的配对差异（{measure}，相同样本）的 95 % 置信区间仍全部高于 −{margin} 个百分点的最后一个预算。"
    ),
    "{count} pixels": "{count} 像素",
    "The knee is the largest budget itself: {budget}.": "拐点就是最大预算本身：{budget}。",
    "Knee: {budget}, with {share} % of the prompt tokens of the largest budget, {largest}.": (
        "拐点：{budget}，提示词元为最大预算（{largest}）的 {share} %。"
    ),
    "Knee: {budget}; largest: {largest}.": "拐点：{budget}；最大预算：{largest}。",
    "{budget}: the run is incomplete; compared are the samples that both runs answered.": (
        "{budget}：运行不完整；只比较两次运行都有答案的样本。"
    ),
    "No image was sent: the budgets make no difference.": "没有发送图像：各预算没有区别。",
    "From {budget} on, all budgets sent the same images: none is larger.": "自 {budget} 起，各预算发送的图像相同：没有更大的图像。",
    "{budget}: undecided. The interval of the difference to the largest budget contains −{margin} points: more samples, or a larger --margin, are needed to tell whether this budget is good enough.": (
        "{budget}：尚无定论。与最大预算之差的置信区间包含 −{margin} 个百分点：需要更多样本或更大的 --margin 才能判断该预算是否足够。"
    ),
    "Significantly better than the largest budget: {budgets}. The knee is measured against the largest budget all the same.": (
        "显著优于最大预算：{budgets}。拐点仍以最大预算为基准。"
    ),
    "An image of {width} × {height} pixels would be sent with {count} pixels.": "{width} × {height} 像素的图像将以 {count} 像素发送。",
    "--launch cannot be combined with --cache.": "--launch 不能与 --cache 同时使用。",
    "The cache knows a model by its server: replies of another checkpoint would be taken for its own.": "缓存按服务器识别模型：其他检查点的回复会被当作该模型的回复。",
}
