"""Fair samples of large sets, near-duplicates of pictures, and where a score falls to half."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from sightline.core.errors import UsageError
from sightline.core.records import Invalid, Sample
from sightline.data.near_duplicates import find_near_duplicates
from sightline.data.selection import allocate, draw_stratified
from sightline.stats.boundary import boundary, falling_fit
from tests.support.peers import Peer

sklearn_isotonic = Peer("sklearn.isotonic")


def samples(sizes: dict[str, int], backwards: bool = False) -> Iterator[tuple[int, Sample | Invalid]]:
    made = [(name, number) for name, size in sizes.items() for number in range(size)]
    for position, (name, number) in enumerate(reversed(made) if backwards else made):
        yield position, Sample(id=f"{name}{number}", task="t", question="?", target=1, tags={"cell": name})


def test_small_strata_in_full_others_by_share_weighted_back() -> None:
    sizes = {"rare": 3, "common": 100, "huge": 1000}
    drawn = [
        sample for _, sample in draw_stratified(lambda: samples(sizes), 63, ("cell",), 0) if isinstance(sample, Sample)
    ]
    assert Counter(sample.tags["cell"] for sample in drawn) == {"rare": 3, "common": 30, "huge": 30}
    weights = Counter[str]()
    for sample in drawn:
        weights[sample.tags["cell"]] += sample.weight  # type: ignore[assignment]
    assert dict(weights) == pytest.approx(sizes)


def test_the_draw_depends_on_ids_and_seed_alone() -> None:
    sizes = {"a": 50, "b": 70}
    names = [
        {sample.id for _, sample in draw_stratified(partial(samples, sizes, backwards), 20, ("cell",), seed)}
        for seed, backwards in ((0, False), (0, True), (1, False))
    ]
    assert names[0] == names[1] != names[2]
    larger = {sample.id for _, sample in draw_stratified(lambda: samples(sizes), 40, ("cell",), 0)}
    assert names[0] < larger


def test_a_missing_tag_is_reported() -> None:
    with pytest.raises(UsageError, match="cell"):
        list(draw_stratified(lambda: samples({"a": 3}), 2, ("sell",), 0))


@given(st.dictionaries(st.tuples(st.text(max_size=2)), st.integers(1, 40), min_size=1, max_size=6), st.integers(0, 200))
def test_allocation_is_complete_and_no_stratum_exceeds_its_size(sizes: dict[tuple[str, ...], int], size: int) -> None:
    shares = allocate(sizes, size)
    assert sum(shares.values()) == min(size, sum(sizes.values()))
    assert all(shares[name] <= sizes[name] for name in sizes)
    full = [shares[name] for name in sizes if shares[name] < sizes[name]]
    assert not full or max(full) - min(full) <= 1


def test_copies_are_found_and_others_are_not(tmp_path: Path) -> None:
    chance = np.random.default_rng(0)
    for folder in ("ours", "theirs"):
        (tmp_path / folder).mkdir()
    for number in range(6):
        noise = Image.fromarray(chance.integers(0, 255, (12, 12, 3), np.uint8)).resize((240, 240))
        noise.save(tmp_path / "ours" / f"{number}.png")
        if number < 2:  # two of them were taken, made smaller and compressed
            noise.resize((170, 170)).save(tmp_path / "theirs" / f"{number}.jpg", quality=60)
    Image.fromarray(chance.integers(0, 255, (12, 12, 3), np.uint8)).save(tmp_path / "theirs" / "other.png")
    (tmp_path / "theirs" / "broken.png").write_bytes(b"no picture")
    found = find_near_duplicates(tmp_path / "ours", tmp_path / "theirs")
    assert {(pair.ours.name, pair.theirs.name) for pair in found} == {("0.png", "0.jpg"), ("1.png", "1.jpg")}


@given(
    st.lists(st.floats(0, 1), min_size=1, max_size=6),
    st.lists(st.integers(1, 50), min_size=6, max_size=6),
)
def test_the_fit_is_that_of_isotonic_regression(means: list[float], weights: list[int]) -> None:
    weight = np.array(weights[: len(means)], float)
    theirs = sklearn_isotonic.IsotonicRegression(increasing=False).fit_transform(
        np.arange(len(means)), means, sample_weight=weight
    )
    assert falling_fit(np.array(means), weight) == pytest.approx(theirs, abs=1e-12)


@pytest.mark.parametrize(
    ("means", "level"),
    [((0.4, 0.3, 0.2, 0.1), 0), ((1, 0.9, 0.8, 0.5), 4), ((1, 0.75, 0.25, 0), 2.5), ((0.9, 0.3, 0.5, 0.1), 1.8)],
)
def test_where_it_falls_to_half(means: tuple[float, ...], level: float) -> None:
    assert boundary(np.array(means), np.ones(4)) == pytest.approx(level)


def test_levels_without_samples_take_no_part() -> None:
    assert boundary(np.array([1.0, 0, 0, 0]), np.array([1.0, 0, 0, 1])) == pytest.approx(2.5)
    assert np.isnan(boundary(np.zeros(4), np.zeros(4)))
