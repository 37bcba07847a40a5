"""Test that a figure names what it does not draw, with the reason, and that its key explains its marks."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from figures.agreement import words as agreement_words
from figures.frontier import words as frontier_words
from figures.judgments import footer as judgments_foot
from figures.paired import footer as paired_foot
from figures.paired.forest import ForestRow
from figures.style.html import key, printed
from figures.style.wording import not_drawn
from metrics.analysis.agreement.matrix import agreement
from metrics.analysis.agreement.observations import observations, varying
from metrics.analysis.frontier import frontier
from metrics.analysis.numbers import Numbers
from metrics.analysis.paired import Family
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.engine.tasks import Options
from metrics.registry import METRICS
from tests.studies import study as random_study

BLEU, METEOR, VOCABULARY, LENGTH = (METRICS[name] for name in ("bleu_1", "meteor", "vocabulary", "caption_length"))
TRM = METRICS["trm_bow"]


def test_names_share_a_reason_and_none_is_lost() -> None:
    said = not_drawn([("a", "no value"), ("b", "too few"), ("c", "no value")])
    assert said == "Not drawn: a and c (no value); b (too few)"
    assert not_drawn([]) == ""


def test_metrics_of_whole_runs_have_no_row_of_pairs() -> None:
    said = paired_foot.not_paired([VOCABULARY])
    assert said == f"Not drawn: {VOCABULARY.label} (one value for a whole run, so there is nothing to pair)"
    assert paired_foot.not_paired([]) == ""


def test_the_marks_of_a_comparison_are_those_that_occur() -> None:
    rows = [ForestRow("a", "A", 0.2, significant=True), ForestRow("b", "B", 0.1)]
    two, none = (Family((), np.array(p)) for p in ([0.01, 0.2], []))
    said = " ".join(paired_foot.marks(rows, two))
    assert "filled: p ≤ 0.05, corrected for 2 metrics" in said
    assert (
        "corrected for all pairs of runs and 2 metrics" in paired_foot.marks(rows, replace(two, over_all_pairs=True))[0]
    )
    assert "hollow: not significant" in said
    assert "square" not in said
    assert "square: B ahead" in paired_foot.marks([replace(rows[1], value=-0.1)], none)
    assert paired_foot.marks([replace(rows[1], reason="no value")], none) == []


def test_a_run_without_a_value_is_named_beside_the_matrix() -> None:
    study = random_study(items=8, runs=3, candidates=2)
    few = replace(study.runs[0], candidates={i: of[:1] for i, of in study.runs[0].candidates.items()})
    study = replace(study, runs=(few, *study.runs[1:]))
    numbers = Numbers(scoring.score(study, [TRM], Options(resamples=50), Cache(None)))
    said = paired_foot.runs_not_drawn(study, numbers, TRM, study.runs, study.runs[1:])
    assert said.startswith("Not drawn: run 0 (")
    assert "captions" in said
    assert paired_foot.runs_not_drawn(study, Numbers({}), TRM, study.runs[1:], ()) == (
        "Not drawn: run 1 and run 2 (not computed yet)"
    )
    assert paired_foot.runs_not_drawn(study, numbers, TRM, study.runs, study.runs) == ""


def test_metrics_that_judge_no_caption_and_those_that_wait_are_told_apart() -> None:
    said = judgments_foot.left_out((BLEU, METEOR, VOCABULARY, TRM), (BLEU, METEOR), (BLEU,), "a single caption")
    assert "METEOR (not computed yet)" in said
    assert f"{VOCABULARY.label} (one value for a whole run, none for a single caption)" in said
    assert f"{TRM.label} (a value for a set, none for a single caption)" in said


def test_what_people_rated_has_a_readable_name() -> None:
    assert judgments_foot.criterion_label("human_score") == "overall rating"
    assert judgments_foot.criterion_label("too_long") == "too long"
    assert judgments_foot.criterion_label("metadata.set_id") == "set id (metadata, not people)"


def test_a_negative_sign_of_diversity_is_said_and_no_rank_of_quality() -> None:
    assert "the more diverse, the lower people's ratings" in judgments_foot.sign([BLEU, VOCABULARY])
    assert judgments_foot.sign([BLEU, LENGTH]) == "", "longer is not more diverse"
    assert "scores lower what this one finds more diverse" in agreement_words.turned([VOCABULARY])
    assert agreement_words.turned([LENGTH]) == ""


def test_points_are_counted_by_what_they_are() -> None:
    """A point is an image described by a run, so there are more points than images."""
    study = random_study(items=8, runs=3, candidates=2)
    results = scoring.score(study, [BLEU, TRM], Options(resamples=50), Cache(None))
    found = observations(study, results, (BLEU, TRM), "items")
    both = agreement(found)
    assert "n = 24 values (8 items × 3 runs)" in agreement_words.facts(found, both, "spearman", study, 24)[0]
    line = "".join(agreement_words.pair_line(both, "spearman", (0, 1), ("a", "b"), "items", study))
    assert line.endswith("n = 24 values (8 items × 3 runs)")
    captions = observations(study, results, (BLEU, TRM), "captions")
    assert np.isfinite(captions.values).any()
    said = agreement_words.left_out(captions, (BLEU, TRM, METEOR), {"meteor"}, study)
    assert said == f"Not drawn: {TRM.label} (no value for captions); METEOR (not computed yet)"
    level = replace(found, values=np.vstack([found.values[0], np.full_like(found.values[1], 0.5)]))
    told = varying(level)
    assert (told.names, told.same) == (found.names[:1], found.names[1:])
    assert varying(found).names == found.names
    label = {metric.name: metric.label for metric in (BLEU, TRM)}[told.same[0]]
    said = agreement_words.left_out(told, (BLEU, TRM), set(), study)
    assert said == f"Not drawn: {label} (the same value everywhere)"


def test_a_mark_is_printed_as_words() -> None:
    assert printed(key("hollow", "hollow: p > 0.05")) == "hollow: p > 0.05"


def test_hollow_marks_and_the_ring_are_in_the_key_of_the_frontier_if_they_are_drawn() -> None:
    study = random_study(items=8, runs=4, candidates=4)
    pair = METRICS["rouge_l"], METRICS["self_bleu_2"]
    view = frontier(study, Numbers(scoring.score(study, pair, Options(resamples=50), Cache(None))), *pair, study.runs)
    view = replace(view, front=np.arange(4) > 0)
    said = " ".join(frontier_words.facts(study, view, 0))
    assert "hollow or shaded: matched or beaten on both axes" in said
    assert f"ring: {view.runs[0].name}, shown below" in said
    plain = " ".join(frontier_words.facts(study, replace(view, front=np.ones(4, dtype=bool)), None))
    assert "<i" not in plain
