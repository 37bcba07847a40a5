"""Backdrops and scenery: skies, land, water, trees, houses, rooms."""

from __future__ import annotations

from collections.abc import Sequence

from tools.demo.pictures import canvas as k
from tools.demo.pictures.canvas import Canvas, Point


def sun(c: Canvas, x: float, y: float, radius: float = 24, colour: str = k.SUN) -> None:
    c.oval(x, y, radius, None, colour)


def cloud(c: Canvas, x: float, y: float, size: float = 1.0, colour: str = k.CLOUD) -> None:
    for dx, dy, r in ((-20, 2, 10), (-7, -4, 14), (10, -1, 12), (22, 4, 8)):
        c.oval(x + dx * size, y + dy * size, r * size, None, colour)
    c.rect(x - 29 * size, y + 1 * size, 59 * size, 11 * size, colour, 5 * size)


def stars(c: Canvas) -> None:
    for x, y in (
        (30, 40),
        (75, 22),
        (120, 62),
        (168, 30),
        (210, 54),
        (262, 20),
        (300, 66),
        (402, 28),
        (440, 76),
        (56, 88),
    ):
        c.oval(x, y, 1.3, None, "#E9E4CF")


def gull(c: Canvas, x: float, y: float, size: float = 1.0, colour: str = k.WHITE) -> None:
    c.curve(
        [
            (x - 10 * size, y - 3 * size),
            (x - 4 * size, y - 6 * size),
            (x, y),
            (x + 4 * size, y - 6 * size),
            (x + 10 * size, y - 3 * size),
        ],
        colour,
        2.2 * size,
    )


def mountains(c: Canvas, base: float, peaks: Sequence[Point], colour: str = k.ROCK, snow: bool = True) -> None:
    for x, top in peaks:
        half = (base - top) * 1.05
        c.poly([(x - half, base), (x, top), (x + half, base)], colour)
        if snow:
            cap = (base - top) * 0.24
            c.poly(
                [
                    (x - cap * 1.05, top + cap),
                    (x, top),
                    (x + cap * 1.05, top + cap),
                    (x + cap * 0.4, top + cap * 0.8),
                    (x, top + cap * 1.15),
                    (x - cap * 0.45, top + cap * 0.8),
                ],
                k.SNOW,
            )


def water(c: Canvas, top: float, colour: str = k.SEA, ripple: str = k.DEEP) -> None:
    c.rect(0, top, k.WIDTH, k.HEIGHT - top, colour)
    for i, x in enumerate((30, 150, 280, 395, 90, 220, 340, 440)):
        y = top + 14 + (i * 23) % max(30, (k.HEIGHT - top - 24))
        c.line([(x, y), (x + 34, y)], ripple, 1.8)


def tree(c: Canvas, x: float, y: float, size: float = 1.0, leaf: str = k.LEAF, trunk: str = k.DARKWOOD) -> None:
    c.rect(x - 4 * size, y - 40 * size, 8 * size, 40 * size, trunk)
    for dx, dy, r in ((-16, -52, 20), (16, -54, 20), (0, -72, 24), (0, -48, 22)):
        c.oval(x + dx * size, y + dy * size, r * size, None, leaf)


def pine(c: Canvas, x: float, y: float, size: float = 1.0, colour: str = k.PINE, snowy: bool = False) -> None:
    c.rect(x - 3 * size, y - 10 * size, 6 * size, 10 * size, k.DARKWOOD)
    for level in range(3):
        low, wide = y - (8 + 18 * level) * size, (24 - 6 * level) * size
        c.poly([(x - wide, low), (x, low - 32 * size), (x + wide, low)], colour)
        if snowy:
            c.poly(
                [(x - wide * 0.45, low - 18 * size), (x, low - 32 * size), (x + wide * 0.45, low - 18 * size)], k.SNOW
            )


def tuft(c: Canvas, x: float, y: float, colour: str = k.LEAF, size: float = 1.0) -> None:
    for dx, dy in ((-5, -8), (0, -11), (5, -8)):
        c.line([(x, y), (x + dx * size, y + dy * size)], colour, 2 * size)


def fence(c: Canvas, x0: float, x1: float, y: float, colour: str = k.WOOD, height: float = 42) -> None:
    for rail in (0.25, 0.65):
        c.rect(x0, y - height * (1 - rail), x1 - x0, 5, colour)
    x = x0
    while x <= x1:
        c.rect(x - 3.5, y - height, 7, height, colour, 2)
        x += 44


def house(c: Canvas, x: float, y: float, width: float, height: float, wall: str, roof: str, lit: bool = False) -> None:
    c.rect(x, y - height, width, height, wall)
    c.poly([(x - 6, y - height), (x + width / 2, y - height - width * 0.42), (x + width + 6, y - height)], roof)
    pane = k.YELLOW if lit else k.FOAM
    c.rect(x + width * 0.16, y - height * 0.72, width * 0.24, height * 0.32, pane)
    c.rect(x + width * 0.58, y - height * 0.62, width * 0.24, height * 0.62, k.DARKWOOD)


def block(c: Canvas, x: float, y: float, width: float, height: float, colour: str, pane: str = k.FOAM) -> None:
    c.rect(x, y - height, width, height, colour)
    columns, rows = max(1, int(width // 18)), max(1, int((height - 14) // 24))
    gap = width / columns
    for row in range(rows):
        for column in range(columns):
            c.rect(x + gap * (column + 0.5) - 4, y - height + 12 + row * 24, 8, 12, pane)


def skyline(c: Canvas, y: float, colours: Sequence[str], pane: str = k.FOAM) -> None:
    sizes = ((0, 66, 118), (64, 54, 158), (116, 70, 104), (184, 52, 140), (234, 62, 174), (294, 58, 122), (350, 66,
            150),
             (414, 70, 110))  # fmt: skip
    for index, (x, width, height) in enumerate(sizes):
        block(c, x, y, width + 2, height, colours[index % len(colours)], pane)


def road(c: Canvas, top: float, walk: float = 26) -> None:
    c.rect(0, top - walk, k.WIDTH, walk, k.KERB)
    c.rect(0, top, k.WIDTH, k.HEIGHT - top, k.ROAD)
    for x in range(10, k.WIDTH, 70):
        c.rect(x, (top + k.HEIGHT) / 2 + 6, 36, 4, "#D8D4C8")


def room(c: Canvas, wall: str, floor: str, line: float = 214) -> None:
    c.rect(0, 0, k.WIDTH, line, wall)
    c.rect(0, line, k.WIDTH, k.HEIGHT - line, floor)
    c.rect(0, line - 6, k.WIDTH, 6, k.WHITE)


def window(c: Canvas, x: float, y: float, width: float, height: float, view: str = k.SKY, curtains: str = "") -> None:
    c.rect(x - 6, y - 6, width + 12, height + 12, k.WHITE)
    c.rect(x, y, width, height, view)
    if curtains:
        c.blob(
            [
                (x - 14, y - 8),
                (x + 18, y - 8),
                (x + 14, y + height * 0.6),
                (x - 2, y + height + 10),
                (x - 16, y + height + 10),
            ],
            curtains,
        )
        c.blob(
            [
                (x + width + 14, y - 8),
                (x + width - 18, y - 8),
                (x + width - 14, y + height * 0.6),
                (x + width + 2, y + height + 10),
                (x + width + 16, y + height + 10),
            ],
            curtains,
        )


def bars(c: Canvas, x: float, y: float, width: float, height: float) -> None:
    c.rect(x + width / 2 - 2.5, y, 5, height, k.WHITE)
    c.rect(x, y + height / 2 - 2.5, width, 5, k.WHITE)


def frame(c: Canvas, x: float, y: float, width: float, height: float, art: str = k.SKY) -> None:
    c.rect(x, y, width, height, k.DARKWOOD)
    c.rect(x + 5, y + 5, width - 10, height - 10, k.WHITE)
    c.rect(x + 10, y + 10, width - 20, height - 20, art)
    c.poly(
        [(x + 10, y + height - 10), (x + width * 0.45, y + height * 0.45), (x + width - 10, y + height - 10)], k.LEAF
    )


def lamp(c: Canvas, x: float, y: float, height: float = 70, shade: str = k.SUN) -> None:
    c.rect(x - 14, y - 5, 28, 5, k.DARKWOOD, 2)
    c.line([(x, y - 4), (x, y - height + 10)], k.DARKWOOD, 4)
    c.poly(
        [(x - 26, y - height + 26), (x - 14, y - height - 8), (x + 14, y - height - 8), (x + 26, y - height + 26)],
        shade,
    )


def plant(c: Canvas, x: float, y: float, size: float = 1.0, pot: str = k.BRICK) -> None:
    for dx, dy in ((-26, -46), (-12, -62), (6, -66), (22, -54), (30, -36), (-30, -28)):
        c.curve(
            [(x, y - 18 * size), (x + dx * 0.4 * size, y + dy * 0.7 * size), (x + dx * size, y + dy * size)],
            k.GREEN,
            7 * size,
        )
    c.poly(
        [(x - 16 * size, y - 24 * size), (x + 16 * size, y - 24 * size), (x + 11 * size, y), (x - 11 * size, y)], pot
    )
