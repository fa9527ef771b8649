"""Technical drawings: one display list, rendered to PNG and to SVG alike.

vectors      points, boxes, and local axes on a sheet
canvas       shapes of a display list (paths, arcs, discs, texts) and the canvas that collects them
symbols      supports, hinges, loads, dimension lines and angles
labels       finds free places for texts
png, svg     the two renderers

Coordinates are pixels of the picture: x to the right, y down. Angles are in degrees, counter-clockwise as one looks at
the picture, 0 pointing right. Nothing here knows what a drawing is about.
"""
