"""Test that short names of runs show the full names in HTML, at labels of figures, and at points."""

from __future__ import annotations

import re
from html import unescape

import plotly.graph_objects as go
import pytest

from figures.style import html as style_html
from figures.style.escaping import Strong
from figures.style.full_names import FullNames
from figures.style.palette import frame

DOT = "\u00a0·\u00a0"
SHORT = {
    "Oracle T=1.0": f"Oracle{DOT}1.0",
    "Oracle T=1.05": f"Oracle{DOT}1.05",
    "<b>x</b> T=1": f"<b>x</b>{DOT}1",
    "vision-language-transformer-large": "large",
    "a name that says everything of itself": "a name that says everything of itself",
}
NAMES = FullNames(SHORT)


def told(markup: str) -> list[tuple[str, str]]:
    found = re.findall(r'<abbr class="tl-run" title="([^"]*)">(.*?)</abbr>', markup)
    return [(unescape(shown), unescape(name)) for name, shown in found]


def test_a_short_name_shows_the_full_one_wherever_it_stands_and_the_text_stays() -> None:
    markup = style_html.folding_verdict((Strong(f"Oracle{DOT}1.05"), f" beats Oracle{DOT}1.0."), [f"Oracle{DOT}1.0 is"])
    made = NAMES.in_markup(markup)
    one, other = ((short, name) for name, short in list(SHORT.items())[:2])
    assert told(made) == [other, one, one]
    assert re.sub(r"</?abbr[^>]*>", "", made) == markup
    assert NAMES.in_markup(made) == made


def test_a_short_name_that_is_also_a_word_is_a_name_where_it_stands_alone_in_bold() -> None:
    made = NAMES.in_markup(style_html.note((Strong("large"), " has large values.")))
    assert told(made) == [("large", "vision-language-transformer-large")]


@pytest.mark.parametrize("bold", [True, False])
def test_a_hyphenated_name_in_a_title_stays_on_one_line_and_shows_the_full_one(bold: bool) -> None:
    names = FullNames({"VinVL-large T=0.7": f"VinVL-large{DOT}T\u00a00.7"})
    one = f"VinVL-large{DOT}T\u00a00.7"
    made = names.in_markup(style_html.figure_title(one if bold else "", "" if bold else f"{one} by image-text score"))
    assert made.count("tl-unbroken") == (1 if bold else 2)
    assert told(made) == [(f'<span class="tl-unbroken">VinVL-large</span>{DOT}T\u00a00.7', "VinVL-large T=0.7")]


def test_a_name_that_is_cut_is_known_by_its_ends_if_one_alone_has_them() -> None:
    assert NAMES.of("a name that…") == NAMES.of("a na…itself") == "a name that says everything of itself"
    assert NAMES.of(f"Oracle{DOT}…") == "", "two runs begin so"
    assert NAMES.of("…") == NAMES.of("a name that says everything of itself") == NAMES.of("another") == ""


def test_names_of_a_study_stay_text() -> None:
    made = NAMES.in_markup(style_html.note((Strong(f"<b>x</b>{DOT}1"), ' and <abbr title="Oracle">')))
    assert told(made) == [(f"<b>x</b>{DOT}1", "<b>x</b> T=1")]
    assert "<b>x</b>" not in made


@pytest.mark.parametrize(
    "template", ["%{x}<extra>%{fullData.name}</extra>", f"Oracle{DOT}1.0<br>%{{x}}<extra></extra>"]
)
def test_labels_and_points_of_a_figure_show_full_names(template: str) -> None:
    figure = frame(go.Figure(go.Scatter(x=[1], y=[1], name=f"Oracle{DOT}1.0", hovertemplate=template)), "light", 200)
    figure.add_scatter(x=[1, 2], y=[1, 2], hovertext=["<b>large</b><br>0.1", f"2 of Oracle{DOT}1.05"])
    figure.add_annotation(text=f"<b>Oracle{DOT}1.05</b>", x=1, y=1)
    figure.add_annotation(text="large values", x=1, y=1)
    made = NAMES.in_figure(figure)
    assert "Oracle T=1.0" in made.data[0].hovertemplate
    assert made.data[0].name == f"Oracle{DOT}1.0"
    assert list(made.data[1].hovertext) == ["<b>vision-language-transformer-large</b><br>0.1", "2 of Oracle T=1.05"]
    assert [label.hovertext for label in made.layout.annotations] == ["Oracle T=1.05", None]
    assert [label.text for label in made.layout.annotations] == [f"<b>Oracle{DOT}1.05</b>", "large values"]


def test_markup_in_a_name_is_not_markup_of_a_figure() -> None:
    figure = frame(go.Figure(), "light", 200)
    figure.add_annotation(text=f"&lt;b&gt;x&lt;/b&gt;{DOT}1", x=1, y=1)
    assert NAMES.in_figure(figure).layout.annotations[0].hovertext == "&lt;b&gt;x&lt;/b&gt; T=1"
