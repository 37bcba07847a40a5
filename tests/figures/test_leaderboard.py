"""The leaderboard: what stands in its cells."""

from __future__ import annotations

import math
import re

import pytest

from figures.leaderboard.board import Board, Cell, Column, Row
from figures.leaderboard.html import STRONGEST, board_html, tint
from figures.style.palette import TONES, ModelStyle

NAN = math.nan
TRM = Column("trm", "TRM", False, True, "↓ lower is better", signature="trm_meteor|v1")
CIDER = Column("cider", "CIDEr-D", True, True, "↑ higher is better", digits=2)
PAIR = Column("pair", "Pair distance", True, False, "↑ more diverse")


def run(name: str, trm: float, cider: float, pair: float, delta: tuple[float, float, float] = (0, 0, 0), **more) -> Row:
    sure = delta[1] > 0 or delta[2] < 0
    cells = {
        "trm": Cell(trm, trm - 0.1, trm + 0.1, *delta, sure=sure),
        "cider": Cell(cider, cider - 0.1, cider + 0.1, *delta, sure=sure),
        "pair": Cell(pair, pair - 0.1, pair + 0.1, *delta, sure=sure),
    }
    return Row(name, cells, ModelStyle(len(name)), **more)


A = run("Oracle", 0.6, 1.0, 0.7, rank_low=1, rank_high=2, p_value=0.4, p_floor=1e-4)
B = run("Peaked", 0.9, 1.3, 0.4, (0.3, 0.2, 0.4), rank_low=2, rank_high=2, p_value=1e-4, p_floor=1e-4)
C = run("Loose", 1.2, 0.8, 1.0, (0.6, -0.1, 1.3), rank_low=3, rank_high=3, p_value=0.002, p_floor=1e-4)
PEOPLE = run("People", 0.5, 1.5, 0.65)
BOARD = Board((TRM, CIDER, PAIR), (A, B, C), "trm", PEOPLE, None, "Oracle", "TRM, vs references")


def rows(html: str) -> list[str]:
    return re.findall(r"<tr.*?</tr>", html)[1:]


def cells(row: str) -> list[str]:
    return re.findall(r'<td class="v".*?</td>', row)


def test_rows_stand_in_order_with_rank_ranges_and_people_last_and_unranked() -> None:
    shown = rows(board_html(BOARD, "light"))
    assert [re.search(r'title="(\w+)">\1', row).group(1) for row in shown] == ["Oracle", "Peaked", "Loose", "People"]
    assert [re.search(r'tl-rank">(.*?)<', row).group(1) for row in shown] == ["1–2", "2", "3", ""]
    assert shown[-1].startswith("<tr class=human>")
    assert "tint" not in shown[-1]


def test_the_best_is_bold_except_in_diversity() -> None:
    shown = rows(board_html(BOARD, "light"))
    bold = [[bool(re.search("<b>", cell)) for cell in cells(row)] for row in shown]
    assert bold == [[True, False, False], [False, True, False], [False] * 3, [False] * 3]


def test_shade_is_nearness_to_the_best_and_for_diversity_to_people() -> None:
    assert [tint(BOARD, TRM, r) for r in (A, B, C)] == pytest.approx([1, 0.5, 0])
    assert [tint(BOARD, CIDER, r) for r in (A, B, C)] == pytest.approx([0.4, 1, 0])
    assert [tint(BOARD, PAIR, r) for r in (A, B, C)] == pytest.approx([1 - 0.05 / 0.35, 1 - 0.25 / 0.35, 0])
    alone = Board((PAIR,), (A, B, C))
    assert [tint(alone, PAIR, r) for r in (A, B, C)] == [0, 0, 0]
    strengths = [int(t) for t in re.findall(r"--t:(\d+)%", board_html(BOARD, "dark"))]
    assert max(strengths) == STRONGEST


def test_diversity_never_ranks() -> None:
    with pytest.raises(ValueError, match="Pair distance has no better side"):
        Board((TRM, PAIR), (A,), "pair")
    with pytest.raises(ValueError, match="'bleu' is not among the columns"):
        Board((TRM,), (A,), "bleu")


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_differences_are_coloured_by_better_and_only_where_sure(mode) -> None:
    good, bad = TONES[mode]["good"], TONES[mode]["bad"]
    shown = [
        [re.search(r"color:(.*?)\"", cell).group(1) if "color:" in cell else None for cell in cells(row)]
        for row in rows(board_html(BOARD, mode, "difference"))
    ]
    assert shown[0] == [None, None, None]
    assert shown[1] == [bad, good, "inherit"]
    assert shown[2] == ["inherit", "inherit", "inherit"]
    assert shown[3] == ["inherit", "inherit", "inherit"]


def test_differences_need_a_baseline() -> None:
    with pytest.raises(ValueError, match="need a baseline"):
        board_html(Board((TRM,), (A, B)), "light", "difference")


def test_whiskers_lie_on_one_scale_a_column() -> None:
    shown = [cells(row)[0] for row in rows(board_html(BOARD, "light"))]
    ends = [tuple(float(x) for x in re.search(r"--a:([\d.]+)%;--b:([\d.]+)%;--m:([\d.]+)%", c).groups()) for c in shown]
    low, high = 0.4, 1.3
    for (a, b, m), value in zip(ends, (0.6, 0.9, 1.2, 0.5)):
        assert a == pytest.approx(100 * (value - 0.1 - low) / (high - low), abs=0.06)
        assert b == pytest.approx(100 * (value + 0.1 - low) / (high - low), abs=0.06)
        assert m == pytest.approx(100 * (value - low) / (high - low), abs=0.06)


def test_zero_is_in_the_middle_of_a_difference() -> None:
    cell = cells(rows(board_html(BOARD, "light", "difference"))[2])[0]
    assert float(re.search(r"--m:([\d.]+)%", cell).group(1)) == pytest.approx(50 + 50 * 0.6 / 1.3, abs=0.06)


def test_what_is_undefined_is_a_dash_with_its_reason() -> None:
    broken = Row("x", {"trm": Cell(NAN, reason='needs "java" & <more>')}, p_reason="not asked for")
    html = rows(board_html(Board((TRM, CIDER), (A, broken), "trm", p_label="TRM"), "light"))[1]
    assert 'title="needs &quot;java&quot; &amp; &lt;more&gt;"><small>–</small>' in html
    assert 'title="not computed"><small>–</small>' in html
    assert '<span title="not asked for">–</span>' in html


def test_p_says_its_floor() -> None:
    html = board_html(BOARD, "light")
    assert '<span title="its floor is 0.0001">≤ 0.0001</span>' in html
    assert ">0.40</span>" in html
    assert "TRM, vs references" in html


def test_names_are_data() -> None:
    name = "<script>alert(1)</script> & \ud800 $x$"
    html = board_html(Board((TRM,), (Row(name, A.cells),)), "light")
    assert "<script" not in html
    assert "&lt;script&gt;alert(1)&lt;/script&gt; &amp; \ufffd $x$" in html
    html.encode()


def test_many_rows_scroll_inside_the_table() -> None:
    many = Board((TRM,), tuple(run(f"r{i}", 1 + i, 0, 0) for i in range(30)), "trm")
    assert 'class="tl-scroll tall" tabindex="0"' in board_html(many, "light")
    assert 'class="tl-scroll" tabindex="0"' in board_html(BOARD, "light")


def test_the_twin_has_every_number_at_full_precision() -> None:
    frame = BOARD.frame()
    assert list(frame["Run"]) == ["Oracle", "Peaked", "Loose", "People"]
    assert list(frame["TRM"]) == [0.6, 0.9, 1.2, 0.5]
    assert frame["Rank to"].tolist()[:3] == [2, 2, 3]
    assert frame["Rank to"].isna().tolist() == [False, False, False, True]
    assert frame["CIDEr-D 95 % from"].tolist() == [c.cells["cider"].low for c in (A, B, C, PEOPLE)]
    assert frame["p"].tolist()[:3] == [0.4, 1e-4, 0.002]
