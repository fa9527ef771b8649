"""The texts of charts, and the questions on them."""

from __future__ import annotations

from sightline.suites.matrix.generator.wording import Wordings

TOPICS = {
    "en": (
        ("Output", "t"),
        ("Sales", "k€"),
        ("Rainfall", "mm"),
        ("Energy", "kWh"),
        ("Load", "kN"),
        ("Visitors", "persons"),
        ("Cost", "USD"),
        ("Flow", "m³/h"),
        ("Stock", "pieces"),
        ("Distance", "km"),
    ),
    "zh": (
        ("产量", "吨"),
        ("销售额", "万元"),
        ("降雨量", "毫米"),
        ("能耗", "kWh"),
        ("荷载", "kN"),
        ("访客", "人"),
        ("成本", "元"),
        ("流量", "m³/h"),
        ("库存", "件"),
        ("里程", "公里"),
    ),
}
COUNTED = ("persons", "pieces", "人", "件")
"""Units that have no parts."""
LABELS: dict[str, tuple[tuple[str, ...], ...]] = {
    "en": (
        ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
        ("2011", "2012", "2013", "2014", "2015", "2016", "2017", "2018", "2019", "2020", "2021"),
        ("Unit A", "Unit B", "Unit C", "Unit D", "Unit E", "Unit F", "Unit G", "Unit H"),
    ),
    "zh": (
        ("1月", "2月", "3月", "4月", "5月", "6月", "7月", "8月", "9月", "10月", "11月", "12月"),
        ("2011", "2012", "2013", "2014", "2015", "2016", "2017", "2018", "2019", "2020", "2021"),
        ("甲组", "乙组", "丙组", "丁组", "戊组", "己组", "庚组", "辛组"),
    ),
}
ONE = {"en": "{label}", "zh": "{label}"}
OF_SERIES = {"en": "{series} at {label}", "zh": "{series}在{label}"}
MEDIAN = {"en": "the median of {label}", "zh": "{label}的中位数"}
RANGE = {"en": "the range {label}", "zh": "区间{label}"}
NUMBER = {"en": " Answer with a number only.", "zh": "只回答一个数。"}
READ: Wordings = {
    "en": (
        "What value does the chart show for {what}?",
        "The chart is on {topic}. What does it give for {what}?",
        "Read the value: {what}.",
    ),
    "zh": ("图中{what}的值是多少？", "这是{topic}图，{what}是多少？", "请读数：{what}。"),
}
DIFFERENCE: Wordings = {
    "en": ("How much larger is {first} than {second}?", "Subtract the value of {second} from that of {first}."),
    "zh": ("{first}比{second}大多少？", "用{first}的值减去{second}的值，得多少？"),
}
SUM: Wordings = {
    "en": ("What are {first} and {second} together?", "Add the values of {first} and {second}."),
    "zh": ("{first}与{second}之和是多少？", "把{first}和{second}的值相加，得多少？"),
}
GOAL: Wordings = {
    "en": (
        "The goal for {what} was {goal} {unit}. By how many {unit} does the chart's value miss it?",
        "A plan foresaw {goal} {unit} for {what}. How far below the plan is the value in the chart?",
    ),
    "zh": (
        "{what}的目标是 {goal} {unit}，图中的值比目标少多少？",
        "计划中{what}为 {goal} {unit}。图中的值低于计划多少？",
    ),
}
PRICE: Wordings = {
    "en": (
        "The fee is {price} coins per unit of the chart ({unit}). To how many coins does {what} come?",
        "For each unit shown ({unit}) somebody pays {price} coins. How many coins are paid for {what}?",
    ),
    "zh": (
        "图中每单位（{unit}）收费 {price} 枚硬币，{what}共需多少枚？",
        "每单位（{unit}）付 {price} 枚硬币，为{what}要付多少枚？",
    ),
}
ABOVE: Wordings = {
    "en": (
        "Only values above {limit} count. What is the sum of those that count{of}?",
        "Add up all values{of} that exceed {limit}.",
    ),
    "zh": ("只计入大于 {limit} 的值，{of}这些值之和是多少？", "把{of}超过 {limit} 的所有值相加，得多少？"),
}
OF = {"en": " for {series}", "zh": "{series}中"}
TOP_MEAN: Wordings = {
    "en": (
        "Take the three largest values{of}, find their mean, and multiply it by {times}.",
        "What is {times} times the mean of the three largest values{of}?",
    ),
    "zh": ("取{of}最大的三个值，求平均值，再乘以 {times}，得多少？", "{of}最大的三个值的平均数的 {times} 倍是多少？"),
}
LABEL_TOTALS: Wordings = {
    "en": (
        "Add all series at each label. How much is the largest of these sums, multiplied by {times}?",
        "For every label sum the series; take the largest sum times {times}.",
    ),
    "zh": (
        "对每个标签把各系列相加，其中最大的和乘以 {times} 是多少？",
        "按标签求各系列之和，取最大者乘以 {times}，得多少？",
    ),
}
SPAN: Wordings = {
    "en": (
        "Subtract the smallest value{of} from the largest one and multiply the result by {times}.",
        "How much is {times} times the difference between the largest and the smallest value{of}?",
    ),
    "zh": ("用{of}最大的值减去最小的值，再乘以 {times}，得多少？", "{of}最大值与最小值之差的 {times} 倍是多少？"),
}
TABLE: Wordings = {
    "en": (
        'Give all values of the chart as JSON of the form {{"series": {{"label": number}}}}, with the names as they '
        "are printed{name}.",
        "Turn the chart into a JSON object: each series maps to an object of labels and numbers, with names as in the "
        "picture{name}.",
    ),
    "zh": (
        '用 JSON 给出图中所有数值，格式为 {{"系列": {{"标签": 数值}}}}，名称照图中所写{name}。',
        "把图转换为一个 JSON 对象：每个系列对应一个由标签和数值组成的对象，名称与图中一致{name}。",
    ),
}
SERIES_NAME = {"en": '; call the only series "{topic}"', "zh": "；唯一的系列叫“{topic}”"}
MEDIANS = {"en": ", its values are the medians", "zh": "，数值取中位数"}
