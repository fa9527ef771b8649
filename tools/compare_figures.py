"""Compare every figure of two versions of Sightline to the last digit.

    python tools/compare_figures.py OLD_CHECKOUT NEW_CHECKOUT [--work DIR] [--suite NAME] [--strict]

The old version makes data and replies (see `comparison_cases.py`), and both versions score the same bytes in every way
there is: run folders graded again, saved replies, annotation and output files, single samples. Exit code 0: no
difference but those listed in `KNOWN`; 1: other differences.

With `--strict` known differences count as well. Use it with an old version in which the known defects are repaired,
such as commit d1f38d9: version 1 cannot show whether the figures that `KNOWN` excepts are right in the new version.

Only the command line, the public names of the package and the files of a run folder are used, so that modules may move.
"""

from __future__ import annotations

import argparse
import json
import math
import re
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from time import monotonic
from typing import Any, NamedTuple

import duckdb
from comparison_cases import SUITES, Preparation, Version, Way

MISSING = "(missing)"

# The names that versions of the files use, current one first. A renamed field is added here and nowhere else.
NAMES: dict[str, tuple[str, ...]] = {
    "statuses": ("statuses", "states"),
    "status": ("status", "state"),
    "baselines": ("baselines", "controls"),
    "baseline": ("baseline", "control"),
}
STATUSES = {"ok": "answered"}  # as version 1 writes it
REPORT_FIELDS = ("samples", "pending")
ESTIMATE_FIELDS = ("value", "low", "high", "n", "clusters", "unparsed", "failed", "invalid", "floor", "ceiling")
GRADE_FIELDS = ("task", "status", "score", "last_score", "best_score", "attempts", "weight")


class Key(NamedTuple):
    """The address of one figure in a report or in a grades table."""

    scope: str
    name: str
    metric: str
    field: str


class Known(NamedTuple):
    """Differences that are expected, because version 1 has a defect. Patterns must match in full."""

    ways: str
    key: str  # pattern for `scope name metric field`
    accept: Callable[[Any, Any], bool]  # whether the old and the new value can differ for this reason
    reason: str


def are_numbers(old: Any, new: Any) -> bool:
    """Whether there is a number before and after."""
    return isinstance(old, int | float) and isinstance(new, int | float)


def is_rounding(old: Any, new: Any) -> bool:
    """Whether two numbers differ in the last digits only."""
    return are_numbers(old, new) and math.isclose(old, new, rel_tol=1e-12)


def is_near(old: Any, new: Any) -> bool:
    """Whether two ends of an interval differ by no more than the chance of a bootstrap."""
    return are_numbers(old, new) and math.isclose(old, new, rel_tol=0.1, abs_tol=0.25)


def is_added(old: Any, new: Any) -> bool:
    """Whether there is a figure where there was none."""
    return old in (None, MISSING) and isinstance(new, float)


# fmt: off
KNOWN = [
    Known(r".*", r".*(low|high|_interval\.[01])", is_rounding,
          "version 1 computes Student quantiles and bootstrap totals with BLAS, whose last digits depend on the CPU"),
    Known(r"remote-sensing/.*", r"task \S+ \S+ (floor|ceiling)", is_added,
          "version 1 has no bounds for means such as mIoU and ROUGE-L"),
    Known(r"remote-sensing/(run.*|replies)", r"task \S+ (cider|count_mae|mae|rmse) (low|high)", is_near,
          "version 1 hashes the clusters of a live run unlike those of files, so the bootstrap draws other clusters"),
    Known(r"remote-sensing/run-failed", r"(overall|level|task) .* (failed|floor|ceiling)", are_numbers,
          "version 1 drops failed requests from the rows of a live run"),
    Known(r"remote-sensing/run-sampled", r"sample \S+ grade weight|(overall|level) .* (value|low|high|floor|ceiling)",
          are_numbers, "version 1 drops the sampling weights of a live run"),
    Known(r"remote-sensing/run-coords", r".*", lambda old, new: True,
          "version 1 drops the picture sizes of a live run: shapes in another coordinate space are invalid"),
    Known(r"remote-sensing/score-one", r"sample \S+ macro_\w+ value", is_added,
          "version 1 has no macro averages of a single sample"),
    Known(r"remote-sensing/score-one", r"sample \S+ error value", lambda old, new: new == "unknown label",
          "version 1 does not take the label of a single sample for the set of known labels"),
]
# fmt: on


def get_field(record: dict[str, Any], name: str) -> Any:
    """Look up a field under any of its names."""
    return next((record[known] for known in NAMES.get(name, (name,)) if known in record), MISSING)


def read_report(path: Path) -> dict[Key, Any]:
    """Read all figures of a `report.json`."""
    report = json.loads(path.read_text("utf-8"))
    figures = {Key("report", "", "", field): get_field(report, field) for field in REPORT_FIELDS}
    for status, count in get_field(report, "statuses").items():
        figures[Key("report", "", "statuses", STATUSES.get(status, status))] = count
    for name, value in get_field(report, "baselines").items():
        figures[Key("report", "", "baselines", name)] = value
    for row in report["rows"]:
        place = (row["scope"], row["name"], row["metric"])
        for field in ESTIMATE_FIELDS:
            figures[Key(*place, field)] = get_field(row["estimate"], field)
        if baseline := get_field(row, "baseline"):
            figures[Key(*place, "baseline")] = get_field(baseline, "value")
            figures[Key(*place, "skill")] = get_field(baseline, "skill")
    for table in report["breakdowns"]:
        for number, row in enumerate(table["rows"]):
            for column, cell in zip(table["head"], row, strict=True):
                figures[Key("breakdown", table["task"], f"{table['name']}[{number}]", column)] = cell
    for name, value in iterate_leaves(get_field(report, "digest"), ""):
        figures[Key("digest", "", "", re.sub(r"\bwhy$", "reason", name))] = value
    return figures


def iterate_leaves(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the numbers and texts inside nested JSON, each with its path."""
    if isinstance(value, dict | list):
        for name, item in value.items() if isinstance(value, dict) else enumerate(value):
            yield from iterate_leaves(item, f"{path}.{name}".lstrip("."))
    else:
        yield path, value


def read_grades(path: Path) -> dict[Key, Any]:
    """Read status and scores of each sample from a `grades.parquet`."""
    with duckdb.connect() as connection:
        relation = connection.read_parquet(str(path))
        rows = [dict(zip(relation.columns, row, strict=True)) for row in relation.fetchall()]
    figures: dict[Key, Any] = {Key("grades", "", "", "rows"): len(rows)}
    for row in rows:
        for field in GRADE_FIELDS:
            value = get_field(row, field)
            figures[Key("sample", row["sample"], "grade", field)] = STATUSES.get(value, value)
    return figures


def read_results(folder: Path) -> dict[str, dict[Key, Any]]:
    """Read the figures of all models that were scored into a folder, by model."""
    results = {}
    for report in sorted(folder.rglob("report.json")):
        is_run = "_" in report.parent.name  # run folders have a name with the time
        name = "" if is_run or report.parent.parent != folder / "models" else report.parent.name
        results[name] = read_report(report) | read_grades(report.with_name("grades.parquet"))
    for scores in sorted(folder.glob("score_one.json")):
        leaves = iterate_leaves(json.loads(scores.read_text("utf-8")), "")
        results[""] = {Key("sample", *name.partition(".")[::2], "value"): value for name, value in leaves}
    return results


def is_equal(old: Any, new: Any) -> bool:
    """Whether two figures agree to the last digit; the average of nothing equals itself."""
    if isinstance(old, float) and isinstance(new, float) and math.isnan(old):
        return math.isnan(new)
    return bool(old == new)


def find_reason(title: str, key: Key, old: Any, new: Any) -> str | None:
    """Find the known defect that explains a difference."""
    text = " ".join(key)
    for known in KNOWN:
        if re.fullmatch(known.ways, title) and re.fullmatch(known.key, text) and known.accept(old, new):
            return known.reason
    return None


def score(way: Way, version: Version) -> dict[str, dict[Key, Any]] | str:
    """Score with a version and read its figures, by model; a message where that failed."""
    try:
        return read_results(way.score(version))
    except (RuntimeError, LookupError, ValueError, TypeError, OSError, duckdb.Error) as error:
        return f"{version.name} version failed: {type(error).__name__}: {error}"


def main() -> int:
    """Prepare, score with both versions, compare, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("old", type=Path, help="checkout of the version whose figures are right")
    parser.add_argument("new", type=Path, help="checkout of the version to check")
    parser.add_argument("--work", type=Path, help="new folder to keep all files in; default: a temporary one")
    parser.add_argument("--suite", action="append", choices=SUITES, help="only this suite; may be repeated")
    parser.add_argument("--strict", action="store_true", help="accept no known difference")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="compare-figures-") as temporary:
        work = (arguments.work or Path(temporary)).resolve()
        old = Version("old", arguments.old.resolve(), work)
        new = Version("new", arguments.new.resolve(), work)
        start = monotonic()
        preparation = Preparation(old, work)
        with ThreadPoolExecutor(2) as pool:
            list(pool.map(preparation.add_suite, arguments.suite or SUITES))
            ways = sorted(preparation.ways, key=lambda way: way.title)
            print(f"prepared {len(ways)} ways of scoring in {monotonic() - start:.0f} s", flush=True)
            pending = [(way, pool.submit(score, way, old), pool.submit(score, way, new)) for way in ways]
            results = [(way.title, a.result(), b.result()) for way, a, b in pending]
    code = print_comparison(results, arguments.strict)
    print(f"{monotonic() - start:.0f} s")
    return code


def print_comparison(results: list[tuple[str, Any, Any]], is_strict: bool) -> int:
    """Print the table and every difference; return the exit code."""
    columns = ("figures", "equal", "known", "different")
    known: dict[str, list[str]] = {}
    unexpected: list[str] = []
    total = Counter[str]()
    print(f"{'suite/way':<36}" + "".join(f"{column:>11}" for column in columns))
    for title, old, new in results:
        counts = Counter[str]()
        failures = [f"{title}: {result}" for result in (old, new) if isinstance(result, str)]
        if failures:
            counts["different"] += len(failures)
            unexpected += failures
            old = new = {}
        for model in sorted(old.keys() | new.keys()):
            old_figures, new_figures = old.get(model, {}), new.get(model, {})
            for key in sorted(old_figures.keys() | new_figures.keys()):
                before, after = old_figures.get(key, MISSING), new_figures.get(key, MISSING)
                counts["figures"] += 1
                if is_equal(before, after):
                    counts["equal"] += 1
                    continue
                place = " ".join(part or "-" for part in (f"{title}{':' if model else ''}{model}", *key))
                reason = None if is_strict else find_reason(title, key, before, after)
                counts["known" if reason else "different"] += 1
                lines = known.setdefault(reason, []) if reason else unexpected
                lines.append(f"{place}: {before!r} -> {after!r}")
        total += counts
        print(f"{title:<36}" + "".join(f"{counts[column]:>11}" for column in columns))
    print(f"{'total':<36}" + "".join(f"{total[column]:>11}" for column in columns))
    for reason, lines in known.items():
        print(f"\nKnown: {reason} ({len(lines)})", *lines, sep="\n  ")
    if unexpected:
        print(f"\nUnexpected differences ({len(unexpected)})", *unexpected, sep="\n  ")
    return 1 if unexpected or not total["figures"] else 0


if __name__ == "__main__":
    sys.exit(main())
