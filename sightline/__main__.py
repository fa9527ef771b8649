"""`python -m sightline` is `sightline`."""

import os
import sys

# `python -m` puts the current folder first on the search path, and that may be somebody's data set with a `json.py` in
# it. The console script does not have it there either. What Python and our package have imported before this line can't
# be helped: in a folder that is not trusted, `sightline` or `python -P -m sightline` are the safe ways.
if not sys.flags.safe_path and sys.path and sys.path[0] == os.getcwd():  # noqa: PTH109  # as Python spells it
    del sys.path[0]

from sightline.cli import main

main()
