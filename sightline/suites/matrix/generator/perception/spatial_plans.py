"""Maps and floor plans whose north can be anywhere."""

from __future__ import annotations

from msgspec import Struct
from msgspec.structs import replace

from sightline.suites.matrix.generator.canvas import Canvas, TextStyle
from sightline.suites.matrix.generator.item import Item
from sightline.suites.matrix.generator.perception import spatial_words as words
from sightline.suites.matrix.generator.perception.spatial_scenes import SIZE, STEP, make_choice_item
from sightline.suites.matrix.generator.sample_rng import SampleRng
from sightline.suites.matrix.generator.scenes import draw_scene, random_style, unique_objects
from sightline.suites.matrix.generator.wording import fill_wording

_CLOCKWISE = ("up", "right", "down", "left")
_POINTS = ("north", "east", "south", "west")
_PAPERS = ("#ffffff", "#f7f4ec", "#eef4fa")
_FLOORS = ("#fbe9d7", "#e3efe0", "#e4ebf7", "#f6e6ee", "#f5f1d8", "#e6f2f2", "#efe9f6")
Cell = tuple[int, int]


class FloorPlan(Struct, frozen=True, kw_only=True):
    """Rooms in rows and columns, with doors between neighbours."""

    rooms: dict[Cell, str]
    edges: tuple[tuple[float, ...], tuple[float, ...]]
    """Where the walls run: x and y."""
    doors: frozenset[tuple[Cell, Cell]]
    north: str
    """The way on the paper to which north points."""


def _direction_on_map(point: str, north: str) -> str:
    """The way on the paper that a point of the compass means."""
    return _CLOCKWISE[(_CLOCKWISE.index(north) + _POINTS.index(point)) % 4]


def _neighbour(cell: Cell, way: str) -> Cell:
    dx, dy = STEP[way]
    return cell[0] + int(dy), cell[1] + int(dx)


def compass(rng: SampleRng, language: str) -> Item:
    """Four things around one; the text says where north is."""
    north, point = rng.pick(_CLOCKWISE), rng.balanced_choice("truth", _POINTS)
    first, *others = unique_objects(rng, 5)
    middle = (SIZE[0] / 2 + rng.between(-40, 40), SIZE[1] / 2 + rng.between(-20, 20))
    placed = [replace(first, x=middle[0], y=middle[1], radius=38)]
    around = {}
    for piece, way in zip(others, _CLOCKWISE, strict=True):
        (dx, dy), far = STEP[way], rng.between(115, 140)
        off = rng.between(-25, 25)
        around[way] = replace(
            piece, x=middle[0] + far * dx + off * abs(dy), y=middle[1] + far * dy + off * abs(dx), radius=36
        )
    right = around.pop(_direction_on_map(point, north))
    question = fill_wording(
        rng,
        words.COMPASS,
        language,
        edge=words.EDGES[language][north],
        point=words.POINTS[language][point],
        first=first.label(language),
    )
    picture = draw_scene(rng, [*placed, right, *around.values()], SIZE, random_style(rng, 0.5))
    return make_choice_item(
        rng, question, right.label(language), [piece.label(language) for piece in around.values()], picture
    )


def _random_plan(rng: SampleRng, language: str, rows: int, columns: int) -> FloorPlan:
    names = iter(rng.shuffled(words.ROOMS[language]))
    cells = [(r, c) for r in range(rows) for c in range(columns)]
    pairs = [
        (cell, _neighbour(cell, way)) for cell in cells for way in ("right", "down") if _neighbour(cell, way) in cells
    ]
    doors = frozenset(pair for pair in pairs if rng.chance(0.8))
    return FloorPlan(
        rooms={cell: next(names) for cell in cells},
        edges=(_walls(rng, columns, 24, 536), _walls(rng, rows, 24, 416)),
        doors=doors,
        north=rng.pick(_CLOCKWISE),
    )


def _walls(rng: SampleRng, count: int, low: float, high: float) -> tuple[float, ...]:
    shares = [rng.between(0.85, 1.15) for _ in range(count)]
    edges = [low]
    for share in shares:
        edges.append(edges[-1] + share / sum(shares) * (high - low))
    return tuple(edges)


def _draw_plan(rng: SampleRng, plan: FloorPlan) -> bytes:
    canvas = Canvas(650, 440, rng.pick(_PAPERS))
    (xs, ys), wall, face = plan.edges, rng.pick((4.0, 6.0)), rng.pick(("plain", "sans", "serif"))
    coloured = rng.chance(0.6)
    for (r, c), name in plan.rooms.items():
        box = (xs[c], ys[r], xs[c + 1], ys[r + 1])
        canvas.rectangle(box, rng.pick(_FLOORS) if coloured else "#ffffff", "#333333", wall)
        canvas.text(((box[0] + box[2]) / 2, (box[1] + box[3]) / 2), name, TextStyle(size=17, face=face))
    for (r, c), (row, column) in sorted(plan.doors):
        middle = ((xs[c] + xs[c + 1]) / 2, ys[row]) if row > r else (xs[column], (ys[r] + ys[r + 1]) / 2)
        wide, high = (19, wall / 2 + 1) if row > r else (wall / 2 + 1, 19)
        canvas.rectangle((middle[0] - wide, middle[1] - high, middle[0] + wide, middle[1] + high), "#ffffff")
        for sign in (-1, 1):
            at = (middle[0] + sign * wide, middle[1]) if row > r else (middle[0], middle[1] + sign * high)
            canvas.disc(at, wall / 2, "#333333")
    (dx, dy), at = STEP[plan.north], (594.0, 80.0)
    canvas.arrow((at[0] - 26 * dx, at[1] - 26 * dy), (at[0] + 26 * dx, at[1] + 26 * dy), "#b02020", 4, 18)
    canvas.text((at[0] + 42 * dx, at[1] + 42 * dy), "N", TextStyle(size=20, colour="#b02020", face="bold"))
    return canvas.png()


def neighbour(rng: SampleRng, language: str) -> Item:
    """The room beside the room beside a named one."""
    plan = _random_plan(rng, language, 3, 3)
    while True:
        start = rng.pick(list(plan.rooms))
        first, second = rng.some(_POINTS, 2)
        middle = _neighbour(start, _direction_on_map(first, plan.north))
        end = _neighbour(middle, _direction_on_map(second, plan.north))
        if middle in plan.rooms and end in plan.rooms and end != start:
            break
    question = fill_wording(
        rng,
        words.NEIGHBOUR,
        language,
        person=rng.pick(words.PEOPLE[language]),
        room=plan.rooms[start],
        first=words.POINTS[language][first],
        second=words.POINTS[language][second],
    )
    wrong = [name for cell, name in plan.rooms.items() if cell not in (start, middle, end)]
    return make_choice_item(rng, question, plan.rooms[end], rng.some(wrong, 3), _draw_plan(rng, plan))


def doors(rng: SampleRng, language: str) -> Item:
    """A walk through three or four doors."""
    while True:
        plan = _random_plan(rng, language, 3, 4)
        start = rng.pick(list(plan.rooms))
        walk, walls = [start], []
        for _ in range(rng.whole(3, 4)):
            ways = [point for point in _POINTS if _door_neighbour(plan, walk[-1], point) not in (None, *walk)]
            if not ways:
                break
            walls.append(rng.pick(ways))
            walk.append(_door_neighbour(plan, walk[-1], walls[-1]) or start)
        if len(walk) >= 4:
            break
    instruction = [words.POINTS[language][point] for point in walls]
    question = fill_wording(
        rng, words.DOORS, language, room=plan.rooms[start], walls=(", " if language == "en" else "、").join(instruction)
    )
    wrong = [name for cell, name in plan.rooms.items() if cell not in (start, walk[-1])]
    return make_choice_item(rng, question, plan.rooms[walk[-1]], rng.some(wrong, 3), _draw_plan(rng, plan))


def _door_neighbour(plan: FloorPlan, cell: Cell, point: str) -> Cell | None:
    there = _neighbour(cell, _direction_on_map(point, plan.north))
    return there if (cell, there) in plan.doors or (there, cell) in plan.doors else None
