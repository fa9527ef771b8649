"""A scene as pixels: the still and the film."""
