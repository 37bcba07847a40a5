"""Pictures set in the city."""

from __future__ import annotations

from dataclasses import replace

from tools.demo.pictures import canvas as k
from tools.demo.pictures import places as p
from tools.demo.pictures import things as t
from tools.demo.pictures.canvas import Canvas
from tools.demo.pictures.figures import Person

CITY = ("#C9BBA8", "#A9B4B8", "#D8C3AE", "#B9A9A0")


def street_bus() -> Canvas:
    c = Canvas(k.SKY)
    p.cloud(c, 240, 40)
    p.skyline(c, 214, CITY)
    p.road(c, 232, 22)
    t.bus(c, 130, 280, k.RED)
    return c


def rain_umbrella() -> Canvas:
    c = Canvas("#B9C4CA")
    p.skyline(c, 200, ("#A3ADB3", "#AEB6B8", "#98A4AB"), "#C9D2D4")
    p.road(c, 236, 40)
    for x, y, w in ((110, 284, 60), (330, 274, 44), (250, 222, 26)):
        c.oval(x, y, w, 6, "#93A5B0")
    c.rect(396, 96, 6, 136, k.STEEL)
    c.rect(374, 80, 50, 40, k.BLUE, 6)
    c.rect(384, 92, 30, 16, k.WHITE, 4)
    c.line([(226, 176), (226, 84)], k.INK, 3)
    c.pie(226, 112, 84, 180, 360, k.PURPLE)
    for x in (-84, -28, 28):
        c.pie(226 + x + 28, 112, 28, 180, 360, "#9A7DB0" if x == -28 else k.PURPLE)
    Person(shirt=k.YELLOW, trousers=k.NAVY, shoes=k.RED, hands=((-0.12, -0.46), (0.24, -0.62)), skirt=k.YELLOW).draw(
        c, 194, 232, 104
    )
    Person(
        shirt=k.YELLOW,
        trousers=k.STEEL,
        skin=k.BROWN,
        hair=k.INK,
        shoes=k.RED,
        hands=((-0.24, -0.6), (0.13, -0.46)),
        skirt=k.YELLOW,
    ).draw(c, 256, 232, 98)
    for i in range(70):
        x, y = (i * i * 37 + i * 91) % 480, (i * 113 + i * i * 17) % 290
        c.line([(x, y), (x - 4, y + 12)], "#DCE4E8", 1.2)
    return c


def wall_bicycle() -> Canvas:
    c = Canvas("#BE8069")
    for row in range(15):
        for col in range(-1, 12):
            shade = ("#B97862", "#C48770", "#B5705A")[(row * 5 + col * 3) % 3]
            c.rect(col * 44 + (row % 2) * 22, row * 16, 42, 14, shade, 1)
    p.window(c, 40, 56, 84, 92, "#A9C2CC")
    p.bars(c, 40, 56, 84, 92)
    c.rect(32, 156, 100, 12, k.DARKWOOD, 3)
    for x in range(42, 130, 14):
        c.oval(x, 150, 9, None, k.LEAF)
        c.oval(x + 3, 144, 5, None, (k.RED, k.PINK, k.WHITE)[x % 3])
    c.rect(386, 70, 80, 172, k.GREEN, 4)
    c.oval(400, 158, 4, None, k.YELLOW)
    c.rect(0, 240, k.WIDTH, 60, k.KERB)
    for x in range(0, 480, 80):
        c.line([(x, 242), (x - 24, 300)], k.STONE, 1.5)
    t.bicycle(c, 178, 272, 1.45, "#7CA9CC")
    c.rect(292, 148, 40, 30, k.WOOD, 5)
    for x, colour in ((298, k.RED), (312, k.YELLOW), (326, k.PINK)):
        c.oval(x, 143, 8, None, colour)
    return c


def city_taxi() -> Canvas:
    c = Canvas("#C6B3BE")
    c.rect(0, 100, k.WIDTH, 120, "#E5C6B0")
    p.skyline(c, 216, ("#6F7590", "#7F8098", "#8C879C"), "#F0D796")
    p.road(c, 234, 22)
    t.taxi(c, 100, 276)
    c.rect(392, 70, 7, 164, k.INK)
    c.rect(378, 58, 34, 78, k.INK, 7)
    for y, colour in ((74, "#E2563F"), (97, "#6E6338"), (120, "#3F5F4A")):
        c.oval(395, y, 9, None, colour)
    return c


def market_fruit() -> Canvas:
    c = Canvas("#D9E2DC")
    p.house(c, 6, 190, 100, 90, k.PALE, k.BRICK)
    p.house(c, 372, 190, 100, 96, "#DCC7AC", k.STEEL)
    c.rect(0, 190, k.WIDTH, 110, k.KERB)
    for x in (84, 388):
        c.rect(x, 84, 7, 190, k.DARKWOOD)
    Person(shirt=k.WHITE, trousers=k.NAVY, skin=k.TAN, hair=k.GREY, hands=((-0.3, -0.5), (0.3, -0.52)), hat=k.RED).draw(
        c, 240, 276, 168
    )
    c.rect(226, 154, 28, 60, k.GREEN, 4)
    for i in range(11):
        x = 72 + i * 31
        c.poly([(x, 66), (x + 31, 66), (x + 31, 96), (x, 96)], k.GREEN if i % 2 else k.WHITE)
        c.pie(x + 15.5, 96, 15.5, 0, 180, k.GREEN if i % 2 else k.WHITE)
    c.rect(70, 206, 344, 18, k.WOOD)
    for i, colour in enumerate((k.RED, k.ORANGE, k.GREEN, k.YELLOW)):
        x = 76 + i * 84
        for j in range(10):
            c.oval(x + 10 + (j % 5) * 15, 212 - (j // 5) * 9, 8.5, None, colour)
        c.rect(x, 212, 80, 30, k.WOOD, 3)
        c.rect(x, 222, 80, 4, k.DARKWOOD)
    c.rect(70, 242, 344, 44, k.BRICK)
    return c


def ramp_skater() -> Canvas:
    c = Canvas("#DCE6E6")
    p.skyline(c, 236, ("#BFCBCF", "#C9D0CE", "#B7C3C8"), "#DDE6E8")
    c.rect(0, 232, k.WIDTH, 70, k.STONE)
    c.poly([(0, 300), (0, 176), (60, 176), (110, 190), (160, 226), (196, 268), (206, 300)], k.GREY)
    c.rect(0, 172, 64, 6, k.STEEL)
    c.curve([(30, 236), (60, 220), (80, 246), (110, 236), (120, 262)], k.PURPLE, 8)
    c.curve([(26, 268), (56, 258), (80, 280)], k.ORANGE, 7)
    skater = Person(shirt=k.RED, trousers=k.NAVY, hip=(-0.02, -0.4), neck=(0.08, -0.68), hands=((-0.32, -0.72),
            (0.4, -0.8)),
                    knees=((-0.2, -0.26), (0.22, -0.34)), feet=((-0.16, -0.02), (0.18, -0.12)),
                    hat=k.YELLOW)  # fmt: skip
    skater.draw(c, 262, 168, 136)
    c.line([(216, 172), (232, 176), (294, 156), (306, 146)], k.WOOD, 7)
    for x, y in ((240, 182), (288, 166)):
        c.oval(x, y, 5, None, k.INK)
    return c


def street_crossing() -> Canvas:
    c = Canvas(k.SKY)
    p.skyline(c, 180, CITY)
    p.road(c, 200, 22)
    for i in range(7):
        c.poly([(40 + i * 62, 208), (70 + i * 62, 208), (56 + i * 66, 300), (18 + i * 66, 300)], k.WHITE)
    c.rect(432, 60, 6, 140, k.INK)
    c.rect(420, 50, 30, 54, k.INK, 6)
    c.oval(435, 64, 8, None, "#6A3B36")
    c.oval(435, 90, 8, None, "#7CC58A")
    walking = Person(feet=((-0.15, -0.01), (0.14, 0)), hands=((-0.16, -0.48), (0.14, -0.46)))
    people = (
        (92, 254, 126, replace(walking, shirt=k.NAVY, trousers=k.INK)),
        (180, 272, 134, replace(walking, shirt=k.RED, trousers=k.STEEL, skin=k.BROWN, hair=k.INK, long_hair=True)),
        (276, 250, 122, replace(walking, shirt=k.STONE, skin=k.TAN, hair=k.BROWN, long_hair=True)),
        (356, 276, 136, replace(walking, shirt=k.GREEN, trousers=k.INK, hair=k.GREY)),
    )
    for x, y, h, person in people:
        person.draw(c, x, y, h)
        if x in (92, 356):
            c.rect(x + 8, y - 0.46 * h, 26, 19, k.BROWN, 3)
    return c


def fire_truck() -> Canvas:
    c = Canvas(k.SKY)
    c.rect(30, 46, 420, 190, k.BRICK)
    c.rect(20, 36, 440, 16, k.PALE)
    for x in (62, 200, 338):
        c.rect(x, 112, 96, 124, "#5A4A44", 4)
        for y in range(124, 160, 12):
            c.line([(x + 4, y), (x + 92, y)], "#6E5C54", 2)
    for x in (70, 130, 210, 270, 346, 406):
        c.rect(x, 64, 28, 32, k.FOAM, 2)
    c.rect(0, 234, k.WIDTH, 70, k.KERB)
    t.fire_truck(c, 112, 280)
    return c


def cafe_couple() -> Canvas:
    c = Canvas("#D8C6AE")
    c.rect(0, 220, k.WIDTH, 80, k.KERB)
    p.window(c, 60, 104, 150, 100, "#8D7A68")
    c.rect(320, 92, 82, 130, k.GREEN, 4)
    c.rect(332, 104, 58, 56, k.FOAM, 3)
    for i in range(12):
        x = 36 + i * 34
        c.poly([(x + 6, 44), (x + 40, 44), (x + 34, 84), (x, 84)], k.RED if i % 2 else k.WHITE)
        c.pie(x + 17, 84, 17, 0, 180, k.RED if i % 2 else k.WHITE)
    p.plant(c, 436, 236, 1.0)
    p.plant(c, 296, 232, 0.6)
    left = Person(shirt=k.NAVY, trousers=k.STEEL, hip=(0, -0.32), neck=(0.02, -0.66), hands=((0.22, -0.44), (0.28,
            -0.46)),
                  elbows=((0.08, -0.4), (0.12, -0.38)), knees=((0.2, -0.32), (0.22, -0.32)), feet=((0.18, 0),
                          (0.24, 0)))  # fmt: skip
    right = Person(shirt=k.PINK, trousers=k.PURPLE, hair=k.BROWN, long_hair=True, hip=(0, -0.32), neck=(-0.02, -0.66),
                   hands=((-0.28, -0.46), (-0.22, -0.44)), elbows=((-0.12, -0.38), (-0.08, -0.4)), knees=((-0.22,
                           -0.32), (-0.2, -0.32)),
                   feet=((-0.24, 0), (-0.18, 0)))  # fmt: skip
    for x, back in ((96, -10), (250, 10)):
        c.line([(x + back, 178), (x + back, 276)], k.DARKWOOD, 5)
        c.line([(x - 18, 230), (x + 18, 230)], k.DARKWOOD, 6)
        c.line([(x - back, 232), (x - back, 276)], k.DARKWOOD, 4)
    left.draw(c, 98, 276, 148)
    right.draw(c, 248, 276, 148)
    c.oval(173, 214, 42, 8, k.WHITE)
    c.line([(173, 218), (173, 276)], k.STEEL, 5)
    for x in (156, 192):
        t.cup(c, x, 212, 0.5)
    return c


def clock_tower() -> Canvas:
    c = Canvas(k.NIGHT)
    p.stars(c)
    c.oval(96, 66, 28, None, "#F1E8C9")
    c.oval(86, 58, 5, None, "#DDD2AE")
    c.oval(104, 74, 4, None, "#DDD2AE")
    for i in range(8):
        p.house(c, -6 + i * 64, 304, 58, 56 + (i * 17) % 30, ("#263349", "#2C3A52")[i % 2], "#1D283B", lit=i % 3 != 1)
    c.rect(236, 96, 88, 210, "#A38F78")
    c.rect(228, 88, 104, 12, "#BCA78C")
    c.poly([(230, 90), (280, 14), (330, 90)], "#5C4A4A")
    c.oval(280, 142, 34, None, "#5C4A4A")
    c.oval(280, 142, 30, None, "#F6EBCB")
    for angle in range(0, 360, 30):
        c.line([k.around(280, 142, 24, angle), k.around(280, 142, 27, angle)], k.INK, 2)
    c.line([(280, 142), (280, 120)], k.INK, 3)
    c.line([(280, 142), (264, 142)], k.INK, 4)
    for y in (196, 238):
        c.rect(270, y, 20, 28, k.YELLOW, 9)
    return c
