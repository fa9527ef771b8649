"""The typed API: everything that the command line can do. Its public names are those of `sightline`."""
