"""LRU cache of rendered pictures as base64 JPEG."""

from __future__ import annotations

import base64
from collections import OrderedDict

from sightline.suites.remote_sensing.generator.questions.base import ImageRef
from sightline.suites.remote_sensing.generator.questions.changes import AFTER, BEFORE, change_of, scene_at
from sightline.suites.remote_sensing.generator.render.light import light_of
from sightline.suites.remote_sensing.generator.render.picture import render
from sightline.suites.remote_sensing.generator.render.sensor import to_jpeg

MAX_CACHED = 80


class PictureCache:
    """The pictures of one dataset, rendered on demand."""

    def __init__(self, seed: int, size: int) -> None:
        self._seed, self._size = seed, size
        self._cached: OrderedDict[ImageRef, str] = OrderedDict()

    def jpeg(self, image_ref: ImageRef) -> bytes:
        """The picture as JPEG bytes."""
        scene = scene_at(self._seed, image_ref.number, image_ref.date)
        light = light_of(self._seed, image_ref.number, int(image_ref.date == AFTER))
        return to_jpeg(render(scene, light, self._size, (self._seed, image_ref.number)))

    def base64(self, image_ref: ImageRef) -> str:
        """The picture as base64 text."""
        if image_ref.date == BEFORE and not change_of(self._seed, image_ref.number).built:
            # nothing is built later: the first date is identical to the scene of the other tasks
            image_ref = ImageRef(image_ref.number)
        if image_ref not in self._cached:
            self._cached[image_ref] = base64.b64encode(self.jpeg(image_ref)).decode("ascii")
            if len(self._cached) > MAX_CACHED:
                self._cached.popitem(last=False)
        self._cached.move_to_end(image_ref)
        return self._cached[image_ref]
