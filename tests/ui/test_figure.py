"""Test the figure component: title line, table in place of the figure, footer, folded verdict, and skeleton."""

from __future__ import annotations

import re

import pytest
from streamlit.testing.v1 import AppTest

from figures.style.escaping import Strong
from figures.style.html import (
    ROW,
    SENTENCES,
    WORDS,
    Markup,
    Shape,
    figure_footer,
    folding_verdict,
    pending,
    split_verdict,
)
from figures.style.numbers import COMPUTING
from tests.ui.shown import markup

HOSTILE = "<img src=x onerror=alert(1)> $x$ **b**"


def app() -> None:
    import pandas as pd
    import plotly.graph_objects as go

    from metrics.registry import METRICS
    from ui.frame import look
    from ui.widgets.figure import Foot, Twin, figure

    numbers = pd.DataFrame({"Run": ["one", "two"], "TRM": [0.123456789, 2.0]})
    figure(
        "drawn",
        "Runs",
        "lower is better",
        draw=lambda on: go.Figure(go.Bar(x=[1], y=[2])),
        alt="two runs",
        twin=Twin(numbers, {"digits": 2}),
        foot=Foot(("n = 2 items", "bars: none"), ("A rule.",), ("trm|v1",)),
        metrics=(METRICS["trm_bow"],),
    )
    figure("plain", "Words", body=lambda: look.block("<p>body</p>"))


@pytest.fixture(autouse=True)
def no_other_page(monkeypatch: pytest.MonkeyPatch) -> None:
    """Show no links to other pages, since the app above is not a page."""
    monkeypatch.setattr("ui.widgets.image_picker.page_link", lambda *args, **query: None)


def test_the_card_of_its_metric_can_be_opened() -> None:
    at = AppTest.from_function(app).run()
    said = " ".join(element.value for element in at.markdown).replace("\\", "")
    assert "**TRM bag of words**: Whether the run's captions and people's mix as if one source wrote both" in said
    assert "Lower is better." in said


def keys(at: AppTest, kind: str) -> set[str | None]:
    return {element.key for element in at.get(kind)}


def test_the_table_takes_the_place_of_the_figure_and_gives_it_back() -> None:
    at = AppTest.from_function(app).run()
    assert not at.exception
    assert len(at.get("plotly_chart")) == 1
    assert not at.dataframe
    at.button(key="drawn_swap").click().run()
    assert not at.exception
    assert not at.get("plotly_chart")
    assert at.dataframe[0].value["TRM"].tolist() == [0.123456789, 2.0]
    assert {"drawn_twin_csv", "drawn_twin_tex"} <= keys(at, "download_button")
    at.button(key="drawn_swap").click().run()
    assert len(at.get("plotly_chart")) == 1


def test_save_has_the_numbers_too_and_a_figure_without_numbers_has_no_icons() -> None:
    at = AppTest.from_function(app)
    at.session_state["drawn_save"] = True
    at.run()
    assert {"drawn_numbers_csv", "drawn_numbers_tex"} <= keys(at, "download_button")
    assert "plain_swap" not in {button.key for button in at.button}
    assert "Bag of words" in at.markdown[0].value or "bag of words" in at.markdown[0].value


def test_the_footer_is_one_line_and_its_rules_are_opened_in_place() -> None:
    said = markup(AppTest.from_function(app).run())
    foot = said[said.index("tl-foot") :]
    line, _, inside = foot.partition("<details")
    assert "n = 2 items" in line
    assert "trm|v1" not in line
    assert "<p>A rule.</p><code>trm|v1</code>" in inside
    assert "details" not in figure_footer(["n = 3"])


def test_texts_are_escaped_and_only_markup_is_markup() -> None:
    for html in (
        folding_verdict([Strong(HOSTILE), HOSTILE], [HOSTILE], HOSTILE),
        figure_footer([HOSTILE], [HOSTILE], [HOSTILE]),
        pending([HOSTILE]),
    ):
        assert "<img" not in html
        assert "&lt;img" in html
    assert "<i></i>" in figure_footer([Markup("<i></i>")])


@pytest.mark.parametrize("words", [3, 16, 17, 18, 30])
def test_a_verdict_shows_two_sentences_and_35_words_at_most(words: int) -> None:
    one = " ".join(["word"] * words) + "."
    parts = [Strong("A. B"), f" {one} {one}", f" {one}", " Last."]
    shown, rest = split_verdict(parts)
    text = "".join(shown)
    count = len(text.split())
    assert count <= WORDS
    assert len(re.findall(r"word\.", text)) == (2 if 2 + 2 * words <= WORDS else 1) <= SENTENCES
    assert ("".join(shown) + "".join(rest)).split() == "".join(parts).split()
    assert shown[0] == Strong("A. B")


def test_a_verdict_with_nothing_more_has_nothing_to_open() -> None:
    assert "details" not in folding_verdict(["Short."])
    assert "<summary>More</summary><div>Rest.</div>" in folding_verdict(["Short."], ["Rest."]).replace("> ", ">")


def slow() -> None:
    import time

    import streamlit as st

    from ui.jobs import progress

    for seconds in (0.0, 3 * progress.MOMENT):
        with progress.during("Reading $x$", height=200):
            time.sleep(seconds)
        st.write(f"read in {seconds}")


def test_work_that_a_page_waits_for_leaves_nothing_behind() -> None:
    at = AppTest.from_function(slow).run(timeout=60)
    assert not at.exception
    assert not at.get("progress")
    assert "tl-pending" not in markup(at)
    assert [one.value.split()[0] for one in at.markdown] == ["read", "read"]


@pytest.mark.parametrize("height", [20, 180, 440])
def test_a_skeleton_fills_the_height_of_its_figure_and_is_read_once(height: int) -> None:
    html = pending([], height)
    bars = html.count('class="tl-wait"')
    assert bars >= 1
    assert abs(bars * ROW - height) <= ROW / 2 or bars == 1
    assert html.count(f"{COMPUTING}</span>") == 1
    assert f"min-height:{height}px" in html


@pytest.mark.parametrize("shape", ["points", "lines", "cells", "half"])
def test_a_skeleton_has_the_shape_and_the_height_of_its_figure(shape: Shape) -> None:
    html = pending([], 260, shape)
    assert f'class="tl-pending {shape}"' in html
    assert "min-height:260px" in html
    assert html.count('class="tl-wait"') >= 3
    assert html.count(f"{COMPUTING}</span>") == 1


def test_what_is_pending_says_so_in_words_and_is_no_dash() -> None:
    html = pending(["TRM", "CIDEr-D"], 300)
    assert html.count("computing</span>") == 2
    assert "min-height:300px" in html
    assert "–" not in html
