"""A scene as an overhead picture.

canvas    shapes at twice the size of the picture
light     sun, season and sensor of one date
ground    terrain, roads, markings, trees, shadows
vehicles, ships, aircraft, buildings, grounds_for_sport   one painter a kind of thing
sensor    from the canvas to the picture: haze, blur, noise
picture   all of it
"""
