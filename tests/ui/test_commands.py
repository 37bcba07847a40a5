"""Test that command lines on pages name the file that Data saves, or build the demo first."""

from __future__ import annotations

from data import demo
from figures.report import commands
from metrics.analysis import artifacts
from metrics.analysis.unique_correct import experiment
from metrics.progress import Hooks
from metrics.registry import TRMS
from tests.studies import study as random_study
from tests.ui.shown import page, unfolded
from ui.jobs.jobs import jobs

TRM = TRMS["CIDEr-D"]


def shown(study, **more):
    design = experiment.default_design(experiment.distinct_references(study), TRM)
    artifacts.experiment(study, design, TRM, jobs().cache).compute(jobs().cache, Hooks())
    at = unfolded(page("unique_correct", study, **more))
    assert not at.exception
    return [block.value for block in at.code]


def test_unique_vs_correct_says_how_to_repeat_it():
    own = "trilens unique-correct random-captions.jsonl --distance cider_d --out unique-correct.csv"
    assert shown(random_study(references=8)) == [own]


def test_the_demo_is_built_first():
    given = commands.saved(demo.load(), demo=True)
    assert [*given.setup_lines, commands.score(given, ["fast"])] == [
        "trilens demo --out demo",
        "trilens score demo/demo.jsonl.gz --metrics fast --p-values --out scores.csv",
    ]
