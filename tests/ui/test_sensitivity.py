"""Test the Sensitivity page: p by number of captions, items needed, and studies with one candidate per item or one
run.
"""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest

from data.study import Run, Settings, Study
from figures.sensitivity import words
from figures.sensitivity.curve import UNIFORM
from figures.sensitivity.gain_words import signed
from metrics.analysis import artifacts
from metrics.analysis.numbers import of_results
from metrics.analysis.paired_defaults import best_first, rivals
from metrics.analysis.sensitivity import curve, defaults, power, relative_sensitivity, sets
from metrics.cache.disk import Cache
from metrics.cache.entry import Arrays
from metrics.engine import scoring
from metrics.progress import Hooks
from metrics.registry import METRICS
from tests.studies import study as random_study
from tests.ui.shown import AppTest, markup, page, worked
from ui import rooms
from ui.jobs import jobs

CHOSEN = (METRICS["rouge_l"], METRICS["trm_rouge_l"])
NAMES = [metric.name for metric in CHOSEN]
Computed = tuple[curve.Curve, power.Power]


def told_apart() -> Study:
    """Make a run of random captions, and a run that repeats one person's caption three times for each item."""
    made = random_study(items=24, references=4, candidates=3, runs=1, seed=6)
    said = {item.id: (item.references[0],) * 3 for item in made.items}
    return replace(made, runs=(*made.runs, Run("parrot", "parrot", Settings(), said)))


STUDY = told_apart()


DESIGN = sets.design(STUDY, STUDY.run("parrot"), references=2, items=200)


@pytest.fixture(scope="module")
def arrays() -> dict[str, Arrays]:
    of_pair, cache = power.design(STUDY, ("run 0", "parrot"), METRICS["rouge_l"]), Cache(None)
    assert of_pair is not None
    tests = artifacts.sensitivity(STUDY, DESIGN, CHOSEN, cache)
    works = (tests, artifacts.power_map(STUDY, of_pair, METRICS["rouge_l"]))
    return {work.key: work.run(Hooks()) for work in works}


@pytest.fixture
def computed(arrays: dict[str, Arrays]) -> Computed:
    for key, made in arrays.items():
        jobs.jobs().cache.put(key, made)
    of_pair = power.design(STUDY, ("run 0", "parrot"), METRICS["rouge_l"])
    assert of_pair is not None
    tests, drawn = (jobs.jobs().cache.get(key) for key in arrays)
    assert tests is not None
    assert drawn is not None
    return curve.from_arrays(DESIGN, CHOSEN, tests), power.from_arrays(of_pair, drawn)


def opened(**more: str | list[str]) -> AppTest:
    asked: dict[str, str | list[str]] = {"sets_of": "parrot", "set_references": "2", "set_metrics": NAMES}
    return page("sensitivity", STUDY, **asked, a="run 0", b="parrot", by_power="rouge_l", **more)


def test_both_figures_are_drawn_and_the_verdict_says_their_numbers(computed: Computed) -> None:
    found, of_pair = computed
    at = opened()
    assert not at.exception
    said = markup(at)
    expected = "".join(words.verdict("parrot", found, ("run 0", "parrot"), of_pair, "item", "ROUGE-L"))
    assert len(expected.split()) <= 35
    assert words.title_of_captions("parrot", found, "item") in said
    assert "needed to find parrot better than run 0 by ROUGE-L" in said
    assert of_pair.significant
    notes = [one["text"] for one in json.loads(at.get("plotly_chart")[0].proto.spec)["layout"]["annotations"]]
    assert words.needed_text(of_pair.needed(4, 3), "item") in notes
    assert f"this study: {of_pair.design.has} items" in notes
    assert at.query_params["sets_of"] == ["parrot"] or at.query_params["sets_of"] == "parrot"
    assert len(at.get("plotly_chart")) == 4


@pytest.mark.usefixtures("computed")
def test_the_metric_in_the_address_is_the_one_drawn_thick() -> None:
    at = opened(main="rouge_l")
    assert not at.exception
    assert "people, 2 against 2" in markup(at)


def test_the_average_in_the_address_is_on_the_axis_beside_uniform_p(computed: Computed) -> None:
    found, _ = computed
    at = opened(average="log")
    assert not at.exception
    drawn = words.curves(found, found.metrics[0].name, "item", "log")
    assert drawn is not None
    case = found.design.of("run")[-1]
    own = found.summary(case, found.metrics[0].name)
    assert drawn.lines[0].p[-1] == pytest.approx(np.exp(own.averages.log))
    assert drawn.uniform[-1] == (case.candidates, pytest.approx(np.exp(own.uniform.log)))
    spec = at.get("plotly_chart")[2].proto.spec
    assert UNIFORM in spec
    assert "geometric mean p" in spec


@pytest.mark.parametrize(("candidates", "runs", "lacks"), [(1, 1, True), (1, 2, False), (2, 1, False)])
def test_the_menu_has_sensitivity_only_where_something_is_drawn(candidates: int, runs: int, lacks: bool) -> None:
    study = random_study(items=19, references=2, candidates=candidates, runs=runs)
    assert ("sensitivity" in rooms.lacking(study)) == lacks


def test_one_candidate_an_item_is_said_with_what_to_do() -> None:
    study = random_study(items=5, references=3, candidates=1, runs=1)
    at = page("sensitivity", study)
    assert not at.exception
    assert "No run has two captions of one item" in markup(at)
    assert "choose another run" not in markup(at)
    assert not at.get("plotly_chart")
    several = random_study(items=5, references=3, candidates=2, runs=2)
    one = replace(several.runs[0], candidates={item: texts[:1] for item, texts in several.runs[0].candidates.items()})
    at = page("sensitivity", replace(several, runs=(one, several.runs[1])), sets_of="run 0")
    worked()
    at.run()
    assert "There is no chart by the number of captions: run 0 has no two captions of one item" in markup(at)
    assert "scores higher on about 95 % of them" in re.sub("<.*?>", "", markup(at))
    assert "this study: 5 items" in at.get("plotly_chart")[0].proto.spec, "what so few items can find is drawn"
    assert {box.key for box in at.selectbox} == {"sets_of_select"}, "neither a pair nor a metric changes what is shown"


@pytest.mark.parametrize("runs", [1, 2])
def test_too_few_captions_for_a_chart_are_said_where_no_other_chart_is(runs: int) -> None:
    """For two against two captions, p within an item is at least 1/6."""
    study = random_study(items=12, references=2, candidates=2, runs=runs)
    at = page("sensitivity", study, set_metrics=["trm_rouge_l"])
    worked()
    at.run()
    assert not at.exception
    assert ("on a single item, 2 captions cannot bring p below" in markup(at)) == (runs == 1)


@pytest.mark.usefixtures("computed")
def test_metrics_are_timed_when_asked() -> None:
    at = opened()
    at.button(key="time_metrics").click().run()
    assert not at.exception
    assert "Captions per second, on this machine" in markup(at)


def test_the_gains_of_the_chosen_metric_are_shown(computed: Computed) -> None:
    found, _ = computed
    at = opened(main="trm_rouge_l")
    (over,) = relative_sensitivity.gains(found, "trm_rouge_l")
    shown = markup(at)
    much = f"<b>{abs(round(over.percent))} % {'more' if over.percent > 0 else 'less'}</b> than "
    said = "no difference from " if over.low <= 0 <= over.high else much
    assert said in shown.split("Sensitivity of <b>TRM ROUGE-L</b>:")[1]
    assert f" ({signed(over.low)} to {signed(over.high)} %)" in shown
    assert (signed(-12.4), signed(7.6)) == ("−12", "+8")


def test_the_pair_is_the_best_run_and_the_runner_up_and_not_both_are_faulty() -> None:
    study = random_study(items=24, references=4, candidates=2, runs=4, seed=6)
    numbers = of_results(scoring.score(study, CHOSEN[:1]), {})
    first, *_ = order = best_first(study, numbers, CHOSEN[0])
    second, third = rivals(study, study.run(first), order)
    assert defaults.pair(study, numbers, CHOSEN[0]) == (first, second)
    assert defaults.pair(study, numbers, CHOSEN[0], {second}) == (first, second)
    assert defaults.pair(study, numbers, CHOSEN[0], {first, second}) == (first, third)
    assert defaults.pair(study, numbers, CHOSEN[0], set(order)) == (first, second)
    assert defaults.pair(study.only(runs=[first]), numbers, CHOSEN[0]) is None


def test_the_runs_are_ranked_before_the_page_opens_on_two_of_them() -> None:
    study = random_study(items=24, references=3, candidates=1, runs=3, seed=8)
    at = page("sensitivity", study)
    assert not at.exception
    assert not at.selectbox, "not a pair that changes under the reader"
    worked()
    at.run()
    worked()
    at.run()
    assert len({box.value for box in at.selectbox if box.key in ("a_select", "b_select")}) == 2
    assert at.get("plotly_chart")


@pytest.mark.parametrize(
    ("items", "said"), [(496, "500"), (83, "83"), (1_234_567, "1.2 million"), (7, "7"), (12_345, "12,000")]
)
def test_numbers_of_items_have_two_digits(items: float, said: str) -> None:
    assert words.rounded(items) == said
