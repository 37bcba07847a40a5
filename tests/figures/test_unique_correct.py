"""Test the figures and sentences of Unique vs correct by their data."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from data.study import Item, Study
from figures.style.escaping import Strong
from figures.style.numbers import num
from figures.style.palette import Mode
from figures.unique_correct import heatmaps as unique_correct_heatmaps
from figures.unique_correct import words as unique_correct_words
from figures.unique_correct.lines import lines
from metrics.analysis.unique_correct import experiment as sets
from metrics.analysis.unique_correct.experiment import Design, Experiment
from metrics.analysis.unique_correct.variance_shares import Share, Surface, VarianceShares, variance_shares
from metrics.registry import TRMS
from tests.studies import study as random_study

CELLS = sets.cells(3)
CORRECT, UNIQUE = CELLS.T.astype(float)


def experiment(base: np.ndarray, trm: np.ndarray, items: int = 8, size: int = 3) -> VarianceShares:
    noise = np.random.default_rng(0).normal(scale=1e-4, size=(items, 2, len(base)))
    values = Experiment(
        Design(size, 3, 2),
        sets.cells(size),
        np.arange(items),
        base + noise,
        trm + noise,
        np.zeros((items, 2, 2 * size)),
    )
    return variance_shares(values, TRMS["CIDEr-D"], study())


def said(found: VarianceShares) -> str:
    return "".join(unique_correct_words.verdict(found))


def below(of: Study, found: VarianceShares) -> str:
    return " ".join([*unique_correct_words.facts(of, found), *unique_correct_words.rules(of, found)])


def study(items: int = 6) -> Study:
    return random_study(items=items)


def test_the_verdict_says_which_axis_each_metric_follows() -> None:
    found = experiment(CORRECT / 3, 2 - CORRECT / 3 - UNIQUE / 2)
    text = said(found)
    assert text.startswith("CIDEr-D hardly notices repeated captions: one correct caption said 3 times scores ")
    by_correct, by_unique = (
        unique_correct_heatmaps.share_text(s.value) for s in (found.of_trm.correct, found.of_trm.unique)
    )
    assert "CIDEr-D notices wrong captions; TRM CIDEr-D notices wrong captions. " in text
    assert f"explain > 99.9 % and < 0.1 % of the variance of CIDEr-D, and {by_correct} and {by_unique} of " in text
    one, all_of = found.cell(3, 1), found.cell(3, 3)
    numbers = [num(float(s.mean[k]), 2) for s in (found.of_base, found.of_trm) for k in (one, all_of)]
    assert (
        "said 3 times scores {}, and 3 different ones {}. TRM CIDEr-D notices them: {} against {}, where".format(
            *numbers
        )
        in text
    )
    assert len(text.split(". ")[0].split() + text.split(". ")[1].split()) <= 35
    alone = "".join(unique_correct_words.verdict(found, False))
    assert "TRM" not in alone
    assert alone.startswith(text.split(" TRM")[0])
    assert Strong("CIDEr-D") in unique_correct_words.verdict(found)


@pytest.mark.parametrize(
    ("correct", "unique", "words"),
    [
        ((0.049, 1e-9), (0.049, 1e-9), ("hardly notices", "hardly notices")),
        ((0.05, 1e-9), (0.049, 1e-9), ("notices", "hardly notices")),
        ((0.05, 0.051), (0.05, 0.05), ("does not detectably notice", "notices")),
        ((0.05, 0.051), (0.05, 0.051), ("does not detectably notice", "does not detectably notice")),
    ],
)
def test_which_shares_of_variance_lead_to_which_words(
    correct: tuple[float, float], unique: tuple[float, float], words: tuple[str, str]
) -> None:
    """A share below 5 % counts as hardly any change, however small its p.

    A larger share counts as a change if its p is at most .05.
    """
    found = experiment(CORRECT / 3, 2 - CORRECT / 3 - UNIQUE / 2)
    shares = (replace(found.of_base.correct, value=v, p_holm=p) for v, p in (correct, unique))
    surface = replace(found.of_base, **dict(zip(("correct", "unique"), shares)))
    text = said(replace(found, of_base=surface))
    assert f"CIDEr-D {words[0]} wrong captions; TRM" in text
    assert text.startswith(f"CIDEr-D {words[1]} repeated captions: ")


def test_the_verdict_is_honest_where_the_data_say_otherwise() -> None:
    """One metric changes only with unique captions, one with neither axis alone, and one is constant."""
    assert "; TRM CIDEr-D hardly notices wrong captions. " in said(experiment(CORRECT, 1 / UNIQUE))
    levels = np.hstack([CELLS[:, [axis]] == np.unique(CELLS[:, axis]) for axis in (0, 1)]).astype(float)
    noise = np.random.default_rng(1).normal(size=len(CELLS))
    crossed = noise - levels @ np.linalg.lstsq(levels, noise, rcond=None)[0]
    assert "TRM CIDEr-D hardly notices them: " in said(experiment(CORRECT, crossed))
    found = experiment(CORRECT, UNIQUE)
    undefined = Share(np.nan, np.nan, np.nan)
    flat = Surface(found.of_base.mean, found.of_base.error, undefined, undefined, undefined)
    assert "CIDEr-D gives all sets the same value, so it does not notice" in said(replace(found, of_base=flat))


@pytest.mark.parametrize("mode", ["light", "dark"])
@pytest.mark.parametrize("higher", [True, False])
def test_a_heatmap_has_every_cell_its_number_and_its_answer_to_a_click(
    mode: unique_correct_heatmaps.Mode, higher: bool
) -> None:
    found = experiment(CORRECT / 3, 2 - UNIQUE / 2)
    metric, surface = found.both[0 if higher else 1]
    assert metric.higher_is_better is higher
    figure = unique_correct_heatmaps.heatmap(found, metric, surface, mode, (3, 1))
    heat, numbers = figure.data
    grid = np.asarray(heat.z, dtype=float)
    assert grid.shape == (4, 3)
    assert np.isnan(grid).sum() == 2
    assert grid[CELLS[:, 0], CELLS[:, 1] - 1] == pytest.approx(surface.mean)
    assert [tuple(c) for c in numbers.customdata] == [tuple(c) for c in CELLS.tolist()]
    assert list(numbers.text) == [num(float(v), unique_correct_heatmaps.digits(surface, CELLS)) for v in surface.mean]
    colours = [colour for _, colour in heat.colorscale]
    strongest = colours[-1] if higher else colours[0]
    assert strongest == ("#1F2A33" if mode == "light" else "#F2F0EA")
    assert {(s.x0 + s.x1, s.y0 + s.y1) for s in figure.layout.shapes} == {(2, 6)}


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_numbers_read_on_every_colour_of_the_ramp(mode: unique_correct_heatmaps.Mode) -> None:
    from figures.style.palette import ramp

    steps = [unique_correct_heatmaps._rgb(colour) for _, colour in ramp(mode)]
    for strength in np.linspace(0, 1, 101):
        at = (1 - strength) * (len(steps) - 1)
        low, high = steps[int(at)], steps[min(int(at) + 1, len(steps) - 1)]
        ground = unique_correct_heatmaps.luminance([a + (b - a) * (at - int(at)) for a, b in zip(low, high)])
        text = unique_correct_heatmaps.luminance(
            unique_correct_heatmaps._rgb(unique_correct_heatmaps.text_on_ramp(float(strength), mode))
        )
        assert (max(ground, text) + 0.05) / (min(ground, text) + 0.05) >= 4.5


def test_bars_are_the_shares_and_a_negative_rest_draws_nothing() -> None:
    found = experiment(CORRECT, UNIQUE)
    off = replace(found.of_base, remainder=Share(-0.001, -0.002, 0.001))
    figure = unique_correct_heatmaps.share_bars([("a", off), ("b", found.of_trm)], "light")
    assert [bar.name for bar in figure.data] == list(unique_correct_heatmaps.PARTS["even"])
    assert [bar.x[1] for bar in figure.data[:2]] == [found.of_trm.correct.value, found.of_trm.unique.value]
    assert figure.data[2].x[0] == 0
    texts = [a.text for a in figure.layout.annotations]
    assert "<b>a</b>" in texts
    assert any(text.endswith("both together <b>< 0.1 %</b>") for text in texts)


def test_shares_that_overlap_are_said_to_and_fit_the_bars() -> None:
    found = experiment(CORRECT / 3, 2 - CORRECT / 3 - UNIQUE / 2)
    base = found.of_base
    correct, unique = (replace(s, value=v) for s, v in ((base.correct, 1.03), (base.unique, 0.006)))
    over = replace(base, correct=correct, unique=unique, remainder=replace(base.remainder, value=-0.036))
    text = said(replace(found, of_base=over))
    assert "explain 103.0 % and 0.6 % of the variance of CIDEr-D (the shares overlap), and " in text
    assert "overlap" not in said(found)
    assert unique_correct_heatmaps.share_bars([("a", over)], "light").layout.xaxis.range[1] == pytest.approx(1.036)


def test_tables_hold_every_cell_and_every_share() -> None:
    found = experiment(CORRECT / 3, 2 - UNIQUE / 2)
    whole = unique_correct_words.cell_table(study(), found)
    for metric, surface in found.both:
        table = whole.frame()[whole.frame().metric == metric.name]
        assert table[["correct", "unique"]].to_numpy().tolist() == CELLS.tolist()
        assert table.value.to_numpy() == pytest.approx(surface.mean)
        assert table.standard_error.to_numpy() == pytest.approx(surface.error)
        assert set(table.signature) == {metric.signature}
    assert set(whole.readable()["n"]) == {8}
    one = unique_correct_words.cell_table(study(), found, "3", "1").frame()
    assert one.value.to_numpy() == pytest.approx([s.mean[found.cell(3, 1)] for _, s in found.both])
    shares = unique_correct_words.share_table(found).readable()
    assert shares.groupby("Metric")["Percent"].sum().to_numpy() == pytest.approx([100, 100])
    assert len(shares) == 6
    assert shares["Corrected p"][:2].tolist() == [found.of_base.correct.p_holm, found.of_base.unique.p_holm]
    assert shares["Corrected p"].notna().tolist() == [True, True, False] * 2


def test_the_footer_counts_what_is_left_out_and_why() -> None:
    found = experiment(CORRECT, UNIQUE)
    text = below(study(11), found)
    assert text.startswith(
        "n = 8 items, 2 repeats each, seed 0; sets of 3 captions against 3 held-out captions by people."
    )
    assert "Left out: 3 items with fewer than 6 different captions by people." in text
    failed = replace(found, experiment=replace(found.experiment, failed=("too long", "too long")))
    text = unique_correct_words.left_out(study(11), failed)
    assert text == (
        "Left out: 1 item with fewer than 6 different captions by people. Left out: 2 items without a value (too long)."
    )
    assert unique_correct_words.left_out(study(8), found) == ""


def test_alternatives_say_what_is_seen() -> None:
    found = experiment(CORRECT / 3, 2 - UNIQUE / 2)
    text = unique_correct_words.heatmap_alt(found.base, found.of_base, found)
    assert text.startswith("CIDEr-D of sets by correct and unique captions: lowest ")
    assert "at 3 correct and" in text.split("highest")[1]
    assert "TRM CIDEr-D: correct < 0.1 %, unique > 99.9 %" in unique_correct_words.shares_alt(found)


def test_shares_that_noise_alone_would_have_are_no_changes() -> None:
    """The number of levels alone gives each axis 15 to 30 % of the variance of a metric that depends on neither
    axis.
    """
    rng = np.random.default_rng(1)
    values = rng.normal(size=(2, 12, 2, len(CELLS)))
    values[1] += CORRECT
    found = variance_shares(
        Experiment(Design(3, 3, 2), CELLS, np.arange(12), *values, np.zeros((12, 2, 6))), TRMS["CIDEr-D"], study()
    )
    assert max(found.of_base.correct.value, found.of_base.unique.value) > unique_correct_words.HARDLY
    assert said(found).startswith("CIDEr-D does not detectably notice repeated captions")
    assert "notices wrong captions, but one more correct caption can also make it worse" in said(found), (
        "lower is better"
    )
    assert "stated from n = 8 on, where p ≤ 0.05 (sign flips of the effects of each item, Holm over 4 tests)." in (
        below(study(12), found)
    )


@pytest.mark.parametrize("items", [1, 3, 7])
def test_fewer_images_than_the_test_can_reach_say_nothing_of_axes(items: int) -> None:
    """With 7 items, the smallest p is 2 / 2^7; corrected for four tests, it is above .05, so no effect can be
    significant.
    """
    few = said(experiment(CORRECT, UNIQUE, items=items))
    start = f"n = {items} is too few to show what CIDEr-D and TRM CIDEr-D depend on: p ≤ 0.05 takes n = 8. One"
    assert few.startswith(start)
    found = experiment(CORRECT, UNIQUE, items=7)
    assert found.of_base.correct.p == 2 / 2**7
    assert "CIDEr-D notices wrong captions" in said(experiment(CORRECT, UNIQUE, items=8))


def test_a_change_is_named_in_no_more_studies_than_the_level_says() -> None:
    """Neither axis affects either metric; without Holm's correction, a change was named in 23 % of the studies."""
    named = 0
    for seed in range(300):
        values = np.random.default_rng([7, seed]).normal(size=(2, 12, 1, len(CELLS)))
        made = Experiment(Design(3, 3, 1), CELLS, np.arange(12), *values, np.zeros((12, 1, 6)))
        named += bool(re.search("(?<!hardly) notices ", said(variance_shares(made, TRMS["CIDEr-D"], study()))))
    assert named <= 300 * 0.05 + 3 * np.sqrt(300 * 0.05 * 0.95)


def test_no_share_is_said_to_have_a_confidence_interval() -> None:
    """Resampled shares tend to miss a true share near 0 or 1: with 40 images, only half of their ranges contained
    it.
    """
    found = experiment(CORRECT, UNIQUE)
    text, few = (
        below(study(8), found),
        below(study(4), experiment(CORRECT, UNIQUE, items=4)),
    )
    assert "Resampled: the range of 95 % of the shares in 2,000 resamples of the items. It is not a confidence" in text
    assert "4 items are too few to resample the shares." in few
    for said_of in (text, few, unique_correct_words.shares_alt(found)):
        assert "bootstrap" not in said_of
        assert "hold the true value" not in said_of
    bars, lone = (
        unique_correct_heatmaps.share_bars([("a", of)], "light").data[0].hovertext[0]
        for of in (found.of_base, experiment(CORRECT, UNIQUE, items=4).of_base)
    )
    assert "<br>95 % of resamples " in bars
    assert lone == "a: correct > 99.9 %"


# --- the paper's draw ---


def papers(size: int = 3) -> VarianceShares:
    """Make an experiment in which the score depends on correct captions, and the triangle rank on the size of the
    pool.
    """
    design = Design(size, 3, 2, draw="paper")
    correct, pool = design.cells.T.astype(float)
    noise = np.random.default_rng(0).normal(scale=1e-4, size=(8, 2, len(correct)))
    scores = np.zeros((8, 2, 2 * size))
    values = Experiment(design, design.cells, np.arange(8), correct + noise, 9 - pool + noise, scores)
    return variance_shares(values, TRMS["CIDEr-D"], study())


def test_the_papers_heatmap_has_its_axes_and_every_cell() -> None:
    found = papers()
    figure = unique_correct_heatmaps.heatmap(found, *found.both[0], "light", chosen=(0, 2))
    assert (figure.layout.xaxis.title.text, figure.layout.yaxis.title.text) == (
        "correct captions",
        "captions in each pool",
    )
    grid, numbers = figure.data
    assert (list(grid.x), list(grid.y)) == ([0, 1, 2, 3], [1, 2, 3])
    assert np.asarray(grid.z)[1] == pytest.approx(np.arange(4), abs=1e-3)
    assert len(numbers.text) == 12
    for x, y, (m, k) in zip(numbers.x, numbers.y, numbers.customdata):
        assert (x, y) == (m, k)
    assert numbers.hovertext[1].startswith("0 correct, pools of 2<br>")
    frame = figure.layout.shapes[0]
    assert frame.x0 < 0 < frame.x1
    assert frame.y0 < 2 < frame.y1


def test_the_papers_draw_speaks_of_pools_and_never_of_unique_captions() -> None:
    found = papers()
    assert said(found).startswith(
        "CIDEr-D hardly notices small pools of captions: one correct caption said 3 times scores 3.00, and 3 by people "
        "3.00. TRM CIDEr-D notices them: 8.00 against 6.00, where lower is better. CIDEr-D notices wrong captions; TRM "
        "CIDEr-D hardly notices wrong captions. "
    )
    texts = [
        said(found),
        below(study(), found),
        unique_correct_words.shares_alt(found),
        unique_correct_words.heatmap_alt(*found.both[0], found),
        *unique_correct_words.cell_table(study(), found).readable().columns,
        *unique_correct_words.share_table(found).frame().explained_by,
        unique_correct_words.title(found.experiment.design),
        *(unique_correct_words.reading(found.experiment.design, few) for few in (True, False)),
        unique_correct_words.set_title(found.experiment.design, 1, 2),
    ]
    assert not [text for text in texts if "unique" in text.lower()]


def test_a_design_of_other_sizes_than_the_papers_says_so() -> None:
    theirs, small = Design(10, 10, 1, draw="paper"), Design(5, 5, 1, draw="paper")
    assert unique_correct_words.draw_note(theirs) == "The paper's draw."
    assert unique_correct_words.paper_size_note(theirs, "image") == ""
    assert unique_correct_words.draw_note(small) == "The paper's draw with other sizes: sets of 5 captions, 5 held out."
    assert "takes 20 references for each image" in unique_correct_words.paper_size_note(small, "image")
    for text in ("with other sizes: sets of 3 captions, 3 held out.", "The paper has sets of 10"):
        assert text in below(study(), papers())


@pytest.mark.parametrize("draw", ["even", "paper"])
def test_where_people_stand_is_drawn_and_named_everywhere(draw: sets.Draw) -> None:
    """Three captions drawn from a, a, b, c have 2.5 different texts on average, since half of the draws contain both
    a's.
    """
    repeated = replace(study(), items=(Item("one", ("A dog.", "a dog!", "two dogs", "a cat")),))
    design = Design(3, 3, 2, draw=draw)
    correct, second = design.cells.T.astype(float)
    values = np.broadcast_to(correct, (8, 2, len(correct)))
    made = Experiment(design, design.cells, np.arange(8), values, 9 - second + 0 * values, np.zeros((8, 2, 6)))
    found = variance_shares(made, TRMS["CIDEr-D"], repeated)
    assert found.people == pytest.approx(2.5)
    marks = unique_correct_heatmaps.heatmap(found, *found.both[0], "light").layout.annotations
    assert [(mark.x, mark.text) for mark in marks] == [
        (pytest.approx(2.5 if draw == "even" else 3), "people: 2.50 of 3 different \u25bc")
    ]
    low = unique_correct_heatmaps.heatmap(replace(found, people=1.0), *found.both[0], "light").layout.annotations[0]
    assert low.text == (
        "\u25bc people: 1.00 of 3 different" if draw == "even" else "people: 1.00 of 3 different \u25bc"
    )
    text = unique_correct_words.people(repeated, found)
    assert text.startswith("People: of 3 captions by people for one item, 2.50 are different on average (83 %)")
    assert text.endswith("(83 %)." if draw == "even" else "(83 %), as in the cell of 3 correct, pools of 3.")
    assert text in below(repeated, found)
    assert unique_correct_words.heatmap_alt(*found.both[0], found).endswith("; people: 2.50 of 3 different.")
    assert set(unique_correct_words.cell_table(repeated, found).frame().people_different) == {found.people}
    assert (", and 3 by people " in said(found)) == (draw == "paper")
    assert (", and 3 different ones " in said(found)) == (draw == "even")


@pytest.mark.parametrize("draw", ["even", "paper"])
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_few_cells_are_lines_with_every_value_and_its_answer_to_a_click(draw: sets.Draw, mode: Mode) -> None:
    design = Design(2, 2, 2, draw=draw)
    correct, second = design.cells.T.astype(float)
    noise = np.random.default_rng(0).normal(scale=1e-4, size=(8, 2, len(correct)))
    made = Experiment(design, design.cells, np.arange(8), correct + noise, 9 - second + noise, np.zeros((8, 2, 4)))
    found = variance_shares(made, TRMS["CIDEr-D"], study())
    for metric, surface in found.both:
        *traces, ring = lines(found, metric, surface, mode, (2, 1)).data
        assert len(traces) == 2
        shown = {(m, k): y for one in traces for (m, k), y in zip(one.customdata, one.y)}
        assert sorted(shown) == sorted(map(tuple, design.cells.tolist()))
        assert [shown[m, k] for m, k in design.cells.tolist()] == pytest.approx(surface.mean)
        errors = [e for one in traces for e in one.error_y.array]
        assert sorted(errors) == pytest.approx(sorted(1.96 * surface.error))
        assert (ring.x[0], ring.y[0]) == (2, surface.mean[found.cell(2, 1)])
        assert all(one.hovertext[0].count("standard error") == 1 for one in traces)
        *numbers, first, second = [note.text for note in lines(found, metric, surface, mode).layout.annotations]
        ends = [num(float(surface.mean[found.cell(2, k)]), 3) for k in (1, 2)]
        assert sorted([*numbers, *ends]) == sorted(num(float(value), 3) for value in surface.mean)
        names = ["one said twice", "2 different"] if draw == "even" else ["pools of 1", "pools of 2"]
        assert [first, second] == [f"<b>{end}</b> {name}" for end, name in zip(ends, names)]
