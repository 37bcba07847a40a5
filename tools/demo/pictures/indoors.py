"""Pictures set at home."""

from __future__ import annotations

from tools.demo.pictures import canvas as k
from tools.demo.pictures import figures as f
from tools.demo.pictures import places as p
from tools.demo.pictures import things as t
from tools.demo.pictures.canvas import Canvas
from tools.demo.pictures.figures import Person


def kitchen_cook() -> Canvas:
    c = Canvas("#E3E4D8")
    for row in range(7):
        for col in range(13):
            c.rect(col * 38 + 1, row * 30 + 1, 36, 28, "#EBECE2")
    p.window(c, 292, 40, 120, 90)
    p.bars(c, 292, 40, 120, 90)
    c.rect(30, 50, 150, 5, k.STEEL)
    for x in (52, 96, 142):
        c.line([(x, 55), (x, 72)], k.STEEL, 3)
        c.oval(x, 86, 16, None, k.INK if x == 96 else k.STEEL)
    Person(
        shirt=k.WHITE,
        trousers=k.NAVY,
        skin=k.TAN,
        hands=((0.02, -0.44), (0.24, -0.46)),
        elbows=((-0.16, -0.5), (0.2, -0.56)),
        hat=k.WHITE,
    ).draw(c, 226, 316, 210)
    c.rect(204, 96, 42, 26, k.WHITE, 12)
    c.rect(0, 214, k.WIDTH, 14, k.WOOD)
    c.rect(0, 228, k.WIDTH, 80, k.PINE)
    for x in (18, 178, 338):
        c.rect(x, 240, 140, 60, "#527560", 4)
        c.oval(x + 70, 250, 4, None, k.SUN)
    c.rect(206, 206, 128, 9, "#D9B88A", 3)
    for x, colour in ((290, k.ORANGE), (304, k.ORANGE), (318, k.RED)):
        c.oval(x, 200, 8, None, colour)
    c.oval(232, 203, 10, 5, k.GREEN)
    c.poly([(258, 182), (300, 206), (262, 206)], k.GREY)
    c.rect(60, 178, 76, 36, k.STEEL, 6)
    c.rect(54, 174, 88, 7, k.INK, 3)
    for x in (84, 106):
        c.curve([(x, 168), (x + 6, 156), (x - 4, 146), (x + 4, 134)], k.WHITE, 3)
    return c


def table_pizza() -> Canvas:
    c = Canvas("#B78A62")
    for y in range(0, 300, 50):
        c.rect(0, y, k.WIDTH, 47, "#BF936A")
        c.line([(40 + y, y + 22), (220 + y, y + 24)], "#B08258", 1.5)
    c.oval(220, 156, 134, None, k.DARKWOOD)
    c.oval(220, 152, 132, None, "#CFA377")
    c.oval(220, 152, 112, None, "#D29A55")
    c.oval(220, 152, 98, None, "#EBC774")
    for x, y in ((180, 104), (244, 92), (160, 164), (222, 150), (202, 212), (282, 186), (176, 132), (262, 226)):
        c.oval(x, y, 14, None, k.RED)
        c.oval(x - 3, y - 3, 4, None, "#DB7B63")
    for x, y in ((210, 118), (190, 186), (240, 196), (146, 136), (236, 124)):
        c.oval(x, y, 8, 5, k.GREEN)
    c.pie(222, 151, 116, 318, 360, "#CFA377")
    c.oval(416, 90, 36, None, k.FOAM)
    c.oval(416, 90, 29, None, "#9A5A48")
    for x, y in ((408, 82), (424, 96)):
        c.rect(x - 7, y - 7, 14, 14, "#C9D8DA", 3)
    c.poly([(380, 190), (450, 180), (462, 262), (392, 272)], k.WHITE)
    c.line([(414, 176), (426, 276)], k.STEEL, 6)
    return c


def fruit_bowl() -> Canvas:
    c = Canvas("#B7C6AE")
    p.window(c, 40, 34, 130, 120, k.SKY, k.WHITE)
    t.table(c, 206)
    c.oval(264, 262, 116, 10, k.DARKWOOD)
    c.curve([(196, 160), (216, 118), (268, 98), (320, 108)], k.YELLOW, 22)
    c.curve([(206, 166), (230, 130), (280, 116), (330, 124)], "#DDB04C", 18)
    for x, y, r, colour in (
        (196, 164, 27, k.RED),
        (248, 154, 28, k.ORANGE),
        (334, 160, 28, k.RED),
        (294, 152, 27, k.GREEN),
    ):
        c.oval(x, y, r, None, colour)
        c.line([(x, y - r + 3), (x + 3, y - r - 6)], k.DARKWOOD, 3)
    c.pie(264, 184, 108, 0, 180, k.BLUE)
    c.rect(152, 178, 224, 12, "#79A7CB", 6)
    c.rect(226, 282, 76, 9, k.BLUE, 4)
    c.oval(92, 250, 24, None, k.RED)
    c.line([(92, 228), (96, 218)], k.DARKWOOD, 3)
    return c


def birthday_cake() -> Canvas:
    c = Canvas("#E6DCE2")
    for x, y, colour in (
        (70, 76, k.BLUE),
        (118, 52, k.YELLOW),
        (374, 60, k.RED),
        (424, 90, k.GREEN),
        (330, 40, k.ORANGE),
    ):
        c.curve([(x, y + 30), (x + 6, y + 90), (x - 4, y + 150)], k.GREY, 1.4)
        c.oval(x, y, 25, 31, colour)
        c.poly([(x - 5, y + 36), (x + 5, y + 36), (x, y + 28)], colour)
    t.table(c, 230, k.WHITE, k.PALE)
    c.oval(236, 250, 132, 13, k.PALE)
    c.rect(140, 176, 192, 70, k.PINK, 10)
    c.rect(172, 122, 128, 62, "#EDBFC0", 10)
    for x in range(148, 330, 24):
        c.pie(x + 8, 180, 13, 0, 180, k.WHITE)
    for x in range(180, 298, 22):
        c.pie(x + 6, 126, 11, 0, 180, k.WHITE)
    for x, colour in ((188, k.BLUE), (212, k.YELLOW), (236, k.GREEN), (260, k.ORANGE), (284, k.PURPLE)):
        c.rect(x - 3.5, 90, 7, 34, colour, 2)
        c.oval(x, 80, 5, 9, k.SUN)
        c.oval(x, 83, 2.6, 5, k.ORANGE)
    for x, colour, ribbon in ((40, k.GREEN, k.YELLOW), (400, k.BLUE, k.WHITE)):
        c.rect(x, 212, 62, 52, colour, 4)
        c.rect(x + 26, 212, 10, 52, ribbon)
        c.oval(x + 22, 208, 11, 7, ribbon)
        c.oval(x + 40, 208, 11, 7, ribbon)
    return c


def sofa_cat() -> Canvas:
    c = Canvas("#E4DCCB")
    p.room(c, "#E4DCCB", "#B89A7A", 230)
    p.frame(c, 60, 34, 100, 76)
    p.lamp(c, 430, 168, 92)
    c.rect(408, 168, 44, 64, k.WOOD, 3)
    c.rect(64, 128, 316, 92, "#6D9C98", 22)
    c.rect(52, 182, 340, 68, "#78A8A3", 18)
    c.rect(40, 156, 46, 96, "#628F8B", 20)
    c.rect(358, 156, 46, 96, "#628F8B", 20)
    for x in (70, 364):
        c.rect(x, 248, 10, 18, k.DARKWOOD)
    c.poly([(292, 136), (346, 146), (338, 198), (286, 190)], k.YELLOW)
    c.poly([(100, 146), (142, 138), (150, 186), (106, 192)], k.RED)
    f.curled_cat(c, 222, 206, 104, k.ORANGE, "#BF6B30")
    return c


def desk_laptop() -> Canvas:
    c = Canvas("#DAE0DD")
    p.window(c, 40, 30, 120, 112)
    p.bars(c, 40, 30, 120, 112)
    t.table(c, 226)
    c.rect(160, 106, 190, 124, k.STEEL, 8)
    c.rect(168, 114, 174, 106, "#33475B", 3)
    for i, height in enumerate((20, 34, 28, 48, 60)):
        c.rect(190 + i * 24, 206 - height, 15, height, (k.BLUE, k.YELLOW)[i % 2], 1)
    c.line([(186, 160), (216, 144), (246, 150), (276, 128), (306, 132)], k.FOAM, 2.4)
    c.poly([(150, 230), (360, 230), (384, 262), (126, 262)], k.GREY)
    for row in range(3):
        c.line([(158 - row * 7, 237 + row * 7), (352 + row * 7, 237 + row * 7)], k.STEEL, 3)
    t.cup(c, 418, 264, 1.2)
    p.plant(c, 84, 258, 0.8)
    p.lamp(c, 400, 226, 116, k.YELLOW)
    return c


def bed_reader() -> Canvas:
    c = Canvas("#5A6784")
    p.room(c, "#5A6784", "#7A6656", 240)
    p.window(c, 48, 34, 92, 92, k.NIGHT)
    c.oval(110, 62, 13, None, "#F1E8C9")
    for x, y in ((66, 52), (80, 92), (124, 104)):
        c.oval(x, y, 1.6, None, k.WHITE)
    c.oval(402, 128, 92, None, "#707A92")
    c.rect(378, 190, 62, 66, k.WOOD, 3)
    p.lamp(c, 408, 190, 78)
    c.rect(316, 116, 22, 150, k.DARKWOOD, 6)
    c.rect(40, 200, 286, 52, k.WHITE, 10)
    c.rect(262, 156, 58, 54, k.FOAM, 14)
    girl = Person(shirt=k.PINK, trousers=k.PINK, long_hair=True, hip=(0.2, -0.12), neck=(0.24, -0.5), hands=((-0.1,
            -0.38), (-0.06, -0.34)),
                  elbows=((0.06, -0.22), (0.1, -0.2)), knees=((-0.1, -0.3), (-0.06, -0.3)), feet=((-0.4, -0.06),
                          (-0.36, -0.04)))  # fmt: skip
    girl.draw(c, 232, 222, 140)
    c.blob([(50, 208), (120, 182), (200, 168), (252, 196), (270, 214), (262, 254), (60, 258)], k.BLUE)
    for x in (84, 140, 196):
        c.oval(x, 222, 6, None, "#7BA7CA")
    c.poly([(190, 152), (214, 146), (220, 176), (196, 182)], k.RED)
    c.poly([(214, 146), (236, 154), (240, 182), (220, 176)], k.WHITE)
    c.oval(296, 196, 15, 17, k.BROWN)
    c.oval(296, 174, 12, None, k.BROWN)
    for dx in (-9, 9):
        c.oval(296 + dx, 165, 5, None, k.BROWN)
    c.rect(40, 246, 300, 14, k.DARKWOOD, 4)
    return c


def piano_girl() -> Canvas:
    c = Canvas("#DCD3C4")
    p.room(c, "#DCD3C4", "#A98465", 236)
    p.frame(c, 60, 36, 96, 70)
    p.plant(c, 62, 256, 1.25)
    c.rect(268, 92, 160, 166, k.BROWN, 5)
    c.rect(262, 84, 172, 12, k.DARKWOOD, 3)
    c.rect(222, 178, 60, 12, k.BROWN, 3)
    c.rect(222, 170, 56, 9, k.WHITE, 2)
    for i in range(6):
        c.rect(227 + i * 9, 170, 4, 5, k.INK)
    c.rect(226, 188, 9, 70, k.BROWN)
    c.poly([(262, 116), (282, 110), (286, 158), (266, 164)], k.WHITE)
    for y in (124, 134, 144):
        c.line([(267, y), (280, y - 3)], k.GREY, 1.4)
    c.rect(130, 208, 68, 10, k.DARKWOOD, 3)
    for x in (138, 186):
        c.rect(x, 214, 6, 46, k.DARKWOOD)
    girl = Person(shirt=k.RED, trousers=k.SKIN, skirt=k.RED, long_hair=True, hip=(0, -0.32), neck=(0.02, -0.66),
            hands=((0.38, -0.56), (0.42, -0.56)),
                  elbows=((0.16, -0.44), (0.18, -0.44)), knees=((0.22, -0.32), (0.24, -0.32)), feet=((0.26, 0),
                          (0.3, 0)))  # fmt: skip
    girl.draw(c, 166, 260, 160)
    p.lamp(c, 392, 84, 62)
    for x, y in ((212, 84), (236, 58), (196, 46)):
        c.oval(x, y, 5, 4, k.PURPLE)
        c.line([(x + 4, y), (x + 4, y - 18)], k.PURPLE, 2)
    return c


def breakfast_plate() -> Canvas:
    c = Canvas("#C9D8E0")
    for row in range(8):
        for col in range(12):
            if (row + col) % 2:
                c.rect(col * 40, row * 40, 40, 40, "#BACCD7")
    c.oval(214, 162, 118, None, "#A9BBC6")
    c.oval(214, 158, 118, None, k.WHITE)
    c.oval(214, 158, 92, None, "#F0EDE4")
    c.blob([(150, 118), (196, 104), (226, 126), (212, 168), (166, 174), (138, 150)], k.WHITE)
    c.blob([(196, 172), (236, 160), (262, 186), (246, 218), (204, 220), (184, 196)], k.WHITE)
    for x, y in ((180, 140), (224, 192)):
        c.oval(x, y, 18, None, k.YELLOW)
        c.oval(x - 5, y - 5, 5, None, k.SUN)
    for x, y in ((236, 92), (258, 112)):
        c.poly([(x, y), (x + 44, y + 14), (x + 34, y + 56), (x - 8, y + 42)], "#B9803F")
        c.poly([(x + 5, y + 6), (x + 38, y + 17), (x + 30, y + 49), (x - 1, y + 37)], "#E0B46C")
    for y in (190, 206):
        c.curve([(134, y - 4), (148, y + 6), (162, y - 2), (176, y + 8)], k.BRICK, 9)
    c.line([(60, 90), (60, 240)], k.STEEL, 5)
    for dx in (-9, 0, 9):
        c.line([(60 + dx, 82), (60 + dx, 112)], k.STEEL, 3)
    c.line([(52, 112), (68, 112)], k.STEEL, 5)
    c.line([(364, 84), (364, 150)], k.GREY, 11)
    c.line([(364, 150), (364, 240)], k.STEEL, 6)
    c.oval(424, 88, 44, None, k.FOAM)
    c.oval(424, 88, 32, None, k.WHITE)
    c.oval(424, 88, 26, None, k.DARKWOOD)
    c.oval(428, 210, 28, None, k.WHITE)
    c.oval(428, 210, 23, None, k.ORANGE)
    return c


def flower_vase() -> Canvas:
    c = Canvas("#E5DED0")
    p.window(c, 96, 20, 288, 206, k.SKY)
    c.blob([(90, 230), (150, 176), (240, 196), (330, 168), (400, 220), (384, 232)], k.LEAF)
    c.rect(90, 226, 300, 40, "#E5DED0")
    p.bars(c, 96, 20, 288, 206)
    for x, m in ((70, 1), (410, -1)):
        c.blob([(x - 10, 6), (x + m * 44, 6), (x + m * 34, 120), (x + m * 10, 236), (x - m * 20, 236)], k.WHITE)
    c.rect(60, 228, 360, 18, k.WHITE, 3)
    c.rect(60, 244, 360, 6, k.PALE)
    for x, length, lean, colour in (
        (232, 96, -52, k.RED),
        (236, 118, -20, k.PINK),
        (242, 124, 14, k.RED),
        (246, 98, 48, k.PINK),
        (240, 84, -4, k.RED),
    ):
        t.tulip(c, x, 176, length, lean, colour)
    for dx in (-34, 38):
        c.curve([(240, 172), (240 + dx * 0.6, 148), (240 + dx, 116)], k.GREEN, 8)
    c.blob([(220, 160), (260, 160), (266, 196), (262, 226), (218, 226), (214, 196)], k.BLUE)
    c.rect(218, 154, 44, 10, "#79A7CB", 5)
    return c


def fire_dog() -> Canvas:
    c = Canvas("#CDB79C")
    p.room(c, "#CDB79C", "#8F6D50", 224)
    _fireplace(c)
    c.line([(212, 220), (280, 216)], k.DARKWOOD, 10)
    for x, y in ((376, 210), (396, 210), (416, 210), (386, 194), (406, 194)):
        c.oval(x, y, 10, None, k.WOOD)
        c.oval(x, y, 5, None, "#D3B085")
    for x in (150, 340):
        c.rect(x - 5, 26, 10, 25, k.WHITE, 2)
        c.oval(x, 20, 4, 7, k.SUN)
    c.oval(240, 270, 180, 26, k.RED)
    c.oval(240, 270, 160, 20, "#B8604F")
    _sleeping_collie(c)
    return c


def _fireplace(c: Canvas) -> None:
    c.rect(140, 60, 212, 166, k.STONE, 4)
    for row in range(8):
        for col in range(5):
            c.rect(
                143 + col * 42 + (row % 2) * 18,
                63 + row * 20,
                38 if col < 4 else 20,
                17,
                ("#A59B8D", "#B9AFA0", "#ADA395")[(row + col) % 3],
                3,
            )
    c.rect(122, 50, 248, 16, k.DARKWOOD, 3)
    c.rect(182, 116, 128, 110, k.INK, 8)
    for dx, h, colour in ((0, 74, k.ORANGE), (-24, 52, k.RED), (24, 50, k.ORANGE), (-8, 44, k.YELLOW), (14, 34,
            k.SUN)):  # fmt: skip
        c.blob(
            [
                (246 + dx - 18, 220),
                (246 + dx - 14, 220 - h * 0.5),
                (246 + dx, 220 - h),
                (246 + dx + 14, 220 - h * 0.5),
                (246 + dx + 18, 220),
            ],
            colour,
        )


def _sleeping_collie(c: Canvas) -> None:
    c.blob([(120, 268), (134, 236), (190, 222), (262, 228), (306, 250), (316, 272), (220, 280)], k.INK)
    c.blob([(206, 278), (220, 250), (262, 244), (290, 270), (260, 282)], k.WHITE)
    c.curve([(126, 262), (96, 268), (84, 258)], k.INK, 11)
    c.line([(272, 274), (340, 276)], k.WHITE, 14)
    c.oval(318, 254, 27, 22, k.INK)
    c.line([(326, 262), (350, 266)], k.WHITE, 17)
    c.oval(358, 262, 5, 4, k.INK)
    c.line([(302, 240), (294, 262)], "#4A4644", 12)
    c.curve([(322, 252), (328, 255), (334, 252)], k.WHITE, 2)
    c.line([(290, 250), (296, 272)], k.RED, 6)


def window_cat() -> Canvas:
    c = Canvas("#D9C9B4")
    p.window(c, 110, 24, 260, 196, "#C9D3DC")
    for i in range(4):
        p.house(
            c,
            110 + i * 66,
            222,
            56,
            44 + (i * 19) % 34,
            ("#A9857A", "#B79C86", "#98888A")[i % 3],
            "#7D6A6C",
            lit=i != 2,
        )
    c.rect(100, 218, 280, 60, "#D9C9B4")
    p.bars(c, 110, 24, 260, 196)
    for x, m in ((84, 1), (396, -1)):
        c.blob([(x - m * 12, 6), (x + m * 40, 6), (x + m * 30, 110), (x + m * 8, 236), (x - m * 22, 236)], "#B5705A")
    c.rect(70, 220, 340, 18, k.WHITE, 3)
    c.rect(70, 236, 340, 6, k.PALE)
    f.sitting_cat(c, 226, 222, 96, "#6B7078")
    p.plant(c, 336, 222, 0.85)
    p.gull(c, 312, 70, 0.8, k.STEEL)
    p.gull(c, 284, 54, 0.6, k.STEEL)
    return c
