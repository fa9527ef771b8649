"""Patterns of captions, and the questions that ask for them."""

from __future__ import annotations

SIZES = {"en": {"large": "large", "small": "small"}, "zh": {"large": "大", "small": "小"}}
_ROWS = {"en": ("top", "middle", "bottom"), "zh": ("上", "中", "下")}
_COLUMNS = {"en": ("left", "centre", "right"), "zh": ("左", "中", "右")}
_ZH_PLACES = (("左上角", "正上方", "右上角"), ("左侧", "正中", "右侧"), ("左下角", "正下方", "右下角"))
PLACES: dict[str, dict[tuple[int, int], str]] = {
    "en": {(r, c): f"{_ROWS['en'][r]} {_COLUMNS['en'][c]}" for r in range(3) for c in range(3)},
    "zh": {(r, c): _ZH_PLACES[r][c] for r in range(3) for c in range(3)},
}
CORNERS = {(0, 0): (90.0, 70.0), (0, 2): (470.0, 70.0), (2, 0): (90.0, 350.0), (2, 2): (470.0, 350.0)}
RELATIONS = {
    "en": {"left": "left of", "right": "right of", "above": "above", "below": "below"},
    "zh": {"left": "左边", "right": "右边", "above": "上方", "below": "下方"},
}
PAPERS = {
    "white": {"en": "white", "zh": "白", "paper": "#ffffff"},
    "blue": {"en": "blue", "zh": "蓝", "paper": "#c5defa"},
    "green": {"en": "green", "zh": "绿", "paper": "#c9ecc5"},
    "yellow": {"en": "yellow", "zh": "黄", "paper": "#fbf0b4"},
    "gray": {"en": "gray", "zh": "灰", "paper": "#d3d3d3"},
    "purple": {"en": "purple", "zh": "紫", "paper": "#dfcff3"},
}
STARTS = {
    "en": {"near": "at the left or on top", "far": "at the right or at the bottom"},
    "zh": {"near": "左边或上面", "far": "右边或下面"},
}
HALVES = {
    "en": {"left": "left", "right": "right", "top": "upper", "bottom": "lower"},
    "zh": {"left": "左半边", "right": "右半边", "top": "上半边", "bottom": "下半边"},
}
ORDERS = {
    "en": {"down": "from top to bottom", "across": "from left to right"},
    "zh": {"down": "从上到下", "across": "从左到右"},
}
PEOPLE = {
    "en": ("Ada", "Boris", "Chen", "Dora", "Emil", "Farid", "Greta", "Hugo", "Ines", "Jakob", "Keiko", "Luis"),
    "zh": ("阿明", "小芳", "老陈", "丽丽", "大伟", "小雪", "阿强", "文文", "老赵", "晓东", "阿珍", "小磊"),
}
GAPS = {
    "en": {
        "size": "size",
        "colour": "colour",
        "thing": "object",
        "place": "place",
        "paper": "paper colour",
        "border": "border colour",
        "relation": "left of, right of, above or below",
        "owner": "name",
        "change": "what changes",
    },
    "zh": {
        "size": "大/小",
        "colour": "颜色",
        "thing": "物体",
        "place": "位置",
        "paper": "底色",
        "border": "边框颜色",
        "relation": "左边/右边/上方/下方",
        "owner": "姓名",
        "change": "变化",
    },
}
TWO = {
    "en": {
        "forms": (
            "a {size1} {colour1} {thing1} {place1}, a {size2} {colour2} {thing2} {place2}, {paper} paper, {border} "
            "border",
            "{place1} a {size1} {colour1} {thing1}, {place2} a {size2} {colour2} {thing2}, {paper} paper with {border} "
            "border",
            "{border} border and {paper} paper, a {size1} {colour1} {thing1} {place1}, a {size2} {colour2} {thing2} "
            "{place2}",
        ),
        "asks": (
            "Describe the picture in one sentence of this form: {form} Of the two objects take the one farther left "
            'first. Sizes are large and small, places are words such as "top centre" or "middle right", paper is '
            "white, blue, green, yellow, gray or purple.",
            "Fill in this form for the picture, beginning with the object that stands farther left. Sizes are large "
            "and small, places are top, middle or bottom with left, centre or right; the paper is white or a pale "
            "blue, green, yellow, gray or purple (write it without pale). Reply with the sentence only: {form}",
        ),
    },
    "zh": {
        "forms": (
            "{place1}{size1}{colour1}{thing1}，{place2}{size2}{colour2}{thing2}，{paper}底{border}边",
            "{size1}{colour1}{thing1}在{place1}，{size2}{colour2}{thing2}在{place2}，{border}边框{paper}底",
            "{paper}底{border}边，{place1}有{size1}{colour1}{thing1}，{place2}有{size2}{colour2}{thing2}",
        ),
        "asks": (
            "用一句话描述图片，先说靠左的物体，再说另一个。请按此句式：{form} 大小只用“大”和“小”；位置用左上角、"
            "正上方、右上角、左侧、正中、右侧、左下角、正下方、右下角；底色用白、蓝、绿、黄、灰、紫。",
            "请按图片填写下面的句子，先写靠左的物体，只回复填好的句子：{form} 位置用左上角、正上方、右上角、左侧、"
            "正中、右侧、左下角、正下方、右下角；底色为白、蓝、绿、黄、灰、紫之一（浅色也这样写）；大小用“大”或“小”。",
        ),
    },
}
PAIR = {
    "en": {
        "forms": (
            "first a {size1} {colour1} {thing1} {relation1} a {size2} {colour2} {thing2}, then a {size3} {colour3} "
            "{thing3} {relation2} a {size4} {colour4} {thing4}",
            "picture one: {size1} {colour1} {thing1} {relation1} a {size2} {colour2} {thing2}; picture two: {size3} "
            "{colour3} {thing3} {relation2} a {size4} {colour4} {thing4}",
        ),
        "asks": (
            "Describe both pictures in one sentence, the first picture first. In each, name the two objects with size "
            "(large or small), colour and kind and how the one named first stands to the other; begin in each with the "
            "object {start}. Keep to this form: {form}",
            "Fill in this form for the two pictures; sizes are large and small. Start in each picture with the object "
            "{start}. Reply with the sentence only: {form}",
        ),
    },
    "zh": {
        "forms": (
            "先看{size1}{colour1}{thing1}在{size2}{colour2}{thing2}{relation1}，再看{size3}{colour3}{thing3}在"
            "{size4}{colour4}{thing4}{relation2}",
            "{size1}{colour1}{thing1}位于{size2}{colour2}{thing2}{relation1}，接着{size3}{colour3}{thing3}位于"
            "{size4}{colour4}{thing4}{relation2}",
        ),
        "asks": (
            "用一句话依次描述两幅图：每幅图说出两个物体的大小（大或小）、颜色、种类和相互位置，先说{start}的物体。"
            "请按此句式：{form}",
            "请按两幅图填写下面的句子（大小只用“大”和“小”），每幅图先写{start}的物体，只回复填好的句子：{form}",
        ),
    },
}
OWNED = {
    "en": {
        "forms": (
            "{owner1} owns a {size1} {colour1} {thing1} and a {size2} {colour2} {thing2}, {owner2} a {size3} {colour3} "
            "{thing3} and a {size4} {colour4} {thing4}",
            "a {size1} {colour1} {thing1} and {size2} {colour2} {thing2} belong to {owner1}, a {size3} {colour3} "
            "{thing3} and {size4} {colour4} {thing4} to {owner2}",
        ),
        "asks": (
            "Say in one sentence who owns what, each object with size (large or small), colour and kind. Keep to this "
            "form: {form}",
            "Write one sentence of this form, with sizes large and small: {form}",
        ),
    },
    "zh": {
        "forms": (
            "{owner1}有{size1}{colour1}{thing1}和{size2}{colour2}{thing2}，{owner2}有{size3}{colour3}{thing3}和"
            "{size4}{colour4}{thing4}",
            "{size1}{colour1}{thing1}和{size2}{colour2}{thing2}归{owner1}，{size3}{colour3}{thing3}和"
            "{size4}{colour4}{thing4}归{owner2}",
        ),
        "asks": (
            "用一句话说明谁有什么，每个物体说出大小（大或小）、颜色和种类。请按此句式：{form}",
            "请写一句这样的话（大小只用“大”和“小”）：{form}",
        ),
    },
}
GIVEN = {
    "en": (
        "A line cuts the picture. All in the {half1} half belongs to {first}, all in the {half2} half to {second}; "
        "name {first} first, and within a half go {order}. ",
        "{first} has everything in the {half1} half of the picture, {second} everything in the {half2} half. Take "
        "{first} before {second}, and the objects of a half {order}. ",
    ),
    "zh": (
        "一条线把图分成两半：{half1}的东西都归{first}，{half2}的东西都归{second}。先说{first}，同一半内{order}。",
        "图中{half1}的物体属于{first}，{half2}的物体属于{second}。先写{first}再写{second}，每一半内{order}。",
    ),
}
STORY = {
    "en": {
        "forms": (
            "first a {colour1} {thing1} is {relation1} a {colour2} {thing2}, then {change1}, finally {change2}",
            "a {colour1} {thing1} begins {relation1} a {colour2} {thing2}, next {change1}, at last {change2}",
        ),
        "asks": (
            "The three pictures are a sequence. Tell it in one sentence of this form, starting with the object {start} "
            'in the first picture: {form} Changes are told as "the <object> turns <colour>", "the <object> gets '
            'larger" (or "smaller"), "the <object named first> and the <other object> swap places", or "a <colour> '
            '<object> appears <place such as top left>".',
            "Tell in one sentence what the three pictures show one after the other. Begin with the object {start} in "
            'the first one and keep to this form: {form} Say changes like this: "the <object> turns <colour>", "the '
            '<object> gets larger" (or "smaller"), "the <object named first> and the <other object> swap places", "a '
            '<colour> <object> appears <place such as bottom right>".',
        ),
    },
    "zh": {
        "forms": (
            "起初{colour1}{thing1}在{colour2}{thing2}{relation1}，然后{change1}，最后{change2}",
            "一开始{colour1}{thing1}位于{colour2}{thing2}{relation1}，接着{change1}，末了{change2}",
        ),
        "asks": (
            "三幅图是一个序列。请用一句话按此句式叙述，从第一幅图中{start}的物体说起：{form} 变化的说法为"
            "“<物体>变成<颜色>”、“<物体>变大”或“变小”、“<先说的物体>与<另一物体>互换位置”或"
            "“<位置，如左上角>出现<颜色><物体>”。",
            "请用一句话依次说出三幅图的内容，先说第一幅图中{start}的物体，句式为：{form} 变化写作“<物体>变成<颜色>”、"
            "“<物体>变大”或“变小”、“<先说的物体>与<另一物体>互换位置”、“<位置，如右下角>出现<颜色><物体>”。",
        ),
    },
}
CHANGES = {
    "en": {
        "turns": "the {thing} turns {colour}",
        "appears": "a {colour} {thing} appears {place}",
        "resizes": "the {thing} gets {how}",
        "swaps": "the {thing} and the {other} swap places",
    },
    "zh": {
        "turns": "{thing}变成{colour}",
        "appears": "{place}出现{colour}{thing}",
        "resizes": "{thing}变{how}",
        "swaps": "{thing}与{other}互换位置",
    },
}
