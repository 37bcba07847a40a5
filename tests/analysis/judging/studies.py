"""Make a study with ratings by people and answers by a simulated judge."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np

from data.findings import Log
from data.imported.judge_answers import with_answers
from data.judge_answers import Answer
from data.study import Study
from tests.studies import study as random_study

MODEL = "tiny"


def answers(
    study: Study, judge: str = MODEL, repeats: int = 2, steady: float = 1.0, place: float = 0.0
) -> list[Answer]:
    """Return answers about first candidates: noisy scores of their quality, and comparisons of pairs biased by `place`.

    `steady` is the weight of a caption's quality, which is the position of its run plus noise. About one score in ten
    is unreadable.
    """
    rng = np.random.default_rng(4)
    found = []
    for item in study.items:
        quality = {run.name: k + rng.normal() for k, run in enumerate(study.runs)}
        captions = {run.name: run.candidates[item.id][0] for run in study.runs}
        for name, caption in captions.items():
            for repeat in range(repeats):
                score = float(np.clip(0.5 + 0.1 * (steady * quality[name] + rng.normal()), 0, 1))
                fault = "no number in the answer" if rng.random() < 0.1 else ""
                one = Answer(judge, "clair", f"clair|v1|model:{judge}", item.id, (name,), (0,), (caption,))
                score = np.nan if fault else score
                found.append(replace(one, repeat=repeat, score=score, fault=fault, reason=f"<b>{caption}</b> was seen"))
        for order, (a, b) in enumerate(_pairs(list(captions))):
            toward = steady * (quality[a] - quality[b]) + 3 * place + rng.normal()
            shown = (captions[a], captions[b])
            one = Answer(judge, "pairwise", f"pairwise|v1|model:{judge}", item.id, (a, b), (0, 0), shown)
            found.append(replace(one, order=order % 2, score=float(toward > 0)))
    return found


def _pairs(names: Sequence[str]) -> list[tuple[str, str]]:
    return [pair for a, b in pairwise(names) for pair in ((a, b), (b, a))]


def judged(items: int = 20, runs: int = 4, rated: bool = False, **how: float) -> Study:
    """Make a study with the answers of one judge; if `rated`, people rate run k about k higher than the first run."""
    made = random_study(items=items, runs=runs, candidates=1, references=2, seed=3)
    if rated:
        rng = np.random.default_rng(9)
        human = [{item.id: {"overall": [float(k + rng.normal())]} for item in made.items} for k in range(runs)]
        made = replace(made, runs=tuple(replace(run, human=of) for run, of in zip(made.runs, human)))
    return with_answers(made, answers(made, **how), Log())  # type: ignore[arg-type]
