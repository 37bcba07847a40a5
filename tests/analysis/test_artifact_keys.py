"""Test that arrays are stored under all of their settings: the key of an artifact depends on every field of its
design.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import fields, replace
from typing import Any, NamedTuple

import pytest

from metrics.analysis import chance
from metrics.analysis.cloud import captions as cloud
from metrics.analysis.critique import stored as critique
from metrics.analysis.judgments import caption_agreement as judgments
from metrics.analysis.references import subset_totals, subsets
from metrics.analysis.robustness import design as damage
from metrics.analysis.robustness import measure
from metrics.analysis.sensitivity import curve, power, sets
from metrics.analysis.unique_correct import experiment
from metrics.analysis.words import usage
from metrics.registry import METRICS
from metrics.suite.distribution import Trm
from metrics.transformations import TRANSFORMATIONS
from tests.analysis.judgments.test_floors import rated

RATED = rated(items=12)
RUNS = [
    replace(run, human={id: {**of, "clear": [9.0 - value for value in of["overall"]]} for id, of in run.human.items()})
    for run in RATED.runs
    if run.human
]
STUDY = replace(RATED, runs=tuple(RUNS))
ROUGE, TRM = METRICS["rouge_l"], METRICS["trm_bow"]
assert isinstance(TRM, Trm)
WORDS, *OTHERS = TRANSFORMATIONS.values()
SUBSETS = subsets.Design(3, tuple(range(12)), (1, 2, 3))
CASES = (sets.Case("run", 2, 2), sets.Case("people", 2, 1))


class Keyed(NamedTuple):
    """A design, its key, and another value for each field; the fields in `follow` are determined by the study."""

    design: Any
    key: Callable[[Any], str]
    others: dict[str, Any]
    follow: frozenset[str] = frozenset()


KEYS = {
    "words": Keyed(
        usage.Design("run 0"),
        lambda made: usage.key(STUDY, made),
        {"run": "run 1", "unit": "phrases", "fewest": 7, "draws": 99, "seed": 1},
    ),
    "chance": Keyed(
        chance.Design(),
        lambda made: chance.key(STUDY, ROUGE, made),
        {"pairings": 3, "seed": 1, "within": chance.LENGTH},
    ),
    "sensitivity": Keyed(
        sets.Design("run 0", CASES),
        lambda made: curve.key(STUDY, made, [ROUGE]),
        {"run": "run 1", "cases": CASES[:1], "items": 5, "seed": 1},
        frozenset({"unit"}),
    ),
    "power": Keyed(
        power.Design("run 0", "run 1", (10, 12), (1, 2), SUBSETS, 12),
        lambda made: power.key(STUDY, made, ROUGE),
        {
            "first": "run 1",
            "second": "run 0",
            "items": (12,),
            "candidates": (1,),
            "references": replace(SUBSETS, most=2),
            "draws": 9,
            "seed": 1,
        },
        frozenset({"has", "unit"}),
    ),
    "subsets": Keyed(
        SUBSETS,
        lambda made: subset_totals.key(STUDY, made, [ROUGE]),
        {"count": 2, "sizes": (1, 3), "most": 2, "seed": 1},
        frozenset({"items"}),
    ),
    "damage": Keyed(
        damage.Design((WORDS,)),
        lambda made: measure.key(STUDY, made, [ROUGE]),
        {"transformations": (OTHERS[0],), "strengths": (1.0,), "most": 5, "seed": 1, "sets": True},
    ),
    "unique and correct": Keyed(
        experiment.Design(2, 1, 3),
        lambda made: experiment.experiment_key(STUDY, made, TRM),
        {"size": 1, "references": 2, "repeats": 4, "seed": 1, "draw": "paper"},
    ),
    "judgments": Keyed(
        judgments.Design("overall"),
        lambda made: judgments.agreement_key(STUDY, {}, [ROUGE], made),
        {"criterion": "clear", "by": "mean", "runs": ("run 1",), "resamples": 99, "seed": 1},
    ),
    "critiques": Keyed(
        critique.Design(),
        lambda made: critique.key(STUDY, made),
        {"metric": replace(critique.Design().metric, augmented=False), "one_for_all": True},
    ),
    "cloud": Keyed(
        cloud.Projection(),
        lambda made: cloud.layout_key(STUDY, made),
        {"method": "pca", "centred": True, "neighbours": 5, "apart": 0.5, "seed": 1, "encoder": "file:vectors"},
    ),
}


@pytest.mark.parametrize("of", KEYS.values(), ids=KEYS)
def test_a_key_knows_every_field_of_a_design(of: Keyed) -> None:
    assert of.others.keys() | of.follow == {one.name for one in fields(of.design)}, "a new field needs another value"
    keys = [of.key(replace(of.design, **{name: value})) for name, value in of.others.items()]
    assert len({of.key(of.design), *keys}) == 1 + len(keys)
