"""The questions of object recognition."""

from __future__ import annotations

ALL = {
    "en": (
        "Name every object in the picture.",
        "Which objects does the picture show?",
        "What is drawn here? Name each object once.",
    ),
    "zh": ("请说出图中的每一个物体。", "图中画了哪些物体？", "这里画的是什么？请逐一说出每个物体。"),
}
BOTH = {
    "en": (
        "Two pictures are given. Which objects are in both, with the same colour and of the same type?",
        "Compare the two pictures and name the objects that occur in each of them (same colour, same type).",
        "Which coloured objects of the first picture are found again in the second one, wherever they stand?",
    ),
    "zh": (
        "给出两幅图。哪些物体在两幅图中都出现（颜色和种类都相同）？",
        "比较两幅图，说出两幅图中都有的物体（颜色相同、种类相同）。",
        "第一幅图中的哪些物体在第二幅图中也能找到（颜色和种类都相同，位置可以不同）？",
    ),
}
RULES: dict[str, dict[str, tuple[str, ...]]] = {
    "two": {
        "en": (
            "List what is {first} or {second} and stands {side} the line.",
            "A line cuts the picture. Which {first} objects and which {second} objects are {side} it?",
            "Look only at the part of the picture {side} the line: what there is {first}, and what is {second}?",
        ),
        "zh": (
            "列出位于线{side}且为{first}或{second}的物体。",
            "图中有一条线。哪些{first}物体和哪些{second}物体在线的{side}？",
            "只看线{side}的部分：其中哪些物体是{first}，哪些是{second}？",
        ),
    },
    "not": {
        "en": (
            "List what stands {side} the line and is neither {first} nor {second}.",
            "Leave out everything {first} and everything {second}: what else stands {side} the line?",
        ),
        "zh": (
            "列出位于线{side}、既不是{first}也不是{second}的物体。",
            "不算{first}的和{second}的，线{side}还有哪些物体？",
        ),
    },
    "warm": {
        "en": ("List the objects {side} the line that have a warm colour.", "What stands {side} the line and is warm?"),
        "zh": ("列出位于线{side}的暖色物体。", "线{side}有哪些物体是暖色的？"),
    },
    "cold": {
        "en": ("List the objects {side} the line that have a cold colour.", "What stands {side} the line and is cold?"),
        "zh": ("列出位于线{side}的冷色物体。", "线{side}有哪些物体是冷色的？"),
    },
}
SIDES: dict[str, dict[str, str]] = {
    "en": {"left": "to the left of", "right": "to the right of", "above": "above", "below": "below"},
    "zh": {"left": "左侧", "right": "右侧", "above": "上方", "below": "下方"},
}
WARMTH = {
    "en": "Here red, orange, yellow and pink are warm colours, blue, green, purple and gray cold ones, "
    "black and brown neither. ",
    "zh": "这里红色、橙色、黄色和粉色是暖色，蓝色、绿色、紫色和灰色是冷色，黑色和棕色都不算。",
}
STEPS = {
    "en": {
        "start": "The objects stand in rows and columns. Work in steps: ",
        "colour": "find the colour that most objects have and take all objects of that colour away",
        "top": "take the whole top row away",
        "bottom": "take the whole bottom row away",
        "left": "take the whole leftmost column away",
        "right": "take the whole rightmost column away",
        "rest": "list all objects that are left",
        "repeated": "of the objects that are left, list those whose type (whatever the colour) occurs at least twice",
        "end": ".",
    },
    "zh": {
        "start": "物体排成行和列。请分步完成：",
        "colour": "找出物体数量最多的颜色，去掉所有这种颜色的物体",
        "top": "去掉最上面的一整行",
        "bottom": "去掉最下面的一整行",
        "left": "去掉最左边的一整列",
        "right": "去掉最右边的一整列",
        "rest": "列出剩下的所有物体",
        "repeated": "在剩下的物体中，列出种类（不论颜色）至少出现两次的物体",
        "end": "。",
    },
}
FORM = {
    "en": (
        "Answer with a colour and a type for each, separated by commas. Colours: {colours}. Types: {things}.",
        "Give each as colour and type, with commas between. Allowed colours: {colours}; allowed types: {things}.",
    ),
    "zh": (
        "每个物体按“颜色＋种类”作答，用逗号分隔，例如“某色某物, 某色某物”。颜色：{colours}。种类：{things}。",
        "请用“颜色＋种类”表示每个物体，用逗号隔开。可用颜色：{colours}；可用种类：{things}。",
    ),
}
