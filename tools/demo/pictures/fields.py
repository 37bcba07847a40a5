"""Pictures set in fields and parks."""

from __future__ import annotations

from dataclasses import replace

from tools.demo.pictures import canvas as k
from tools.demo.pictures import figures as f
from tools.demo.pictures import places as p
from tools.demo.pictures import things as t
from tools.demo.pictures.canvas import Canvas
from tools.demo.pictures.figures import Beast, Person


def bench_pigeons() -> Canvas:
    c = Canvas("#D5E0DC")
    c.land([(0, 128), (160, 112), (320, 130), (480, 116)], "#B7BE8C")
    p.tree(c, 350, 226, 2.1, "#CE9550")
    p.tree(c, 60, 150, 0.9, "#D8AE62")
    c.land([(0, 196), (160, 188), (320, 194), (480, 186)], k.GRASS)
    c.land([(0, 238), (240, 230), (480, 240)], k.PATH)
    for x, y in ((300, 214), (420, 206), (386, 262), (268, 282), (452, 284), (336, 246)):
        c.oval(x, y, 5, 3, "#CE8B40")
    for y in (178, 192):
        c.rect(90, y, 180, 8, k.GREEN, 3)
    man = Person(shirt=k.BROWN, trousers=k.STEEL, hair=k.PALE, hip=(-0.02, -0.36), neck=(-0.02, -0.7),
            hands=((0.12, -0.42), (0.34, -0.42)),
                 elbows=((0.04, -0.44), (0.16, -0.46)), knees=((0.16, -0.36), (0.2, -0.36)), feet=((0.14, -0.02),
                         (0.22, 0)), hat=k.DARKWOOD, brim=True)  # fmt: skip
    c.rect(86, 212, 190, 9, k.GREEN, 3)
    for x in (100, 256):
        c.rect(x, 216, 7, 40, k.INK)
    man.draw(c, 176, 262, 140)
    for x, y, left in ((268, 258, True), (306, 268, True), (344, 280, False), (240, 284, False), (380, 254, True)):
        f.pigeon(c, x, y, 1.25, left)
    for x, y in ((252, 232), (262, 244), (276, 240)):
        c.oval(x, y, 1.8, None, k.SUN)
    return c


def hill_kite() -> Canvas:
    c = Canvas(k.SKY)
    p.cloud(c, 90, 60, 1.1)
    p.cloud(c, 250, 96, 0.8)
    c.land([(0, 220), (120, 186), (280, 190), (480, 250)], k.MEADOW)
    c.land([(0, 260), (160, 226), (300, 232), (480, 282)], k.GRASS)
    c.curve([(206, 160), (270, 140), (340, 96), (384, 70)], k.WHITE, 1.4)
    c.poly([(392, 20), (424, 58), (384, 100), (356, 52)], k.RED)
    c.line([(392, 20), (384, 100)], "#A33C30", 1.6)
    c.line([(356, 52), (424, 58)], "#A33C30", 1.6)
    c.curve([(384, 100), (372, 122), (386, 140), (376, 160)], k.YELLOW, 3)
    Person(
        shirt=k.YELLOW, trousers=k.BLUE, hands=((-0.16, -0.5), (0.36, -0.86)), feet=((-0.14, 0), (0.14, -0.02))
    ).draw(c, 170, 236, 92)
    Person(
        shirt=k.GREEN, trousers=k.NAVY, skin=k.BROWN, hands=((-0.26, -0.9), (0.26, -0.94)), feet=((-0.1, 0), (0.1, 0))
    ).draw(c, 104, 246, 84)
    for x in (40, 250, 330, 420):
        p.tuft(c, x, 276)
    return c


def park_picnic() -> Canvas:
    c = Canvas(k.SKY)
    c.land([(0, 140), (160, 122), (320, 138), (480, 120)], k.MEADOW)
    p.tree(c, 60, 160, 0.8, k.PINE)
    c.land([(0, 190), (240, 178), (480, 188)], k.GRASS)
    p.tree(c, 368, 226, 2.5)
    c.poly([(86, 240), (306, 240), (350, 288), (40, 288)], k.WHITE)
    for row in range(4):
        y = 240 + row * 12
        left, right = 86 - row * 11.5, 306 + row * 11
        for col in range(row % 2, 10, 2):
            wide = (right - left) / 10
            c.poly(
                [
                    (left + col * wide, y),
                    (left + (col + 1) * wide, y),
                    (left + (col + 1) * wide - 4, y + 12),
                    (left + col * wide - 4, y + 12),
                ],
                k.RED,
            )
    sitting = Person(hip=(0, -0.12), neck=(0, -0.46), feet=((0.26, 0), (0.3, -0.02)), knees=((0.18, -0.2), (0.2,
            -0.22)))  # fmt: skip
    replace(sitting, hands=((0.1, -0.2), (0.26, -0.3))).draw(c, 118, 268, 132)
    facing = replace(sitting, feet=((-0.3, 0), (-0.26, -0.02)), knees=((-0.2, -0.2), (-0.18, -0.22)), long_hair=True)
    woman = replace(facing, shirt=k.PINK, trousers=k.PURPLE, hair=k.BROWN, hands=((-0.26, -0.3), (-0.06, -0.16)))
    woman.draw(c, 282, 270, 132)
    c.rect(178, 232, 50, 30, k.WOOD, 5)
    c.ring(203, 234, 20, k.DARKWOOD, 4)
    c.rect(178, 232, 50, 8, k.DARKWOOD, 3)
    c.oval(178, 276, 14, 4, k.FOAM)
    c.oval(240, 278, 6, None, k.RED)
    return c


def soccer_kids() -> Canvas:
    c = Canvas(k.SKY)
    p.cloud(c, 80, 46)
    for i in range(7):
        p.tree(c, 30 + i * 72, 140, 0.85 + (i % 2) * 0.2, (k.LEAF, k.PINE)[i % 2])
    c.rect(0, 134, k.WIDTH, 170, k.GRASS)
    for i in range(4):
        c.poly([(i * 130, 134), (i * 130 + 60, 134), (i * 150 + 50, 300), (i * 150 - 30, 300)], "#9DB785")
    for x in range(336, 460, 12):
        c.line([(x, 88), (x, 168)], k.FOAM, 0.8)
    for y in range(92, 168, 12):
        c.line([(330, y), (456, y)], k.FOAM, 0.8)
    c.line([(330, 170), (330, 86), (458, 86), (458, 170)], k.WHITE, 5)
    running = Person(shirt=k.RED, trousers=k.WHITE, neck=(0.05, -0.8), hands=((-0.2, -0.56), (0.2, -0.6)),
                     feet=((-0.24, -0.12), (0.2, 0.0)), knees=((-0.02, -0.24), (0.16, -0.26)))  # fmt: skip
    running.draw(c, 110, 262, 122)
    replace(running, shirt=k.BLUE, trousers=k.NAVY, skin=k.BROWN).draw(c, 196, 244, 112)
    Person(
        shirt=k.RED, trousers=k.WHITE, skin=k.TAN, hands=((-0.2, -0.62), (0.22, -0.6)), feet=((-0.1, 0), (0.1, 0))
    ).draw(c, 372, 226, 96)
    c.oval(262, 258, 13, None, k.WHITE)
    c.oval(262, 258, 4.5, None, k.INK)
    for angle in range(0, 360, 72):
        c.oval(262 + 10 * k.around(0, 0, 1, angle)[0], 258 + 10 * k.around(0, 0, 1, angle)[1], 2.4, None, k.INK)
    return c


def field_cows() -> Canvas:
    c = Canvas(k.SKY)
    p.sun(c, 414, 48)
    c.land([(0, 146), (120, 116), (280, 140), (480, 112)], k.LEAF)
    p.house(c, 60, 150, 74, 46, k.RED, k.STEEL)
    c.land([(0, 166), (160, 150), (320, 160), (480, 150)], k.MEADOW)
    p.fence(c, 0, 480, 184, k.WHITE, 26)
    c.land([(0, 196), (240, 186), (480, 196)], k.GRASS)
    f.cow().draw(c, 370, 226, 92, left=True)
    f.cow().draw(c, 118, 252, 118)
    graze = Beast(
        k.WHITE,
        legs=0.3,
        thick=0.26,
        neck=(0.2, 0.3),
        girth=0.2,
        head=0.12,
        muzzle=k.PINK,
        ear="side",
        tail=(-0.06, 0.28),
        tail_width=0.03,
        spots=k.INK,
    )
    graze.draw(c, 290, 280, 120)
    for x in (40, 220, 420, 450):
        p.tuft(c, x, 280)
    return c


def fence_horse() -> Canvas:
    c = Canvas(k.SKY)
    p.cloud(c, 120, 50)
    c.land([(0, 150), (120, 118), (260, 140), (400, 108), (480, 122)], k.LEAF)
    c.land([(0, 178), (200, 160), (480, 172)], k.MEADOW)
    p.tree(c, 420, 176, 1.1, k.PINE)
    c.land([(0, 230), (240, 218), (480, 230)], k.GRASS)
    f.horse().draw(c, 206, 264, 164)
    p.fence(c, 0, 480, 284, k.WOOD, 66)
    for x in (40, 180, 330, 440):
        p.tuft(c, x, 290, k.LEAF, 1.3)
    return c


def hill_sheep() -> Canvas:
    c = Canvas(k.SKY)
    p.cloud(c, 370, 50)
    p.cloud(c, 110, 70, 0.8)
    c.land([(0, 160), (120, 120), (260, 150), (400, 116), (480, 130)], "#A9BDA0")
    c.land([(0, 210), (140, 160), (300, 150), (480, 220)], k.MEADOW)
    c.land([(0, 262), (180, 220), (320, 226), (480, 270)], k.GRASS)
    for x, y, size, left in (
        (232, 176, 44, False),
        (332, 186, 48, True),
        (130, 226, 62, False),
        (262, 252, 74, True),
        (384, 272, 66, False),
    ):
        f.sheep(c, x, y, size, left)
    for x in (40, 200, 440):
        p.tuft(c, x, 284)
    return c


def field_tractor() -> Canvas:
    c = Canvas("#D7E2DE")
    p.sun(c, 80, 54)
    for i in range(9):
        p.tree(c, 20 + i * 58, 138, 0.5 + (i % 3) * 0.12, (k.LEAF, k.PINE)[i % 2])
    c.rect(0, 134, k.WIDTH, 180, k.PATH)
    c.land([(0, 168), (200, 160), (480, 168)], k.SOIL)
    for i in range(7):
        c.curve([(0, 186 + i * 18), (240, 180 + i * 19), (480, 188 + i * 18)], "#75583F", 4)
    for x, y, r in ((92, 220, 22), (64, 232, 18), (112, 236, 18), (40, 218, 12)):
        c.oval(x, y, r, None, "#BFA284")
    t.tractor(c, 160, 250)
    c.line([(164, 222), (124, 236), (106, 250)], k.STEEL, 5)
    for x in (372, 402, 436):
        p.gull(c, x, 90 + (x % 7) * 5, 0.7, k.INK)
    return c


def sky_balloons() -> Canvas:
    c = Canvas("#CFE0E6")
    c.rect(0, 150, k.WIDTH, 60, "#E6DCCB")
    c.land([(0, 200), (90, 176), (200, 204), (330, 172), (480, 196)], "#A9BDA0")
    c.land([(0, 232), (140, 206), (280, 232), (480, 208)], k.LEAF)
    c.land([(0, 266), (160, 244), (320, 262), (480, 246)], k.GRASS)
    t.balloon(c, 140, 84, 1.15, k.RED, k.YELLOW)
    t.balloon(c, 300, 112, 0.85, k.BLUE, k.WHITE)
    t.balloon(c, 410, 66, 0.65, k.ORANGE, k.PURPLE)
    for x, y in ((60, 262), (90, 268), (390, 254), (420, 262)):
        p.tree(c, x, y, 0.35, k.PINE)
    return c


def lake_tent() -> Canvas:
    c = Canvas(k.NIGHT)
    p.stars(c)
    c.oval(370, 60, 24, None, "#F1E8C9")
    c.land([(0, 148), (120, 156), (260, 150), (480, 140)], "#28364F")
    c.rect(0, 168, k.WIDTH, 70, "#3F5472")
    for y, w in ((182, 50), (194, 36), (208, 26)):
        c.rect(370 - w / 2, y, w, 3, "#D8CFAE", 1)
    for i, x in enumerate((16, 52, 428, 466)):
        p.pine(c, x, 236, 1.6 + (i % 2) * 0.4, "#1F2D3F")
    c.land([(0, 226), (240, 216), (480, 228)], "#2F4242")
    c.poly([(120, 272), (206, 172), (292, 272)], k.ORANGE)
    c.poly([(206, 172), (292, 272), (250, 272)], "#C06F38")
    c.poly([(190, 272), (206, 200), (226, 272)], k.SUN)
    for dx, h, colour in ((0, 44, k.ORANGE), (-9, 28, k.RED), (9, 26, k.YELLOW), (1, 20, k.SUN)):
        c.poly([(352 + dx - 11, 272), (352 + dx, 272 - h), (352 + dx + 11, 272)], colour)
    c.line([(330, 274), (374, 268)], k.DARKWOOD, 7)
    c.line([(332, 268), (374, 275)], k.BROWN, 7)
    return c
