"""People and animals, drawn with a few rounded strokes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from tools.demo.pictures import canvas as k
from tools.demo.pictures.canvas import Canvas, Point

Joints = Callable[[Point], Point]  # maps a joint, in units of height, to a point of the picture


@dataclass(frozen=True)
class Person:
    """A person's looks and posture.

    Joints are relative to the feet, in units of height, with x to the right and y downwards.
    """

    shirt: str = k.BLUE
    trousers: str = k.NAVY
    skin: str = k.SKIN
    hair: str = k.DARK
    shoes: str = k.INK
    hip: Point = (0, -0.46)
    neck: Point = (0, -0.8)
    hands: tuple[Point, Point] = ((-0.14, -0.46), (0.14, -0.46))
    elbows: tuple[Point, Point] | None = None
    knees: tuple[Point, Point] | None = None
    feet: tuple[Point, Point] = ((-0.07, 0), (0.07, 0))
    long_hair: bool = False
    skirt: str = ""
    hat: str = ""
    brim: bool = False

    def draw(self, c: Canvas, x: float, y: float, height: float) -> None:
        """Draw the person with the feet at (x, y)."""

        def at(point: Point) -> Point:
            return x + point[0] * height, y + point[1] * height

        hip, neck = at(self.hip), at(self.neck)
        head = (neck[0] + (neck[0] - hip[0]) * 0.25, neck[1] - 0.095 * height)
        back, front = self._arms(at, neck)
        c.line(back, self.shirt, 0.085 * height)
        c.oval(*back[-1], 0.04 * height, None, self.skin)
        if self.long_hair:
            c.oval(head[0], head[1] + 0.05 * height, 0.1 * height, 0.14 * height, self.hair)
        self._legs(c, at, hip, height)
        chest = (neck[0] + (hip[0] - neck[0]) * 0.3, neck[1] + (hip[1] - neck[1]) * 0.3)
        c.line([neck, head], self.skin, 0.07 * height)
        c.line([chest, hip], self.shirt, 0.2 * height)
        if self.skirt:
            c.poly(
                [
                    (hip[0] - 0.1 * height, hip[1] - 0.06 * height),
                    (hip[0] + 0.1 * height, hip[1] - 0.06 * height),
                    (hip[0] + 0.17 * height, hip[1] + 0.18 * height),
                    (hip[0] - 0.17 * height, hip[1] + 0.18 * height),
                ],
                self.skirt,
            )
        self._head(c, head, height)
        c.line(front, self.shirt, 0.085 * height)
        c.oval(*front[-1], 0.042 * height, None, self.skin)

    def _arms(self, at: Joints, neck: Point) -> tuple[list[Point], list[Point]]:
        made = []
        for side, hand in enumerate(self.hands):
            shoulder = (
                neck[0] + (at((0.07, 0))[0] - at((0, 0))[0]) * (2 * side - 1),
                neck[1] + abs(at((0, 0.03))[1] - at((0, 0))[1]),
            )
            bend = [at(self.elbows[side])] if self.elbows else []
            made.append([shoulder, *bend, at(hand)])
        return made[0], made[1]

    def _legs(self, c: Canvas, at: Joints, hip: Point, height: float) -> None:
        for side, foot in enumerate(self.feet):
            start = (hip[0] + 0.045 * height * (2 * side - 1), hip[1])
            bend = [at(self.knees[side])] if self.knees else []
            c.line([start, *bend, at(foot)], self.trousers, 0.1 * height)
            fx, fy = at(foot)
            c.line([(fx - 0.015 * height, fy), (fx + 0.045 * height, fy)], self.shoes, 0.06 * height)

    def _head(self, c: Canvas, head: Point, height: float) -> None:
        x, y = head
        c.oval(x, y, 0.085 * height, 0.095 * height, self.skin)
        if self.hat:
            c.pie(x, y - 0.01 * height, 0.1 * height, 180, 360, self.hat)
            wide = 0.17 if self.brim else 0.1
            c.line(
                [(x - wide * height, y - 0.015 * height), (x + wide * height, y - 0.015 * height)],
                self.hat,
                0.03 * height,
            )
        else:
            c.pie(x, y - 0.012 * height, 0.096 * height, 175, 365, self.hair)


@dataclass(frozen=True)
class Beast:
    """A four-legged animal seen from the side, looking right; lengths are in units of its body length."""

    coat: str
    legs: float = 0.42
    thick: float = 0.2
    limb: float = 0.09
    neck: Point = (0.2, -0.25)
    girth: float = 0.18
    head: float = 0.13
    snout: float = 0.12
    muzzle: str = ""
    ear: str = "flop"
    tail: Point = (-0.22, -0.18)
    tail_width: float = 0.05
    mane: str = ""
    spots: str = ""
    hooves: str = ""
    stride: float = 0.0

    def draw(self, c: Canvas, x: float, y: float, size: float, left: bool = False) -> None:
        """Draw the animal with its feet at (x, y); `left` mirrors it."""
        m = -1 if left else 1

        def at(dx: float, dy: float) -> Point:
            return x + m * dx * size, y + dy * size

        top = -self.legs - self.thick
        c.curve([at(-0.48, top + 0.06), at(-0.48 + self.tail[0] * 0.6, top + self.tail[1] * 0.4),
                 at(-0.48 + self.tail[0], top + self.tail[1])],
                self.mane or self.coat, self.tail_width * size)  # fmt: skip
        for dx, swing in ((-0.4, -1), (-0.27, 1), (0.27, -1), (0.4, 1)):
            foot = at(dx + swing * self.stride, -0.02 - (abs(self.stride) * 0.25 if swing * dx > 0 else 0))
            c.line([at(dx, -self.legs), foot], self.coat, self.limb * size)
            if self.hooves:
                c.line([foot, (foot[0], foot[1] + 1)], self.hooves, self.limb * size)
        c.line(
            [at(-0.38, top + self.thick * 0.55), at(0.38, top + self.thick * 0.5)],
            self.coat,
            self.thick * 2 * size * 0.8,
        )
        neck, skull = at(0.42, top + self.thick * 0.35), at(0.42 + self.neck[0], top + self.neck[1])
        c.line([neck, skull], self.coat, self.girth * size)
        if self.mane:
            c.line(
                [at(0.34, top), at(0.38 + self.neck[0] * 0.8, top + self.neck[1])], self.mane, self.girth * 0.45 * size
            )
        c.oval(*skull, self.head * size, self.head * 0.9 * size, self.coat)
        nose = (skull[0] + m * self.snout * size, skull[1] + 0.04 * size)
        c.line([skull, nose], self.coat, self.head * 1.15 * size)
        if self.muzzle:
            c.oval(*nose, self.head * 0.6 * size, self.head * 0.55 * size, self.muzzle)
        self._ears(c, skull, size, m)
        c.oval(skull[0] + m * 0.03 * size, skull[1] - 0.02 * size, 0.017 * size, None, k.INK)
        if self.spots:
            for dx, dy, r in ((-0.28, 0.1, 0.1), (0.02, 0.02, 0.12), (0.28, 0.16, 0.09), (-0.08, 0.24, 0.06)):
                c.oval(*at(dx, top + dy), r * size, r * 0.75 * size, self.spots)

    def _ears(self, c: Canvas, skull: Point, size: float, m: int) -> None:
        x, y = skull
        h = self.head * size
        if self.ear == "flop":
            c.line(
                [(x - m * h * 0.5, y - h * 0.5), (x - m * h * 0.8, y + h * 0.5)],
                k.DARK if self.coat != k.DARK else k.INK,
                h * 0.55,
            )
        elif self.ear == "point":
            for shift in (-0.7, 0.1):
                c.poly(
                    [
                        (x + m * h * shift, y - h * 0.5),
                        (x + m * h * (shift + 0.2), y - h * 1.6),
                        (x + m * h * (shift + 0.6), y - h * 0.6),
                    ],
                    self.coat,
                )
        elif self.ear == "side":
            c.line([(x - m * h * 0.4, y - h * 0.5), (x - m * h * 1.3, y - h * 0.7)], self.coat, h * 0.5)


def cow(spots: str = k.INK) -> Beast:
    return Beast(
        k.WHITE,
        legs=0.3,
        thick=0.26,
        neck=(0.16, -0.02),
        girth=0.24,
        head=0.13,
        muzzle=k.PINK,
        ear="side",
        tail=(-0.06, 0.28),
        tail_width=0.03,
        spots=spots,
    )


def horse() -> Beast:
    return Beast(
        k.BROWN,
        legs=0.5,
        thick=0.2,
        limb=0.08,
        neck=(0.2, -0.36),
        girth=0.2,
        head=0.1,
        snout=0.17,
        ear="point",
        tail=(-0.1, 0.3),
        tail_width=0.08,
        mane=k.DARK,
        hooves=k.INK,
    )


def sheep(c: Canvas, x: float, y: float, size: float, left: bool = False) -> None:
    m = -1 if left else 1
    for dx in (-0.25, -0.12, 0.14, 0.26):
        c.line([(x + dx * size, y - 0.25 * size), (x + dx * size, y - 2)], k.DARK, 0.07 * size)
    for dx, dy, r in (
        (-0.3, -0.42, 0.2),
        (-0.1, -0.52, 0.22),
        (0.14, -0.52, 0.22),
        (0.32, -0.42, 0.19),
        (0, -0.36, 0.24),
    ):
        c.oval(x + dx * size, y + dy * size, r * size, None, k.WHITE)
    c.oval(x + m * 0.48 * size, y - 0.46 * size, 0.12 * size, 0.15 * size, k.DARK)
    c.oval(x + m * 0.42 * size, y - 0.6 * size, 0.12 * size, 0.09 * size, k.WHITE)


def duck(c: Canvas, x: float, y: float, size: float, colour: str = k.YELLOW) -> None:
    c.blob(
        [
            (x - 0.6 * size, y - 0.35 * size),
            (x, y - 0.2 * size),
            (x + 0.45 * size, y - 0.25 * size),
            (x + 0.4 * size, y + 0.1 * size),
            (x - 0.35 * size, y + 0.12 * size),
        ],
        colour,
    )
    c.oval(x + 0.36 * size, y - 0.5 * size, 0.22 * size, None, colour)
    c.poly(
        [(x + 0.54 * size, y - 0.55 * size), (x + 0.8 * size, y - 0.46 * size), (x + 0.54 * size, y - 0.4 * size)],
        k.ORANGE,
    )
    c.oval(x + 0.42 * size, y - 0.56 * size, 0.04 * size, None, k.INK)


def sitting_cat(c: Canvas, x: float, y: float, size: float, coat: str) -> None:
    """Draw a cat seen from behind, with its tail hanging to the left."""
    c.curve([(x - 0.2 * size, y - 6), (x - 0.5 * size, y + 4), (x - 0.55 * size, y + 0.45 * size)], coat, 0.13 * size)
    c.blob(
        [
            (x, y - size),
            (x + 0.3 * size, y - 0.6 * size),
            (x + 0.42 * size, y - 0.1 * size),
            (x + 0.2 * size, y),
            (x - 0.2 * size, y),
            (x - 0.42 * size, y - 0.1 * size),
            (x - 0.3 * size, y - 0.6 * size),
        ],
        coat,
    )
    c.oval(x, y - 1.02 * size, 0.27 * size, 0.24 * size, coat)
    for m in (-1, 1):
        c.poly(
            [
                (x + m * 0.27 * size, y - 1.05 * size),
                (x + m * 0.24 * size, y - 1.42 * size),
                (x + m * 0.02 * size, y - 1.2 * size),
            ],
            coat,
        )


def curled_cat(c: Canvas, x: float, y: float, size: float, coat: str, stripe: str) -> None:
    c.oval(x, y - 0.3 * size, 0.62 * size, 0.34 * size, coat)
    for dx in (-0.2, 0.02, 0.24):
        c.curve(
            [
                (x + dx * size, y - 0.62 * size),
                (x + (dx + 0.04) * size, y - 0.5 * size),
                (x + (dx + 0.02) * size, y - 0.38 * size),
            ],
            stripe,
            0.06 * size,
        )
    c.curve(
        [(x + 0.58 * size, y - 0.2 * size), (x + 0.3 * size, y), (x - 0.1 * size, y - 0.03 * size)], stripe, 0.13 * size
    )
    c.oval(x - 0.45 * size, y - 0.24 * size, 0.25 * size, 0.22 * size, coat)
    for dx in (-0.62, -0.38):
        c.poly(
            [
                (x + dx * size, y - 0.35 * size),
                (x + (dx + 0.04) * size, y - 0.58 * size),
                (x + (dx + 0.18) * size, y - 0.4 * size),
            ],
            coat,
        )
    for dx in (-0.55, -0.37):
        c.curve(
            [
                (x + dx * size, y - 0.22 * size),
                (x + (dx + 0.05) * size, y - 0.19 * size),
                (x + (dx + 0.1) * size, y - 0.22 * size),
            ],
            k.DARK,
            0.025 * size,
        )


def pigeon(c: Canvas, x: float, y: float, size: float = 1.0, left: bool = False) -> None:
    m = -1 if left else 1
    c.blob(
        [
            (x - m * 14 * size, y - 5 * size),
            (x, y - 11 * size),
            (x + m * 7 * size, y - 8 * size),
            (x + m * 3 * size, y - 2 * size),
            (x - m * 5 * size, y - 2 * size),
        ],
        k.STEEL,
    )
    c.oval(x + m * 8 * size, y - 12 * size, 3.6 * size, None, "#5D6E7C")
    c.line([(x + m * 11 * size, y - 12 * size), (x + m * 13 * size, y - 11 * size)], k.ORANGE, 1.6 * size)
    c.line([(x, y - 3 * size), (x, y)], k.ORANGE, 1.6 * size)
