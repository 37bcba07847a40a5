"""Test the curves of p, the items needed to distinguish two runs, and the sentences about both."""

from __future__ import annotations

from types import SimpleNamespace
from typing import cast

import numpy as np
import pytest
from scipy.stats import ttest_1samp

from figures.report.html import Section
from figures.report.request import Request
from figures.report.sensitivity import sensitivity
from figures.sensitivity import too_few_items, words
from figures.sensitivity.curve import Curves, Line, p_curve
from figures.sensitivity.items_needed import images_by_difference, images_needed
from figures.style.numbers import p_text
from figures.style.palette import tone
from metrics.analysis.numbers import of_results
from metrics.analysis.sensitivity import sets
from metrics.analysis.sensitivity.curve import Curve
from metrics.analysis.sensitivity.power import Need, Power, items_for, smallest
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.progress import Hooks
from metrics.registry import resolve
from tests.studies import study as random_study


def power_of(needs: dict[int, Need], has: int = 48) -> Power:
    """Return the power for a pair of runs that needs these numbers of items, by the number of references."""
    made = SimpleNamespace(references=SimpleNamespace(sizes=tuple(needs)), candidates=(2,), items=(has,), has=has)
    beyond = lambda items: items > has  # noqa: E731
    return cast(
        Power,
        SimpleNamespace(design=made, needed=lambda size, candidates: needs[size], significant=True, beyond=beyond),
    )


@pytest.mark.parametrize("largest", [20, 5_000])
def test_the_words_of_the_study_s_size_stay_within_the_figure(largest: int) -> None:
    found = power_of({2: Need(15, 10, largest), 4: Need(12, 9, 19)})
    figure = images_needed(found, 2, "light", True)
    low, high = figure.layout.xaxis.range
    said = next(one for one in figure.layout.annotations if one.text.startswith("this study"))
    share = (said.x - low) / (high - low)
    assert said.xanchor == ("right" if share > 0.7 else "left" if share < 0.3 else "center")
    numbers = [one for one in figure.layout.annotations if one.xref == "paper" and one.yshift == 14]
    assert len(numbers) == 2
    assert all(one.x == (pytest.approx(share) if share > 0.7 else 1) for one in numbers)


@pytest.mark.parametrize("narrow", [False, True])
def test_images_needed_are_dots_with_intervals_filled_where_the_study_has_them(narrow: bool) -> None:
    needs = {1: Need(130, 70, 280), 3: Need(63, 32, 170), 5: Need(40, 18, np.inf), 10: Need(28, 15, 63)}
    figure = images_needed(power_of(needs), 2, "light", narrow)
    dots = [t for t in figure.data if t.name == "estimate"]
    assert [(t.x[0], t.y[0]) for t in dots] == [(130, 0), (63, 1), (40, 2), (28, 3)]
    filled = [t.marker.color == t.marker.line.color for t in dots]
    assert filled == [False, False, True, True]
    bars = [t for t in figure.data if t.mode == "lines"]
    assert [tuple(t.x) for t in bars if t.y[0] != 2] == [(70, 280), (32, 170), (15, 63)]
    low, high = 10 ** np.array(figure.layout.xaxis.range)
    assert low < 15
    assert high > 280
    (open_end,) = [t for t in bars if t.y[0] == 2]
    assert 280 < open_end.x[1] < high, "it has no end, and goes on to the edge"
    assert all(low <= tick <= high for tick in figure.layout.xaxis.tickvals)
    assert {20, 50, 100, 200} <= set(figure.layout.xaxis.tickvals)
    texts = [one.text for one in figure.layout.annotations]
    assert {"this study: 48 images", "<b>130 images</b> (70 to 280)", "<b>40 images</b> (18 or more)"} <= set(texts)
    lines = [shape for shape in figure.layout.shapes if shape.type == "line"]
    assert {(line.x0, line.x1) for line in lines} == {(48, 48)}


def test_on_a_telephone_the_line_of_the_study_s_size_breaks_only_at_numbers_that_it_would_cross() -> None:
    for needs, parts in (({2: Need(46, 32, 73), 4: Need(20, 15, 32)}, 2), ({2: Need(900, 700, 1200)}, 1)):
        figure = images_needed(power_of(needs), 2, "light", True)
        lines = [shape for shape in figure.layout.shapes if shape.type == "line"]
        assert len(lines) == parts
        above = [row - 14 / 42 for row in range(len(needs))]
        assert not any(line.yref != "paper" and line.y0 < number < line.y1 for line in lines for number in above)


def test_a_difference_that_is_not_significant_has_an_interval_and_no_dot() -> None:
    figure = images_needed(power_of({2: Need(np.nan, 60, 900), 4: Need(np.nan, np.nan, np.nan)}), 2, "dark")
    assert not [t for t in figure.data if t.name == "estimate"]
    assert [tuple(t.x) for t in figure.data] == [(60, 900)]
    texts = [one.text for one in figure.layout.annotations]
    assert "60 to 900 images" in texts
    assert "no number" in texts


def test_of_many_numbers_of_references_the_ends_and_some_between_are_shown() -> None:
    found = power_of({n: Need(40, 20, 80) for n in range(1, 14)})
    assert words.sizes_shown(found) == [1, 5, 9, 13]
    assert words.alt_power(found, 2).startswith("Images needed, this study has 48. 1 by people: 40 images (20 to 80);")
    assert images_needed(found, 2, "light").layout.height < 300


def test_the_key_on_paper_shows_the_marks_of_the_lines_filled_only_for_the_chosen_one() -> None:
    lines = tuple(Line(name, name, (2, 3), (0.2, 0.1), (0.1, 0.05), (0.3, 0.2)) for name in ("first", "second"))
    for chosen, mark in ((None, "○"), ("second", "○"), ("first", "●")):
        figure = p_curve(Curves(lines, None, ((2, 0.05), (3, 0.01))), chosen, "light", narrow=True)
        assert f"{mark} first" in [note.text for note in figure.layout.annotations]
        drawn = next(trace for trace in figure.data if trace.name == "first")
        assert (drawn.marker.color == drawn.line.color) == (mark == "●")


def test_names_of_equal_lines_do_not_lie_on_each_other() -> None:
    """Of four lines that end at the smallest p, the last two once had their names in the same place."""
    lines = tuple(Line(name, name, (2, 3), (0.2, 0.001), (0.1, 0.001), (0.3, 0.002)) for name in "abcd")
    figure = p_curve(Curves(lines, None, ((2, 0.05), (3, 0.001))), "a", "light")
    named = {one.text: one.y for one in figure.layout.annotations if one.text in ("<b>a</b>", "b", "c", "d")}
    low, top = figure.layout.yaxis.range
    gaps = np.diff(sorted(named.values())) * 290 / (top - low)
    assert len(named) == 4
    assert (gaps >= 16).all(), gaps


def curve(medians: dict[str, tuple[float, float]], floor: float = 0.001) -> Curve:
    cases = [SimpleNamespace(candidates=2), SimpleNamespace(candidates=4)]
    metrics = [SimpleNamespace(name=name, label=name.upper()) for name in medians]

    def summary(case: SimpleNamespace, name: str) -> SimpleNamespace:
        return SimpleNamespace(median=medians[name][cases.index(case)], floor=floor)

    made = SimpleNamespace(of=lambda row: cases)
    return cast(Curve, SimpleNamespace(metrics=metrics, design=made, summary=summary))


@pytest.mark.parametrize(
    ("medians", "floor", "said"),
    [
        ({"a": (np.nan, np.nan)}, np.nan, "Whether run 0 differs from people cannot be tested: no metric has a p."),
        ({"a": (0.4, 0.2)}, 0.2, "With four captions per item, p on a single item cannot reach 0.05."),
        (
            {"a": (0.4, 0.2)},
            0.01,
            "With four captions per item, one typical item is not enough to distinguish run 0 from",
        ),
        ({"a": (0.04, 0.2)}, 0.01, "With four captions per item, one typical item is not enough to distinguish run 0"),
        (
            {"a": (0.4, 0.01), "b": (0.4, 0.2)},
            0.01,
            "With four captions per item, one of two metrics distinguishes run 0 from",
        ),
        (
            {"a": (0.4, 0.01)},
            0.01,
            "Four captions per item are enough to distinguish run 0 from people on one typical item by A.",
        ),
        (
            {"a": (0.4, 0.01), "b": (0.4, 0.02), "c": (0.2, 0.01)},
            0.01,
            "Four captions per item are enough to distinguish run 0 from people on one typical item by all three "
            "metrics.",
        ),
    ],
)
def test_too_few_captions_are_not_said_where_there_is_no_test(
    medians: dict[str, tuple[float, float]], floor: float, said: str
) -> None:
    text = "".join(words.verdict("run 0", curve(medians, floor), ("A", "B"), None, "item"))
    assert text.startswith(said)


@pytest.mark.parametrize(("p", "said"), [(0.03, "distinguish run 0"), (0.4, "do not distinguish run 0")])
def test_one_test_of_all_captions_is_a_sentence_and_no_line(p: float, said: str) -> None:
    study = random_study(items=3, candidates=4, references=6, runs=1, seed=2)
    made = sets.design(study, study.runs[0], references=2)
    chosen = (*resolve(["mauve_bert"]), *resolve(["trm_rouge_l"]))
    cells = (len(made.cases), len(chosen), 3)
    some = np.where([[[one is chosen[0]] * 3 for one in chosen]] * cells[0], np.nan, 0.2)
    corpus = np.full((*cells[:2], 2), p)
    found = Curve(made, chosen, some, some, corpus, np.full((*cells[:2], 2), np.nan))
    drawn = words.curves(found, "trm_rouge_l")
    assert drawn is not None
    assert [line.key for line in drawn.lines] == ["trm_rouge_l"]
    facts = words.curve_facts(study, found, "trm_rouge_l")
    assert facts[-1].startswith(f"MAUVE MiniLM, one test of all items together: p {p_text(p)} with ")
    assert facts[-1].endswith("4 captions")
    assert sum("one test" in fact for fact in facts) == 1
    alone = Curve(made, chosen[:1], some[:, :1], some[:, :1], corpus[:, :1], found.uniform[:, :1])
    assert words.curves(alone, "mauve_bert") is None
    verdict = "".join(words.verdict("run 0", alone, ("A", "B"), None, "item"))
    start = f"With four captions per item, all items together {said} from people"
    assert verdict == f"{start} by MAUVE MiniLM (p {p_text(p)})."
    two = (chosen[0], *resolve(["mauve_bert(seed=1)"]))
    corpus[:, 1] = 0.6
    both = Curve(made, two, np.full_like(some, np.nan), some, corpus, found.uniform)
    assert "do not distinguish run 0 from people" in "".join(words.verdict("run 0", both, ("A", "B"), None, "item"))


def needs(items: float, low: float, high: float, few: bool = False, has: int = 48) -> Power:
    made = SimpleNamespace(references=SimpleNamespace(sizes=(1, 5)), candidates=(2,), has=has)
    need = Need(items, low, high)
    return cast(Power, SimpleNamespace(design=made, needed=lambda size, candidates: need, small=few, units=12))


def said_of(items: float, low: float, high: float, by: str = "", has: int = 48) -> str:
    return "".join(words.verdict("run 0", None, ("A", "B"), needs(items, low, high, has=has), "image", by))


def test_the_number_of_images_is_for_the_difference_that_was_seen() -> None:
    """The number of images has an interval, because the observed difference is larger or smaller by chance."""
    assert said_of(89, 60, 160) == (
        "If the difference is as large as seen here, it takes about 89 images (60 to 160) to distinguish A from B with "
        "five captions by people; this study has 48."
    )
    open_ended = said_of(89, 60, np.inf, "CIDEr-D", 5000)
    assert "about 89 images (60 or more) to distinguish A from B by CIDEr-D with five" in open_ended
    assert said_of(89, 60, 34000, "CIDEr-D", 5000) == open_ended, "34,000 images are no plan"
    assert "this study has 159." in said_of(89, 60, 160, has=159), "within the interval, nobody knows"
    assert said_of(89, 60, 160, "CIDEr-D", 1200) == (
        "1,200 images are enough to distinguish A from B by CIDEr-D with five captions by people: for a difference as "
        "large as seen here, about 89 (60 to 160) are needed."
    )
    for medians in ({"a": (0.4, 0.2)}, {"a": (0.4, 0.01), "b": (0.4, 0.2)}, {"a": (0.01, 0.01)}):
        for need in (needs(89, 60, 160), needs(89, 60, 160, has=160), needs(np.nan, 60, np.inf)):
            both = "".join(words.verdict("run 0", curve(medians), ("A", "B"), need, "image", "CIDEr-D"))
            assert len(both.split()) <= 35, both
            assert "60 " in both


def test_a_difference_that_is_not_significant_has_no_number_of_images() -> None:
    """In a fifth or more of studies, equal runs once got a number of images, although chance alone made them differ."""
    assert said_of(np.nan, 60, 900, "CIDEr-D") == (
        "A and B do not differ significantly by CIDEr-D; if the difference is real and this large, showing it takes 60 "
        "to 900 images with five captions by people."
    )
    assert "this large, showing it takes 60 or more images" in said_of(np.nan, 60, np.inf)
    assert said_of(np.nan, np.nan, np.nan) == (
        "How many images it takes to distinguish A from B is not estimated: fewer than 20 are scored."
    )
    assert said_of(np.inf, np.inf, np.inf) == "Whether A differs from B is open: both score the same on each image."


def test_a_study_too_small_for_an_estimate_draws_what_its_number_of_images_can_find() -> None:
    for n in (3, 12):
        drawn = np.random.default_rng(n).normal(smallest(n), 1, (20_000, n))
        assert (ttest_1samp(drawn, 0, axis=1).pvalue <= 0.05).mean() == pytest.approx(0.8, abs=0.012)
    assert [items_for(smallest(n)) for n in (12, 34, 200)] == [12, 34, 200], "about the inverse of the number needed"
    assert smallest(1) == np.inf
    assert "".join(too_few_items.verdict(12, "image")) == (
        "With 12 images, a difference is likely to show only if one run scores higher on about 81 % of them or more. "
        "At 67 %, it takes 42 images."
    )
    assert "".join(too_few_items.verdict(3, "image")) == (
        "With 3 images, a difference may not show even if one run scores higher on all of them. "
        "At 88 %, it takes 8 images."
    )
    assert "wins 79 %" in [
        one.text for one in images_by_difference(needs(*[np.nan] * 3, True), "light").layout.annotations
    ]
    few = needs(np.nan, np.nan, np.nan, few=True)
    assert "".join(words.verdict("run 0", None, ("A", "B"), few, "image")) == "".join(
        too_few_items.verdict(12, "image")
    )
    marks = [mark for mark in images_by_difference(few, "light").data if mark.name == "estimate"]
    assert [mark.x[0] <= 12 for mark in marks] == [True, False, False, False, False]
    assert [mark.marker.color == tone("paper", "light") for mark in marks] == [False, True, True, True, True]


def test_the_section_of_a_report_asks_about_the_items_of_the_study() -> None:
    made = random_study(items=8, references=3, candidates=3, runs=2)
    cache, chosen = Cache(None), resolve(("rouge_l",))
    numbers = of_results(scoring.score(made, chosen), {})
    request = Request(
        *(made, numbers, chosen, ("sensitivity",), "2026-01-31"),
        cache=cache,
        make=lambda work, _: work.compute(cache, Hooks()),
    )
    section = sensitivity(request)
    assert isinstance(section, Section)
    assert section.question == "How many captions and items does it take to show a difference?"
