"""Test that tables on screen have different marks for pending and for missing numbers, and explain both."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
from pandas.io.formats.style import Styler
from streamlit.testing.v1 import AppTest

from figures.leaderboard.board import Board, Cell, Column, Row
from figures.style.numbers import COMPUTING, P_VALUE
from ui.widgets import table_marks

FRAME = pd.DataFrame({"Run": ["a", "b", "c"], "CIDEr-D": [-0.25, np.nan, np.nan], "BLEU-4": [0.1, 0.2, np.nan]})
FORMATS = {"CIDEr-D": "%.3f", "BLEU-4": "%.3f"}
WAITING = {"CIDEr-D": {1}, "BLEU-4": set[int](), "absent": {0}}


def page() -> None:
    """Show three tables: one lacks numbers and waits for one of them, one is complete, and one is a list."""
    import numpy as np
    import pandas as pd

    from ui.widgets import show

    frame = pd.DataFrame({"Run": ["a", "b", "c"], "x": [1.5, np.nan, np.nan]})
    show.table(frame, "waits", waiting={"x": {1}})
    show.table(frame[:1], "whole")
    show.listing(frame, "listed", lambda row: None)


def test_a_small_p_reads_as_in_sentences_and_still_sorts_as_a_number() -> None:
    frame = pd.DataFrame({"p": [2.543e-9, 0.0214, np.nan], "q": [0.5, 0.25, 1.0]})
    formats = {"p": P_VALUE, "q": "%.3f"}
    shown = table_marks.styled(frame, formats)
    assert isinstance(shown, Styler)
    assert shown.data["p"].dtype.kind == "f"  # type: ignore[attr-defined]
    cells = re.findall(r"<td[^>]*>([^<]*)</td>", shown.to_html())
    assert cells[::2] == ["3×10⁻⁹", "0.021", "–"]
    assert table_marks.columns(frame, formats, {})["p"]["type_config"].get("format") is None
    assert table_marks.marked(frame, formats, {"p": {2}})["p"].tolist() == ["3×10⁻⁹", "0.021", "computing"]


def test_a_column_that_waits_says_so_and_keeps_a_dash_for_what_does_not_exist() -> None:
    shown = table_marks.marked(FRAME, FORMATS, WAITING)
    assert shown["CIDEr-D"].tolist() == ["\u22120.250", "computing", "–"]
    assert shown["BLEU-4"].equals(FRAME["BLEU-4"]), "nothing waits: numbers stay numbers, sorted as such"
    assert table_marks.marked(FRAME, FORMATS, {}) is FRAME
    config = table_marks.columns(FRAME, FORMATS, WAITING)
    assert config["CIDEr-D"]["type_config"]["type"] == "text"
    assert config["CIDEr-D"]["alignment"] == "right"
    assert config["BLEU-4"]["type_config"]["format"] == "%.3f"
    assert "absent" not in config


def test_the_key_is_there_where_a_dash_is() -> None:
    assert table_marks.has_dash(FRAME, WAITING)
    assert not table_marks.has_dash(FRAME[:2], WAITING), "what is being computed is no dash"
    assert table_marks.has_dash(FRAME[:2], {})
    assert not table_marks.has_dash(FRAME[:1], {})
    assert table_marks.has_dash(pd.DataFrame({"Run": ["a", None]}), {})
    at = AppTest.from_function(page, default_timeout=30).run()
    assert not at.exception
    keys = [one for one in at.get("html") if table_marks.KEY in one.proto.body]
    assert len(keys) == 2, "below the first and the list, not below the table without a dash"
    assert at.dataframe[0].value["x"].tolist() == ["1.500", "computing", "–"]
    assert at.dataframe[1].value["x"].tolist() == [1.5]


def test_the_board_knows_which_of_its_numbers_are_computed() -> None:
    column = Column("cider_d", "CIDEr-D", True, True, "higher is better")
    rows = Row("a", {"cider_d": Cell(np.nan, waiting=True)}), Row("b", {"cider_d": Cell(np.nan, reason="none")})
    board = Board((column,), rows)
    assert board.waiting() == {"CIDEr-D": {0}}
    assert list(board.frame()["Run"]) == ["a", "b"]


def test_on_a_phone_a_table_is_a_list_of_its_rows() -> None:
    """The list has the texts of the table: for a pending number, for a missing one, and in the format of each
    column.
    """
    assert table_marks.rows(FRAME, FORMATS, WAITING) == [
        ("a", [("CIDEr-D", "−0.250"), ("BLEU-4", "0.100")]),
        ("b", [("CIDEr-D", COMPUTING), ("BLEU-4", "0.200")]),
        ("c", [("CIDEr-D", "–"), ("BLEU-4", "–")]),
    ]
