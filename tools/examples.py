"""Makes examples/remote-sensing anew: report, logs and plots of a generated set and two models.

python tools/examples.py

`careful` is the imperfect model that the generator writes; `hasty` gives the same answers but leaves every third empty.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from contextlib import chdir
from pathlib import Path

import sightline

OUT = Path(__file__).resolve().parents[1] / "examples" / "remote-sensing"
PLOTS = ("bars", "radar", "heatmap_careful", "by_size_horizontal_detection_careful")
PLOTS += ("by_count_horizontal_detection_careful", "confusion_pixel_class_careful")


def main() -> None:
    """Generate, score, and keep what is worth looking at."""
    sightline.set_language("en")
    with tempfile.TemporaryDirectory() as scratch, chdir(scratch):
        data, results = Path("scenes"), Path("eval_results")
        sightline.generate("remote-sensing", data, count=40, seed=1)
        make_hasty(data / "output", data / "hasty")
        models = {"careful": data / "output", "hasty": data / "hasty"}
        sightline.score(data / "anno", models, output_dir=str(results), vis=True)
        keep(results)


def make_hasty(outputs: Path, out: Path) -> None:
    """The outputs with every third reply left empty."""
    out.mkdir()
    for path in sorted(outputs.glob("*_output.*")):
        text = path.read_text(encoding="utf-8")
        whole = path.suffix == ".json"
        rows = json.loads(text) if whole else [json.loads(line) for line in text.split("\n") if line]
        for row in rows[::3]:
            row["model_output"] = ""
        lines = [json.dumps(row, ensure_ascii=False) for row in rows]
        (out / path.name).write_text(f"[{','.join(lines)}]" if whole else "\n".join(lines) + "\n", encoding="utf-8")


def keep(results: Path) -> None:
    """Reports and logs of one model, the comparison, and a choice of plots."""
    for old in OUT.iterdir():
        if old.name != "README.md":
            shutil.rmtree(old) if old.is_dir() else old.unlink()
    for name in ("comparison.csv", "comparison.md"):
        shutil.copy(results / name, OUT / name)
    for name in ("report.json", "report.csv", "report.md", "report.html", "error_log.txt", "invalid_sample_log.txt"):
        shutil.copy(results / "careful" / name, OUT / name)
    (OUT / "plots").mkdir()
    for name in PLOTS:
        shutil.copy(results / "plots" / f"{name}.png", OUT / "plots" / f"{name}.png")
    shutil.copy(results / "plots" / "radar.pdf", OUT / "plots" / "radar.pdf")


if __name__ == "__main__":
    main()
