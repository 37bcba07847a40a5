"""Show a page with every part; their texts try to be markup."""

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import streamlit as st

from figures.leaderboard.board import Board, Cell, Column, Row
from figures.leaderboard.html import board_html
from figures.style.palette import ModelStyle, frame, plain
from figures.triangles.chart import null_histogram
from ui.frame import look
from ui.widgets import show

HOSTILE = [
    "$5 and $6 **bold** :red[x] `code`",
    "<script>window.hacked = 1</script><img src=x onerror='window.hacked = 2'>",
    "رجل يركب دراجة",
    "🙂 emoji & <b>tags</b> \ud800",
]

TITLE = "Null distribution · lower is better"
FOOTER = "n = 48 images, 10 candidates and 10 references each. trm_meteor|v1|ties:shared|meteor:1.5-en-norm|tok:ptb"


def page() -> None:
    st.set_page_config(layout="wide")
    look.style()
    words()
    board()
    exports()
    look.footer(HOSTILE[1], HOSTILE[1])


def either() -> None:
    """Show the figures if the address asks for them."""
    (figures if "figures" in st.query_params else page)()


def words() -> None:
    look.header(HOSTILE[0], HOSTILE[1])
    look.verdict(look.Strong(HOSTILE[1]), " and ", HOSTILE[0])
    look.captions(HOSTILE[1], [look.Caption(text, 2, (text,)) for text in HOSTILE])
    look.stats(look.Stat(HOSTILE[1], HOSTILE[1], HOSTILE[1], HOSTILE[1]))
    look.drawn_texts('x" onerror="window.hacked = 3', HOSTILE[1], [look.TextLine(HOSTILE[1], HOSTILE[1], HOSTILE[1])])
    look.key_line([look.Key(HOSTILE[1])])
    with look.empty(HOSTILE[1], HOSTILE[1]):
        pass
    with st.sidebar:
        look.study_card(look.StudyCard(HOSTILE[1], (HOSTILE[1],), HOSTILE[1]))


def board() -> None:
    columns = tuple(Column(f"m{i}", f"Metric {i} {HOSTILE[1]}", True, True, "↑") for i in range(9))
    rows = tuple(
        Row(f"{text} {i}", {c.key: Cell(i + 0.5, i, i + 1) for c in columns}, ModelStyle(i))
        for i, text in enumerate(HOSTILE)
    )
    look.block(board_html(Board(columns, rows), look.mode()))


def exports() -> None:
    with look.figure():
        look.figure_title(HOSTILE[1], HOSTILE[1], HOSTILE[1])
        null = np.random.default_rng(0).gamma(4, 0.15, 1001)
        show.chart(
            lambda on: null_histogram(null, 1.2, HOSTILE[1], ModelStyle(1), on.mode), "null", "Null distribution"
        )
    show.table(
        pd.DataFrame({"Run": pd.Series(HOSTILE, dtype=object), "TRM": [1.0, 0.123456789, np.nan, 2.0]}),
        "scores",
        best={"TRM": "min"},
    )


def figures() -> None:
    st.set_page_config(layout="wide")
    look.style()
    with look.figure():
        look.figure_title("Null distribution", "", "lower is better")
        null = np.random.default_rng(0).gamma(4, 0.15, 1001)
        show.chart(
            lambda on: null_histogram(null, 1.2, "p = 0.003", ModelStyle(1), on.mode),
            "null",
            "Null distribution",
            "null distribution",
            footer=FOOTER,
        )
    with look.figure():
        look.figure_title(HOSTILE[1])
        figure = go.Figure(go.Scattergl(x=[1, 2, 3], y=[1, 3, 2], mode="markers"))
        figure.add_annotation(text=plain(HOSTILE[1] + HOSTILE[3]), x=2, y=2)
        show.chart(
            lambda on: frame(figure, on.mode, 200), "hostile", HOSTILE[1], footer=f"{HOSTILE[2]}\x00\x0b {HOSTILE[1]}"
        )
