"""Vehicles, boats, furniture and food."""

from __future__ import annotations

from tools.demo.pictures import canvas as k
from tools.demo.pictures.canvas import Canvas, around


def wheel(c: Canvas, x: float, y: float, radius: float, hub: str = k.GREY) -> None:
    c.oval(x, y, radius, None, k.INK)
    c.oval(x, y, radius * 0.45, None, hub)


def sailboat(c: Canvas, x: float, y: float, size: float, sail: str = k.WHITE) -> None:
    c.line([(x, y - 8 * size), (x, y - 118 * size)], k.DARKWOOD, 3 * size)
    c.poly([(x + 4 * size, y - 114 * size), (x + 4 * size, y - 18 * size), (x + 58 * size, y - 18 * size)], sail)
    c.poly([(x - 4 * size, y - 100 * size), (x - 4 * size, y - 18 * size), (x - 40 * size, y - 18 * size)], k.PALE)
    c.poly(
        [
            (x - 52 * size, y - 12 * size),
            (x + 64 * size, y - 12 * size),
            (x + 44 * size, y + 10 * size),
            (x - 38 * size, y + 10 * size),
        ],
        k.WHITE,
    )
    c.rect(x - 46 * size, y + 3 * size, 96 * size, 6 * size, k.NAVY, 3 * size)


def fishing_boat(c: Canvas, x: float, y: float, size: float, hull: str, cabin: str = k.WHITE) -> None:
    c.line([(x - 24 * size, y - 10 * size), (x - 24 * size, y - 80 * size)], k.DARKWOOD, 3 * size)
    c.line([(x - 24 * size, y - 74 * size), (x - 58 * size, y - 16 * size)], k.STEEL, 1.4 * size)
    c.rect(x - 8 * size, y - 46 * size, 36 * size, 38 * size, cabin, 3 * size)
    c.rect(x, y - 40 * size, 20 * size, 13 * size, k.ROCK, 2 * size)
    c.poly(
        [
            (x - 70 * size, y - 22 * size),
            (x + 60 * size, y - 14 * size),
            (x + 46 * size, y + 14 * size),
            (x - 50 * size, y + 14 * size),
        ],
        hull,
    )
    c.poly(
        [
            (x - 70 * size, y - 22 * size),
            (x + 60 * size, y - 14 * size),
            (x + 58 * size, y - 8 * size),
            (x - 67 * size, y - 15 * size),
        ],
        k.WHITE,
    )


def bicycle(c: Canvas, x: float, y: float, size: float, colour: str) -> None:
    """Draw a bicycle whose rear wheel touches the ground at (x, y)."""
    r = 28 * size
    rear, front = (x, y - r), (x + 92 * size, y - r)
    for hub in (rear, front):
        c.ring(*hub, r, k.INK, 4 * size)
        for turn in range(0, 180, 45):
            c.line([around(*hub, r - 3, turn), around(*hub, r - 3, turn + 180)], k.GREY, 0.8 * size)
    crank, seat, bar = (x + 40 * size, y - r), (x + 30 * size, y - 64 * size), (x + 82 * size, y - 68 * size)
    c.line([rear, seat, bar, crank, rear], colour, 5 * size)
    c.line([seat, crank], colour, 5 * size)
    c.line(
        [front, bar, (bar[0] - 2 * size, bar[1] - 16 * size), (bar[0] - 16 * size, bar[1] - 18 * size)],
        colour,
        5 * size,
    )
    c.line([(seat[0] - 12 * size, seat[1] - 8 * size), (seat[0] + 10 * size, seat[1] - 8 * size)], k.BROWN, 6 * size)
    c.line([seat, (seat[0] - 2 * size, seat[1] - 8 * size)], colour, 4 * size)


def bus(c: Canvas, x: float, y: float, colour: str) -> None:
    """Draw a double-decker bus with its wheels at y."""
    c.rect(x, y - 142, 210, 130, colour, 10)
    for level in (y - 128, y - 74):
        for column in range(5):
            c.rect(x + 12 + column * 38, level, 31, 28, k.FOAM, 3)
    c.rect(x, y - 92, 210, 6, k.WHITE)
    c.rect(x + 178, y - 74, 24, 56, k.ROCK, 3)
    c.oval(x + 206, y - 24, 5, None, k.YELLOW)
    for dx in (44, 160):
        wheel(c, x + dx, y - 13, 18)


def taxi(c: Canvas, x: float, y: float) -> None:
    c.poly([(x + 40, y - 46), (x + 66, y - 78), (x + 146, y - 78), (x + 174, y - 46)], k.YELLOW)
    c.rect(x, y - 50, 218, 38, k.YELLOW, 12)
    c.poly([(x + 56, y - 48), (x + 72, y - 71), (x + 102, y - 71), (x + 102, y - 48)], k.FOAM)
    c.poly([(x + 108, y - 48), (x + 108, y - 71), (x + 142, y - 71), (x + 160, y - 48)], k.FOAM)
    c.rect(x + 88, y - 90, 36, 12, k.WHITE, 3)
    for i in range(12):
        c.rect(x + 22 + i * 15, y - 38 + (i % 2) * 5, 8, 5, k.INK)
    c.oval(x + 212, y - 36, 6, None, k.SUN)
    c.rect(x + 2, y - 40, 7, 12, k.RED, 3)
    for dx in (48, 170):
        wheel(c, x + dx, y - 14, 18)


def fire_truck(c: Canvas, x: float, y: float) -> None:
    c.rect(x, y - 84, 190, 66, k.RED, 5)
    c.rect(x + 186, y - 96, 72, 78, k.RED, 9)
    c.rect(x + 214, y - 86, 36, 30, k.FOAM, 4)
    c.rect(x + 196, y - 86, 12, 30, k.FOAM, 3)
    c.rect(x, y - 46, 258, 8, k.WHITE)
    for i in range(3):
        c.rect(x + 12 + i * 58, y - 76, 48, 24, "#A33C30", 3)
    for rail in (-100, -90):
        c.line([(x - 12, y + rail), (x + 176, y + rail)], k.PALE, 3)
    for i in range(14):
        c.line([(x - 4 + i * 13, y - 100), (x - 4 + i * 13, y - 90)], k.PALE, 2)
    c.rect(x + 212, y - 105, 24, 9, k.BLUE, 3)
    for dx in (44, 100, 222):
        wheel(c, x + dx, y - 17, 20)


def carriage(c: Canvas, x: float, y: float, length: float, body: str, band: str, nose: bool = False) -> None:
    """Draw a railway carriage with the rails at y; `nose` rounds its right end."""
    c.rect(x, y - 84, length, 72, body, 6)
    if nose:
        c.blob(
            [
                (x + length - 20, y - 84),
                (x + length + 26, y - 58),
                (x + length + 36, y - 14),
                (x + length - 20, y - 12),
            ],
            body,
        )
        c.poly(
            [(x + length + 4, y - 72), (x + length + 22, y - 58), (x + length + 27, y - 44), (x + length + 4, y - 44)],
            k.ROCK,
        )
    c.rect(x, y - 38, length, 8, band)
    spot = x + 14
    while spot + 26 < x + length:
        c.rect(spot, y - 74, 26, 26, k.FOAM, 3)
        spot += 38
    for part in (0.15, 0.3, 0.7, 0.85):
        wheel(c, x + length * part, y - 8, 8)


def locomotive(c: Canvas, x: float, y: float, colour: str) -> None:
    c.rect(x, y - 52, 34, 42, colour, 3)
    c.rect(x + 6, y - 46, 20, 16, k.FOAM, 2)
    c.rect(x - 4, y - 57, 42, 6, k.INK, 2)
    c.rect(x + 30, y - 38, 56, 28, colour, 8)
    c.rect(x + 66, y - 56, 10, 20, k.INK, 2)
    c.rect(x, y - 14, 92, 6, k.INK)
    for dx in (14, 40, 66):
        wheel(c, x + dx, y - 8, 9, colour)


def tractor(c: Canvas, x: float, y: float) -> None:
    c.rect(x + 50, y - 66, 96, 38, k.GREEN, 6)
    c.rect(x + 6, y - 112, 62, 8, k.GREEN, 3)
    for dx in (14, 58):
        c.line([(x + dx, y - 106), (x + dx + 2, y - 60)], k.INK, 5)
    c.rect(x + 8, y - 70, 60, 34, k.GREEN, 5)
    c.line([(x + 118, y - 64), (x + 118, y - 96)], k.INK, 6)
    c.oval(x + 38, y - 86, 9, None, k.TAN)
    c.line([(x + 38, y - 74), (x + 38, y - 60)], k.RED, 16)
    wheel(c, x + 30, y - 36, 37, k.YELLOW)
    wheel(c, x + 124, y - 22, 23, k.YELLOW)


def balloon(c: Canvas, x: float, y: float, size: float, first: str, second: str) -> None:
    c.oval(x, y, 42 * size, 46 * size, first)
    c.poly(
        [
            (x - 33 * size, y + 28 * size),
            (x + 33 * size, y + 28 * size),
            (x + 10 * size, y + 60 * size),
            (x - 10 * size, y + 60 * size),
        ],
        first,
    )
    c.oval(x, y, 15 * size, 46 * size, second)
    c.poly(
        [
            (x - 12 * size, y + 28 * size),
            (x + 12 * size, y + 28 * size),
            (x + 4 * size, y + 60 * size),
            (x - 4 * size, y + 60 * size),
        ],
        second,
    )
    for dx in (-8, 8):
        c.line([(x + dx * size, y + 60 * size), (x + dx * 0.8 * size, y + 74 * size)], k.DARKWOOD, 1.2 * size)
    c.rect(x - 9 * size, y + 74 * size, 18 * size, 14 * size, k.WOOD, 2 * size)


def airplane(c: Canvas, x: float, y: float) -> None:
    c.poly([(x - 128, y - 6), (x - 150, y - 58), (x - 122, y - 58), (x - 88, y - 8)], k.BLUE)
    c.blob(
        [(x - 140, y - 8), (x - 60, y - 22), (x + 90, y - 22), (x + 140, y - 2), (x + 90, y + 18), (x - 60, y + 16)],
        k.WHITE,
    )
    c.poly([(x - 8, y + 6), (x + 40, y + 6), (x - 30, y + 66), (x - 54, y + 66)], k.GREY)
    c.poly([(x - 10, y - 20), (x + 28, y - 20), (x - 20, y - 52), (x - 38, y - 52)], k.PALE)
    for i in range(12):
        c.rect(x - 72 + i * 14, y - 12, 6, 8, k.STEEL, 2)
    c.poly([(x + 112, y - 14), (x + 132, y - 6), (x + 108, y - 4)], k.NAVY)
    c.rect(x - 22, y + 26, 30, 12, k.STEEL, 6)
    for dx in (-38, 92):
        c.line([(x + dx, y + 14), (x + dx, y + 32)], k.STEEL, 3)
        c.oval(x + dx, y + 34, 6, None, k.INK)


def table(c: Canvas, y: float, colour: str = k.WOOD, edge: str = k.DARKWOOD) -> None:
    c.rect(0, y, k.WIDTH, k.HEIGHT - y, colour)
    c.rect(0, y, k.WIDTH, 5, edge)
    for i, gap in enumerate((y + 30, y + 58, y + 86)):
        if gap < k.HEIGHT:
            c.line([(20 + i * 60, gap), (190 + i * 90, gap)], edge, 1)


def cup(c: Canvas, x: float, y: float, size: float = 1.0, colour: str = k.WHITE, steam: bool = True) -> None:
    c.ring(x + 17 * size, y - 16 * size, 10 * size, colour, 4 * size)
    c.rect(x - 16 * size, y - 32 * size, 32 * size, 32 * size, colour, 6 * size)
    c.oval(x, y - 31 * size, 14 * size, 4 * size, k.DARKWOOD)
    if steam:
        for dx in (-6, 6):
            c.curve(
                [
                    (x + dx * size, y - 40 * size),
                    (x + (dx + 5) * size, y - 48 * size),
                    (x + (dx - 3) * size, y - 56 * size),
                    (x + (dx + 3) * size, y - 64 * size),
                ],
                k.WHITE,
                2 * size,
            )


def tulip(c: Canvas, x: float, y: float, length: float, lean: float, colour: str) -> None:
    c.curve([(x, y), (x + lean * 0.3, y - length * 0.5), (x + lean, y - length)], k.GREEN, 3.5)
    tip = (x + lean, y - length)
    c.oval(tip[0], tip[1], 11, 13, colour)
    for dx in (-7, 0, 7):
        c.poly([(tip[0] + dx - 5, tip[1] - 4), (tip[0] + dx, tip[1] - 19), (tip[0] + dx + 5, tip[1] - 4)], colour)
