"""Pictures set by the water."""

from __future__ import annotations

from tools.demo.pictures import canvas as k
from tools.demo.pictures import figures as f
from tools.demo.pictures import places as p
from tools.demo.pictures import things as t
from tools.demo.pictures.canvas import Canvas
from tools.demo.pictures.figures import Beast, Person


def beach(c: Canvas, horizon: float = 128, shore: float = 186) -> None:
    p.sun(c, 404, 52)
    p.water(c, horizon)
    c.land([(0, shore + 4), (120, shore - 6), (260, shore + 6), (480, shore - 8)], k.FOAM)
    c.land([(0, shore + 10), (120, shore), (260, shore + 12), (480, shore - 2)], k.WET)
    c.land([(0, shore + 34), (150, shore + 22), (300, shore + 34), (480, shore + 22)], k.SAND)


def beach_dog() -> Canvas:
    c = Canvas(k.SKY)
    beach(c)
    p.cloud(c, 110, 54)
    dog = Beast(
        "#A8744A",
        legs=0.3,
        thick=0.23,
        limb=0.1,
        neck=(0.12, -0.2),
        head=0.14,
        muzzle="#8A5B38",
        stride=0.14,
        tail=(-0.2, -0.2),
    )
    dog.draw(c, 176, 264, 150)
    c.line([(273, 168), (274, 177)], k.PINK, 8)
    c.line([(239, 190), (258, 202)], k.RED, 6)
    c.oval(366, 132, 30, 9, k.RED)
    c.oval(366, 129, 19, 4, "#DD7B6A")
    for x, y in ((60, 270), (84, 282), (336, 276), (396, 256)):
        c.oval(x, y, 5, 2, k.WET)
    return c


def beach_reader() -> Canvas:
    c = Canvas(k.SKY)
    beach(c, 118, 170)
    c.line([(236, 268), (222, 84)], k.WHITE, 5)
    for index in range(6):
        c.pie(222, 112, 104, 180 + index * 30, 210.5 + index * 30, k.RED if index % 2 == 0 else k.WHITE)
    c.line([(176, 258), (232, 258), (270, 206)], k.WOOD, 7)
    c.line([(186, 276), (214, 256)], k.WOOD, 5)
    c.line([(250, 276), (236, 256)], k.WOOD, 5)
    reader = Person(shirt=k.BLUE, trousers=k.TAN, skin=k.TAN, shoes=k.TAN, hip=(0.28, -0.2), neck=(0.42, -0.5),
            long_hair=True,
                    hands=((0.16, -0.42), (0.18, -0.4)), elbows=((0.3, -0.3), (0.32, -0.3)), knees=((-0.02, -0.3),
                            (0.02, -0.32)),
                    feet=((-0.26, -0.06), (-0.2, -0.04)), hat=k.SUN, brim=True)  # fmt: skip
    reader.draw(c, 184, 280, 132)
    c.poly([(184, 216), (206, 212), (212, 232), (190, 236)], k.RED)
    c.poly([(206, 212), (222, 218), (226, 236), (212, 232)], k.WHITE)
    c.rect(330, 244, 44, 30, k.ORANGE, 6)
    c.ring(352, 246, 13, k.ORANGE, 3)
    return c


def lake_sailboat() -> Canvas:
    c = Canvas(k.SKY)
    p.sun(c, 78, 54)
    p.cloud(c, 380, 46, 0.9)
    p.mountains(c, 168, ((70, 88), (390, 70)), "#A5B9BF")
    p.mountains(c, 168, ((180, 66), (300, 98), (470, 104)))
    c.land([(0, 150), (90, 158), (200, 164), (300, 160), (400, 150), (480, 146)], k.PINE)
    p.water(c, 168)
    t.sailboat(c, 262, 238, 1.15)
    c.oval(266, 258, 70, 5, k.DEEP)
    return c


def harbor_boats() -> Canvas:
    c = Canvas(k.SKY)
    p.cloud(c, 90, 42)
    walls = (k.RED, k.YELLOW, "#B8C9D6", k.ORANGE, k.WHITE, k.GREEN, k.PINK)
    for index, wall in enumerate(walls):
        p.house(c, 4 + index * 70, 158, 58, 62 + (index * 13) % 26, wall, k.BRICK if index % 2 else k.STEEL)
    c.rect(0, 156, k.WIDTH, 18, k.STONE)
    p.water(c, 172)
    for x, y, size, hull in ((96, 214, 0.95, k.BLUE), (384, 220, 0.95, k.GREEN), (240, 264, 1.15, k.RED)):
        c.oval(x, y + 14 * size, 62 * size, 5 * size, k.DEEP)
        t.fishing_boat(c, x, y, size, hull)
    p.gull(c, 330, 60)
    p.gull(c, 362, 44, 0.8)
    return c


def wave_surfer() -> Canvas:
    c = Canvas(k.SKY)
    p.sun(c, 66, 54)
    c.rect(0, 150, k.WIDTH, 150, k.DEEP)
    c.blob([(120, 300), (190, 200), (270, 120), (360, 62), (440, 44), (500, 60), (500, 320), (300, 330)], k.SEA)
    c.blob([(330, 300), (400, 200), (420, 110), (500, 60), (520, 200), (500, 320)], "#6CA3B6")
    for x, y, r in (
        (330, 82, 20),
        (360, 66, 24),
        (396, 54, 26),
        (432, 50, 26),
        (470, 56, 30),
        (306, 100, 13),
        (460, 90, 18),
    ):
        c.oval(x, y, r, None, k.FOAM)
    c.land([(0, 262), (90, 250), (180, 268), (290, 254), (400, 270), (480, 258)], k.FOAM)
    c.land([(0, 274), (90, 264), (180, 282), (290, 268), (400, 284), (480, 272)], "#6CA3B6")
    c.line([(168, 246), (226, 228), (280, 206)], k.YELLOW, 10)
    surfer = Person(shirt=k.INK, trousers=k.INK, skin=k.TAN, shoes=k.TAN, hip=(0.0, -0.36), neck=(0.06, -0.68),
            hands=((-0.36, -0.62), (0.42, -0.72)),
                    knees=((-0.22, -0.28), (0.2, -0.34)), feet=((-0.26, -0.0), (0.22, -0.14)))  # fmt: skip
    surfer.draw(c, 226, 226, 128)
    return c


def coast_lighthouse() -> Canvas:
    c = Canvas(k.DUSK)
    c.rect(0, 0, k.WIDTH, 70, "#D9C3C2")
    p.sun(c, 110, 142, 30, "#F3D9A8")
    p.water(c, 172, "#8FA7B5", "#748F9F")
    c.blob([(200, 320), (230, 226), (300, 196), (380, 190), (470, 214), (520, 320)], k.STEEL)
    c.blob([(260, 330), (300, 250), (390, 226), (500, 262), (520, 330)], "#68727A")
    c.poly([(324, 196), (336, 70), (376, 70), (388, 196)], k.WHITE)
    for low, high in ((196, 168), (140, 112), (92, 76)):
        a, b = (196 - low) * 12 / 126, (196 - high) * 12 / 126
        c.poly([(324 + a, low), (324 + b, high), (388 - b, high), (388 - a, low)], k.RED)
    for y in (104, 152):
        c.rect(351, y, 10, 14, k.NAVY, 4)
    c.rect(328, 62, 56, 9, k.INK, 2)
    c.poly([(334, 40), (356, 18), (378, 40)], k.RED)
    c.poly([(340, 44), (0, 20), (0, 66), (340, 56)], "#EFDCC0")
    c.rect(340, 38, 32, 24, k.SUN)
    c.rect(350, 38, 12, 24, k.WHITE)
    for x, y in ((196, 108), (228, 90), (160, 122)):
        p.gull(c, x, y)
    for x in (212, 250, 300, 360, 430):
        c.oval(x, 292, 24, 9, k.FOAM)
    return c


def lake_kayak() -> Canvas:
    c = Canvas(k.SKY)
    c.land([(0, 110), (120, 96), (260, 112), (380, 92), (480, 104)], k.LEAF)
    for i in range(13):
        p.pine(c, 14 + i * 38, 164 - (i * 7) % 10, 0.95 + (i % 3) * 0.18, (k.PINE, k.FOREST)[i % 2])
    p.water(c, 160, "#8DB3AE", "#6E9A97")
    c.oval(238, 254, 150, 8, "#6E9A97")
    for x, shirt, hair in ((190, k.ORANGE, k.DARK), (286, k.ORANGE, "#B98B5E")):
        rower = Person(shirt=shirt, trousers=k.NAVY, hair=hair, hip=(0, -0.2), neck=(0.02, -0.56), hands=((0.1,
                -0.4), (0.22, -0.34)),
                       elbows=((0.02, -0.32), (0.12, -0.26)), feet=((0.1, -0.1), (0.12, -0.1)), knees=None)  # fmt: skip
        rower.draw(c, x, 256, 122)
        c.line([(x - 36, 180), (x + 58, 250)], k.DARKWOOD, 4)
        for end in ((x - 40, 177), (x + 62, 253)):
            c.oval(*end, 9, 6, k.WHITE)
    c.blob([(90, 232), (160, 234), (240, 236), (320, 234), (392, 230), (340, 258), (240, 264), (140, 258)], k.YELLOW)
    c.line([(104, 239), (376, 238)], "#CFA543", 3)
    return c


def pond_ducks() -> Canvas:
    c = Canvas("#C9DDD9")
    c.land([(0, 96), (140, 80), (300, 98), (480, 78)], k.GRASS)
    p.tree(c, 70, 112, 0.9)
    p.tree(c, 420, 108, 1.0, k.PINE)
    p.water(c, 128, "#8FB9B4", "#74A29E")
    for x in (24, 40, 56, 428, 446, 462):
        c.curve([(x, 190), (x + 3, 150), (x - 3, 112)], k.PINE, 4)
        c.line([(x - 3, 116), (x - 3, 98)], k.BROWN, 7)
    for x, y in ((96, 250), (410, 262), (380, 240)):
        c.pie(x, y, 20, 20, 340, k.LEAF)
    for x, y, size, colour in (
        (336, 198, 62, "#A57B52"),
        (244, 206, 36, k.YELLOW),
        (174, 214, 36, k.YELLOW),
        (110, 204, 34, k.YELLOW),
    ):
        c.oval(x, y + size * 0.12, size * 0.75, size * 0.1, "#74A29E")
        f.duck(c, x, y, size, colour)
    return c
