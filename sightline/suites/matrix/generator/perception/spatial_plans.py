"""Maps and floor plans whose north can be anywhere."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.matrix.generator.dice import Dice
from sightline.suites.matrix.generator.frame import Item
from sightline.suites.matrix.generator.perception import spatial_words as words
from sightline.suites.matrix.generator.perception.spatial_scenes import SIZE, STEP, item
from sightline.suites.matrix.generator.scenes import a_look, picture_of, single
from sightline.suites.matrix.generator.sheet import Ink, Sheet
from sightline.suites.matrix.generator.wording import say

_CLOCKWISE = ("up", "right", "down", "left")
_POINTS = ("north", "east", "south", "west")
_PAPERS = ("#ffffff", "#f7f4ec", "#eef4fa")
_FLOORS = ("#fbe9d7", "#e3efe0", "#e4ebf7", "#f6e6ee", "#f5f1d8", "#e6f2f2", "#efe9f6")
Cell = tuple[int, int]


class Plan(Struct, frozen=True, kw_only=True):
    """Rooms in rows and columns, with doors between neighbours."""

    rooms: dict[Cell, str]
    edges: tuple[tuple[float, ...], tuple[float, ...]]
    """Where the walls run: x and y."""
    doors: frozenset[tuple[Cell, Cell]]
    north: str
    """The way on the paper to which north points."""


def _way(point: str, north: str) -> str:
    """The way on the paper that a point of the compass means."""
    return _CLOCKWISE[(_CLOCKWISE.index(north) + _POINTS.index(point)) % 4]


def _beside(cell: Cell, way: str) -> Cell:
    dx, dy = STEP[way]
    return cell[0] + int(dy), cell[1] + int(dx)


def compass(dice: Dice, language: str) -> Item:
    """Four things around one; the text says where north is."""
    north, point = dice.pick(_CLOCKWISE), dice.turn("truth", _POINTS)
    first, *others = single(dice, 5)
    middle = (SIZE[0] / 2 + dice.between(-40, 40), SIZE[1] / 2 + dice.between(-20, 20))
    placed = [replace(first, x=middle[0], y=middle[1], radius=38)]
    around = {}
    for piece, way in zip(others, _CLOCKWISE, strict=True):
        (dx, dy), far = STEP[way], dice.between(115, 140)
        off = dice.between(-25, 25)
        around[way] = replace(
            piece, x=middle[0] + far * dx + off * abs(dy), y=middle[1] + far * dy + off * abs(dx), radius=36
        )
    right = around.pop(_way(point, north))
    asked = say(
        dice,
        words.COMPASS,
        language,
        edge=words.EDGES[language][north],
        point=words.POINTS[language][point],
        first=first.label(language),
    )
    picture = picture_of(dice, [*placed, right, *around.values()], SIZE, a_look(dice, 0.5))
    return item(dice, asked, right.label(language), [piece.label(language) for piece in around.values()], picture)


def _plan(dice: Dice, language: str, rows: int, columns: int) -> Plan:
    names = iter(dice.shuffled(words.ROOMS[language]))
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    pairs = [(cell, _beside(cell, way)) for cell in cells for way in ("right", "down") if _beside(cell, way) in cells]
    doors = frozenset(pair for pair in pairs if dice.chance(0.8))
    return Plan(
        rooms={cell: next(names) for cell in cells},
        edges=(_walls(dice, columns, 24, 536), _walls(dice, rows, 24, 416)),
        doors=doors,
        north=dice.pick(_CLOCKWISE),
    )


def _walls(dice: Dice, count: int, low: float, high: float) -> tuple[float, ...]:
    shares = [dice.between(0.85, 1.15) for _ in range(count)]
    edges = [low]
    for share in shares:
        edges.append(edges[-1] + share / sum(shares) * (high - low))
    return tuple(edges)


def _drawn(dice: Dice, plan: Plan) -> bytes:
    sheet = Sheet(650, 440, dice.pick(_PAPERS))
    (xs, ys), wall, face = plan.edges, dice.pick((4.0, 6.0)), dice.pick(("plain", "sans", "serif"))
    coloured = dice.chance(0.6)
    for (r, c), name in plan.rooms.items():
        box = (xs[c], ys[r], xs[c + 1], ys[r + 1])
        sheet.rectangle(box, dice.pick(_FLOORS) if coloured else "#ffffff", "#333333", wall)
        sheet.text(((box[0] + box[2]) / 2, (box[1] + box[3]) / 2), name, Ink(size=17, face=face))
    for (r, c), (row, column) in sorted(plan.doors):
        middle = ((xs[c] + xs[c + 1]) / 2, ys[row]) if row > r else (xs[column], (ys[r] + ys[r + 1]) / 2)
        wide, high = (19, wall / 2 + 1) if row > r else (wall / 2 + 1, 19)
        sheet.rectangle((middle[0] - wide, middle[1] - high, middle[0] + wide, middle[1] + high), "#ffffff")
        for sign in (-1, 1):
            at = (middle[0] + sign * wide, middle[1]) if row > r else (middle[0], middle[1] + sign * high)
            sheet.disc(at, wall / 2, "#333333")
    (dx, dy), at = STEP[plan.north], (594.0, 80.0)
    sheet.arrow((at[0] - 26 * dx, at[1] - 26 * dy), (at[0] + 26 * dx, at[1] + 26 * dy), "#b02020", 4, 18)
    sheet.text((at[0] + 42 * dx, at[1] + 42 * dy), "N", Ink(size=20, colour="#b02020", face="bold"))
    return sheet.png()


def neighbour(dice: Dice, language: str) -> Item:
    """The room beside the room beside a named one."""
    plan = _plan(dice, language, 3, 3)
    while True:
        start = dice.pick(list(plan.rooms))
        first, second = dice.some(_POINTS, 2)
        middle = _beside(start, _way(first, plan.north))
        end = _beside(middle, _way(second, plan.north))
        if middle in plan.rooms and end in plan.rooms and end != start:
            break
    asked = say(
        dice,
        words.NEIGHBOUR,
        language,
        person=dice.pick(words.PEOPLE[language]),
        room=plan.rooms[start],
        first=words.POINTS[language][first],
        second=words.POINTS[language][second],
    )
    wrong = [name for cell, name in plan.rooms.items() if cell not in (start, middle, end)]
    return item(dice, asked, plan.rooms[end], dice.some(wrong, 3), _drawn(dice, plan))


def doors(dice: Dice, language: str) -> Item:
    """A walk through three or four doors."""
    while True:
        plan = _plan(dice, language, 3, 4)
        start = dice.pick(list(plan.rooms))
        walk, walls = [start], []
        for _ in range(dice.whole(3, 4)):
            ways = [point for point in _POINTS if _through(plan, walk[-1], point) not in (None, *walk)]
            if not ways:
                break
            walls.append(dice.pick(ways))
            walk.append(_through(plan, walk[-1], walls[-1]) or start)
        if len(walk) >= 4:
            break
    told = [words.POINTS[language][point] for point in walls]
    asked = say(
        dice, words.DOORS, language, room=plan.rooms[start], walls=(", " if language == "en" else "、").join(told)
    )
    wrong = [name for cell, name in plan.rooms.items() if cell not in (start, walk[-1])]
    return item(dice, asked, plan.rooms[walk[-1]], dice.some(wrong, 3), _drawn(dice, plan))


def _through(plan: Plan, cell: Cell, point: str) -> Cell | None:
    there = _beside(cell, _way(point, plan.north))
    return there if (cell, there) in plan.doors or (there, cell) in plan.doors else None
