"""Technical drawings: one display list, rendered to PNG and to SVG alike.

    vectors      points, boxes, and local axes on a sheet
    shapes       what a display list holds: paths, arcs, discs, texts
    canvas       collects shapes; a `Drawing` is the finished list with its size
    fonts        which typeface writes a text, and how wide it runs
    png, svg     the two renderers
    supports     pin, roller, fixed and guided supports
    hinges       the circle of a hinge
    loads        force arrows, combs of distributed loads, moment arcs
    dimensions   dimension lines, chains, and angles
    labels       finds free places for texts

Coordinates are pixels of the picture: x to the right, y down. Angles are in degrees, counter-clockwise as one looks at
the picture, 0 pointing right. Nothing here knows what a drawing is about.
"""
