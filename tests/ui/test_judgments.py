"""Test the Judgments page with ratings of captions, of sets and of systems, and with compared pairs."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

from data.convert import to_jsonl_bytes
from data.load import Loaded, load_study
from data.ratings.human_ratings import with_metadata
from metrics.analysis import artifacts, chance
from metrics.analysis.judgments.caption_agreement import Design
from metrics.analysis.judgments.points import ByRater
from metrics.analysis.judgments.preferences import pair_agreement
from metrics.registry import resolve
from tests.studies import study as random_study
from tests.ui.shown import chosen, markup, page, part, score
from ui import rooms
from ui.jobs import jobs

STUDY = random_study(items=12, candidates=2, runs=3)
NAMES = ("rouge_l", "bleu_1")
RNG = np.random.default_rng(0)
ROWS = [(i.id, r.name, k, int(RNG.integers(1, 6))) for r in STUDY.runs for i in STUDY.items for k in range(2)]
SYSTEMS = b"system,M1,M2,CIDEr_c5\nHuman,.6,.7,.85\nA,.3,.3,.94\nB,.2,.2,.9\nC,.1,.2,.5\n"


def rated() -> Loaded:
    table = pd.DataFrame(ROWS, columns=["item", "run", "candidate", "rating"])
    return load_study([("study.jsonl", to_jsonl_bytes(STUDY)), ("r.csv", table.to_csv(index=False).encode())])


def test_a_rated_study_ranks_metrics_and_shows_captions() -> None:
    loaded = rated()
    results = score(loaded.study, NAMES)
    metrics = tuple(dict.fromkeys(result.metric for result in results.values()))
    design = Design("rating", runs=tuple(run.name for run in STUDY.runs))
    for order in (metrics, metrics[::-1]):
        work = artifacts.agreement(loaded.study, results, order, design)
        jobs.jobs().cache.put(work.key, work.run(artifacts.Hooks()))
    at = page("judgments", loaded, quality=list(NAMES), distribution="none", diversity="none")
    assert not at.exception
    assert "No agreement with people is detected; <b>" in markup(at), "the ratings are random"
    assert "places it higher than people" in markup(at)
    assert [tab.label for tab in at.tabs][:1] == ["Where they disagree"]
    assert "A metric against people" not in markup(at), "a closed part is not drawn"
    assert chosen(at)["rated"] == "rating"
    assert chosen(at)["agreement"] == "kendall_tau_b"


def test_only_metrics_that_can_agree_with_the_ratings_are_chosen_at_first() -> None:
    at = page("judgments", rated())
    assert {of.label: bool(of.value) for of in at.pills[:3]} == {
        "Distribution": False,
        "Quality": True,
        "Diversity": False,
    }, "others have no value per caption"
    assert rooms.title(rooms.JUDGMENTS, rated().study) == "Judgments"
    assert rooms.title(rooms.JUDGMENTS, STUDY) == "Agreement", "nobody judged"


def test_chance_is_shown_on_request() -> None:
    loaded = rated()
    results = score(loaded.study, NAMES)
    metrics = tuple(dict.fromkeys(result.metric for result in results.values()))
    design, cache = Design("rating", runs=tuple(run.name for run in STUDY.runs)), jobs.jobs().cache
    work = [artifacts.agreement(loaded.study, results, order, design) for order in (metrics, metrics[::-1])]
    work += [artifacts.floor(loaded.study, results, metric, design, chance.Design(), cache) for metric in metrics]
    for one in work:
        cache.put(one.key, one.run(artifacts.Hooks()))
    asked = {"quality": list(NAMES), "distribution": "none", "diversity": "none"}
    assert "above chance" not in markup(page("judgments", loaded, **asked))
    at = page("judgments", loaded, **asked, chance="yes")
    assert not at.exception
    assert "above chance, given by the references of other items (grey ticks), is not detected for any" in markup(at)


def test_a_number_of_the_metadata_is_compared_with_and_is_not_people() -> None:
    items = tuple(replace(item, metadata={"temperature": k / 10, "same": 1}) for k, item in enumerate(STUDY.items))
    study = replace(STUDY, items=items)
    results = score(study, ("distinct_2", "self_cider"))
    metrics = tuple(dict.fromkeys(result.metric for result in results.values()))
    design = Design("metadata.temperature", runs=tuple(run.name for run in study.runs))
    work = artifacts.agreement(with_metadata(study, "temperature"), results, metrics, design)
    jobs.jobs().cache.put(work.key, work.run(artifacts.Hooks()))
    asked = {"quality": "none", "distribution": "none", "diversity": [metric.name for metric in metrics]}
    at = page("judgments", study, **asked, **{"with": "people"})
    assert not at.exception
    assert chosen(at)["rated"] == "metadata.temperature"
    shown = markup(at)
    assert "No agreement with temperature of the metadata is detected; <b>" in shown
    assert "temperature (metadata, not people)" in shown
    assert "agreement with people" not in shown
    assert "System by system" not in [tab.label for tab in at.tabs]
    assert [box.label for box in at.selectbox][:2] == ["Agreement", "Compare with"]


def test_ratings_of_systems_alone() -> None:
    at = page("judgments", load_study([("coco.csv", SYSTEMS)]))
    assert not at.exception
    shown = markup(at)
    x, y = np.array([0.85, 0.94, 0.9, 0.5]), np.array([0.6, 0.3, 0.2, 0.1])
    whole, without = np.corrcoef(x, y)[0, 1], np.corrcoef(x[1:], y[1:])[0, 1]
    assert f"CIDEr_c5: r = {whole:.2f}, without Human {without:.2f}" in shown
    assert f"from {without:.2f} without it to {whole:.2f}" in shown
    assert "no interval with fewer than 6 systems" in shown
    at.button("judgments_systems_swap").click().run()
    (frame,) = (element.value for element in at.dataframe)
    assert np.isnan(frame["Pearson 95 % from"][0])
    p = frame["Pearson p (uncorrected)"][0]
    assert p * 24 == pytest.approx(round(p * 24))  # of all 4! orders
    assert frame["r without"][0] == "Human"
    assert frame["r without it"][0] == pytest.approx(without)


@pytest.mark.parametrize(("raters", "by"), [(1, "each"), (2, "each"), (2, "mean")])
def test_the_ceiling_needs_several_raters_each_by_itself(raters: int, by: ByRater) -> None:
    rows = [(i, r, k, who, v) for i, r, k, v in ROWS for who in range(raters)]
    table = pd.DataFrame(rows, columns=["item", "run", "candidate", "rater", "rating"])
    loaded = load_study([("study.jsonl", to_jsonl_bytes(STUDY)), ("r.csv", table.to_csv(index=False).encode())])
    results = score(loaded.study, NAMES)
    design = Design("rating", by, runs=tuple(run.name for run in STUDY.runs))
    work = artifacts.agreement(loaded.study, results, resolve(NAMES), design)
    jobs.jobs().cache.put(work.key, work.run(artifacts.Hooks()))
    at = page("judgments", loaded, quality=list(NAMES), distribution="none", diversity="none", raters=by)
    assert not at.exception
    assert ("one rating per caption, so there is no ceiling" in markup(at)) == (raters == 1)
    assert ("agreement among people is no ceiling" in markup(at)) == (by == "mean")


def test_a_rating_of_a_whole_set_is_not_called_one_of_a_caption() -> None:
    """One person rates all captions by a run for an item together, almost as distinct-2 does."""
    names = ("distinct_2", "self_cider")
    own = score(STUDY, names)
    noise = np.random.default_rng(1)
    runs = []
    for run in STUDY.runs:
        values = (own[run.name, "distinct_2"].items + noise.normal(0, 0.02, len(STUDY.items))).tolist()
        runs.append(replace(run, human={i.id: {"human": value} for i, value in zip(STUDY.items, values)}))
    study = replace(STUDY, runs=tuple(runs))
    results = score(study, names)
    metrics = tuple(dict.fromkeys(result.metric for result in results.values()))
    design = Design("human", runs=tuple(run.name for run in study.runs))
    work = artifacts.agreement(study, results, metrics, design)
    jobs.jobs().cache.put(work.key, work.run(artifacts.Hooks()))
    at = page("judgments", study, quality="none", distribution="none", diversity=list(names))
    assert not at.exception
    shown = markup(at)
    assert "Set by set" in shown
    assert "one rating per set, so there is no ceiling" in shown
    assert "It misses the better of two sets in" in shown
    assert "of all pairs of sets of one item" in shown
    assert "aption by caption" not in shown


PAIRS = [
    f"{item.id},run {a},{k},run {b},{k},{int(RNG.integers(0, 8))},{int(RNG.integers(0, 8))},{'HM' if b == 2 else 'MM'}"
    for item in STUDY.items
    for k, (a, b) in enumerate(((0, 1), (1, 2)))
]


def compared() -> Loaded:
    head = "item,run_a,caption_index_a,run_b,caption_index_b,votes_a,votes_b,category"
    table = "\n".join([head, *PAIRS]).encode()
    return load_study([("study.jsonl", to_jsonl_bytes(STUDY)), ("pairs.csv", table)])


def test_pairs_alone_have_a_verdict_a_figure_and_the_pairs_that_the_metric_misses() -> None:
    loaded = compared()
    results = score(loaded.study, NAMES)
    chosen = resolve(NAMES)
    found = pair_agreement(loaded.study, results, chosen, "rating")
    at = page("judgments", loaded, quality=list(NAMES), distribution="none", diversity="none", main="bleu_1")
    assert not at.exception
    said = markup(at)
    best = found.ranking().order[0]
    assert f"{chosen[best].label}</b> prefers the same caption as people" in said.replace("</strong>", "</b>")
    assert "BLEU-1 prefers" in said
    at.button("judgments_pairs_swap").click().run()
    (frame,) = (element.value for element in at.dataframe)
    beside = [of for of in found.others if of[0].n]
    assert len(beside) >= 3, "length, run and shared words"
    assert frame.Category.tolist() == ["all", *found.categories[1:]] * (2 + len(beside))
    assert {"HM", "MM"} <= set(frame.Category)
    assert frame.Accuracy.tolist() == pytest.approx([one.value for of in (*found.estimates, *beside) for one in of])


def test_pairs_beside_ratings_are_a_section() -> None:
    table = pd.DataFrame(ROWS, columns=["item", "run", "candidate", "rating"]).to_csv(index=False).encode()
    files = [("study.jsonl", to_jsonl_bytes(STUDY)), ("r.csv", table)]
    head = b"item,run_a,run_b,caption_index_a,caption_index_b,winner\n"
    rows = b"\n".join(f"{item.id},run 0,run 1,0,1,{'ab'[k % 2]}".encode() for k, item in enumerate(STUDY.items))
    loaded = load_study([*files, ("pairs.csv", head + rows)])
    score(loaded.study, NAMES)
    at = page("judgments", loaded, quality=list(NAMES), distribution="none", diversity="none")
    assert not at.exception
    assert [tab.label for tab in at.tabs][:2] == ["Where they disagree", "Pair by pair"], "the first waits"
    assert "Which of two captions people prefer" in markup(part(at, "pairs"))
    assert markup(at).count("prefers the same caption as people") == 0  # one verdict per page, that of the ratings
