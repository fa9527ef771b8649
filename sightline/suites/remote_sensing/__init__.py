"""Remote-sensing suite: nineteen tasks at image, region and pixel level."""

from sightline.suites.remote_sensing.suite import Options, RemoteSensingSuite

__all__ = ["Options", "RemoteSensingSuite"]
