"""A label that no truth has costs its sample the exact match, and no other label of the reply."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline import score
from tests.scoring.files.worlds import write_world

PAIRS = [("car;truck", "car;truck;zeppelin"), ("ship", "ship; UFO"), ("car", "car"), ("ship", "kite"), ("truck", "car")]


def test_macro_figures_with_unknown_labels_are_those_of_scikit_learn(tmp_path: Path) -> None:
    from sklearn.metrics import f1_score, precision_score, recall_score

    report = score(*write_world(tmp_path, {"图片分类": PAIRS}), output_dir=str(tmp_path / "r"))
    classes = sorted({label for truth, _ in PAIRS for label in truth.split(";")})
    truth, reply = (
        [[int(name in [part.strip() for part in pair[side].split(";")]) for name in classes] for pair in PAIRS]
        for side in (0, 1)
    )
    options = {"average": "macro", "zero_division": 0}
    assert report.value("图片分类", "macro_f1") == pytest.approx(f1_score(truth, reply, **options), abs=1e-12)
    assert report.value("图片分类", "macro_recall") == pytest.approx(recall_score(truth, reply, **options), abs=1e-12)
    assert precision_score(truth, reply, **options) < 1
    assert report.value("图片分类", "accuracy") == 0.2
    assert report.summary.statuses == {"answered": 4, "unparsed": 1}
    assert any("unknown label" in str(note) for note in report.summary.notes), report.summary.notes


def test_unknown_labels_alone_lower_no_class(tmp_path: Path) -> None:
    """The case of the report: 77.78 was shown where scikit-learn says 100."""
    pairs = [("a", "a"), ("b", "b"), ("c", "c; d")]
    report = score(*write_world(tmp_path, {"图片分类": pairs}), output_dir=str(tmp_path / "r"))
    assert report.value("图片分类", "macro_f1") == 1
    assert report.value("图片分类", "accuracy") == pytest.approx(2 / 3)
