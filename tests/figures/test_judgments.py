"""Test the figures of agreement with people (their own, baselines, chance, categories) and verdicts over systems."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from data.load import load_study
from figures.judgments import floor_words, words
from figures.judgments.pairs import MOST, PairRow, pair_ranking
from figures.judgments.ranking import Row, ranking
from figures.judgments.systems import scatter
from metrics.analysis.chance import Range
from metrics.analysis.judgments.correlation import Estimate
from metrics.analysis.judgments.floors import ALL, RESAMPLES, Floor
from metrics.analysis.judgments.system_groups import Group, groups, pull
from metrics.registry import METRICS

ONE = Estimate(0.4, 0.3, 0.5, 0.001, 100)
ROWS = [Row("a", "A", ONE, ONE, True, True), Row("b", "B", ONE._replace(value=0.2), ONE, False, False)]


@pytest.mark.parametrize("narrow", [False, True])
def test_people_with_each_other_are_a_dotted_line_with_a_band(narrow: bool) -> None:
    people = Estimate(0.7, 0.65, 0.75, 0.0, 100)
    shapes = ranking(ROWS, "Kendall tau-b", people, "a", "light", narrow).layout.shapes
    lines = [shape for shape in shapes if shape.type == "line" and shape.line.dash == "dot"]
    assert {(line.x0, line.x1) for line in lines} == {(0.7, 0.7)}
    assert len(lines) == (2 if narrow else 3), "a piece at each edge of the two rows"
    assert not [line for line in lines if line.y1 < 0.2 - narrow < line.y0 or line.y1 < -0.8 - narrow < line.y0]
    assert [(shape.x0, shape.x1) for shape in shapes if shape.type == "rect" and shape.x0 == 0.65] == [(0.65, 0.75)]
    for value in (-0.9, 0.7):
        figure = ranking(ROWS, "Kendall tau-b", people._replace(value=value), "a", "light", narrow)
        notes = {note.text: note for note in figure.layout.annotations}
        anchor = notes["<i>people with each other</i>"].xanchor
        assert anchor == ("left" if narrow and value < 0 else "right"), "a phone has no space left of the plot"
    without = ranking(ROWS, "Kendall tau-b", None, "a", "light", narrow)
    assert not [shape for shape in without.layout.shapes if shape.type == "line" and shape.line.dash == "dot"]


@pytest.mark.parametrize("narrow", [False, True])
def test_a_trivial_baseline_is_a_row_without_a_line_through_the_metrics(narrow: bool) -> None:
    alone = [Row("", "Run alone", ONE._replace(value=0.6), ONE._replace(value=0.7), False, False, trivial=True)]
    figure = ranking(ROWS, "Kendall tau-b", None, "a", "light", narrow, trivial=alone)
    assert not any(shape.line.dash == "dot" for shape in figure.layout.shapes)
    assert any("Run alone" in note.text for note in figure.layout.annotations)
    assert figure.layout.xaxis.range[1] > 0.6


@pytest.mark.parametrize("narrow", [False, True])
def test_the_floor_of_chance_is_a_tick_with_its_range_below_the_mark(narrow: bool) -> None:
    floors = Range(-0.3, -0.35, -0.25), Range(0.45, 0.4, 0.5)
    rows = [replace(ROWS[0], floor=floors[0], floor_within=floors[1]), ROWS[1]]
    figure = ranking(rows, "Kendall tau-b", None, "a", "light", narrow)
    ticks = [trace for trace in figure.data if trace.marker.symbol == "line-ns"]
    assert [trace.x[0] for trace in ticks] == [-0.3] if narrow else [-0.3, 0.45]
    assert figure.layout.xaxis.range[0] < -0.35
    assert all(-0.5 < trace.y[0] < 0 for trace in ticks), "in its own row"
    plain = ranking(ROWS, "Kendall tau-b", None, "a", "light", narrow)
    assert len(figure.data) == len(plain.data) + 2 * len(ticks)


def test_only_a_tested_lead_is_said_to_be_above_chance() -> None:
    metrics = [METRICS[name] for name in ("rouge_l", "bleu_1", "cider_d")]
    draws = np.random.default_rng(0).normal(0, 0.05, (len(ALL), RESAMPLES))

    def floor(over: float, clusters: int = 40) -> Floor:
        by = np.tile(np.linspace(-0.1, 0.1, 39), (len(ALL), 1))
        return Floor(by, np.full(len(ALL), over), draws, np.array([80]), np.array([clusters]))

    said = floor_words.facts([floor(0.3), floor(0.05), None], metrics, "kendall_tau_b", "clip")
    chance = "chance, given by the references of other clips (grey ticks)"
    assert said == [f"agreement above {chance}, is not detected for BLEU-1"]
    assert floor_words.facts([floor(0.3), floor(0.4), None], metrics, "spearman", "clip") == [
        f"every metric agrees significantly better than by {chance}"
    ]
    (below,) = floor_words.facts([floor(-0.3)], metrics, "spearman", "clip")
    assert below == f"significantly below {chance}: ROUGE-L"
    assert "too few clips" in floor_words.facts([floor(0.3, 3)], metrics, "pearson", "clip")[0]
    assert floor_words.facts([None, None], metrics, "pearson", "clip") == []
    columns = floor_words.columns([floor(0.3), None], "spearman")
    assert columns[0]["Above chance"] == 0.3
    assert columns[1] == {}


@pytest.mark.parametrize("categories", [0, 1, 4, 7])
def test_a_category_of_pairs_is_an_axis_or_a_number(categories: int) -> None:
    estimates = [ONE._replace(value=0.5 + 0.05 * k) for k in range(categories + 1)]
    rows = [PairRow("a", "A", estimates, True), PairRow("b", "B", estimates[::-1], False)]
    titles = ["All 100 pairs", *(f"kind {k}" for k in range(categories))]
    wide = pair_ranking(rows, titles, "a", "dark")
    drawn = min(categories, MOST) + 1
    axes = [axis for axis in wide.layout if str(axis).startswith("xaxis")]
    assert len(axes) == drawn
    marks = [trace for trace in wide.data if trace.mode == "markers"]
    assert sorted(trace.x[0] for trace in marks if trace.customdata[0] == "a") == sorted(
        one.value for one in estimates[:drawn]
    )
    narrow = pair_ranking(rows, titles, "a", "dark", narrow=True)
    assert len([trace for trace in narrow.data if trace.mode == "markers"]) == 2
    said = " ".join(str(note.text) for note in narrow.layout.annotations)
    assert all(f"{round(100 * one.value)} %" in said for one in estimates[1:drawn])


def test_the_verdict_names_the_system_that_turns_a_correlation() -> None:
    rows = "".join(f"S{k},{k / 10},{k / 10},{0.5 - k / 20}\n" for k in range(7))
    study = load_study([("x.csv", f"system,human,good,bad\n{rows}Human,5,.9,9\n".encode())]).study
    assert study is not None
    (group,) = groups(study, {}, ())
    pulled = {name: (name, pull(group, "human", name)) for name in group.metrics}
    said = "".join(words.system_verdict(pulled))
    one = pulled["bad"][1]
    assert one.without == pytest.approx(-1)
    assert one.value > 0.9
    assert said.endswith(f"One system, Human, moves the r of bad from −1.00 without it to {one.value:.2f}.")
    assert words.system_facts(group, 8)[1] == "p from all orders of the 8"
    assert "no interval with fewer than 6 systems" in words.system_facts(group, 5)


def test_the_best_metric_is_told_apart_by_williams_test_after_holm() -> None:
    rng = np.random.default_rng(0)
    rating = np.linspace(0, 1, 14)
    table = pd.DataFrame(
        {"system": [f"S{k}" for k in range(14)], "human": rating, "good": rating + rng.normal(0, 0.05, 14)}
    )
    table["like"], table["bad"] = table.good + rng.normal(0, 0.02, 14), rng.normal(0, 1, 14)
    (group,) = groups(load_study([("x.csv", table.to_csv(index=False).encode())]).study, {}, ())
    names = ("good", "like", "bad")
    r = table[["human", *names]].corr()
    best = max(names, key=lambda name: r.loc["human", name])
    other = "like" if best == "good" else "good"

    def steiger(one: str, two: str) -> float:
        """Return the two-sided p of Williams' t as in Steiger 1980, equation 7."""
        a, b, c = r.loc["human", one], r.loc["human", two], r.loc[one, two]
        det = np.linalg.det(r.loc[["human", one, two], ["human", one, two]])
        t = (a - b) * np.sqrt(13 * (1 + c) / (2 * (13 / 11) * det + ((a + b) / 2) ** 2 * (1 - c) ** 3))
        return float(2 * stats.t.sf(abs(t), 11))

    p = sorted((steiger(one, two), {one, two}) for one, two in (("good", "like"), ("good", "bad"), ("like", "bad")))
    holm = np.maximum.accumulate([min(1.0, (3 - k) * value) for k, (value, _) in enumerate(p)])
    expected = {next(iter(pair - {best})): value for (_, pair), value in zip(p, holm) if best in pair}
    assert words.against_best(group, "human", names) == pytest.approx(expected)
    assert expected["bad"] < 0.05 < expected[other]
    rows = {name: (name.upper(), pull(group, "human", name)) for name in names}
    (said,) = words.led_by_best(group, "human", rows)
    assert said == f"{best.upper()} differs from 1 of the 2 other metrics (Williams' test, corrected)"
    column = words.system_table(group, "human", names).set_index("Metric")["p against the best, Williams"]
    assert np.isnan(column[best])
    assert column["bad"] == pytest.approx(expected["bad"])
    assert words.led_by_best(group, "human", {"good": rows["good"]}) == []


def test_each_of_a_few_systems_has_its_name() -> None:
    names, rated = (
        ("first", "second one", "third one", "a larger one", "human"),
        np.array([3.88, 4.06, 4.21, 4.25, 4.56]),
    )
    group = Group("few", names, {"total": rated}, {"m": np.array([1.108, 1.285, 1.383, 1.418, 1.115])})
    drawn = {note.text for note in scatter(group, "total", "m", "human", "light").layout.annotations}
    assert drawn >= {*names[:-1], "<b>human</b>"}
