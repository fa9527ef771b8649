"""The questions of visual question."""

from __future__ import annotations

from sightline.suites.matrix.generator.wording import Wordings

UNITS = {
    "en": ("bar", "kPa", "V", "A", "km/h", "rpm", "L/min", "kN"),
    "zh": ("bar", "kPa", "V", "A", "km/h", "rpm", "L/min", "kN"),
}
TIME: Wordings = {
    "en": ("What time does the clock show? Answer like 3:07.", "Read the clock. Give the time as hours:minutes."),
    "zh": ("钟面显示几点几分？按 3:07 的格式回答。", "请读出钟表的时间，用“时:分”表示。"),
}
READING: Wordings = {
    "en": (
        "What does the needle point to? Answer with the number only.",
        "Which value does the gauge show, in {unit}?",
    ),
    "zh": ("指针指向多少？只回答数字。", "仪表的读数是多少{unit}？"),
}
TEMPERATURE: Wordings = {
    "en": (
        "How many degrees does the thermometer show? Number only.",
        "Read the thermometer and answer with a number.",
    ),
    "zh": ("温度计显示多少度？只回答数字。", "请读出温度计的度数，用数字回答。"),
}
CHARGE: Wordings = {
    "en": (
        "The whole battery is {whole} Wh, and every cell of it holds the same. How many Wh are left?",
        "All cells together hold {whole} Wh. How many Wh do the coloured cells hold? Number only.",
    ),
    "zh": (
        "整块电池为 {whole} Wh，各格容量相同。还剩多少 Wh？",
        "所有格子共 {whole} Wh，有颜色的格子共有多少 Wh？只回答数字。",
    ),
}
COUNT: Wordings = {
    "en": ("How many {things} are in the picture?", "Count the {things}, whatever their colour."),
    "zh": ("图中有多少个{things}？", "请数一数{things}的个数，不论颜色。"),
}
CELL: Wordings = {
    "en": ("What stands in the row {row} under {column}?", "Read the table: {column} of {row}?"),
    "zh": ("表中{row}一行、{column}一列的数是多少？", "读表：{row}的{column}是多少？"),
}
MARKED: Wordings = {
    "en": (
        "Which day of the month is ringed? Answer with the number.",
        "What is the date of the ringed day? Day only.",
    ),
    "zh": ("被圈出的是几号？用数字回答。", "圈中的日期是几号？只回答日。"),
}
BETWEEN: Wordings = {
    "en": (
        "The first clock shows the start, the second the end, less than twelve hours later. How many minutes are "
        "between?",
        "How many minutes pass from the time on the first clock until the second clock's time comes next?",
    ),
    "zh": (
        "第一个钟是开始时间，第二个钟是结束时间，相差不到十二小时。中间有多少分钟？",
        "从第一个钟的时间到随后出现的第二个钟的时间，经过多少分钟？",
    ),
}
DIFFERENCE: Wordings = {
    "en": (
        "By how much does the left gauge read more than the right one? Number only.",
        "Subtract the reading at the right from the reading at the left.",
    ),
    "zh": ("左边的仪表比右边的读数大多少？只回答数字。", "用左边的读数减去右边的读数，结果是多少？"),
}
TOGETHER: Wordings = {
    "en": (
        "How many {things} are there in both pictures together?",
        "Count the {things} of both pictures and add them.",
    ),
    "zh": ("两幅图中一共有多少个{things}？", "数出两幅图中的{things}并相加，共多少个？"),
}
SUM: Wordings = {
    "en": ("What is {column} of {first} and of {second} together?", "Add the {column} of {first} to that of {second}."),
    "zh": ("{first}与{second}的{column}之和是多少？", "把{first}和{second}的{column}相加，得多少？"),
}
DAYS: Wordings = {
    "en": (
        "How many days after the first ringed day is the second one, if the second lies {weeks} later than shown?",
        "Two days are ringed. The later one is put off by {weeks}: how many days is it then after the earlier one?",
    ),
    "zh": (
        "若把后一个圈出的日子再推迟{weeks}，它在前一个圈出的日子之后多少天？",
        "圈出了两天。后一天推迟{weeks}后，与前一天相差多少天？",
    ),
}
SLOW: Wordings = {
    "en": (
        "This clock is {minutes} minutes slow. What is the right time? Answer like 3:07.",
        "A train leaves {minutes} minutes after the time shown. When? Answer as hours:minutes.",
    ),
    "zh": (
        "这个钟慢了 {minutes} 分钟，正确时间是几点？按 3:07 的格式回答。",
        "火车在图示时间之后 {minutes} 分钟开出，是几点？用“时:分”回答。",
    ),
}
MARGIN: Wordings = {
    "en": (
        "The pump must stop at {limit} {unit}. How many {unit} are left until then?",
        "A rule allows up to {limit} {unit} here. By how many {unit} may the reading still rise?",
    ),
    "zh": (
        "泵在 {limit} {unit} 时必须停止。距此还有多少 {unit}？",
        "规定此处不超过 {limit} {unit}，读数还可以上升多少 {unit}？",
    ),
}
POINTS: Wordings = {
    "en": (
        "Each {first} is worth {a} points and each {second} {b} points, all else nothing. How many points are there?",
        "A game gives {a} points for every {first} and {b} for every {second}. What is the total of this picture?",
    ),
    "zh": (
        "每个{first}计 {a} 分，每个{second}计 {b} 分，其余不计分。一共多少分？",
        "游戏规定{first}每个 {a} 分、{second}每个 {b} 分。这幅图的总分是多少？",
    ),
}
BILL: Wordings = {
    "en": (
        "Somebody buys {a} of {first} and {b} of {second} at the {column} in the table. How much is it altogether?",
        "At the {column} listed, what do {a} × {first} and {b} × {second} cost together?",
    ),
    "zh": (
        "某人按表中的{column}买 {a} 份{first}和 {b} 份{second}，一共多少？",
        "按表列{column}，{a} 份{first}加 {b} 份{second}共多少？",
    ),
}
NTH: Wordings = {
    "en": (
        "A club meets on every {weekday}. Which day of this month is its {nth} meeting? Answer with the number.",
        "On which day of the shown month does the {nth} {weekday} fall? Number only.",
    ),
    "zh": (
        "俱乐部每逢{weekday}聚会。本月{nth}次聚会是几号？用数字回答。",
        "所示月份的{nth}个{weekday}是几号？只回答数字。",
    ),
}
PANEL: Wordings = {
    "en": (
        "Add the two highest readings of the panel and subtract the lowest one. What is the result?",
        "Read all gauges. How much is the highest plus the second highest minus the lowest?",
    ),
    "zh": (
        "把面板上最高的两个读数相加，再减去最低的读数，结果是多少？",
        "读出所有仪表：最高值加次高值再减最低值等于多少？",
    ),
}
REMAINDER: Wordings = {
    "en": (
        "Take away everything {colour}. Of the rest, how many more {first} than {second} are there? Multiply this by "
        "{times}.",
        "Leave out all that is {colour}, subtract the number of {second} from that of {first}, then multiply by "
        "{times}.",
    ),
    "zh": (
        "去掉所有{colour}的物体。剩下的{first}比{second}多几个？再乘以 {times}，得多少？",
        "不计{colour}的物体，用{first}的个数减去{second}的个数，再乘以 {times}，结果是多少？",
    ),
}
BEST: Wordings = {
    "en": (
        "Find the row with the largest sum of {first} and {second}. What is its {third}, multiplied by {times}?",
        "Add {first} and {second} in each row, take the row where this is most, and multiply its {third} by {times}.",
    ),
    "zh": (
        "找出{first}与{second}之和最大的一行，它的{third}乘以 {times} 是多少？",
        "每行把{first}与{second}相加，取和最大的一行，将其{third}乘以 {times}，得多少？",
    ),
}
WORKING: Wordings = {
    "en": (
        "A job starts on the ringed day, which counts as day 1, and takes {days} working days (Monday to Friday). On "
        "which day of the month is it done?",
        "Work goes on from Monday to Friday only. It begins on the ringed day and needs {days} such days, the first "
        "one included. What is the date of the last one? Day only.",
    ),
    "zh": (
        "一项工作从圈出的那天开始（算第 1 天），需要 {days} 个工作日（星期一至星期五）。它在几号完成？",
        "只在星期一至星期五工作。从圈出的那天算起共需 {days} 个工作日（含当天）。最后一天是几号？只回答日。",
    ),
}
SHIFT: Wordings = {
    "en": (
        "The first clock shows when a shift begins, the second when it ends, less than twelve hours later. There is a "
        "break of {rest} minutes, and the rest is split into {parts} equal parts. How many minutes is a part?",
        "Work goes from the time on the first clock to that on the second, less than twelve hours later, with {rest} "
        "minutes of rest. The time without the rest makes {parts} equal turns: how many minutes has a turn?",
    ),
    "zh": (
        "第一个钟是开工时间，第二个钟是收工时间，相差不到十二小时。中间休息 {rest} 分钟，"
        "其余时间等分为 {parts} 段。每段多少分钟？",
        "工作从第一个钟的时间持续到第二个钟的时间（不到十二小时），其中休息 {rest} 分钟。扣除休息后"
        "平均分成 {parts} 班，每班多少分钟？",
    ),
}
WEEKS = {"en": {1: "one week", 2: "two weeks", 3: "three weeks"}, "zh": {1: "一周", 2: "两周", 3: "三周"}}
COLUMNS = {
    "en": ("price", "weight", "stock", "orders", "length", "score"),
    "zh": ("单价", "重量", "库存", "订单", "长度", "得分"),
}
NAME = {"en": "name", "zh": "名称"}
