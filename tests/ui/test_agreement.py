"""Test the comparison of metrics on Judgments: with the demo, for each kind of points, and for a chosen pair."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest
from scipy import stats

from data.load import load_study
from data.study import Settings
from metrics.analysis.agreement.matrix import agreement
from metrics.analysis.agreement.observations import observations
from metrics.registry import resolve
from tests.studies import study as random_study
from tests.ui.shown import ROOT, AppTest, chosen, markup, page, score

STUDY = random_study(items=12, candidates=2, runs=4)
NAMES = ("rouge_l", "bleu_1", "trm_rouge_l", "self_bleu_4")
SYSTEMS = b"system,M1,M2,CIDEr_c5,SPICE\nHuman,.6,.7,.85,.2\nA,.3,.3,.94,.1\nB,.2,.2,.9,.4\nC,.1,.2,.5,.1\n"


def opened(**query: str) -> AppTest:
    score(STUDY, NAMES)
    families = {"quality": ["rouge_l", "bleu_1"], "distribution": ["trm_rouge_l"], "diversity": ["self_bleu_4"]}
    at = page("judgments", STUDY, **families, **query)
    assert not at.exception
    return at


def test_the_demo_compares_metrics_and_says_that_nobody_rated_it() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page("pages/judgments.py").run()
    assert not at.exception
    assert chosen(at)["with"] == "each"
    assert "in the same order" in markup(at)
    at.query_params["with"] = "people"
    at.run()
    assert "No ratings by people in this study" in markup(at)
    assert "nobody rated its captions" in markup(at)


@pytest.mark.parametrize("over", ["items", "captions", "runs"])
def test_the_table_has_the_numbers_of_the_command(over: str) -> None:
    at = opened(over=over, correlation="pearson")
    at.button("agreement_swap").click().run()
    assert not at.exception
    frame = next(element.value for element in at.dataframe if "Spearman" in element.value)
    found = observations(STUDY, score(STUDY, NAMES), resolve(NAMES), over)  # type: ignore[arg-type]
    both = agreement(found)
    labels = [next(m.label for m in resolve(NAMES) if m.name == name) for name in found.names]
    assert len(frame) == len(labels) * (len(labels) - 1) / 2
    for row in frame.itertuples():
        i, j = labels.index(row.Metric), labels.index(row.Other)
        assert row.Pearson == pytest.approx(both.pearson[i, j])
        assert row.Spearman == pytest.approx(both.spearman[i, j])
        assert row.n == both.n[i, j]


def test_runs_that_differ_in_a_seed_are_settings_and_every_kind_of_points_says_its_n() -> None:
    runs = tuple(
        replace(run, model="m", settings=Settings(temperature=0.5 + k // 2, seed=k % 2))
        for k, run in enumerate(random_study(items=12, candidates=2, runs=6).runs)
    )
    seeded = replace(STUDY, runs=runs)
    score(seeded, NAMES)
    families = {"quality": ["rouge_l", "bleu_1"], "distribution": ["trm_rouge_l"], "diversity": ["self_bleu_4"]}
    for over, n in (("items", 72), ("captions", 144), ("runs", 6), ("settings", 3)):
        at = page("judgments", seeded, **{"with": "each", "over": over}, **families)
        assert not at.exception
        assert chosen(at)["over"] == over
        shown = markup(at)
        assert re.search(rf" against [^<]+</b>: Spearman [^,]+, n = {n} ", shown), over


def test_metrics_without_a_value_are_named() -> None:
    assert "(no value for captions)" in markup(opened(over="captions"))


def test_the_chosen_pair_is_in_the_address_and_shows_captions() -> None:
    at = opened(over="captions", across="bleu_1", up="rouge_l")
    assert chosen(at)["across"] == "bleu_1"
    shown = markup(at)
    assert "BLEU-1 places it higher than ROUGE-L" in shown
    assert "ROUGE-L places it higher than BLEU-1" in shown
    assert "There is no metric named" in markup(opened(across="nonsense"))


def test_metrics_of_systems() -> None:
    at = page("judgments", load_study([("coco.csv", SYSTEMS)]), **{"with": "each"})
    assert not at.exception
    r = stats.spearmanr([0.85, 0.94, 0.9, 0.5], [0.2, 0.1, 0.4, 0.1]).statistic
    at.button("agreement_swap").click().run()
    (frame,) = (element.value for element in at.dataframe)
    assert frame.Spearman[0] == pytest.approx(r)
    assert "too few to say much" in markup(at)
