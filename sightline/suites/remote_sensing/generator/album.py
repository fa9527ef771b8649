"""Pictures as they stand in the files: rendered when first asked for, the last few kept."""

from __future__ import annotations

import base64
from collections import OrderedDict

from sightline.suites.remote_sensing.generator.questions.base import Shot
from sightline.suites.remote_sensing.generator.questions.changes import AFTER, BEFORE, change_of, scene_at
from sightline.suites.remote_sensing.generator.render.light import light_of
from sightline.suites.remote_sensing.generator.render.picture import render
from sightline.suites.remote_sensing.generator.render.sensor import to_jpeg

AT_HAND = 80


class Album:
    """The pictures of one data set."""

    def __init__(self, seed: int, size: int) -> None:
        self._seed, self._size = seed, size
        self._kept: OrderedDict[Shot, str] = OrderedDict()

    def jpeg(self, shot: Shot) -> bytes:
        """The file's bytes."""
        scene = scene_at(self._seed, shot.number, shot.date)
        light = light_of(self._seed, shot.number, int(shot.date == AFTER))
        return to_jpeg(render(scene, light, self._size, (self._seed, shot.number)))

    def base64(self, shot: Shot) -> str:
        """The same as text."""
        if shot.date == BEFORE and not change_of(self._seed, shot.number).built:
            # nothing is missing yet: the first date is the scene as every other task shows it
            shot = Shot(shot.number)
        if shot not in self._kept:
            self._kept[shot] = base64.b64encode(self.jpeg(shot)).decode("ascii")
            if len(self._kept) > AT_HAND:
                self._kept.popitem(last=False)
        self._kept.move_to_end(shot)
        return self._kept[shot]
