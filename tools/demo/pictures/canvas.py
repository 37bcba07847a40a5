"""A small drawing surface: flat shapes in 480 x 300 units, drawn large and scaled down to smooth their edges."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Sequence

from PIL import Image, ImageDraw

WIDTH, HEIGHT, SCALE, COLOURS = 480, 300, 4, 96
Point = tuple[float, float]

SKY, DUSK, NIGHT, CLOUD, SUN = "#BFD9E6", "#E9C9B4", "#31405C", "#F1F4F2", "#F6E7B4"
SEA, DEEP, FOAM, SAND, WET = "#7FAFC0", "#5E93A8", "#E4EFEF", "#E6D3AA", "#D6BF92"
GRASS, MEADOW, LEAF, PINE, FOREST = "#93AE7B", "#A9BF8C", "#7E9B72", "#5B7F68", "#486A58"
ROCK, STONE, PALE, PATH, SOIL = "#8FA9B0", "#B9AFA0", "#D9D3C7", "#C9A77A", "#8A6A4F"
ROAD, KERB, WALL, BRICK, WOOD, DARKWOOD = "#6F7378", "#C9C5BC", "#EADFCB", "#B5705A", "#B98B5E", "#7F5C40"
INK, WHITE, SNOW, GREY, STEEL = "#2E2C2A", "#FBF9F4", "#F2F5F5", "#A7A9A8", "#7D868C"
RED, ORANGE, YELLOW, GREEN, BLUE, NAVY, PURPLE, PINK = (
    "#C8503F", "#E08A4A", "#EBC25C", "#5E9A6E", "#5C8FB8", "#34506E", "#86689C", "#E3A3A6")  # fmt: skip
SKIN, TAN, BROWN, DARK = "#E8B793", "#C98F64", "#8E5B3C", "#4A342A"


class Canvas:
    """The surface of a picture; coordinates and sizes are in its 480 x 300 units, y downwards."""

    def __init__(self, background: str) -> None:
        self.image = Image.new("RGB", (WIDTH * SCALE, HEIGHT * SCALE), background)
        self.draw = ImageDraw.Draw(self.image)

    def rect(self, x: float, y: float, width: float, height: float, colour: str, radius: float = 0) -> None:
        """Draw a rectangle, given its top left corner and size."""
        box = [v * SCALE for v in (x, y, x + width, y + height)]
        self.draw.rounded_rectangle(box, radius * SCALE, fill=colour)

    def oval(self, x: float, y: float, rx: float, ry: float | None, colour: str) -> None:
        """Draw an ellipse, given its centre and radii; a circle if the second radius is None."""
        ry = rx if ry is None else ry
        self.draw.ellipse([v * SCALE for v in (x - rx, y - ry, x + rx, y + ry)], fill=colour)

    def pie(self, x: float, y: float, radius: float, start: float, end: float, colour: str) -> None:
        """Draw a slice of a circle, in degrees clockwise from three o'clock."""
        self.draw.pieslice([v * SCALE for v in (x - radius, y - radius, x + radius, y + radius)], start, end, colour)

    def poly(self, points: Iterable[Point], colour: str) -> None:
        """Draw a polygon."""
        self.draw.polygon([(x * SCALE, y * SCALE) for x, y in points], fill=colour)

    def line(self, points: Sequence[Point], colour: str, width: float) -> None:
        """Draw a line with round joints and ends."""
        scaled = [(x * SCALE, y * SCALE) for x, y in points]
        self.draw.line(scaled, fill=colour, width=max(1, round(width * SCALE)))
        for x, y in points:
            self.oval(x, y, width / 2, None, colour)

    def curve(self, points: Sequence[Point], colour: str, width: float) -> None:
        """Draw a smooth line through the points."""
        self.line(smooth(points), colour, width)

    def blob(self, points: Sequence[Point], colour: str) -> None:
        """Draw a smooth closed shape through the points."""
        self.poly(smooth([*points, *points[:3]], closed=True), colour)

    def land(self, points: Sequence[Point], colour: str) -> None:
        """Draw a smooth ridge from the left edge to the right, filled down to the bottom edge."""
        self.poly([(-5, HEIGHT + 5), *smooth(points), (WIDTH + 5, HEIGHT + 5)], colour)

    def ring(self, x: float, y: float, radius: float, colour: str, width: float) -> None:
        """Draw the outline of a circle."""
        box = [v * SCALE for v in (x - radius, y - radius, x + radius, y + radius)]
        self.draw.ellipse(box, outline=colour, width=round(width * SCALE))

    def png(self) -> bytes:
        """Return the picture, scaled down and with few colours."""
        small = self.image.resize((WIDTH, HEIGHT), Image.Resampling.BOX)
        few = small.quantize(COLOURS, method=Image.Quantize.MEDIANCUT, dither=Image.Dither.NONE)
        out = io.BytesIO()
        few.save(out, "PNG", optimize=True)
        return out.getvalue()


def smooth(points: Sequence[Point], closed: bool = False, steps: int = 12) -> list[Point]:
    """Return points on a Catmull-Rom curve through the given ones.

    If it is `closed`, the last three must repeat the first three.
    """
    if not closed:
        points = [points[0], *points, points[-1]]
    made: list[Point] = []
    for p0, p1, p2, p3 in zip(points, points[1:], points[2:], points[3:], strict=False):
        for step in range(steps):
            t = step / steps
            x, y = (_spline(a, b, c, d, t) for a, b, c, d in zip(p0, p1, p2, p3, strict=True))
            made.append((x, y))
    return made if closed else [*made, points[-2]]


def _spline(a: float, b: float, c: float, d: float, t: float) -> float:
    return 0.5 * (2 * b + (c - a) * t + (2 * a - 5 * b + 4 * c - d) * t**2 + (3 * b - a - 3 * c + d) * t**3)


def around(x: float, y: float, radius: float, degrees: float) -> Point:
    """Return the point at this distance from (x, y) and this angle, clockwise from three o'clock."""
    return x + radius * math.cos(math.radians(degrees)), y + radius * math.sin(math.radians(degrees))
