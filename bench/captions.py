"""Time and memory of the caption metrics over columns, beside the COCO caption code on the same captions.

    python bench/captions.py [--samples 100000 1000000] [--special-share 0.3] [--threads 2] [--meteor] [--official 2000]

Made-up captions of 15 to 20 words, one reference each; a share of them has a hyphen, a number or an apostrophe. Every
arm runs in a process of its own. Counted are the target statistics, the state and the figures with their intervals, not
the making of captions; compiled kernels are taken from the cache. The peak is that of the Python process, which holds
all captions. The official code, which starts Java, gets fewer samples: its seconds at the larger sizes are extrapolated
in proportion, and marked with ~.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import random
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from itertools import accumulate, product
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

VOCABULARY = 5000
BATCH = 2000
FIGURES = ("bleu1", "bleu4", "rouge_l", "cider")


def peak_megabytes() -> float:
    """The process's own peak: ru_maxrss would show the parent's where that was larger at the fork."""
    lines = Path("/proc/self/status").read_text().splitlines()
    return int(next(line for line in lines if line.startswith("VmHWM")).split()[1]) / 1024


def captions(samples: int, special_share: float) -> tuple[list[str], list[str]]:
    """References and replies; few words are frequent and most are rare."""
    rng = random.Random(0)
    letters = ["".join(three) for three in product("bdfgklmnprstv", "aeiou", "lmnrst")]
    words = [rng.choice(letters) + rng.choice(letters) + rng.choice(["", "s", "ing"]) for _ in range(VOCABULARY)]
    cumulative = list(accumulate(1 / (rank + 3) for rank in range(VOCABULARY)))
    references, replies = [], []
    for _ in range(samples):
        reference = rng.choices(words, cum_weights=cumulative, k=rng.randint(15, 20))
        kept = [word for word in reference if rng.random() < 0.7]
        sides = (reference, kept + rng.choices(words, cum_weights=cumulative, k=4))
        for texts, side in zip((references, replies), sides, strict=True):
            special = rng.choice(["large-scale ", "12 ", "river's "]) if rng.random() < special_share else ""
            texts.append(f"{special}{' '.join(side[:6])}, {' '.join(side[6:])}.".capitalize())
    return references, replies


def ours(samples: int, special_share: float, threads: int, with_meteor: bool) -> dict[str, Any]:
    import numpy as np

    from sightline.data.columns import Batch, TextColumn
    from sightline.scoring.metrics.captions import CaptionState, CaptionTargetStatistics
    from sightline.scoring.metrics.state import MetricContext

    references, replies = map(TextColumn.of, captions(samples, special_share))
    rows = [np.arange(start, min(start + BATCH, samples)) for start in range(0, samples, BATCH)]
    mixed = np.arange(samples, dtype=np.uint64) * np.uint64(0x9E3779B97F4A7C15)
    started = time.perf_counter()

    def fitted(thread: int) -> CaptionTargetStatistics:
        statistics = CaptionTargetStatistics()
        for key in range(thread, len(rows), threads):
            statistics.add(references.take(rows[key]), key)
        return statistics

    with ThreadPoolExecutor(threads) as pool:
        statistics, *others = pool.map(fitted, range(threads))
        for other in others:
            statistics.merge(other)
        at_statistics = time.perf_counter() - started
        statistics.frequencies()
        at_frequencies = time.perf_counter() - started
        plan = MetricContext(target_statistics=statistics, metric_names=frozenset({"meteor"} if with_meteor else ()))

        def tallied(thread: int) -> CaptionState:
            state = CaptionState(plan)
            for key in range(thread, len(rows), threads):
                some, every = rows[key], np.ones(len(rows[key]), bool)
                state.count(Batch(references.take(some), replies.take(some), every, mixed[some], key))
            return state

        state, *more = pool.map(tallied, range(threads))
        for another in more:
            state.merge(another)
    at_tally = time.perf_counter() - started
    estimates = [
        state.bleu(1),
        state.bleu(4),
        state.rouge_l(),
        state.cider(),
        *([state.meteor()] if with_meteor else []),
    ]
    total = time.perf_counter() - started
    steps = {
        "statistics": at_statistics,
        "frequencies": at_frequencies - at_statistics,
        "state": at_tally - at_frequencies,
        "intervals": total - at_tally,
    }
    return {
        "seconds": total,
        "steps": steps,
        "figures": [estimate.value for estimate in estimates],
        "peak": peak_megabytes(),
    }


def official(samples: int, special_share: float, threads: int, with_meteor: bool) -> dict[str, Any]:
    from pycocoevalcap.bleu.bleu import Bleu
    from pycocoevalcap.cider.cider import Cider
    from pycocoevalcap.meteor.meteor import Meteor
    from pycocoevalcap.rouge.rouge import Rouge
    from pycocoevalcap.tokenizer.ptbtokenizer import PTBTokenizer

    references, replies = captions(samples, special_share)
    started = time.perf_counter()
    with contextlib.redirect_stdout(io.StringIO()):
        truths, answers = (
            PTBTokenizer().tokenize({place: [{"caption": text}] for place, text in enumerate(texts)})
            for texts in (references, replies)
        )
        bleu, _ = Bleu().compute_score(truths, answers)
        figures = [
            bleu[0],
            bleu[3],
            Rouge().compute_score(truths, answers)[0],
            Cider().compute_score(truths, answers)[0],
        ]
        if with_meteor:
            figures.append(Meteor().compute_score(truths, answers)[0])
    seconds = time.perf_counter() - started
    return {"seconds": seconds, "figures": [float(value) for value in figures], "peak": peak_megabytes()}


ARMS = {"ours": ours, "official": official}


def measure(arm: str, samples: int, args: argparse.Namespace) -> dict[str, Any]:
    """What one arm says in a process of its own."""
    command = [sys.executable, __file__, "--arm", arm, "--samples", str(samples)]
    command += ["--special-share", str(args.special_share), "--threads", str(args.threads)]
    command += ["--meteor"] if args.meteor else []
    environment = {**os.environ, "NUMBA_NUM_THREADS": "1"}
    done = subprocess.run(command, capture_output=True, text=True, env=environment)
    if done.returncode:
        raise SystemExit(done.stderr)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def show(arm: str, samples: int, found: dict[str, Any]) -> None:
    steps = ", ".join(f"{name} {taken:.2f}" for name, taken in found.get("steps", {}).items())
    print(
        f"{arm:<9}{samples:>10,} samples {found['seconds']:8.2f} s, peak {found['peak']:.0f} MB  ({steps})",
        flush=True,
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--samples", type=int, nargs="+", default=[100_000])
    parser.add_argument("--special-share", type=float, default=0.3)
    parser.add_argument("--threads", type=int, default=2)
    parser.add_argument("--meteor", action="store_true")
    parser.add_argument("--official", type=int, default=0, help="samples that the official code gets")
    parser.add_argument("--arm", default="")
    args = parser.parse_args()
    if args.arm:
        print(json.dumps(ARMS[args.arm](args.samples[0], args.special_share, args.threads, args.meteor)))
        return
    for size in args.samples:
        show("ours", size, measure("ours", size, args))
    if args.official:
        mine, theirs = measure("ours", args.official, args), measure("official", args.official, args)
        show("official", args.official, theirs)
        for size in args.samples:
            print(f"official {size:>10,} samples ~{theirs['seconds'] * size / args.official:.0f} s")
        apart = max(abs(a - b) for a, b in zip(mine["figures"], theirs["figures"], strict=True))
        print(f"largest difference of a figure at {args.official:,} samples: {apart:.1e}")


if __name__ == "__main__":
    main()
