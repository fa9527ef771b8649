"""The questions of spatial relation."""

from __future__ import annotations

WAYS = ("left", "right", "up", "down")
SIDES = {
    "en": {"left": "to its left", "right": "to its right", "up": "above it", "down": "below it"},
    "zh": {"left": "在它左边", "right": "在它右边", "up": "在它上方", "down": "在它下方"},
}
DIRECTION = {
    "en": (
        "Where is the {first}, seen from the {second}?",
        "Look at the {second}. Where does the {first} stand?",
        "In which place is the {first} relative to the {second}?",
    ),
    "zh": ("相对于{second}，{first}在哪里？", "以{second}为准，{first}位于什么位置？", "{first}在{second}的哪个方位？"),
}
EXTREME = {
    "left": {"en": "Which of these objects stands farthest to the left?", "zh": "以下物体中哪一个最靠左？"},
    "right": {"en": "Which of these objects stands farthest to the right?", "zh": "以下物体中哪一个最靠右？"},
    "up": {"en": "Which of these objects stands highest in the picture?", "zh": "以下物体中哪一个位置最高？"},
    "down": {"en": "Which of these objects stands lowest in the picture?", "zh": "以下物体中哪一个位置最低？"},
}
INSIDE = {
    "en": ("Which object is inside the {frame}?", "The {frame} encloses one object. Which one?"),
    "zh": ("哪个物体在{frame}里面？", "{frame}里有一个物体，是哪一个？"),
}
FRAMES = {
    "en": {"box": "dashed box", "round": "dashed circle"},
    "zh": {"box": "虚线方框", "round": "虚线圆圈"},
}
BOTH = {
    "en": (
        "Which object is both {first_side} the {first} and {second_side} the {second}?",
        "One of these is {first_side} the {first} and at the same time {second_side} the {second}. Which?",
    ),
    "zh": (
        "哪个物体既在{first}的{first_side}，又在{second}的{second_side}？",
        "以下哪个物体同时位于{first}的{first_side}和{second}的{second_side}？",
    ),
}
RELATIONS = {
    "en": {"left": "to the left of", "right": "to the right of", "up": "above", "down": "below"},
    "zh": {"left": "左边", "right": "右边", "up": "上方", "down": "下方"},
}
MOVED = {
    "en": (
        "From the first picture to the second one thing was moved. Which one?",
        "Compare the two pictures: which object has changed its place?",
    ),
    "zh": ("从第一幅图到第二幅图，有一个物体被移动了。是哪一个？", "比较两幅图：哪个物体的位置变了？"),
}
MOVED_WHERE = {
    "en": ("In which direction was the {first} moved from the first picture to the second?",),
    "zh": ("从第一幅图到第二幅图，{first}朝哪个方向移动了？",),
}
HEADINGS = {
    "en": {"left": "to the left", "right": "to the right", "up": "upwards", "down": "downwards"},
    "zh": {"left": "向左", "right": "向右", "up": "向上", "down": "向下"},
}
BETWEEN = {
    "en": (
        "Which object lies between the {first} and the {second}, on the straight line that joins them?",
        "Draw a straight line from the {first} to the {second} in your mind. Which object does it pass through?",
    ),
    "zh": (
        "在{first}和{second}的连线上，夹在两者之间的是哪个物体？",
        "设想从{first}到{second}画一条直线，它穿过哪个物体？",
    ),
}
NEAREST = {
    "en": (
        "Which of these objects is nearest to the {first}, and nearer to it than to the {second}?",
        "Of the objects that are closer to the {first} than to the {second}, which is the closest to the {first}?",
    ),
    "zh": (
        "以下物体中，离{first}比离{second}更近，并且离{first}最近的是哪一个？",
        "在离{first}比离{second}更近的物体中，哪一个离{first}最近？",
    ),
}
STANDPOINT = {
    "en": (
        "The picture is a map seen from above. You stand at the {first} and look towards the {second}. "
        "Where is the {third} for you?",
        "Seen from above: somebody at the {first} faces the {second}. On which side of this person is the {third}?",
    ),
    "zh": (
        "这幅图是从上往下看的地图。你站在{first}处，面向{second}。{third}在你的哪一边？",
        "俯视图：某人在{first}处，面朝{second}。{third}在这个人的哪个方向？",
    ),
}
BODY = {
    "en": {"front": "in front", "behind": "behind", "left": "on the left", "right": "on the right"},
    "zh": {"front": "前方", "behind": "后方", "left": "左边", "right": "右边"},
}
EDGES = {
    "en": {"up": "the top edge", "down": "the bottom edge", "left": "the left edge", "right": "the right edge"},
    "zh": {"up": "上边", "down": "下边", "left": "左边", "right": "右边"},
}
POINTS = {
    "en": {"north": "north", "east": "east", "south": "south", "west": "west"},
    "zh": {"north": "北", "east": "东", "south": "南", "west": "西"},
}
COMPASS = {
    "en": (
        "On this map north is at {edge} of the picture. Which object lies {point} of the {first}?",
        "Take it that {edge} of this map is north. What do you find going {point} from the {first}?",
    ),
    "zh": (
        "在这张地图上，图的{edge}是北。{first}的{point}面是哪个物体？",
        "设地图的{edge}为北，从{first}向{point}走会遇到什么？",
    ),
}
ROOMS = {
    "en": (
        "kitchen",
        "office",
        "bath",
        "library",
        "studio",
        "storage",
        "lounge",
        "garage",
        "laundry",
        "nursery",
        "gym",
        "pantry",
        "archive",
        "workshop",
    ),
    "zh": (
        "厨房",
        "办公室",
        "浴室",
        "书房",
        "画室",
        "储藏室",
        "客厅",
        "车库",
        "洗衣房",
        "儿童房",
        "健身房",
        "餐厅",
        "档案室",
        "工坊",
    ),
}
NEIGHBOUR = {
    "en": (
        "North is where the arrow N points. {person} works in the room directly {first} of the {room}. Which room lies "
        "directly {second} of {person}'s?",
        "The arrow N shows north. {person}'s desk is in the room next to the {room} on its {first} side. Which room is "
        "the next one {second} of it?",
    ),
    "zh": (
        "箭头 N 指向北。{person}在{room}正{first}面的房间里工作。{person}的房间正{second}面是哪个房间？",
        "箭头 N 表示北方。{person}的桌子在紧邻{room}{first}侧的房间里。该房间正{second}面是哪个房间？",
    ),
}
PEOPLE = {
    "en": ("Tomas", "Irena", "Pavel", "Salma", "Jonas", "Amina"),
    "zh": ("小林", "小陈", "小赵", "小吴", "小周", "小何"),
}
DOORS = {
    "en": (
        "You are in the {room} of this floor plan, and the arrow N shows north. Walk through doors in this order, each "
        "in a wall of the room you are then in: {walls}. In which room do you end?",
        "North is where the arrow N points. Starting in the {room}, you leave every room by a door in its wall to the "
        "given side, one after the other: {walls}. Which room do you reach?",
    ),
    "zh": (
        "你在平面图中的{room}里，箭头 N 指向北。每次从所在房间某一侧墙上的门走出，依次为：{walls}。你最后在哪个房间？",
        "箭头 N 指向北。从{room}出发，每次穿过所在房间相应一侧的门，顺序为：{walls}。最后到达哪个房间？",
    ),
}
STEPS = {
    "en": (
        "Start on the cell of the {first} and move {moves}. Which object is on the cell where you end?",
        "A piece stands where the {first} is. It goes {moves}, cell by cell. What does it land on?",
    ),
    "zh": (
        "从{first}所在的格子出发，{moves}。最后到达的格子里是什么？",
        "棋子位于{first}处，{moves}（每次一格）。它最后落在什么物体上？",
    ),
}
MOVES = {
    "en": {"left": "{n} left", "right": "{n} right", "up": "{n} up", "down": "{n} down"},
    "zh": {"left": "向左{n}格", "right": "向右{n}格", "up": "向上{n}格", "down": "向下{n}格"},
}
ROBOT = {
    "en": (
        "A robot stands on the cell of the {first} and faces {edge} of the picture. It carries out: {moves}. On which "
        "object does it stop?",
    ),
    "zh": ("机器人位于{first}所在的格子，面朝图的{edge}。它依次执行：{moves}。它停在哪个物体上？",),
}
ORDERS = {
    "en": {"forward": "forward {n}", "left": "turn left", "right": "turn right", "around": "turn around"},
    "zh": {"forward": "前进{n}格", "left": "左转", "right": "右转", "around": "掉头"},
}
