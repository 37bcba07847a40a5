"""Test the figures of central captions by their data, and the sentences by their numbers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from figures.central import chart as central_chart
from figures.central import standings as central_standings
from figures.central import verdict
from figures.central import words as central_words
from figures.style.html import split_verdict
from figures.style.palette import ModelStyle, model_styles
from metrics.analysis.central import study as central_study
from metrics.analysis.central.item import CentreView, Side, centre_view
from metrics.analysis.central.study import CentralitySummary, PairedDifference, RunDistance
from metrics.bootstrap import Interval
from metrics.cache.disk import Cache
from metrics.distances.words import BleuDistance, BowDistance, RougeLDistance
from metrics.text.content_words import english_share
from tests.equal_runs import centres
from tests.studies import study as random_study

NAN = float("nan")
CENTRE = "people's most central captions"
MIDDLE = " times people's own distance from the centre"


def view(*expected: float, texts: tuple[str, ...] = ()) -> CentreView:
    values = np.array(expected)
    said = texts or tuple(f"text number {k}" for k in range(len(values)))
    lengths = np.arange(len(values)) + 4.0
    side = Side(said, values, values <= values.min() + 1e-9, values, values, lengths)
    return CentreView(BowDistance(), side, (("red", 3), ("wet", 2), ("old", 1), ("shy", 1)), {})


def said(parts: tuple[str, ...]) -> str:
    return "".join(parts)


def test_dots_are_the_expected_distances_nearest_first() -> None:
    found = central_words.bars(view(0.5, 0.3, 0.5, 0.4, texts=("a b", "c d", "a b", "<i>&x")).references)
    assert [(b.text, b.expected, b.central, b.count) for b in found] == [
        ("c d", 0.3, True, 1),
        ("<i>&x", 0.4, False, 1),
        ("a b", 0.5, False, 2),
    ]
    figure = central_chart.expected_dots(found, "bag of words", "light")
    assert list(figure.data[0].x) == [0.3, 0.4, 0.5]
    notes = [a.text for a in figure.layout.annotations]
    assert notes == ["&gt;&gt;&gt; c d", "0.300", "&lt;i&gt;&amp;x", "0.400", "a b ×2", "0.500"]
    low, high = figure.layout.xaxis.range
    assert 0.25 < low < 0.3
    assert high == 0.5, "the scale follows the data"
    assert {shape.x0 for shape in figure.layout.shapes} == {low}
    colours = figure.data[0].marker.color
    assert colours[0] != colours[1] == colours[2]


def test_long_captions_are_cut_and_many_are_counted() -> None:
    many = [central_chart.Bar("word " * 400, 0.1 * k, k == 0) for k in range(50)]
    figure = central_chart.expected_dots(many, "x", "dark")
    assert len(figure.data[0].x) == central_chart.SHOWN
    first = figure.layout.annotations[0].text
    assert first.count("<br>") == 3
    assert first.endswith("…")
    assert central_chart.expected_dots(many, "x", "dark", 660.0).layout.annotations[0].text.count("<br>") == 1, (
        "on paper"
    )
    assert (
        central_chart.expected_dots([central_chart.Bar(" ", 0.0, True)], "x", "light")
        .layout.annotations[0]
        .text.endswith("(empty)")
    )


def test_on_paper_captions_are_broken_for_its_width() -> None:
    bars = [central_chart.Bar("a man is sitting on a bench in the park before he goes home to his wife", 0.5, True)]
    page, column = (
        central_chart.expected_dots(bars, "x", "light", width).layout.annotations[0].text for width in (660.0, 372.0)
    )
    assert "<br>" not in page
    assert max(map(len, column.replace("&gt;", ">").split("<br>"))) * 6.8 <= 372


def test_on_the_screen_captions_are_broken_for_a_phone_and_none_is_cut() -> None:
    text = "a man is sitting on a bench in the park beside his dog before he goes home to his wife and to their cat"
    for bar in (
        central_chart.Bar(text, 0.5, True),
        central_chart.Bar(text, 0.5, False, count=12),
        central_chart.Bar(text, 0.5, True, count=12),
    ):
        shown = central_chart.expected_dots([bar], "x", "light").layout.annotations[0].text.replace("&gt;", ">")
        assert max(map(len, shown.split("<br>"))) <= 45
        assert text in shown.replace("<br>", " ")


def test_on_paper_dots_are_fewer_and_their_rows_lower() -> None:
    bars = [central_chart.Bar(f"{'a man on a bench ' * 6}{k}", 0.1 * k, k == 0) for k in range(16)]
    screen, column = (central_chart.expected_dots(bars[:10], "x", "light", width).layout for width in (None, 372.0))
    assert column.height == 10 * (2 * 15 + 14) + 48 < 0.9 * screen.height
    more = central_chart.expected_dots(bars, "x", "light", 372.0)
    assert list(more.data[0].x) == [bar.expected for bar in bars[:10]]
    assert more.layout.height == column.height
    assert len(central_chart.expected_dots(bars, "x", "light").data[0].x) == 16


def test_the_line_below_a_figure_says_of_how_many() -> None:
    study = random_study()
    few, seen = view(0.5, 0.3, texts=("a", "a")), view(*(0.1 * k for k in range(12)))
    assert central_words.image_facts(study, seen) == ["n = 1 item, 12 captions by people"]
    for each, size in ((1, "1 by each run"), (2, "2 by each run")):
        sides = {name: view(*[0.1] * each).references for name in ("a", "b")}
        assert central_words.image_facts(study, replace(few, runs=sides)) == [
            f"n = 1 item, 2 captions by people and {size}"
        ]
    found = across((0.9, 0.8, 1.0))
    assert central_words.facts(random_study(items=42), found) == [
        "n = 40 items",
        "2 left out for lack of a centre",
        "lines: 95 % bootstrap interval",
    ]
    unsure = replace(found, words=replace(found.words, n=4), runs=())
    assert central_words.facts(random_study(items=4), unsure) == ["n = 4 items"]
    tied = replace(found, words=replace(found.words, n=37))
    assert "3 in which all captions by people tie" in central_words.facts(random_study(items=40), tied)


def test_the_spread_has_every_caption_and_the_means() -> None:
    rows = [
        central_chart.Spread("References", np.array([0.4, 0.6]), ("a", "b")),
        central_chart.Spread("<b>run", np.array([0.2, 0.2]), ("c", "d"), ModelStyle(1)),
        central_chart.Spread("none", np.array([NAN]), ("e",), ModelStyle(2)),
    ]
    figure = central_chart.centre_spread(rows, 0.5, "METEOR", "light")
    assert [list(t.x) for t in figure.data] == [[0.4, 0.6], [0.5], [0.2, 0.2], [pytest.approx(0.2)]]
    notes = [a.text for a in figure.layout.annotations]
    assert notes[1] == "mean <b>0.500</b>"
    assert notes[2] == "&lt;b&gt;run"
    assert notes[3] == "mean <b>0.200</b>, 40 % of people's own"
    assert notes[5] == "no distance"
    assert {shape.x0 for shape in figure.layout.shapes} == {0.5}


def test_standings_are_ratios_with_their_intervals() -> None:
    rows = [
        central_standings.Standing("5", "near", ModelStyle(0), 0.8, 0.7, 0.9, 48),
        central_standings.Standing("1", "undefined", ModelStyle(1), NAN, NAN, NAN, 0),
        central_standings.Standing("2", "far" * 20, ModelStyle(2), 1.3, 1.2, 1.4, 48),
    ]
    figure = central_standings.standings(rows, "light")
    column = central_standings.standings(rows, "light", 372.0).layout
    assert column.height < figure.layout.height
    assert column.xaxis.nticks < figure.layout.xaxis.nticks
    assert [(t.x[0], t.customdata[0][0]) for t in figure.data] == [(0.8, "5"), (1.3, "2")]
    spans = [(s.x0, s.x1) for s in figure.layout.shapes]
    assert spans == [(1, 1), (0.7, 0.9), (1.2, 1.4)]
    assert {s.layer for s in figure.layout.shapes[1:]} == {"between"}, "a mark stands on its interval"
    low, high = figure.layout.xaxis.range
    assert low < 0.7
    assert high > 1.4
    notes = [a.text for a in figure.layout.annotations]
    assert "<b>0.80</b>" in notes
    assert "–" in notes
    assert "<b>0.80</b> (0.70 to 0.90)" in figure.data[0].hovertemplate
    assert "<b>0.80</b> (0.70 to 0.90)" in [a.text for a in column.annotations], "on paper nothing is under a pointer"
    narrow = central_standings.standings(rows, "light", narrow=True).layout
    assert narrow.margin.l + narrow.margin.r < 30, "a phone has room for the plot"
    short = central_standings.standings([replace(row, name=row.run) for row in rows], "light", narrow=True).layout
    assert short.height < narrow.height, "short names are beside it"


@given(st.lists(st.integers(-40, 40), max_size=60))
def test_zero_is_an_edge_that_tells_fewer_from_more(ticks: list[int]) -> None:
    values = np.array(ticks, dtype=float) / 4
    edges, counts = central_chart.bins(values)
    assert counts.sum() == len(values)
    assert counts[edges[1:] <= 0].sum() == (values < 0).sum()
    assert np.isclose(edges, 0).any()
    assert len(counts) <= 26


def test_the_histogram_says_what_it_counts_and_what_the_dot_is() -> None:
    figure = central_chart.difference_histogram(np.array([-1.0, 2.0]), 0.5, -1, 2, "words", "item", "light")
    assert figure.layout.yaxis.title.text == "items"
    study = random_study(items=8, references=4)
    of = central_study.across(study, central_study.measure(study, BowDistance(), Cache(None))).words
    assert central_words.difference_words(study, of).endswith("; dot: mean, line: 95 %.")


def test_the_histogram_has_the_mean_and_its_interval() -> None:
    figure = central_chart.difference_histogram(np.array([-1.0, NAN, 2.0]), 0.5, -1, 2, "words", "image", "light")
    assert figure.data[0].y.sum() == 2
    assert (figure.data[1].x[0], figure.data[1].error_x.array[0], figure.data[1].error_x.arrayminus[0]) == (
        0.5,
        1.5,
        1.5,
    )


@pytest.mark.parametrize(("items", "step"), [(1, 1), (3, 1), (40, None)])
def test_counts_are_labelled_in_whole_numbers(items: int, step: int | None) -> None:
    figure = central_chart.difference_histogram(np.ones(items), 1.0, NAN, NAN, "words", "image", "light")
    assert figure.layout.yaxis.dtick == step


def test_the_sentence_of_an_image() -> None:
    text = said(central_words.image_verdict(view(0.5, 0.3, 0.4)))
    assert text == (
        "The most central of 3 captions by people, by bag of words: “text number 1”, 0.300 from the others on average "
        "(the others: 0.400 to 0.500). It has 5 words, the others 5.0 on average; it lacks 4 of their content "
        "words, most often red, wet and old."
    )
    tied = said(central_words.image_verdict(view(0.3, 0.3, 0.4)))
    assert "2 of 3 captions by people tie as the most central by bag of words, such as “text number 0”" in tied
    assert "They have 4.5 words" in tied
    assert "All 3 captions by people tie" in said(central_words.image_verdict(view(1.0, 1.0, 1.0)))
    same = view(0.0, 0.0, texts=("same", "same"))
    assert said(central_words.image_verdict(same)) == "All 2 captions by people are the same."
    broken = view(1.0, 2.0)
    broken = replace(broken, references=replace(broken.references, why="too many texts"))
    assert "No bag of words distances here: too many texts." in said(central_words.image_verdict(broken))
    assert central_words.length_words(view(0.5, 0.3).references) == "1.0 more than the others"
    assert len(central_words.quoted("word " * 400)) < 100


def across(
    *ratios: tuple[float, float, float], mean: float = -1.0, low: float = -2.0, high: float = -0.5
) -> CentralitySummary:
    paired = PairedDifference(np.array([mean]), 9.0, 9.0 - mean, mean, Interval(low, high), 1.0, 0.0, 40)
    runs = tuple(
        RunDistance(f"run {k}", r, Interval(a, b), r, 1.0, np.array([r]), 40, 1e-5 if b < 1 or a > 1 else 0.3)
        for k, (r, a, b) in enumerate(ratios)
    )
    return CentralitySummary(paired, paired, runs, (), ())


def test_the_sentence_of_a_study_says_what_is_sure() -> None:
    study = random_study(runs=4)
    text = said(
        verdict.study_verdict(study, across((0.8, 0.7, 0.9), (0.7, 0.6, 0.8), (1.2, 1.1, 1.3), (0.95, 0.9, 1.1)), "X")
    )
    assert text == (
        f"2 of 4 runs are nearer to {CENTRE} than people are, run 2 farther. For run 3, no difference was found. "
        "Mean distances are 0.70 (run 1) to 1.20 (run 2) times people's own. By X, people's most central captions are "
        "shorter than the rest: 9.0 words against 10.0 (−1.00, −2.00 to −0.50, 40 items)."
    )
    unsure = said(verdict.study_verdict(study, across((1.0, 0.9, 1.1), (1.0, 0.9, 1.1), mean=0.1, low=-1, high=1), "X"))
    assert "are not significantly shorter or longer: 9.0 words against" in unsure
    assert unsure.startswith(
        f"Neither run is clearly nearer to {CENTRE} than people are, or farther. Their mean distance is 1.00 times "
        "people's own. "
    )
    every = said(verdict.study_verdict(study, across((0.8, 0.7, 0.9), (0.7, 0.6, 0.8)), "X"))
    assert f"Both runs are nearer to {CENTRE} than people are. Mean distances are 0.70 (run 1) to" in every
    farther = said(verdict.study_verdict(study, across((1.2, 1.1, 1.3), (1.0, 0.9, 1.1)), "X"))
    assert f"run 0 is farther from {CENTRE} than people are. For run 1, no difference was found. " in farther
    several = across((1.2, 1.1, 1.3), (1.0, 0.9, 1.1), (1.0, 0.9, 1.1), (1.0, 0.9, 1.1))
    counted = said(verdict.study_verdict(study, several, "X"))
    assert "For the other 3, no difference was found. Mean distances are 1.00 (run 1) to " in counted
    assert "are longer than" in said(verdict.study_verdict(study, across(mean=2, low=1, high=3), "X"))


@pytest.mark.parametrize(
    ("ratio", "sure"),
    [
        (
            (1.2, 1.1, 1.3),
            f"1.20 (1.10 to 1.30){MIDDLE}, significantly farther than people.",
        ),
        (
            (0.9, 0.8, 0.95),
            f"0.90 (0.80 to 0.95){MIDDLE}, significantly nearer than people.",
        ),
        (
            (1.1, 0.9, 1.3),
            "1.10 (0.90 to 1.30) times people's own distance from the centre, so it may be as near as people: the "
            "interval includes 1.",
        ),
    ],
)
def test_of_one_run_it_says_whether_the_interval_holds_one(ratio: tuple[float, float, float], sure: str) -> None:
    text = said(verdict.study_verdict(random_study(), across(ratio), "X"))
    assert text.startswith(f"run 0 is at {sure} ")


def test_the_footer_says_that_skewed_differences_are_called_sure_too_often() -> None:
    study = random_study()
    skewed = (
        "strongly skewed differences of mean zero (log-normal) are called significant in 18 % of cases at 6 items, 15 %"
    )
    several = " ".join(central_words.how(study, across((0.8, 0.7, 0.9), (1.0, 0.9, 1.1))))
    assert "paired t test, corrected for 2 runs (Holm). For a single run, " in several
    assert skewed in several
    assert "skewed" not in " ".join(central_words.how(study, across((0.8, 0.7, 0.9))))


@pytest.mark.parametrize(("items", "share"), [(6, 0.18), (10, 0.15), (20, 0.13), (50, 0.10)])
def test_that_often_are_skewed_differences_called_different(items: int, share: float) -> None:
    rng = np.random.default_rng(items)
    differences = rng.lognormal(size=(2_000, items)) - np.exp(0.5)
    found = np.mean([central_study._p(own + one, own) <= 0.05 for one in differences for own in (np.full(items, 9.0),)])
    assert found == pytest.approx(share, abs=3 * np.sqrt(share * (1 - share) / 2_000))


def test_runs_that_write_as_people_do_are_rarely_said_to_stand_elsewhere() -> None:
    """With ten runs and uncorrected 95 % intervals, one in three studies would say so about some run."""
    found = [
        said(verdict.study_verdict(study, central_study.across(study, arrays, 500), "X"))
        for study, arrays in centres(10, 60)
    ]
    wrong = sum("None of 10 runs" not in text for text in found)
    assert wrong <= 8, "5 % of 60 studies and three standard errors"


def test_tables_have_every_number() -> None:
    study = random_study(items=8, references=4, candidates=5, runs=2)
    cache = Cache(None)
    seen = centre_view(study, ["run 1"], 0, BowDistance(), cache)
    frame = central_words.captions_table(seen)
    assert list(frame["Said by"]) == ["People"] * 4 + ["run 1"] * 5
    assert frame["Mean distance"][:4].tolist() == seen.references.expected.tolist()
    assert (frame.Central[:4] == central_chart.MARK).tolist() == seen.references.central.tolist()
    found = central_study.across(study, central_study.measure(study, BowDistance(), cache))
    runs = central_words.runs_table(found).frame()
    assert dict(zip(runs["Run"], runs["Of people's own"])) == {run.run: run.ratio for run in found.runs}
    assert dict(zip(runs["Run"], runs["Corrected p"])) == {run.run: p for run, p in zip(found.runs, found.p_holm)}
    assert runs["Of people's own"].is_monotonic_increasing
    items = central_words.items_table(study, found, "run 1").frame()
    by = dict(zip((item.id for item in study.items), found.runs[1].items))
    assert dict(zip(items["Id"], items["run 1, of people's own"])) == by
    assert items["run 1, of people's own"].is_monotonic_increasing
    assert list(central_words.items_table(study, found).frame()["Id"]) == [item.id for item in study.items]
    order = central_words.gallery(found.runs[1])
    assert central_words.gallery(found.runs[1], farthest=True) == order[::-1]
    holed = replace(found.runs[1], items=np.array([NAN, 2.0, 1.0]))
    assert central_words.gallery(holed) == [2, 1, 0]
    assert central_words.gallery(holed, farthest=True) == [1, 2, 0]
    styles = model_styles([run.model for run in study.runs])
    rows = central_words.standings(study, found, styles)
    assert [row.ratio for row in rows] == sorted(run.ratio for run in found.runs)
    assert [row.ratio for row in rows] == [found.run(row.run).ratio for row in rows]
    assert central_words.lengths_table(found).frame()["Difference"].tolist() == [found.words.mean, found.content.mean]


def test_content_words_are_told_of_english_alone() -> None:
    assert english_share(random_study()) > 0.4
    assert np.isnan(english_share(replace(random_study(), items=())))
    study = random_study(items=2, references=4)
    german = ("Ein Mann steht auf einer Leiter.", "Zwei Hunde spielen im Schnee.", "Der Mann putzt ein rotes Fenster.")
    study = replace(study, items=tuple(replace(item, references=german) for item in study.items))
    assert english_share(study) == 0
    seen = centre_view(study, [], 0, RougeLDistance("whitespace"), Cache(None))
    found = central_study.across(study, central_study.measure(study, RougeLDistance("whitespace"), Cache(None)))
    assert "content word" not in said(central_words.image_verdict(seen))
    assert list(central_words.lengths_table(found).frame()["Length in"]) == ["Words"]
    for rules in (central_words.image_how(seen), central_words.how(study, found)):
        assert "Content words are not identified: only 0 % of the words are among" in " ".join(rules)
    for of in (replace(seen, english=0.5), replace(found, english=0.5)):
        assert central_words.content_words_note(of).startswith("Content words: all but")


def test_where_all_tie_no_reference_is_named_the_centre() -> None:
    study = random_study(items=2, references=2)
    found = central_study.across(study, central_study.measure(study, BleuDistance(n=4), Cache(None)))
    tied = [k for k in range(2) if found.central[k].all()]
    assert tied
    assert all(central_words.centres(study, found, k) == () for k in tied)


def test_one_item_settles_nothing() -> None:
    study = random_study(items=1)
    found = central_study.across(study, central_study.measure(study, BowDistance(), Cache(None)))
    text = said(verdict.study_verdict(study, found, "X"))
    assert text == (
        "1 item is too few to test whether both runs are nearer to the centre than people. By X, people's most "
        "central captions have 9.0 words against 9.3; 1 item is too few to tell whether that holds."
    )
    alone = replace(found, runs=found.runs[:1])
    assert said(verdict.study_verdict(study, alone, "X")).startswith(
        "run 0 is at 0.82 times people's own distance from the centre. "
    )


def test_the_finding_is_one_sentence_of_at_most_35_words() -> None:
    shown, rest = split_verdict(
        verdict.study_verdict(
            random_study(runs=4), across((0.8, 0.7, 0.9), (0.7, 0.6, 0.8), (1.2, 1.1, 1.3), (0.95, 0.9, 1.1)), "METEOR"
        )
    )
    assert len("".join(shown).split()) <= 35
    assert "no difference was found" in "".join(shown)
    assert "most central captions" in "".join((*shown, *rest))
