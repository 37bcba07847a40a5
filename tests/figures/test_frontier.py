"""Test the chart of the frontier by its data, and its sentences and tables."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from data.demo import CACHE_LAYER, load
from data.study import Settings, Study
from figures.export.paper import COLUMN, PAGE, SCALE, layout_width
from figures.frontier import single_numbers_words
from figures.frontier import words as frontier_words
from figures.frontier.chart import frontier_figure, hover
from figures.frontier.drawing import Drawing, human_shown, pale, scale, steps
from figures.frontier.single_numbers import agreement_figure, order_figure, order_of
from figures.style.html import printed
from figures.style.line_styles import Mark, marks_of, run_marks
from figures.style.palette import PALETTE
from figures.style.run_names import short_names
from metrics.analysis.frontier import Frontier, frontier
from metrics.analysis.human_line import Human
from metrics.analysis.numbers import Numbers
from metrics.analysis.sweeps import Decoder
from metrics.bootstrap import LEAST
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.result import PENDING
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from tests.figures.test_frontier_labels import shown_names
from tests.studies import study as random_study

NAMES = ("rouge_l", "self_bleu_2", "distinct_2", "trm_bow", "ms_jaccard_2")


@pytest.fixture(scope="module")
def study() -> Study:
    return random_study(items=8, references=4, candidates=4, runs=6)


@pytest.fixture(scope="module")
def view(study: Study) -> Frontier:
    return view_of(study)


def view_of(study: Study, diversity: str = "self_bleu_2") -> Frontier:
    results = scoring.score(study, [METRICS[name] for name in NAMES], Options(p_values=False), Cache(None))
    singles = [METRICS["trm_bow"], METRICS["ms_jaccard_2"]]
    return frontier(study, Numbers(results), METRICS["rouge_l"], METRICS[diversity], study.runs, singles)


def marks(view: Frontier) -> dict[str, Mark]:
    return run_marks(view.runs)


def traces(figure, ending: str):
    return [trace for trace in figure.data if (trace.name or "").endswith(ending)]


def said(parts: tuple[str, ...]) -> str:
    return "".join(parts)


def told(verdict: tuple[tuple[str, ...], tuple[str, ...]]) -> str:
    """Return the visible part of a verdict followed by its folded part."""
    shown, more = verdict
    return " ".join(["".join(shown), *more])


@pytest.mark.parametrize("diversity", ["self_bleu_2", "distinct_2"])
def test_up_is_better_and_right_is_more_diverse(study, diversity):
    view = view_of(study, diversity)
    figure = frontier_figure(view, marks(view), "light")
    left, right = figure.layout.xaxis.range
    assert (left > right) == (diversity == "self_bleu_2")
    assert figure.layout.yaxis.range[0] < figure.layout.yaxis.range[1]
    assert ("axis reversed" in figure.layout.xaxis.title.text) == (diversity == "self_bleu_2")
    assert "more diverse" in figure.layout.xaxis.title.text
    assert "better" not in figure.layout.xaxis.title.text


def test_every_run_is_a_mark_with_its_cross(view):
    figure = frontier_figure(view, marks(view), "light")
    seen = {}
    for trace in [*traces(figure, "on the front"), *traces(figure, "matched or beaten on both")]:
        if trace.mode != "markers":
            continue
        places = [[run.name for run in view.runs].index(name) for (name,) in trace.customdata]
        for at, x, y, up, down in zip(places, trace.x, trace.y, trace.error_x.array, trace.error_x.arrayminus):
            seen[at] = (x, y)
            assert trace.name.endswith("on the front") == view.front[at]
            assert x + up == pytest.approx(view.diversity.high[at])
            assert x - down == pytest.approx(view.diversity.low[at])
    assert seen == {k: (view.diversity.value[k], view.quality.value[k]) for k in range(len(view.runs))}
    bare = frontier_figure(view, marks(view), "light", intervals=False)
    assert all(trace.error_x.visible is False for trace in traces(bare, "on the front"))


def test_dominated_runs_are_hollow_and_pale(view):
    assert not view.front.all(), "the study has a dominated run"
    figure = frontier_figure(view, marks(view), "light")
    for trace in traces(figure, ", matched or beaten on both"):
        assert trace.marker.color == "#FFFFFF"
        assert trace.marker.line.color not in PALETTE["light"]["mark"]
    for trace in traces(figure, "on the front"):
        assert trace.marker.color in PALETTE["light"]["mark"]
    assert pale("#000000", "light", 0.5) == "#808080"


def test_paths_follow_temperature(view):
    figure = frontier_figure(view, marks(view), "light")
    for trace, path in zip([t for t in figure.data if (t.name or "").startswith("path")], view.paths):
        assert list(trace.x) == [view.diversity.value[k] for k in path]
        temperatures = [view.runs[k].settings.temperature for k in path]
        assert temperatures == sorted(temperatures)


@pytest.mark.parametrize("diversity", ["self_bleu_2", "distinct_2"])
def test_the_step_line_bounds_all_that_is_dominated(study, diversity):
    """A point is below the line if and only if some run dominates it or is at the same place."""
    view = view_of(study, diversity)
    x, y = scale(view.diversity, False, False), scale(view.quality, False, False)
    corners = steps(view, x, y)
    assert corners[0][0] == x.start
    assert corners[-1][1] == y.start
    right, up = view.diversity.sign * view.diversity.value, view.quality.value
    for at in np.random.default_rng(0).uniform(size=(200, 2)):
        here = view.diversity.sign * (x.start + at[0] * (x.end - x.start)), y.start + at[1] * (y.end - y.start)
        beaten = bool(((right >= here[0]) & (up >= here[1])).any())
        heights = [c[1] for c in corners if view.diversity.sign * c[0] >= here[0]]
        assert (bool(heights) and max(heights) >= here[1]) == beaten


def test_fits_are_drawn_within_their_points(study):
    hot = tuple(replace(run, model="one") for run in study.runs)
    view = view_of(replace(study, runs=hot))
    assert not [t for t in frontier_figure(view, marks(view), "light").data if (t.name or "").startswith("fit")]
    (curve,) = [
        t for t in frontier_figure(view, marks(view), "light", curves=True).data if (t.name or "").startswith("fit")
    ]
    assert (min(curve.x), max(curve.x)) == (view.diversity.value.min(), view.diversity.value.max())
    assert "Dotted" in " ".join(frontier_words.rules(study, view, curves=True))


def human(view: Frontier, quality: float | None, diversity: float | None) -> Frontier:
    def of(value):
        return Human(value, value, value, "people") if value is not None else Human(reason="no people")

    return replace(
        view, quality=replace(view.quality, human=of(quality)), diversity=replace(view.diversity, human=of(diversity))
    )


def test_people_are_a_point_a_line_or_words(study, view):
    q, d = float(view.quality.value.mean()), float(view.diversity.value.mean())
    both = frontier_figure(human(view, q, d), marks(view), "light")
    (star,) = [t for t in both.data if t.name == "human"]
    assert (star.x[0], star.y[0]) == (d, q)
    line = frontier_figure(human(view, None, d), marks(view), "light")
    assert not [t for t in line.data if t.name == "human"]
    assert [(s.x0, s.x1) for s in line.layout.shapes] == [(d, d)]
    assert "People, ROUGE-L: none; no people." in frontier_words.rules(study, human(view, None, d))
    far = human(view, q + 100, d)
    assert not human_shown(far.quality)
    assert "far from all runs and not drawn; " in " ".join(frontier_words.rules(study, far))
    assert max(frontier_figure(far, marks(view), "light").layout.yaxis.range) < 2
    assert not frontier_figure(human(view, None, None), marks(view), "light").layout.shapes


def test_names_are_data_and_every_path_is_named():
    bad = "<b>$x</b> 'quoted' & long " + "n" * 80
    study = random_study(items=6, references=3, candidates=3, runs=4)
    runs = tuple(replace(run, name=f"{bad} {k}", model=f"<b>$x{k % 2} {bad}") for k, run in enumerate(study.runs))
    view = view_of(replace(study, runs=runs))
    figure = frontier_figure(view, marks(view), "dark")
    texts = shown_names(figure)
    assert sum(text.startswith("&lt;b&gt;$x") for text in texts) == 2
    assert not [text for text in texts if "<b>" in text]
    assert "&lt;b&gt;$x" in hover(view, 0)
    axes = scale(view.diversity, True, False), scale(view.quality, True, False)
    drawing = Drawing(view, marks(view), "dark", *axes)
    assert all(len(drawing.path_name(path)) <= 26 for path in view.paths)


def test_paths_and_models_have_the_names_of_the_sweeps():
    """One model has a single decoder, after which its path is named.

    The other model has three decoders, two of them with a single run.
    """
    given = [("topk", "top_k", Settings(t, top_k=10)) for t in (0.5, 1.0)]
    given += [("A", "A", Settings(t)) for t in (0.5, 1.0)] + [("A p", "A", Settings(1.0, top_p=0.8))]
    given += [("A greedy", "A", Settings(decoder="greedy"))]
    study = random_study(items=6, references=3, candidates=3, runs=6)
    runs = tuple(
        replace(run, name=f"{name} {settings.temperature}", model=model, settings=settings)
        for run, (name, model, settings) in zip(study.runs, given)
    )
    study = replace(study, runs=runs)
    view = view_of(study)
    names = {t.name for t in frontier_figure(view, marks(view), "light").data if (t.name or "").startswith("path")}
    assert names == {"path of top-k 10", "path of A"}
    sweeps = {mark.name for line, mark in marks_of(runs).items() if line != ("A", Decoder("nucleus", 0.8))}
    assert {f"path of {name}" for name in sweeps} == names
    on_paper = frontier_figure(view, marks(view), "light", width=layout_width(PAGE))
    texts = {note.text for note in on_paper.layout.annotations}
    assert {"top-k 10", "A", "top-p 0.8", "greedy"} <= texts
    assert "of top-k 10" in told(frontier_words.verdict(study, view))
    decoders = frontier_words.table(study, view).frame()["decoder"]
    assert set(decoders) == {"top-k 10", "sampling", "top-p 0.8", "greedy"}


def test_on_paper_it_is_low_enough_for_a_column_and_has_its_names():
    study = random_study(items=6, references=3, candidates=3, runs=8)
    view = view_of(study)
    column, page = (frontier_figure(view, marks(view), "light", width=layout_width(w)) for w in (COLUMN, PAGE))
    assert column.layout.height * SCALE / 96 < 2.8
    assert page.layout.height * SCALE / 96 < 4.5
    for figure in (column, page):
        assert {note.text for note in figure.layout.annotations} >= {mark.name for mark in marks(view).values()}
    below = ". ".join(filter(None, map(printed, frontier_words.facts(study, view, 0))))
    assert below.startswith("n = 6 items, 3 captions by each run and 3 by people. crosses")
    assert "ring" not in below
    assert len(below) < 160


def test_on_paper_models_of_the_order_have_a_key(view):
    figure = order_figure(view, marks(view), "light", width=layout_width(COLUMN))
    keys = [trace for trace in figure.data if trace.showlegend is not False]
    assert [trace.name for trace in keys] == list(dict.fromkeys(run.model for run in view.runs))
    assert [trace.marker.color for trace in keys] == [
        mark.style.mark("light") for mark in {run.model: marks(view)[run.name] for run in view.runs}.values()
    ]
    assert not order_figure(view, marks(view), "light").layout.showlegend


@pytest.mark.parametrize(("quality", "diversity"), [("meteor", "self_bleu_4"), ("rouge_l", "self_bleu_4")])
def test_every_run_of_the_demo_that_stands_alone_has_its_name(quality, diversity):
    demo = load()
    names = (quality, diversity)
    plan = scoring.plan(demo, [METRICS[name] for name in names], Options(p_values=True), Cache(None, (CACHE_LAYER,)))
    view = frontier(demo, Numbers(plan.ready), METRICS[quality], METRICS[diversity], demo.runs)
    notes = frontier_figure(view, marks(view), "light").layout.annotations
    assert {"greedy", "beam", "top-p 0.8", "Oracle", "Peaked", "Loose"} <= {note.text for note in notes}
    assert {note.font.weight for note in notes if note.text in ("greedy", "beam", "top-p 0.8")} == {400}


def test_order_and_agreement_figures_are_the_numbers(view):
    figure = order_figure(view, marks(view), "light", chosen=2)
    strips = [t for t in figure.data if t.name == "runs"]
    for single, strip in zip(view.singles, strips):
        assert list(strip.customdata) == order_of(single)
        values = [single.value[k] for k in strip.customdata]
        assert values == sorted(values, reverse=single.metric.higher_is_better)
        filled = [colour != "#FFFFFF" for colour in strip.marker.color]
        assert filled == [bool(view.front[k]) for k in strip.customdata]
    rings = [t for t in figure.data if t.name == "chosen"]
    assert [ring.x[0] for ring in rings] == [order_of(single).index(2) + 1 for single in view.singles]
    dots = next(t for t in agreement_figure(view, "light").data if t.name == "agreement")
    assert list(dots.x) == [single.share for single in view.singles if single.pairs]


def test_the_verdict_counts_the_front(study, view):
    text = told(frontier_words.verdict(study, view))
    on = int(view.front.sum())
    assert f"none certainly is. As measured, {on} are: " in text
    of_models = [replace(run, model="sampling" if k else "retrieval") for k, run in enumerate(study.runs)]
    grouped = replace(study, runs=tuple(of_models))
    two = replace(view_of(grouped), front=np.array([True, True, *[False] * 4]))
    said = told(frontier_words.verdict(grouped, two)).partition("As measured, 2 are: ")[2]
    assert set(said.split(". ")[0].split(" and ")) == {"run 0", "run 1"}
    many = replace(view_of(grouped), front=np.array([*[True] * 4, False, False]))
    said = "As measured, 4 are: retrieval and 3 of sampling."
    assert said in told(frontier_words.verdict(grouped, many)), "not 2 of sampling and retrieval"
    lone = view_of(replace(study, runs=study.runs[:1]))
    assert "nothing to compare it with" in told(frontier_words.verdict(study, lone))
    for items, why in ((1, "1 item is too few"), (LEAST - 1, f"{LEAST - 1} items are too few")):
        few = random_study(items=items, references=3, candidates=3, runs=2)
        assert why in told(frontier_words.verdict(few, view_of(few)))
        assert np.isnan(view_of(few).share).all()


def test_the_verdict_claims_no_certainty_while_runs_are_to_come(study, view):
    whole = replace(view, missing=(("run 9", "ROUGE-L: needs 2 captions of the run, has 1"),))
    part = replace(view, missing=(*whole.missing, ("run 7", f"ROUGE-L: {PENDING}"), ("run 8", f"ROUGE-L: {PENDING}")))
    assert (whole.pending, part.pending) == (0, 2)
    said = told(frontier_words.verdict(study, whole))
    assert "6 runs with both values may be on the front: " in said, "those that lack one are not counted"
    assert said.replace(" with both values", "") == told(frontier_words.verdict(study, view))
    text = told(frontier_words.verdict(study, part))
    assert " on the front so far" in text
    assert text.endswith("2 runs are still to come.")
    assert "resamples" not in text


def test_a_front_that_cannot_be_resampled_claims_no_certainty(study, view):
    """If a run has few values, some resamples contain none of its items."""
    none = replace(view, share=np.where(view.front, np.nan, 0.1))
    assert "Whether that is significant cannot be tested: too few items have both values" in told(
        frontier_words.verdict(study, none)
    )


@pytest.mark.parametrize(
    ("sure", "expected"),
    [
        ([1, 1, 1, -1, -1, -1], "At 95 %, this holds for each of them, and no other run can be there."),
        ([1, 0, 1, -1, -1, 0], "At 95 %, this holds for {} and {}, and 1 of the 3 others may be there too."),
        ([1, 0, 0, -1, -1, -1], "At 95 %, this holds for {}, and no other run can be there."),
        ([0, 0, 0, 0, 0, 0], "Any of the 6 runs may be on the front: at 95 %, none certainly is. As measured, 3 are: "),
    ],
)
def test_the_verdict_counts_the_runs_that_are_surely_on_the_front(study, view, sure, expected):
    """Shares of resamples do not matter, since they are not probabilities."""
    shown = replace(view, front=np.arange(6) < 3, sure=np.array(sure), share=np.linspace(0, 1, 6))
    text = told(frontier_words.verdict(study, shown))
    names = short_names(study.runs)
    assert expected.format(*(names[shown.runs[k].name] for k in shown.order if sure[k] > 0)) in text
    assert "%" not in text.split("on the front")[1].lower().split("at 95 %,")[1].split(".")[0]
    one = told(frontier_words.verdict(study, replace(shown, front=np.arange(6) == 0)))
    unsure = "At 95 %, this is open: other runs may be there too, or in its place."
    assert ("At 95 %, this holds" if sure[0] else unsure) in one
    assert f"Of 6 runs, only {names[shown.runs[0].name]} is on the front. " in one


def test_the_only_other_run_is_not_called_other_runs() -> None:
    study = random_study(items=6, references=3, candidates=3, runs=2)
    two = view_of(study)
    open_ = replace(two, front=np.array([True, False]), sure=np.zeros(2), share=np.full(2, 0.5))
    assert "the other run may be there too, or in its place." in told(frontier_words.verdict(study, open_))


def test_no_sentence_says_that_runs_are_as_good_as_people(study, view):
    """Runs are scored against one more reference than people are."""
    q, d = (axis.sign * axis.value for axis in (view.quality, view.diversity))
    people = human(view, view.quality.sign * float(np.median(q)), view.diversity.sign * float(np.median(d)))
    text = told(frontier_words.verdict(study, people))
    assert "as people" not in text.replace("as diverse as people", "")


def test_runs_of_other_sizes_have_no_place(study, view):
    assert "Not drawn" not in " ".join(frontier_words.facts(study, view, None))
    small = replace(study.runs[0], candidates={i: c[:3] for i, c in study.runs[0].candidates.items()})
    mixed = replace(study, runs=(small, *study.runs[1:]))
    expected = f"Not drawn: {small.name} (Self-BLEU-2: 3 captions at a time, the others 4)"
    assert expected in frontier_words.facts(mixed, view_of(mixed), None), "in sight, not only folded"


def test_a_run_says_who_beats_it(study, view):
    for k, run in enumerate(view.runs):
        text = said(frontier_words.about_run(study, view, k))
        if view.front[k]:
            assert f"{run.name} is on the front as measured" in text
        else:
            assert f"{run.name} is matched or beaten on both by {view.runs[view.dominators(k)[0]].name}" in text
            assert "more ROUGE-L" in text


def test_a_run_tied_on_one_axis_is_not_said_to_be_beaten_on_both(study, view):
    k = int(np.flatnonzero(~view.front)[0])
    winner = view.dominators(k)[0]
    diversity = view.diversity.value.copy()
    diversity[k] = diversity[winner]
    tied = replace(view, diversity=replace(view.diversity, value=diversity))
    texts = [
        said(frontier_words.about_run(study, tied, k)),
        *map(str, frontier_words.facts(study, tied, None)),
        said(single_numbers_words.singles_verdict(study, tied)),
        single_numbers_words.singles_footer(study, tied),
        single_numbers_words.singles_print_footer(tied),
        single_numbers_words.singles_caption(study, tied),
        hover(tied, k),
        *[trace.name for trace in frontier_figure(tied, marks(view), "light").data],
    ]
    for claim, sound in (("beaten on both", "matched or beaten on both"), ("beats ", "matches or beats ")):
        found = [text for text in texts if claim in (text or "")]
        assert found
        assert all(text.count(claim) == text.count(sound) for text in found), found


def test_tables_hold_every_number(study, view):
    frame = frontier_words.table(study, view).readable().set_index(frontier_words.RUN)
    for k, run in enumerate(view.runs):
        row = frame.loc[run.name]
        assert row["ROUGE-L"] == view.quality.value[k]
        assert row["Self-BLEU-2"] == view.diversity.value[k]
        assert row[frontier_words.ON_FRONT] == pytest.approx(100 * view.share[k])
        assert row[frontier_words.SURE] == {1: "yes", 0: "undecided", -1: "no"}[int(view.sure[k])]
        beaten_by = [view.runs[j].name for j in view.dominators(k)]
        assert bool(beaten_by) != view.front[k]
        assert row[frontier_words.BEATEN_BY] == "; ".join(beaten_by)
    assert list(frame[frontier_words.ON_FRONT]) == sorted(frame[frontier_words.ON_FRONT], reverse=True)
    ranks = single_numbers_words.ranks_table(view)
    assert list(ranks["Rank, TRM bag of words"]) == list(view.singles[0].rank)
    agreement = single_numbers_words.singles_table(view)
    assert list(agreement["Pairs"]) == [single.pairs for single in view.singles]
