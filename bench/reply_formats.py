"""Lenient reading: processor time of scoring with `--reply-format auto` over that with `strict`.

    python bench/reply_formats.py                      100,000 samples of each kind
    python bench/reply_formats.py --samples 20000 --gate

Each measurement is a process of its own that scores saved files; the least of several runs counts. `asked`: replies in
the asked form, read both ways. The other rows: the same boxes in the forms of model families. Their lenient reading is
compared with the strict reading of the same boxes in the asked form, since the strict reading of native forms reads
nothing. `--gate` exits with 1 where a ratio is beyond 1.3.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path

LIMIT = 1.3
CHILD = """
import resource, sys
from sightline import score
score(sys.argv[1], sys.argv[2], output_dir=sys.argv[3], reply_format=sys.argv[4], workers=1, calc_aux_metric=False)
used = resource.getrusage(resource.RUSAGE_SELF)
print(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
"""
Box = list[int]


def main() -> None:
    """Make data, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--samples", type=int, default=100_000)
    parser.add_argument("--boxes", type=int, default=15, help="boxes per sample, on average")
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--only", default="", help="comma-separated names of rows")
    parser.add_argument("--gate", action="store_true")
    args = parser.parse_args()
    missed = []
    with tempfile.TemporaryDirectory(prefix="sightline-bench-") as scratch:
        folder = Path(scratch)
        for kind in ("boxes", "counts"):
            forms = BOXES if kind == "boxes" else COUNTS
            write(folder / kind, kind, forms, args)
            measure(folder / kind, "asked", "strict", folder, 1)  # compiles what is not compiled yet
            strict, _ = measure(folder / kind, "asked", "strict", folder, args.runs)
            print(f"{kind}: strict, as asked: {strict:.2f} s of processor time")
            for name in forms:
                if args.only and name not in args.only.split(","):
                    continue
                measure(folder / kind, name, "auto", folder, 1)
                took, memory = measure(folder / kind, name, "auto", folder, args.runs)
                print(f"{kind}: auto, {name}: {took:.2f} s, {took / strict:.2f} × strict, {memory:.0f} MB", flush=True)
                if took > LIMIT * strict:
                    missed.append(f"{kind} {name}")
    print("all ratios kept" if not missed else "missed: " + ", ".join(missed))
    sys.exit(1 if missed and args.gate else 0)


def json_reply(boxes: list[Box]) -> str:
    """Qwen3-VL, in a code fence."""
    return "```json\n" + json.dumps([{"bbox_2d": box, "label": "ship"} for box in boxes], indent=None) + "\n```"


BOXES: dict[str, Callable[[list[Box]], str]] = {
    "asked": lambda boxes: f"{len(boxes)} " + "".join(f"<box><{a}><{b}><{c}><{d}></box>" for a, b, c, d in boxes),
    "qwen3-vl": json_reply,
    "gemini": lambda boxes: json.dumps([{"box_2d": [b, a, d, c], "label": "ship"} for a, b, c, d in boxes]),
    "qwen2-vl": lambda boxes: "".join(
        f"<|object_ref_start|>ship<|object_ref_end|><|box_start|>({a},{b}),({c},{d})<|box_end|>" for a, b, c, d in boxes
    ),
    "internvl": lambda boxes: f"<ref>ship</ref><box>{boxes}</box>",
    "deepseek-vl2": lambda boxes: f"<|ref|>ship<|/ref|><|det|>{boxes}<|/det|>",
    "plain": str,
}
COUNTS: dict[str, Callable[[list[Box]], str]] = {
    "asked": lambda boxes: str(len(boxes)),
    "sentence": lambda boxes: f"There are {len(boxes)} ships in the image.",
}


def write(folder: Path, kind: str, forms: dict[str, Callable[[list[Box]], str]], args: argparse.Namespace) -> None:
    """Annotations, and outputs in every form."""
    chance = random.Random(3)  # no secret
    (folder / "anno").mkdir(parents=True)
    outs = {}
    for name in forms:
        (folder / name).mkdir()
        outs[name] = (folder / name / "a_output.txt").open("w", encoding="utf-8")
    task = "水平区域检测" if kind == "boxes" else "计数"
    with (folder / "anno" / "a.txt").open("w", encoding="utf-8") as anno:
        for number in range(args.samples):
            truth = [random_box(chance) for _ in range(chance.randrange(1, 2 * args.boxes))]
            reply = [[side + chance.randrange(-3, 4) for side in box] for box in truth]
            row = {"gt": BOXES["asked"](truth) if kind == "boxes" else str(len(truth)), "task": task}
            row |= {"source": f"{number}.png", "width": 1000, "height": 1000}  # type: ignore[dict-item]
            anno.write(json.dumps(row, ensure_ascii=False) + "\n")
            for name, out in outs.items():
                out.write(json.dumps({"model_output": forms[name](reply)}) + "\n")
    for out in outs.values():
        out.close()


def random_box(chance: random.Random) -> Box:
    """A box in a picture of 1000 × 1000 pixels."""
    x, y = chance.randrange(10, 900), chance.randrange(10, 900)
    return [x, y, x + chance.randrange(10, 80), y + chance.randrange(10, 80)]


def measure(folder: Path, name: str, form: str, scratch: Path, runs: int) -> tuple[float, float]:
    """Least processor time and the memory of scoring in a process of its own."""
    command = [sys.executable, "-c", CHILD, str(folder / "anno"), str(folder / name), str(scratch / "scored"), form]
    found = [tuple(map(float, subprocess.check_output(command, text=True).split())) for _ in range(runs)]
    return min((took, memory) for took, memory in found)


if __name__ == "__main__":
    main()
