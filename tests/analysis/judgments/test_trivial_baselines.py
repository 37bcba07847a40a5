"""Test trivial baselines: their predictions against a loop, and that no rating predicts itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from data.study import Study
from metrics.analysis.judgments.caption_agreement import Design, measure
from metrics.analysis.judgments.points import Points, points
from metrics.analysis.judgments.trivial_baselines import TRIVIAL, predictors
from metrics.engine import scoring
from metrics.mathematics.arrays import Floats
from metrics.registry import METRICS
from metrics.text.tokens import tokenize
from tests.studies import study as random_study

RNG = np.random.default_rng(0)


def rated(bonus: float = 0.0, labels: bool = False) -> Study:
    """Make a study with two captions by each of three runs for 14 items.

    Ratings increase by `bonus` from run to run.

    With `labels`, captions have random coherence labels, some of them empty.
    """
    made = random_study(items=14, references=3, candidates=2, runs=3, seed=1)
    kinds = ("Meta", "Visible", "")
    runs = [
        replace(
            run,
            human={
                i.id: {"overall": [round(float(RNG.normal()) + bonus * k, 3) for _ in range(2)]} for i in made.items
            },
            coherence={i.id: tuple(RNG.choice(kinds, 2).tolist()) for i in made.items} if labels else None,
        )
        for k, run in enumerate(made.runs)
    ]
    return replace(made, runs=tuple(runs))


def row(study: Study, name: str) -> tuple[Points, Floats]:
    at = points(study, "overall")
    return at, predictors(study, at).values[TRIVIAL.index(name)]


@pytest.mark.parametrize("name", ["run", "label"])
def test_a_group_is_ranked_by_its_ratings_of_all_other_items(name: str) -> None:
    study = rated(0.2, labels=True)
    at, found = row(study, name)
    of = [study.runs[r].name if name == "run" else study.runs[r].coherence[study.items[i].id][p]
          for r, i, p in zip(at.run, at.item, at.place)]  # fmt: skip
    group = np.array(of)
    for k in range(len(at)):
        means = {one: at.value[(group == one) & (at.item != at.item[k])].mean() for one in set(of)}
        assert found[k] == sum(mean < means[group[k]] for mean in means.values())


def test_a_rating_does_not_change_what_is_predicted_of_its_item() -> None:
    study = rated(0.2)
    at = points(study, "overall")
    first = at.item == 0
    changed = replace(at, value=np.where(first, at.value + 100 * (at.run == 0), at.value))
    before, after = (predictors(study, one).values[TRIVIAL.index("run")] for one in (at, changed))
    assert (before[first] == after[first]).all()
    assert (before[~first] != after[~first]).any(), "the other items learn from it"


def test_captions_of_a_run_tie() -> None:
    """If the mean left out only a caption's own rating, it would rank a run's captions in the reverse order of their
    ratings.
    """
    at, found = row(rated(5.0), "run")
    assert all(len(set(found[at.run == k])) == 1 for k in range(3))
    alone = rated().only(runs=["run 0"])
    assert np.isnan(row(alone, "run")[1]).all()
    assert np.isnan(row(alone, "label")[1]).all()


def test_length_and_shared_words_count_tokens() -> None:
    study = rated()
    texts = [run.candidates[i.id][k] for run in study.runs for i in study.items for k in range(2)]
    people = [i.references for run in study.runs for i in study.items for _ in range(2)]
    sizes = np.array([len(of) for of in tokenize(texts)])
    shared = [len(set(mine) & {w for one in tokenize(of) for w in one}) for mine, of in zip(tokenize(texts), people)]
    at = points(study, "overall")
    at = replace(at, value=-sizes.astype(float))
    found = predictors(study, at)
    assert not found.longer
    assert (found.values[0] == -sizes).all()
    assert (found.values[3] == shared).all()
    without = replace(study, items=tuple(replace(item, references=()) for item in study.items))
    assert np.isnan(predictors(without, at).values[3]).all()


def test_the_lead_is_over_the_baseline_that_is_hardest_to_beat() -> None:
    study, metrics = rated(3.0), [METRICS["rouge_l"]]
    found = measure(study, scoring.score(study, metrics), metrics, Design("overall", resamples=300))
    (lead,) = found.leads("kendall_tau_b")
    assert TRIVIAL[lead.over] == "run"
    run = found.of(1 + lead.over, "kendall_tau_b")
    assert lead.difference.value == pytest.approx(found.of(0, "kendall_tau_b").value - run.value)
    assert lead.difference.high < 0
    assert lead.p_value == 1
