"""The illustrations of the demo's scenes: flat, drawn by code, identical in every build."""

from __future__ import annotations

from tools.demo.pictures import fields, indoors, streets, travel, water
from tools.demo.pictures.canvas import Canvas


def picture(scene: str) -> bytes:
    """Return the PNG (480 x 300) of a scene by its id. Raises KeyError for a scene without a picture."""
    name = scene.replace("-", "_")
    for module in (water, fields, streets, travel, indoors):
        if name in vars(module):
            drawn: Canvas = vars(module)[name]()
            return drawn.png()
    raise KeyError(f"no picture of {scene!r}")
