"""Pictures come from the data set alone, and are pictures."""

from __future__ import annotations

from pathlib import Path

import pytest

from sightline.core.errors import MediaError
from sightline.core.records import Media
from sightline.reports.sample_view.media import MAX_MEDIA_BYTES, load_image
from tests.support.worlds import PIXEL


@pytest.mark.slow
def test_media_stay_inside_the_data_set_and_small(tmp_path: Path) -> None:
    data, outside = tmp_path / "data", tmp_path / "outside.png"
    data.mkdir()
    outside.write_bytes(PIXEL)
    (data / "inside.png").write_bytes(PIXEL)
    (data / "link.png").symlink_to(outside)
    with (data / "large.png").open("wb") as file:
        file.write(PIXEL)
        file.truncate(MAX_MEDIA_BYTES + 1)
    assert load_image(Media(kind="image", path=str(data / "inside.png")), data).width == 1
    for path in (outside, data / "link.png", data / ".." / "outside.png", data / "large.png", data / "gone.png", data):
        with pytest.raises(MediaError):
            load_image(Media(kind="image", path=str(path)), data)
