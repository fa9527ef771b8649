"""The questions of text extraction."""

from __future__ import annotations

ONE = {
    "en": (
        "What is written here? Answer with the text only.",
        "Copy the text in the picture exactly, and nothing else.",
        "Read the line of text. Reply with it alone.",
    ),
    "zh": ("图中写的是什么？只回答文字本身。", "请原样抄写图中的文字，不要写别的。", "请读出这行文字，只回复该文字。"),
}
TWO_PICTURES = {
    "en": (
        "Write the text of the first picture and, after a space, that of the second one.",
        "Each picture shows one line of text. Copy both in the order of the pictures, with a space between.",
    ),
    "zh": (
        "写出第一幅图中的文字，空一格后写出第二幅图中的文字。",
        "每幅图有一行文字。按图的顺序抄写两行，中间空一格。",
    ),
}
COLOURED = {
    "en": (
        "Copy the text on {first}, then, after a space, the text on {second}.",
        "What is written on {first} and on {second}? Answer with both texts in this order, a space between.",
    ),
    "zh": (
        "先抄写{first}上的文字，空一格后再抄写{second}上的文字。",
        "{first}和{second}上各写着什么？按此顺序回答两段文字，中间空一格。",
    ),
}
LABEL = {"en": "the {colour} label", "zh": "{colour}标签"}
PLACED = {
    "en": (
        "Copy the text at the {first}, then, after a space, the text at the {second}.",
        "Read the label at the {first} and the one at the {second}. Answer with both in this order, a space between.",
    ),
    "zh": (
        "先抄写{first}的文字，空一格后再抄写{second}的文字。",
        "读出{first}的标签和{second}的标签，按此顺序回答，中间空一格。",
    ),
}
PLACES = {
    "en": ("upper left", "upper right", "lower left", "lower right"),
    "zh": ("左上方", "右上方", "左下方", "右下方"),
}
FIELD = {
    "en": (
        'What does the field "{field}" say? Answer with its content only.',
        'Copy the entry under "{field}".',
        'Someone needs the "{field}" from this paper. Reply with it alone.',
    ),
    "zh": (
        "“{field}”一栏写的是什么？只回答其内容。",
        "请抄写“{field}”的内容。",
        "有人需要这张纸上的“{field}”，只回复该内容。",
    ),
}
LEDGER = {
    "en": (
        'Find the row whose "{known}" is {value}. What is its "{wanted}"? Answer with the entry only.',
        'In the row with {value} under "{known}", what stands under "{wanted}"? Reply with it alone.',
    ),
    "zh": (
        "找到“{known}”为 {value} 的一行，其“{wanted}”是什么？只回答该内容。",
        "在“{known}”为 {value} 的那一行里，“{wanted}”写的是什么？只回复该内容。",
    ),
}
FIELDS = {
    "en": (
        'Copy these entries in this order, with "{join}" between them: {fields}.',
        'Write in one line, separated by "{join}": {fields}.',
    ),
    "zh": ("按以下顺序抄写各栏内容，中间用“{join}”连接：{fields}。", "在一行内依次写出，用“{join}”隔开：{fields}。"),
}
LEDGER_FIELDS = {
    "en": (
        'Find the row with the {which} "{amount}". Write its "{first}", its "{second}", and then the "{first}" of the '
        'row directly {beside} it, with "{join}" between them.',
        'Which row has the {which} "{amount}"? Give three entries separated by "{join}": the "{first}" and the '
        '"{second}" of that row, then the "{first}" of the row directly {beside} it.',
    ),
    "zh": (
        "找到“{amount}”{which}的一行，写出它的“{first}”、它的“{second}”，再写出紧邻{beside}一行的“{first}”，"
        "中间用“{join}”隔开。",
        "哪一行的“{amount}”{which}？依次给出三项，用“{join}”隔开：该行的“{first}”、该行的“{second}”、"
        "紧邻{beside}一行的“{first}”。",
    ),
}
ROW_STEPS = {
    "en": {"largest": "largest", "smallest": "smallest", "below": "below", "above": "above"},
    "zh": {"largest": "最大", "smallest": "最小", "below": "下面", "above": "上面"},
}
FORM_FIELDS = {
    "en": {
        "Holder": "name",
        "Inspector": "name",
        "Supplier": "word",
        "Place": "word",
        "Model": "code",
        "Serial no.": "code",
        "Batch": "code",
        "Order no.": "code",
        "Product": "words",
        "Approved by": "name",
        "Depot": "word",
        "Permit": "code",
        "Remark": "words",
    },
    "zh": {
        "持有人": "name",
        "检验员": "name",
        "供应商": "words",
        "地点": "word",
        "型号": "code",
        "序列号": "code",
        "批次": "code",
        "订单号": "code",
        "产品": "words",
        "批准人": "name",
        "仓库": "word",
        "许可证": "code",
        "备注": "words",
    },
}
TITLES = {
    "en": ("INSPECTION SHEET", "DELIVERY NOTE", "REPAIR CARD", "TYPE PLATE", "STORE RECORD", "TEST REPORT"),
    "zh": ("检验单", "送货单", "维修卡", "产品铭牌", "入库记录", "测试报告"),
}
LEDGER_HEADS = {
    "en": (("Item", "words"), ("Code", "code"), ("Clerk", "name"), ("Lot", "code"), ("Bay", "word")),
    "zh": (("品名", "words"), ("编号", "code"), ("经办人", "name"), ("批号", "code"), ("库位", "word")),
}
AMOUNT = {"en": "Amount", "zh": "金额"}
