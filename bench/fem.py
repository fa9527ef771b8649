"""Time of one solve with end forces and reactions, beside PyNite and OpenSees where they are installed.

    python bench/fem.py [--rounds 200] [--gate]

Frames of 5, 21 and 60 members under line loads and wind. Each arm starts from the same frozen frame, builds its own
model, solves it and hands back displacements, reactions and end forces as arrays. The arms take turns of ten solves, so
that a busy machine disturbs all alike; shown is the median. PyNite's stability check, which ours always makes, is off.
Then the time of a full diagnosis of fresh structures, counted in solves.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

import numpy as np

from sightline.suites.structural.fem import Frame, solve
from tests.suites.structural.fem.frames import building
from tests.suites.structural.fem.references import Answer, with_opensees, with_pynite

SIZES = ((2, 1), (3, 3), (7, 4))
MOST_OF_PYNITE = 0.5
MOST_SOLVES = 10
TURN = 10


def ours(frame: Frame) -> Answer:
    """Sightline."""
    solution = solve(frame)
    assert solution.reactions
    return Answer(solution.displacements, solution.node_reactions, solution.end_forces)


def arms() -> dict[str, Callable[[Frame], Answer]]:
    """Those that are installed and give our answer."""
    found = {"sightline": ours}
    frame = building(2, 1)
    for name, arm in (("PyNite", with_pynite), ("OpenSees", with_opensees)):
        try:
            theirs: Any = arm(frame).end_forces
        except (ImportError, RuntimeError) as error:
            print(f"{name} is left out: {error}")
            continue
        assert np.abs(theirs - ours(frame).end_forces).max() < 1e-9 * np.abs(theirs).max(), f"{name} differs"
        found[name] = arm
    return found


def measure(frame: Frame, rounds: int, found: dict[str, Callable[[Frame], Answer]]) -> dict[str, float]:
    """Median seconds of each arm."""
    times: dict[str, list[float]] = {name: [] for name in found}
    for _ in range(max(1, rounds // TURN)):
        for name, arm in found.items():
            for _ in range(TURN):
                started = time.perf_counter()
                arm(frame)
                times[name].append(time.perf_counter() - started)
    return {name: statistics.median(took) for name, took in times.items()}


def diagnoses(rounds: int) -> float:
    """Median time of a full diagnosis over fresh structures, in solves: right, wrong loads, a support missing."""
    from msgspec.structs import replace

    from sightline.core.registry import load_suite
    from sightline.suites.structural.framecalc.analysis import to_frame
    from sightline.suites.structural.framecalc.reader import read_model
    from sightline.suites.structural.physics.diagnosis import diagnose_models

    def median(work: Callable[[], object]) -> float:
        work()
        took = []
        for _ in range(rounds):
            started = time.perf_counter()
            work()
            took.append(time.perf_counter() - started)
        return statistics.median(took)

    ratios: list[list[float]] = []
    with tempfile.TemporaryDirectory() as folder:
        data = Path(folder) / "data"
        load_suite("structural").generate(data, 16, seed=1)
        for path in sorted((data / "raw_models").glob("*.json")):
            model = read_model(json.loads(path.read_text())).model
            assert model is not None
            frame = to_frame(model)
            one = median(lambda frame=frame: ours(frame))  # type: ignore[misc]
            answers = (model, replace(model, loads=model.loads[1:]), replace(model, supports=model.supports[1:]))
            name = path.stem.partition("_")[0]
            ratios.append([median(lambda a=a, m=model, n=name: diagnose_models(a, m, n)) / one for a in answers])  # type: ignore[misc]
    right, loads, supports = (statistics.median(column) for column in zip(*ratios, strict=True))
    print(f"a full diagnosis in solves: right {right:.1f}, a load wrong {loads:.1f}, a support missing {supports:.1f}")
    return max(right, loads)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("--gate", action="store_true", help="exit with 1 where a bound is missed")
    args = parser.parse_args()
    found = arms()
    print(f"median of {args.rounds} rounds, milliseconds a solve")
    print(f"{'members':>8} {'unknowns':>9}" + "".join(f"{name:>11}" for name in found) + "   ours / theirs")
    missed = False
    for bays, storeys in SIZES:
        frame = building(bays, storeys)
        took = measure(frame, args.rounds, found)
        ratios = {name: took["sightline"] / took[name] for name in found if name != "sightline"}
        unknowns = 3 * (len(frame.nodes) - len(frame.supports))
        figures = "".join(f"{1e3 * seconds:11.2f}" for seconds in took.values())
        told = ", ".join(f"{name} {ratio:.2f}" for name, ratio in ratios.items())
        print(f"{len(frame.members):>8} {unknowns:>9}{figures}   {told}")
        missed |= ratios.get("PyNite", 0.0) > MOST_OF_PYNITE
    print(f"at most {MOST_OF_PYNITE} of PyNite")
    missed |= diagnoses(20) > MOST_SOLVES
    print(f"at most {MOST_SOLVES} solves")
    if args.gate and missed:
        sys.exit(1)


if __name__ == "__main__":
    main()
