"""The pictures of docs/gallery.md: one case of each kind of computed simulation.

python tools/simulation_gallery.py
"""

from __future__ import annotations

from pathlib import Path

from sightline.suites.simulation.generator.pictures.render import draw_look, draw_still
from sightline.suites.simulation.generator.plan import COMPUTED_DOMAINS
from sightline.suites.simulation.generator.rng import ParameterRng

FOLDER = Path(__file__).parents[1] / "docs" / "images" / "gallery"
SEED = 4
WIDTH = 800
COLOURS = 200


def main() -> None:
    """Solve and draw."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    for domain in COMPUTED_DOMAINS:
        for number, kind in enumerate(domain.kinds):
            draw = ParameterRng(SEED, number)
            case = kind.propose(draw).solve()
            picture = draw_still(case, draw_look(draw, case), draw)
            small = picture.resize((WIDTH, round(picture.height * WIDTH / picture.width)), 1)
            path = FOLDER / f"{domain.name}-{kind.name}.png"
            small.convert("RGB").quantize(COLOURS).save(path, optimize=True)
            print(f"{path.name}  {path.stat().st_size / 1000:.0f} kB  {case.title}")


if __name__ == "__main__":
    main()
