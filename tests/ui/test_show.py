"""Test figures and tables on a page: which data are there for saving them, and what the files contain."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import plotly.graph_objects as go
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from figures.export.paper import for_paper
from figures.style.escaping import file_stem
from metrics.registry import METRICS
from tests.studies import study as random_study
from tests.ui.shown import unfolded
from ui.session import state
from ui.widgets import show


def charts() -> None:
    import plotly.graph_objects as go

    from ui.frame import look
    from ui.widgets import show

    for k in range(30):
        with look.figure():
            look.figure_title(f"Metric $5 {k}", "how to read it", "↑ higher is better")
            figure = go.Figure(go.Bar(x=[1], y=[k], hovertemplate="only for pointers"))
            show.chart(lambda on, figure=figure: figure, f"chart_{k}", f"bar of {k}", f"metric {k}", footer=f"n = {k}")


def selections() -> None:
    import plotly.graph_objects as go
    import streamlit as st

    from figures.export.paper import Ground
    from ui.frame import look
    from ui.widgets import show

    def touched() -> None:
        st.session_state["touched"] = True

    def empty(on: Ground) -> go.Figure:
        return go.Figure()

    look.figure_title("First")
    show.chart(empty, "none", "nothing to choose")
    show.chart(empty, "points", "click", on_select=touched)
    with look.figure():
        show.chart(empty, "lasso", "lasso", title="Given", on_select=touched, selection_mode=("lasso", "box"))
    st.session_state["found"] = show.selected("points")


def folds() -> None:
    import pandas as pd
    import streamlit as st

    from ui.widgets import show

    def body() -> None:
        st.session_state["made"] = st.session_state.get("made", 0) + 1
        st.dataframe(pd.DataFrame({"x": [1]}))

    show.folded("All of it", "long", body)


def test_a_long_table_is_made_only_while_it_is_open() -> None:
    at = AppTest.from_function(folds).run()
    assert "made" not in at.session_state
    assert not at.dataframe
    at = unfolded(at)
    assert at.session_state["made"] == 1
    assert len(at.expander[0].dataframe) == 1


def rounded() -> None:
    import pandas as pd

    from figures.style.numbers import P_VALUE
    from ui.widgets import show

    show.table(
        pd.DataFrame({"x": [-0.0004, -0.0006, float("nan")], "y": [-0.04, -0.06, 1.0], "p": [-0.1, 0.5, 1.0]}),
        "t",
        formats={"y": "%.1f", "p": P_VALUE},
    )


def test_no_number_is_minus_nothing_on_screen_and_the_file_has_it_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    made: dict[str, Any] = {}
    monkeypatch.setattr(st, "download_button", lambda label, data, *_, **__: made.setdefault(label, data))
    at = AppTest.from_function(rounded).run()
    assert not at.exception
    assert [f"{v:.3f}" for v in at.dataframe[0].value["x"]] == ["0.000", "-0.001", "nan"]
    assert [f"{v:.1f}" for v in at.dataframe[0].value["y"]] == ["0.0", "-0.1", "1.0"]
    assert made["CSV"]().decode().splitlines()[1] == "-0.0004,-0.04,-0.1"


def carried(at: AppTest) -> list[dict[str, Any]]:
    return [json.loads(element.proto.json) for element in at.get("bidi_component")]


def named() -> None:
    import streamlit as st

    from ui.session import address
    from ui.widgets.show import file_name

    st.text(file_name("Oracle · 1.0 against Peaked"))
    address.enter("unique_correct")
    for what in ("variance explained", "unique correct cells", "unique correct"):
        st.text(file_name(what))
    address.leave()
    address.enter("sweeps")
    st.text(file_name("sweep_bleu"))
    address.leave()


def test_files_of_figures_and_tables_are_named_by_program_page_and_content() -> None:
    at = AppTest.from_function(named).run()
    assert not at.exception
    assert [text.value for text in at.text] == [
        "trilens-oracle-1-0-against-peaked",
        "trilens-unique-correct-variance-explained",
        "trilens-unique-correct-cells",
        "trilens-unique-correct",
        "trilens-sweeps-bleu",
    ]


def test_a_page_of_figures_carries_none_for_saving_until_one_is_opened() -> None:
    at = AppTest.from_function(charts).run()
    assert not at.exception
    assert len(at.get("plotly_chart")) == len(at.get("popover")) == 30
    assert carried(at) == []
    at.session_state["chart_7_save"] = True
    at.run()
    assert not at.exception
    (one,) = carried(at)
    assert one["name"] == "trilens-metric-7"
    assert one["title"] == "Metric $5 7 · ↑ higher is better"
    assert one["footer"] == "n = 7; Trilens"
    assert one["alt"] == "bar of 7"
    assert "hovertemplate" not in json.dumps(one)
    assert "@font-face" in one["fonts"]
    assert one["plotly"].startswith("component/"), "served by this server"
    assert "http" not in json.dumps(one)
    assert set(one) == set(for_paper(lambda on: go.Figure(), name="x")) | {"plotly"}


def test_a_title_is_that_of_its_own_figure() -> None:
    at = AppTest.from_function(selections)
    for key in ("none", "points", "lasso"):
        at.session_state[f"{key}_save"] = True
    at.run()
    assert not at.exception
    assert [one["title"] for one in carried(at)] == ["First", "", "Given"]


def test_tools_appear_where_an_area_can_be_chosen() -> None:
    at = AppTest.from_function(selections).run()
    configs = [json.loads(chart.proto.config) for chart in at.get("plotly_chart")]
    assert [config["displayModeBar"] for config in configs] == [False, False, "hover"]
    assert "toImage" not in json.dumps(configs), "plotly's own camera has neither fonts nor signatures"
    assert {"lasso2d", "select2d"} <= set(configs[2]["modeBarButtons"][0])
    assert at.session_state["found"] == []


def test_what_is_picked_is_what_the_customdata_says(monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = [{"customdata": ["a", 1]}, {"customdata": 0}, {"customdata": "b"}, {"customdata": []}, {"x": 3}]
    event = SimpleNamespace(selection=SimpleNamespace(points=chosen))
    monkeypatch.setattr(st, "session_state", {"chart": event, "nothing yet": {}})
    assert show.picked("chart") == [("a", 1), (0,), ("b",)]
    assert show.picked("nothing yet") == show.picked("no such chart") == []


@pytest.fixture
def taken(monkeypatch: pytest.MonkeyPatch) -> dict[str, Callable[[], Any]]:
    made: dict[str, Callable[[], Any]] = {}
    monkeypatch.setattr(st, "download_button", lambda label, data, *_, **__: made.update({label: data}))
    monkeypatch.setattr(state, "study", lambda: replace(random_study(items=6), name="50 % study"))
    return made


def test_latex_says_what_of_which_study_how_many_and_by_which_metric(taken: dict[str, Callable[[], Any]]) -> None:
    show.downloads(pd.DataFrame({"T": [0.5], "CIDEr-D": [1.23456]}), "x", name="all numbers", formats={"T": "%g"})
    text = taken["LaTeX"]()
    assert "\\caption{50 \\% study: all numbers. n = 6 items.}\n\\label{tab:all-numbers}" in text
    assert f"%   {METRICS['cider_d'].signature}\n" in text
    assert "\n0.5 & 1.235 \\\\" in text
    show.downloads(pd.DataFrame({"CIDEr-D": [1.0]}), "x", caption="Said.", signatures=("own|v1",))
    assert "\\caption{Said.}" in taken["LaTeX"]()
    assert "%   own|v1\n\\begin" in taken["LaTeX"]()


def test_tables_that_take_time_are_made_when_asked_for(taken: dict[str, Callable[[], Any]]) -> None:
    asked = []

    def slow() -> pd.DataFrame:
        asked.append(1)
        return pd.DataFrame({"x": [1]})

    show.downloads(slow, "slow")
    assert not asked
    assert taken["CSV"]() == b"x\n1\n"
    assert "\\toprule\nx \\\\" in taken["LaTeX"]()


def test_csv_has_every_digit_and_texts_that_files_can_hold() -> None:
    frame = pd.DataFrame(
        {"Run": pd.Series(["a\ud800", 'b,"c"\n'], dtype=object), "TRM": [0.1 + 0.2, np.nan], "n": [1, 2]}
    )
    assert show.to_csv(frame).decode() == 'Run,TRM,n\na\ufffd,0.30000000000000004,1\n"b,""c""\n",,2\n'


@pytest.mark.parametrize(
    ("text", "stem"), [("TRM METEOR: all", "trm-meteor-all"), ("../../etc/passwd", "etc-passwd"), ("رجل", "table")]
)
def test_file_names_are_plain(text: str, stem: str) -> None:
    assert file_stem(text) == stem
