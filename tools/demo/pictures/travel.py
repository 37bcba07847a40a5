"""Pictures set on the road, in the snow and on the savanna."""

from __future__ import annotations

from tools.demo.pictures import canvas as k
from tools.demo.pictures import places as p
from tools.demo.pictures import things as t
from tools.demo.pictures.canvas import Canvas
from tools.demo.pictures.figures import Beast, Person


def station_train() -> Canvas:
    c = Canvas("#D4DEDD")
    c.rect(0, 30, k.WIDTH, 20, k.STEEL)
    for x in range(0, 480, 60):
        c.line([(x, 50), (x + 30, 30), (x + 60, 50)], k.GREY, 3)
    for x in (60, 400):
        c.rect(x, 50, 9, 190, k.STEEL)
    c.rect(0, 100, k.WIDTH, 130, "#C5CFCB")
    t.carriage(c, -30, 238, 216, k.PINE, k.YELLOW)
    t.carriage(c, 192, 238, 200, k.PINE, k.YELLOW, nose=True)
    c.rect(0, 236, k.WIDTH, 5, k.STEEL)
    c.rect(0, 246, k.WIDTH, 60, k.KERB)
    c.rect(0, 254, k.WIDTH, 5, k.YELLOW)
    c.rect(60, 50, 9, 210, k.STEEL)
    c.oval(250, 78, 24, None, k.INK)
    c.oval(250, 78, 20, None, k.WHITE)
    c.line([(250, 62), (250, 78), (250, 66)], k.INK, 2.6)
    c.rect(247, 48, 6, 8, k.INK)
    c.rect(330, 262, 96, 7, k.WOOD, 2)
    c.rect(330, 246, 96, 7, k.WOOD, 2)
    for x in (340, 410):
        c.rect(x, 248, 5, 36, k.INK)
    return c


def bridge_train() -> Canvas:
    c = Canvas(k.SKY)
    p.mountains(c, 210, ((90, 70), (360, 52)), "#A5B9BF")
    p.mountains(c, 210, ((220, 84), (460, 96)))
    c.land([(0, 170), (90, 200), (240, 236), (400, 196), (480, 160)], k.LEAF)
    c.land([(0, 232), (120, 250), (240, 266), (360, 250), (480, 226)], k.GRASS)
    c.blob([(200, 310), (236, 270), (262, 262), (290, 272), (300, 310)], k.SEA)
    _viaduct(c)
    for i in range(3):
        c.rect(48 + i * 76, 104, 70, 34, k.RED, 4)
        for j in range(3):
            c.rect(56 + i * 76 + j * 20, 110, 14, 12, k.FOAM, 2)
        for dx in (14, 56):
            t.wheel(c, 48 + i * 76 + dx, 138, 7)
    t.locomotive(c, 280, 145, k.RED)
    for x, y, r in ((346, 78, 11), (326, 66, 14), (298, 60, 17), (262, 60, 15), (232, 66, 11)):
        c.oval(x, y, r, None, k.FOAM)
    for i, x in enumerate((20, 56, 420, 456)):
        p.pine(c, x, 284 - i * 4, 1.2)
    return c


def _viaduct(c: Canvas) -> None:
    c.rect(0, 144, k.WIDTH, 18, k.STONE)
    for i in range(6):
        x = 6 + i * 84
        c.rect(x, 150, 20, 150 if 1 < i < 5 else 110, k.STONE)
        c.pie(x + 52, 196, 32, 180, 360, "#B7C9A8" if i in (0, 4, 5) else "#AEC3C2")
    for i in range(6):
        x = 26 + i * 84
        c.rect(x - 20, 160, 84, 6, k.STONE)
        c.poly(
            [
                (x, 160),
                (x + 64, 160),
                (x + 64, 196),
                (x + 58, 180),
                (x + 48, 170),
                (x + 32, 165),
                (x + 16, 170),
                (x + 6, 180),
                (x, 196),
            ],
            k.STONE,
        )


def sky_plane() -> Canvas:
    c = Canvas(k.SKY)
    p.cloud(c, 90, 70, 1.2)
    p.cloud(c, 400, 50, 0.9)
    p.cloud(c, 330, 160, 0.7)
    for i in range(10):
        p.tree(c, 10 + i * 52, 242, 0.4, (k.LEAF, k.PINE)[i % 2])
    c.rect(0, 238, k.WIDTH, 64, k.GRASS)
    c.poly([(120, 300), (200, 244), (300, 244), (400, 300)], k.ROAD)
    for y, w in ((252, 4), (268, 6), (286, 8)):
        c.rect(252 - w / 2, y, w, 9, k.WHITE)
    c.rect(428, 176, 14, 66, k.PALE)
    c.poly([(414, 178), (456, 178), (450, 154), (420, 154)], k.STEEL)
    c.rect(422, 160, 26, 9, k.FOAM)
    t.airplane(c, 238, 124)
    return c


def slope_skier() -> Canvas:
    c = Canvas(k.SKY)
    p.sun(c, 414, 50)
    p.mountains(c, 220, ((110, 62), (250, 96)))
    for x, y in ((60, 168), (96, 178), (400, 214), (440, 226), (140, 184)):
        p.pine(c, x, y + 18, 1.1, snowy=True)
    c.land([(0, 158), (120, 192), (260, 238), (480, 290)], k.SNOW)
    c.land([(0, 216), (160, 252), (320, 290), (480, 320)], "#DFE8EA")
    c.line([(196, 232), (320, 270), (332, 268)], k.NAVY, 5)
    for x, y, r in ((180, 214, 13), (162, 202, 10), (200, 208, 9), (146, 210, 7)):
        c.oval(x, y, r, None, k.WHITE)
    skier = Person(shirt=k.RED, trousers=k.NAVY, hip=(-0.1, -0.36), neck=(0.14, -0.62), hands=((0.26, -0.4), (0.32,
            -0.42)), elbows=((0.08, -0.4), (0.14, -0.4)),
                   knees=((0.12, -0.28), (0.16, -0.26)), feet=((0.0, -0.06), (0.1, -0.02)), hat=k.YELLOW)  # fmt: skip
    skier.draw(c, 252, 250, 142)
    c.line([(296, 190), (232, 206)], k.INK, 2.4)
    c.line([(300, 192), (244, 218)], k.INK, 2.4)
    return c


def snowman_kids() -> Canvas:
    c = Canvas("#C7D6DF")
    p.house(c, 26, 178, 120, 84, "#B98B6E", k.SNOW, lit=True)
    for x, size in ((330, 1.7), (384, 2.2), (446, 1.8)):
        p.pine(c, x, 190, size, snowy=True)
    c.land([(0, 182), (180, 170), (480, 184)], k.SNOW)
    for y, r in ((240, 46), (178, 33), (132, 23)):
        c.oval(244, y + 3, r, None, "#DDE6EA")
        c.oval(240, y, r, None, k.WHITE)
    c.rect(220, 86, 40, 28, k.INK, 3)
    c.rect(208, 110, 64, 7, k.INK, 3)
    c.poly([(240, 130), (268, 136), (240, 140)], k.ORANGE)
    for x, y in ((232, 126), (248, 126), (240, 168), (240, 184)):
        c.oval(x, y, 2.8, None, k.INK)
    c.rect(216, 150, 48, 10, k.RED, 4)
    c.rect(252, 154, 10, 32, k.RED, 3)
    c.line([(208, 176), (176, 150)], k.DARKWOOD, 4)
    c.line([(272, 176), (304, 150)], k.DARKWOOD, 4)
    Person(shirt=k.BLUE, trousers=k.NAVY, hands=((0.12, -0.5), (0.36, -0.66)), hat=k.RED).draw(c, 140, 272, 104)
    Person(
        shirt=k.PINK,
        trousers=k.PURPLE,
        skin=k.BROWN,
        long_hair=True,
        hair=k.INK,
        hands=((-0.36, -0.62), (-0.1, -0.5)),
        hat=k.YELLOW,
    ).draw(c, 344, 274, 96)
    for i in range(70):
        c.oval((i * i * 37 + i * 91) % 480, (i * 113 + i * i * 17) % 290, 1.8, None, k.WHITE)
    return c


def snow_cabin() -> Canvas:
    c = Canvas("#C3D2DC")
    p.mountains(c, 190, ((120, 60), (380, 76)), "#A9BBC6")
    for i in range(12):
        p.pine(c, 10 + i * 42, 204 - (i * 5) % 14, 1.5 + (i % 3) * 0.4, (k.PINE, k.FOREST)[i % 2], snowy=True)
    c.land([(0, 200), (200, 190), (480, 204)], k.SNOW)
    c.rect(294, 102, 20, 40, k.STONE)
    for x, y, r in ((306, 86, 9), (318, 66, 12), (338, 46, 14), (366, 30, 12)):
        c.oval(x, y, r, None, "#E6EBED")
    c.rect(156, 164, 180, 82, k.WOOD)
    for y in range(176, 246, 14):
        c.line([(156, y), (336, y)], k.DARKWOOD, 1.6)
    c.poly([(134, 172), (246, 98), (358, 172)], k.SNOW)
    c.poly([(156, 172), (246, 112), (336, 172)], k.DARKWOOD)
    c.rect(228, 190, 38, 56, k.BROWN, 3)
    for x in (174, 282):
        c.rect(x, 188, 38, 30, k.YELLOW)
        c.rect(x + 17, 188, 4, 30, k.DARKWOOD)
    c.land([(0, 250), (160, 240), (320, 246), (480, 238)], k.WHITE)
    p.pine(c, 60, 276, 2.0, snowy=True)
    p.pine(c, 436, 280, 2.2, k.FOREST, snowy=True)
    return c


def savanna_giraffes() -> Canvas:
    c = Canvas("#EBD3AE")
    p.sun(c, 360, 150, 40, "#F3E3B0")
    c.land([(0, 200), (140, 188), (300, 202), (480, 190)], "#C9A66E")
    c.land([(0, 226), (240, 214), (480, 228)], "#D3B679")
    c.line([(108, 250), (104, 170), (120, 110)], k.DARKWOOD, 10)
    c.line([(104, 180), (70, 118)], k.DARKWOOD, 7)
    for x, y, rx, ry in ((60, 96, 62, 16), (130, 82, 72, 18), (100, 66, 50, 14)):
        c.oval(x, y, rx, ry, "#7C8B57")
    for x, size, left in ((262, 92, True), (366, 80, True)):
        giraffe(c, x, 276 if size > 85 else 262, size, left)
    for x in (30, 170, 230, 320, 440, 470):
        p.tuft(c, x, 284, "#B08F52", 1.3)
    return c


def giraffe(c: Canvas, x: float, y: float, size: float, left: bool) -> None:
    beast = Beast("#DDB06A", legs=0.86, thick=0.26, limb=0.08, neck=(0.34, -1.02), girth=0.15, head=0.1,
            snout=0.15, ear="side",
                  tail=(-0.06, 0.4), tail_width=0.03, spots="#A8703C", hooves=k.DARK)  # fmt: skip
    beast.draw(c, x, y, size, left)
    m = -1 if left else 1
    for i in range(5):
        c.oval(x + m * (0.46 + 0.062 * i) * size, y - (1.08 + 0.2 * i) * size, 0.042 * size, None, "#A8703C")
    for dx in (0.72, 0.78):
        c.line([(x + m * dx * size, y - 2.2 * size), (x + m * dx * size, y - 2.32 * size)], "#A8703C", 3)


def river_elephant() -> Canvas:
    c = Canvas("#E6D6BC")
    for x, size in ((50, 0.8), (120, 0.6), (430, 0.9)):
        p.tree(c, x, 178, size, "#94A06C")
    c.land([(0, 176), (200, 166), (480, 178)], "#D3B679")
    c.land([(0, 216), (240, 206), (480, 214)], "#C9A66E")
    c.blob([(150, 260), (250, 244), (400, 246), (500, 252), (500, 310), (200, 320), (120, 290)], k.SEA)
    grey, dark = "#8E959A", "#7B8389"
    c.curve([(118, 130), (100, 158), (104, 186)], dark, 6)
    for px in (150, 178, 252, 278):
        c.line([(px, 190), (px, 252)], dark if px in (178, 252) else grey, 30)
    c.blob([(116, 150), (160, 94), (240, 90), (300, 116), (310, 170), (270, 206), (160, 208), (118, 190)], grey)
    c.oval(312, 138, 46, 44, grey)
    c.curve([(346, 150), (366, 186), (368, 222), (380, 258)], grey, 20)
    c.curve([(338, 168), (352, 186), (376, 188)], k.WHITE, 8)
    c.blob([(298, 100), (322, 118), (316, 164), (288, 182), (268, 150), (274, 112)], dark)
    c.oval(334, 130, 3.6, None, k.INK)
    for y, w in ((276, 80), (290, 56)):
        c.line([(280 - w, y), (280 + w, y)], k.DEEP, 2)
    for dx in (0, 30):
        c.oval(380 + dx * 0.2, 260, 22 + dx * 0.5, 4, k.FOAM)
    return c
