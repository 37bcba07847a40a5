"""Test the report's page about metrics if captions are rated, if only systems are rated, and if nothing is."""

from __future__ import annotations

import random
import re
from dataclasses import replace
from html import unescape

from data.load import load_study
from data.study import Study
from figures.judgments import floor_words
from figures.report.judgments import QUESTION, judgments
from figures.report.request import Request
from figures.style.numbers import num
from metrics.analysis.agreement.matrix import agreement
from metrics.analysis.agreement.observations import observations
from metrics.analysis.chance import Design as Pairing
from metrics.analysis.judgments import floors
from metrics.analysis.judgments.caption_agreement import Design, measure
from metrics.analysis.judgments.preferences import pair_agreement
from metrics.analysis.numbers import Numbers, of_results
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.progress import Hooks
from metrics.registry import resolve
from tests.analysis.judgments.test_preferences import compared
from tests.report_text import whole
from tests.studies import study as random_study

CHOSEN = resolve(("rouge_l", "bleu_1", "trm_rouge_l"))
SYSTEMS = b"system,M1,M2,CIDEr_c5,SPICE\nHuman,.6,.7,.85,.2\nA,.3,.3,.94,.1\nB,.2,.2,.9,.4\nC,.1,.2,.5,.1\n"


def rated(study: Study) -> Study:
    source = random.Random(4)
    said = {
        run.name: {i.id: [[source.randint(1, 5)], [source.randint(1, 5)]] for i in study.items} for run in study.runs
    }
    return replace(study, runs=tuple(replace(run, human=said[run.name]) for run in study.runs))


def asked(study: Study) -> Request:
    cache = Cache(None)
    numbers = of_results(scoring.score(study, CHOSEN), {}) if study.runs else Numbers({})
    return Request(
        study,
        numbers,
        CHOSEN,
        ("judgments",),
        "2026-01-31",
        cache=cache,
        make=lambda work, _: work.compute(cache, Hooks()),
    )


def text(study: Study) -> str:
    return whole(judgments(asked(study)))


def test_a_rated_study_has_the_ranking_and_the_matrix() -> None:
    study = rated(random_study(items=12, candidates=2, runs=3))
    page = text(study)
    assert "No agreement with people is detected; " in page
    assert "trilens judge" in page
    results = scoring.score(study, CHOSEN)
    quality = [metric for metric in CHOSEN if metric.family == "quality"]
    found = measure(study, results, quality, Design("rating", runs=tuple(run.name for run in study.runs)))
    for k in range(len(quality)):
        assert re.search(rf"<td[^>]*>{re.escape(num(found.of(k, 'kendall_tau_b').value))}</td>", page)
    value = agreement(observations(study, results, CHOSEN, "items")).spearman[0, 1]
    assert re.search(rf"<td[^>]*>{re.escape(num(float(value)))}</td>", page)


def test_the_ranking_has_what_chance_gives_as_the_page_has_it() -> None:
    study = rated(random_study(items=12, candidates=2, runs=3))
    page, results = text(study), scoring.score(study, CHOSEN)
    quality = [metric for metric in CHOSEN if metric.family == "quality"]
    design = Design("rating", runs=tuple(run.name for run in study.runs))
    found = [floors.measure(study, results, one, design, Pairing(), Cache(None), Hooks()) for one in quality]
    leads = floors.leads(found, "kendall_tau_b")
    assert "By chance</th>" in page
    for lead in leads:
        assert lead is not None
        assert re.search(rf"<td[^>]*>{re.escape(num(lead.floor.value))}</td>", page)
    assert floor_words.facts(found, quality, "kendall_tau_b", "item")[0] in unescape(page)
    assert "--chance" in page


def test_pairs_that_people_compared() -> None:
    study = compared()
    page = text(study)
    quality = [metric for metric in CHOSEN if metric.family == "quality"]
    found = pair_agreement(study, scoring.score(study, CHOSEN), quality, "rating")
    assert "prefers the same caption as people" in page
    assert "trilens judge" in page
    for of in found.estimates:
        for one in of:
            assert re.search(rf"<td[^>]*>{re.escape(num(one.value))}</td>", page)


def test_a_p_of_one_metric_among_several_is_called_uncorrected() -> None:
    """Tables and their LaTeX once called it "p", although the sentence above uses p after Holm's correction."""
    for study in (rated(random_study(items=12, candidates=2, runs=3)), compared()):
        heads = re.findall(r"<th[^>]*>([^<]*\bp(?: [^<]*)?)</th>", text(study))
        assert heads
        corrected = ("Williams", "(Holm)")
        assert [
            head for head in heads if not head.endswith("p (uncorrected)") and not any(one in head for one in corrected)
        ] == []


def test_nobody_rated_it() -> None:
    page = text(random_study(items=8, candidates=2, runs=2))
    assert "agrees with people" not in page.replace(QUESTION, "")
    assert "trilens agreement" in page


def test_systems_alone() -> None:
    study = load_study([("coco.csv", SYSTEMS)]).study
    assert study is not None
    page = text(study)
    assert "System by system: M1" in page
    assert "CIDEr_c5" in page


def test_one_metric_and_no_ratings_are_left_out() -> None:
    request = replace(asked(random_study(items=8, candidates=2, runs=2)), metrics=CHOSEN[:1])
    assert "nobody rated these captions" in judgments(request).why  # type: ignore[union-attr]
