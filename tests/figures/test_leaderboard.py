"""Test the table of the leaderboard: its cells, scales, rows and columns."""

from __future__ import annotations

import math
import re
from dataclasses import replace

import pytest

from data.study import Item, Study
from figures.leaderboard.board import Board, Cell, Column, Row
from figures.leaderboard.html import FIRST, LAST, MANY, Links, board_html
from figures.leaderboard.rows import APART
from figures.leaderboard.scale import scale
from figures.leaderboard.words import PAST, break_words, facts
from figures.style.escaping import esc
from figures.style.palette import ModelStyle

NAN = math.nan
TRM = Column("trm", "TRM", False, True, "↓ lower is better", signature="trm_meteor|v1", distance=True)
CIDER = Column("cider", "CIDEr-D", True, True, "↑ higher is better", digits=2)
PAIR = Column("pair", "Pair distance", True, False, "↑ more diverse")


def run(name: str, trm: float, cider: float, pair: float, delta: tuple[float, float, float] = (0, 0, 0), **more) -> Row:
    sure = delta[1] > 0 or delta[2] < 0
    p = 0.01 if sure else 0.6
    alike = more.pop("alike", False)
    cells = {
        "trm": Cell(trm, trm - 0.1, trm + 0.1, *delta, delta_p=p, sure=sure, alike=alike, p=0.4, rank="1–2"),
        "cider": Cell(cider, cider - 0.1, cider + 0.1, *delta, delta_p=p, sure=sure),
        "pair": Cell(pair, pair - 0.1, pair + 0.1, *delta, delta_p=p, sure=sure),
    }
    return Row(name, cells, ModelStyle(len(name)), **more)


A = run("Oracle", 0.6, 1.0, 0.7, rank_low=1, rank_high=2, p_value=0.4, p_floor=1e-4, alike=True)
B = run("Peaked", 0.9, 1.3, 0.4, (0.3, 0.2, 0.4), rank_low=2, rank_high=2, p_value=1e-4, p_floor=1e-4)
C = run("Loose", 1.2, 0.8, 1.0, (0.6, -0.1, 1.3), rank_low=3, rank_high=3, p_value=0.002, p_floor=1e-4)
PEOPLE = Row("People", {"trm": Cell(NAN, reason="no distance"), "cider": Cell(1.5), "pair": Cell(0.65)})
SAME = Row("No difference", {"trm": Cell(0.5), "cider": Cell(NAN, reason="a score"), "pair": Cell(NAN)})
BOARD = Board((CIDER, TRM, PAIR), (A, B, C), "trm", PEOPLE, SAME, "Oracle", "TRM, vs references", "trm")


def rows(html: str) -> list[str]:
    return re.findall(r"<tr.*?</tr>", html)[1:]


def cells(row: str) -> list[str]:
    return re.findall(r'<td class="m.*?</td>', row)


def name(row: str) -> str:
    found = re.search(r'<span dir="auto">(.*?)</span>', row)
    assert found
    return found.group(1)


def place(text: str, mark: str) -> float:
    found = re.search(rf"--{mark}:([\d.]+)%", text)
    assert found
    return float(found.group(1))


def test_people_and_no_difference_are_pinned_above_the_runs_and_have_no_rank() -> None:
    shown = rows(board_html(BOARD, "light"))
    assert [name(row) for row in shown] == ["People", "No difference", "Oracle", "Peaked", "Loose"]
    assert [re.search(r'class="rk">(.*?)<', row).group(1) for row in shown] == ["", "", "1–2", "2", "3"]
    assert [row.startswith('<tr class="pin') for row in shown] == [True, True, False, False, False]
    assert [name(row) for row in rows(board_html(BOARD, "light", "difference"))] == ["Oracle", "Peaked", "Loose"]


def test_the_ranked_column_comes_first_and_alone_has_an_axis() -> None:
    html = board_html(BOARD, "light")
    heads = re.findall(r'<th scope="col" class="(m[^"]*)".*?<b>(.*?)</b>', html)
    named = [(kind, re.sub(r"<[^>]*>", "", label)) for kind, label in heads]
    assert named == [("m by", "TRM"), ("m second", "CIDEr-D"), ("m", "Pair distance")]
    assert html.count('class="axis"') == 1


def test_on_a_phone_the_first_column_stands_where_none_ranks() -> None:
    html = board_html(Board((PAIR, TRM), (A,), None), "light")
    assert re.findall(r'<th scope="col" class="(m[^"]*)"', html) == ["m second", "m"]


def test_the_axis_names_its_ticks_exactly() -> None:
    runs = [run(f"r{i}", i * 0.065, 1, 1) for i in range(12)]
    board = Board((TRM,), tuple(runs), "trm")
    found = scale(board, TRM)
    assert found is not None
    axis = re.search(r'class="axis">(.*?)</div>', board_html(board, "light"))
    assert axis
    said = [float(text.replace("\u2212", "-")) for text in re.findall(r">([^<]+)</span>", axis.group(1))]
    assert said == pytest.approx(found.ticks(), abs=1e-9)
    assert any(abs(tick * 10 - round(tick * 10)) > 1e-9 for tick in said), "a quarter is no 0.2"


def test_the_best_is_bold_except_in_diversity() -> None:
    shown = rows(board_html(BOARD, "light"))
    bold = [["cell best" in cell for cell in cells(row)] for row in shown]
    assert bold == [[False] * 3, [False] * 3, [True, False, False], [False, True, False], [False] * 3]


def test_who_cannot_be_told_from_people_is_outlined_and_its_row_is_marked() -> None:
    shown = rows(board_html(BOARD, "light"))
    assert [row.startswith('<tr class="run same"') for row in shown] == [False, False, True, False, False]
    assert '<span class="eq">0.600</span>' in shown[2]
    assert '<span class="eq" title="p cannot be below 0.0001 with these captions">0.40</span>' in shown[2]
    assert all('class="eq"' not in row for k, row in enumerate(shown) if k != 2)
    assert 'class="eq"' not in board_html(BOARD, "light", "difference")


def test_diversity_never_ranks() -> None:
    with pytest.raises(ValueError, match="Pair distance has no better side"):
        Board((TRM, PAIR), (A,), "pair")
    with pytest.raises(ValueError, match="'bleu' is not among the columns"):
        Board((TRM,), (A,), "bleu")


def test_differences_are_filled_where_sure_and_outlined_where_not() -> None:
    shown = [cells(row) for row in rows(board_html(BOARD, "light", "difference"))]
    assert all('class="ci' not in cell and ">0<" in cell for cell in shown[0])
    assert all('<i class="ci"></i><i class="pt"></i>' in cell for cell in shown[1])
    assert all('<i class="ci o"></i>' in cell and 'class="pt"' not in cell for cell in shown[2])
    assert [
        re.search(r'class="pc">(.*?)<', row).group(1) for row in rows(board_html(BOARD, "light", "difference"))[1:]
    ] == ["0.010", "0.60"]


def test_differences_need_a_baseline() -> None:
    with pytest.raises(ValueError, match="need a baseline"):
        board_html(Board((TRM,), (A, B)), "light", "difference")


def test_right_is_better_in_every_column() -> None:
    shown = rows(board_html(BOARD, "light"))[2:]
    trm, cider, pair = ([place(cells(row)[k], "x") for row in shown] for k in range(3))
    assert trm[0] > trm[1] > trm[2]
    assert cider[1] > cider[0] > cider[2]
    assert pair[2] > pair[0] > pair[1]


def test_marks_lie_on_the_column_s_scale() -> None:
    found = scale(BOARD, TRM)
    assert found is not None
    assert found.reversed
    for row, value in zip(rows(board_html(BOARD, "light"))[2:], (0.6, 0.9, 1.2)):
        cell = cells(row)[0]
        share = 100 - 100 * (value - found.low) / (found.high - found.low)
        assert place(cell, "x") == pytest.approx(share, abs=0.06)
        assert place(cell, "a") == pytest.approx(found.at(value + 0.1), abs=0.06)
        assert place(cell, "b") == pytest.approx(found.at(value - 0.1), abs=0.06)
        assert place(cell, "h") == pytest.approx(found.at(0.5), abs=0.06), "the line of no difference"


def test_one_outlier_does_not_squeeze_the_others_and_is_drawn_behind_a_break() -> None:
    runs = [run(f"r{i}", 1 + i / 100, 1, 1) for i in range(20)]
    board = Board((TRM,), (*runs, run("far", 50.0, 1, 1)), "trm")
    found = scale(board, TRM)
    assert found is not None
    assert found.high < 2
    (gap,) = found.breaks()
    assert found.at(50.1) < found.at(50.0) < found.at(49.9) < gap < found.at(1.3), "lower is better: right"
    assert found.behind(50.0) == gap
    assert found.behind(1.3) is None
    assert max(found.ticks()) == pytest.approx(50.1), "the axis says how far"
    last, first = rows(board_html(board, "light"))[-1], rows(board_html(board, "light"))[0]
    assert place(last, "x") == pytest.approx(found.at(50.0), abs=0.06)
    assert ('<i class="br"' in last, '<i class="br"' in first) == (True, False)
    assert break_words(board)
    assert not break_words(BOARD)


def test_order_is_kept_across_breaks_on_both_sides() -> None:
    values = (-90.0, -80.0, *(1 + i / 100 for i in range(20)), 70.0)
    board = Board((CIDER,), tuple(Row(f"r{v}", {"cider": Cell(v)}) for v in values), "cider")
    found = scale(board, CIDER)
    assert found is not None
    at = [found.at(value) for value in values]
    assert at == sorted(set(at))
    assert all(0 <= one <= 100 for one in at)
    assert at[1] < found.breaks()[0] < at[2]
    assert at[-2] < found.breaks()[1] < at[-1]


def test_the_legend_has_the_mark_of_a_break_that_a_narrow_screen_may_not_draw() -> None:
    cells = [(1.0, 1 + i / 100, 1.0) for i in range(20)]
    runs = [run(f"r{i}", *of) for i, of in enumerate([*cells, (1.0, 50.0, 1.0)])]
    board = Board((TRM, CIDER), tuple(runs), "trm")
    assert break_words(board)[0].startswith('<i class="tl-br far"></i>')
    assert break_words(replace(board, ranked="cider"))[0].startswith('<i class="tl-br"></i>')


def test_a_long_board_shows_the_best_and_the_worst_and_whatever_stands_out() -> None:
    runs = [run(f"r{i:02d}", 1 + i / 100, 1, 1, alike=i == 20) for i in range(40)]
    board = Board((TRM,), tuple(runs), "trm", p_label="TRM", p_key="trm")
    names = lambda **more: re.findall(r"r\d\d(?=</span>)", board_html(board, "light", links=Links(**more)))  # noqa: E731
    assert names() == [row.name for row in runs]
    shown = [*range(FIRST), 20, *range(40 - LAST, 40)]
    assert names(fold="?rows=all") == [f"r{i:02d}" for i in shown]
    assert f"Show {40 - len(shown)} more runs</a>" in board_html(board, "light", links=Links(fold="?rows=all"))
    assert len(names(fold="?rows=few", whole=True)) == 40
    few = replace(board, rows=board.rows[:MANY])
    assert "more run" not in board_html(few, "light", links=Links(fold="?rows=all"))


def test_rows_and_heads_lead_where_they_are_told_and_addresses_are_escaped() -> None:
    links = Links({"Oracle": 'paired?a="x"&b=y'}, {"cider": "?rank=cider", "trm": "?rank=trm"})
    html = board_html(BOARD, "light", links=links)
    told = 'aria-label="Oracle: compare two runs"'
    assert f'<a class="tl-go" href="paired?a=&quot;x&quot;&amp;b=y" {told}>Oracle</a>' in html
    assert re.findall(r'<tr class="run( same)?( go)?">', html) == [(" same", " go"), ("", ""), ("", "")]
    assert "Rank by CIDEr-D" in html
    assert "?rank=trm" not in html, "it ranks already"
    assert "<a " not in board_html(BOARD, "light")


def test_model_and_setting_have_columns_of_their_own() -> None:
    named = {"a": "Oracle\u00a0·\u00a0T\u00a01.0", "b": "Oracle\u00a0·\u00a0nucleus\u00a00.95", "c": "nucleus"}
    rows_ = [Row(name, A.cells, short=short) for name, short in named.items()]
    assert [row.named for row in rows_] == [("Oracle", "T\u00a01.0"), ("Oracle", "nucleus\u00a00.95"), ("nucleus", "")]
    html = board_html(Board((TRM,), tuple(rows_), "trm"), "light")
    assert re.findall(r'<td class="st"[^>]*><span dir="auto">(.*?)</span>', html) == [
        "T\u00a01.0",
        "nucleus 0.95",  # it breaks before the number, which the column would cut in two
        "",
    ]
    assert " nost" not in html
    assert " nost" in board_html(Board((TRM,), (rows_[2],), "trm"), "light"), "no empty column"


def test_why_a_value_has_no_outline_is_said_beside_it_and_beside_its_p() -> None:
    """Of two runs with p = 0.059, one once had an outline and the other none, and no text said why."""
    why = f"{APART}, paired t-test over images"
    apart = replace(A, cells={**A.cells, "trm": replace(A.cells["trm"], alike=False, not_alike=why)})
    shown = rows(board_html(replace(BOARD, rows=(apart, B)), "light"))[2]
    assert shown.count(f"not outlined: {esc(why)}") == 2
    assert f"p = 0.40 uncorrected; not outlined: {esc(why)}" in cells(shown)[0]
    study, board = Study("s", (Item("i", ("a",)),), ()), replace(BOARD, rows=(apart, A), baseline=None)
    assert any("corrected, and score not significantly different from people's" in one for one in facts(study, board))
    assert not any("not significantly different" in one for one in facts(study, replace(BOARD, baseline=None)))


def test_the_one_value_of_a_column_has_its_interval_in_numbers() -> None:
    """The scale would be that of its interval only, so the bar would fill the cell."""
    board = Board((PAIR, CIDER), (A,), None)
    shown = board_html(board, "light")
    assert shown.count('class="ci"') == 0
    assert '<span class="iv">0.600 to 0.800</span>' in shown
    assert 'class="tl-board nop nork nost"' in shown, "no empty columns of ranks and p"
    assert "1 more metric in the table" in shown
    assert "small numbers: 95 % interval" in facts(Study("s", (Item("i", ("a",)),), ()), board)
    assert 'class="iv"' not in board_html(replace(board, people=PEOPLE), "light")
    awaited = replace(A, name="later", cells={key: Cell(NAN, reason="awaited", waiting=True) for key in A.cells})
    assert 'class="iv"' not in board_html(replace(board, rows=(A, awaited)), "light"), "others are being computed"


def test_a_long_name_breaks_at_its_first_joint_and_tells_the_table_how_long_it_is() -> None:
    long = "nucleus\u00a00.9\u00a0·\u00a0T\u00a00.5\u00a0·\u00a0seed\u00a01"
    html = board_html(Board((TRM,), (A, replace(A, name="long", short=long, no_model=True)), "trm"), "light")
    assert name(rows(html)[1]).startswith('nucleus\u00a00.9<span class="jt"> ·&nbsp;')
    assert html.count('class="jt"') == 1
    assert f"--l:{len(long)}" in html


@pytest.mark.parametrize(("farthest", "inside"), [(0.158, True), (0.05, False)])
def test_a_few_runs_are_all_inside_unless_one_squeezes_the_others(farthest: float, inside: bool) -> None:
    """The fifth run is more than three interquartile ranges away; with 0.158, the scale can easily include it."""
    near = (0.170, 0.173, 0.173, 0.181)
    board = Board((TRM,), tuple(Row(f"r{v}", {"trm": Cell(v)}) for v in (*near, farthest)), "trm")
    found = scale(board, TRM)
    assert found is not None
    assert (not found.breaks()) == inside


def test_people_are_on_the_scale_though_no_run_is_near() -> None:
    found = scale(BOARD, CIDER)
    assert found is not None
    assert 0 <= found.at(1.5) <= 100
    assert [tick for tick in found.ticks() if 0 <= found.at(tick) <= 100] == found.ticks()
    assert 2 <= len(found.ticks()) <= 5


def test_equal_values_and_none_have_a_scale_or_no_track() -> None:
    assert scale(Board((TRM,), (A, A), "trm"), TRM) is not None
    broken = Row("x", {"trm": Cell(NAN, reason="none")})
    assert scale(Board((TRM,), (broken,), "trm"), TRM) is None
    assert "none" in board_html(Board((TRM,), (broken,), "trm"), "light")


def test_what_is_undefined_is_a_dash_with_its_reason_and_what_is_pending_is_no_dash() -> None:
    broken = Row("x", {"trm": Cell(NAN, reason='needs "java" & <more>')}, p_reason="not asked for")
    html = rows(board_html(Board((TRM, CIDER), (A, broken), "trm", p_label="TRM", p_key="trm"), "light"))[1]
    assert 'title="needs &quot;java&quot; &amp; &lt;more&gt;"' in html
    assert html.count('<span class="mut">–</span>') == 2
    assert 'title="not computed"' in html
    assert '<span title="not asked for">–</span>' in html
    waits = Row("y", {"trm": Cell(NAN, reason="not computed yet", waiting=True)}, p_reason="not computed yet")
    html = rows(board_html(Board((TRM,), (A, waits), "trm", p_label="TRM", p_key="trm"), "light"))[1]
    assert html.count("computing</span>") == 2
    assert "mut" not in html


def test_where_no_run_has_a_p_its_column_is_left_out_of_values() -> None:
    lone = Row("x", {"trm": Cell(0.5)}, p_reason="has 1 caption an image")
    without = Board((TRM,), (lone,), "trm", baseline="x", p_label="TRM", p_key="trm")
    assert 'class="tl-board nop nost"' in board_html(without, "light")
    assert 'class="tl-board nost"' in board_html(without, "light", "difference")
    for row in (A, Row("y", {"trm": Cell(NAN, waiting=True)})):
        assert 'class="tl-board nost"' in board_html(replace(without, rows=(lone, row)), "light")


def test_p_is_that_after_holm_by_which_runs_are_told_from_people() -> None:
    cell = Cell(0.5, p=0.037, p_floor=1e-4, holm_p=0.074, alike=True)
    row = Row("x", {"trm": cell}, p_value=0.037, p_floor=1e-4)
    board = Board((TRM,), (row,), "trm", p_label="TRM", p_key="trm")
    assert board.p_shown(row)[0] == 0.074
    html = board_html(board, "light")
    assert ">0.074</span>" in html
    assert "p = 0.037 uncorrected" in html.replace("\u00a0", " ")
    mean = replace(row, p_raw=0.01)
    assert replace(board, rows=(mean,)).p_shown(mean)[0] == 0.037, "a harmonic mean is of all items already"


def test_p_says_its_floor() -> None:
    html = board_html(BOARD, "light")
    assert '<span title="p cannot be below 0.0001 with these captions">≤ 0.0001</span>' in html
    assert "TRM, vs references" in html


def test_a_cell_says_everything_about_its_number() -> None:
    cell = cells(rows(board_html(BOARD, "light"))[2])[0]
    said = (
        "Oracle, TRM: 0.600 (95 % 0.500 to 0.700); rank 1–2; no difference from people detected, p = 0.40 uncorrected"
    )
    assert f'title="{said}"' in cell
    other = cells(rows(board_html(BOARD, "light", "difference"))[1])[0]
    assert "difference +0.300 (95 % 0.200 to 0.400), p = 0.010 corrected for all runs" in other


def test_names_have_one_size_and_two_lines_if_one_is_long_with_a_mark_below() -> None:
    given = {"Tavakoli-et-al-2017": False, "topk10@T=1.5": True, "x" * 12: False, "x" * 13: False, "xxx xxx": True}
    rows_ = [Row(n, {"trm": Cell(0.5)}, anomaly=("odd",) if odd else ()) for n, odd in given.items()]
    html = board_html(Board((TRM,), tuple(rows_), "trm"), "light")
    kinds = dict(zip(given, re.findall(r'<th scope="row"[^>]*><span class="(nm[^"]*)">', html)))
    assert {kinds["Tavakoli-et-al-2017"], kinds["x" * 12], kinds["x" * 13]} == {"nm long"}
    assert kinds["topk10@T=1.5"] == kinds["xxx xxx"] == "nm two"
    assert '<span class="nm">' in board_html(Board((TRM,), (rows_[2], replace(A, name="x")), "trm"), "light")
    assert 'title="topk10@T=1.5"' in html


@pytest.mark.parametrize(("value", "past"), [(0.39, True), (0.41, False), (NAN, False)])
def test_a_run_past_the_line_of_no_difference_is_explained_where_there_is_one(value: float, past: bool) -> None:
    expected = Row("No difference", {"trm": Cell(0.4)})
    board = Board((TRM,), (Row("x", {"trm": Cell(value)}),), "trm", no_difference=expected)
    study = Study("s", (Item("i", ("a",)),), ())
    said = facts(study, board)
    assert (PAST in said) == past
    assert PAST not in facts(study, replace(board, no_difference=None))
    score = replace(TRM, distance=False)
    assert PAST not in facts(study, replace(board, columns=(score,)))


def test_names_are_data() -> None:
    bad = "<script>alert(1)</script> & \ud800 $x$"
    html = board_html(Board((TRM,), (Row(bad, A.cells, short=bad),)), "light")
    assert "<script" not in html
    assert html.count("&lt;script&gt;alert(1)&lt;/script&gt; &amp; \ufffd $x$") >= 2
    html.encode()


def test_only_a_table_of_many_columns_scrolls_and_only_sideways() -> None:
    many = tuple(Column(f"m{i}", f"M{i}", True, True, "↑") for i in range(7))
    assert 'class="tl-scroll wide" tabindex="0"' in board_html(Board((TRM, *many), (A,), "trm"), "light")
    tall = Board((TRM,), tuple(run(f"r{i}", 1 + i, 0, 0) for i in range(30)), "trm")
    assert 'class="tl-scroll" tabindex="0"' in board_html(tall, "light")


def test_the_twin_has_every_number_at_full_precision() -> None:
    frame = BOARD.frame()
    assert list(frame["Run"]) == ["Oracle", "Peaked", "Loose", "People", "No difference"]
    assert frame["TRM"].tolist()[:3] == [0.6, 0.9, 1.2]
    assert frame["TRM"].tolist()[4] == 0.5
    assert frame["Rank to"].tolist()[:3] == [2, 2, 3]
    assert frame["Rank to"].isna().tolist() == [False, False, False, True, True]
    assert frame["CIDEr-D 95 % from"].tolist()[:3] == [c.cells["cider"].low for c in (A, B, C)]
    assert frame["p"].tolist()[:3] == [0.4, 1e-4, 0.002]


@pytest.mark.parametrize(
    ("many", "phone", "side"), [(2, "", False), (3, "1 more metric in", False), (7, "5 more", True)]
)
def test_columns_that_do_not_fit_are_counted_below(many: int, phone: str, side: bool) -> None:
    columns = (TRM, *(replace(CIDER, key=f"{CIDER.key}{k}") for k in range(1, many)))
    made = board_html(Board(columns, (), TRM.key), "light").partition("</table>")[2]
    assert (f'<span class="phone">{phone}' in made) == bool(phone)
    assert ("Scroll sideways for all 7 metrics" in made) == side
