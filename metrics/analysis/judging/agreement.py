"""A judge compared with people and metrics: its agreement, and whether it favours captions by its own model."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from data.imported.judge_answers import SCORED, pair_criteria, without
from data.study import ImportedScores, Preference, Run, Study
from metrics.analysis.judging.answers import NONE, Kind, Sides
from metrics.analysis.judging.self_preference import FEWEST, self_preference
from metrics.analysis.judgments.caption_agreement import CaptionAgreement
from metrics.analysis.judgments.correlation import Estimate
from metrics.analysis.judgments.pair_accuracy import accuracy, accuracy_draws, right
from metrics.analysis.judgments.points import Values, points
from metrics.analysis.judgments.trivial_baselines import names
from metrics.base import Metric
from metrics.mathematics.arrays import Floats


@dataclass(frozen=True)
class People:
    """How often a judge prefers the caption that people prefer, and its lead over a trivial baseline.

    `baseline` names the baseline that is hardest to beat; the p of `lead` tests whether the judge is ahead of them all.
    `ceiling` is how often one person agrees with the other people. For pairs that people compared, `baseline` and
    `ceiling` are missing here, because *Judgments* reports them. NaN without people; `criterion` is the question that
    people answered.
    """

    agree: Estimate = NONE
    ceiling: Estimate = NONE
    lead: Estimate = NONE
    baseline: str = ""
    criterion: str = ""


@dataclass(frozen=True)
class Own:
    """How much more a judge favours the `run` of its own model than `by` does, or `why` this is unknown.

    `by` names what the judge is compared with: people's ratings or a metric.
    """

    estimate: Estimate = NONE
    run: str = ""
    by: str = ""
    why: str = ""


def judged_scores(study: Study, kind: Kind) -> ImportedScores | None:
    """Return the scores derived from the answers to a kind of question; None if there are none, as for comparisons."""
    if kind.prompt not in SCORED:
        return None
    signed = f"{kind.signature}|fingerprint:"
    named = [one for one in study.scores if one.signature.startswith(signed)]
    return next((one for one in named if one.name.startswith(SCORED[kind.prompt])), None)


def own_run(study: Study, judge: str) -> str:
    """Return the name of the first run whose name or model is that of the judge; "" if there is no such run."""
    short = judge.rsplit("/", 1)[-1].lower()
    called = (run.name for run in study.runs if short in {run.name.lower(), run.model.rsplit("/", 1)[-1].lower()})
    return next(called, "")


def by_ratings(found: CaptionAgreement, place: int, criterion: str) -> People:
    """Return the agreement with people's ratings, within items, of the judged metric at position `place`."""
    lead = found.leads_within("pair_accuracy")[place]
    if not found.inside(place, "pair_accuracy").n:
        return People()
    ahead = lead.difference._replace(p_value=lead.p_value)
    baseline = names(bool(found.longer[0]))[lead.over] if lead.over >= 0 else ""
    agree, ceiling = found.inside(place, "pair_accuracy"), found.inside(-1, "pair_accuracy")
    return People(agree, ceiling, ahead if baseline else NONE, baseline, criterion)


def by_preferences(study: Study, kind: Kind, criterion: str = "") -> People:
    """Return how often a judge of pairs prefers the caption that most people prefer; a judge's tie counts half.

    If people compared none of these pairs, their preference is inferred from the mean ratings by `criterion`, if any.
    """
    if kind.pairs is None:
        return People()
    leaning = (kind.pairs.orders.forward + kind.pairs.orders.backward) / 2
    judged = {side: (float(value), unit) for side, value, unit in zip(kind.pairs.sides, leaning, kind.pairs.unit)}
    score, units, criteria = [], [], []
    compared = [one for one in without(study).preferences if (one.item, *sorted((one.first, one.second))) in judged]
    for one in compared or _rated_pairs(study, kind.pairs.sides, criterion):
        turned = one.second < one.first
        value, unit = judged[(one.item, one.second, one.first) if turned else (one.item, one.first, one.second)]
        if np.isfinite(value) and one.first_votes != one.second_votes:
            votes = (one.first_votes - one.second_votes) * (-1 if turned else 1)
            score.append(float(right(np.array(value), np.array(votes))))
            units.append(int(unit))
            criteria.append(one.criterion)
    if not score:
        return People()
    numbered, cluster = np.unique(units, return_inverse=True)
    draws = accuracy_draws(np.array(score), cluster.ravel(), len(numbered))
    return People(accuracy(np.array(score), draws, len(numbered)), criterion=", ".join(dict.fromkeys(criteria)))


def _rated_pairs(study: Study, sides: Sequence[Sides], criterion: str) -> list[Preference]:
    """These pairs of captions with mean ratings in place of votes; empty without a criterion."""
    if not criterion:
        return []
    at = points(study, criterion, "mean")
    names, ids = [run.name for run in study.runs], [item.id for item in study.items]
    rated = {
        (ids[item], (names[run], int(place))): float(value)
        for run, item, place, value in zip(at.run, at.item, at.place, at.value, strict=True)
    }
    pairs = [(item, one, other) for item, one, other in sides if {(item, one), (item, other)} <= rated.keys()]
    return [
        Preference(item, one, other, rated[item, one], rated[item, other], criterion, "") for item, one, other in pairs
    ]


def preference_for(study: Study, kind: Kind, run: str, results: Values, by: Metric | None, criterion: str) -> Own:
    """Return how much a judge favours a run, relative to people's ratings by `criterion` or, if it is "", to a metric.

    If the judge compared pairs, judge and comparison are represented by a run's wins minus losses against the other
    runs on an item, divided by the number of other runs; the wins of the comparison are derived from its values.
    """
    scores = judged_scores(study, kind)
    if scores is None and kind.pairs is None:
        return Own(why="only scores and pairs of captions show self-preference")
    if not run:
        return Own(why=f"no run or model is called {kind.judge}")
    model = study.run(run).model
    runs = [study.run(run), *(one for one in study.runs if one.name != run and one.model != model)]
    if len(runs) < FEWEST:
        return Own(run=run, why=f"at least {FEWEST - 1} runs of other models are needed")
    judged = _of_votes(study, runs, kind) if scores is None else _of_scores(study, runs, scores)
    if criterion:
        compared, name = _of_people(study, runs, criterion), f"people's ratings ({criterion})"
    elif by is not None and all((one.name, by.name) in results for one in runs):
        found = [results[one.name, by.name] for one in runs]
        if whys := [reason for one in found if (reason := one.why())]:
            return Own(run=run, why=f"{by.label}: {whys[0]}")
        compared, name = np.stack([one.items for one in found]) * (1 if by.higher_is_better else -1), by.label
    else:
        return Own(run=run, why="there are neither ratings by people nor a metric to compare with")
    unit = np.arange(len(study.items)) if study.unit is None else study.unit
    estimate = self_preference(judged, compared if scores is not None else _wins(compared), 0, unit)
    if not estimate.n:
        return Own(run=run, by=name, why=f"no item has a value for every run from both the judge and {name}")
    unsure = f"on runs of other models, the judge and {name} do not clearly agree"
    return Own(estimate, run, name, "" if np.isfinite(estimate.p_value) else unsure)


def _of_scores(study: Study, runs: Sequence[Run], scores: ImportedScores) -> Floats:
    values = [[scores.values[run.name].get(item.id, ()) for item in study.items] for run in runs]
    return np.array([[np.mean(of) if len(of) else np.nan for of in row] for row in values])


def _of_votes(study: Study, runs: Sequence[Run], kind: Kind) -> Floats:
    """(runs, items) wins minus losses by the judge's votes, per other run; NaN unless all pairs were compared.

    Captions are compared at the same place; identical captions count as a tie, since the judge is not asked about them.
    """
    criterion = pair_criteria(study.answers)[kind.signature]
    row, at = {run.name: k for k, run in enumerate(runs)}, {item.id: k for k, item in enumerate(study.items)}
    net, votes = np.zeros((2, len(runs), len(runs), len(study.items)))
    for one in study.preferences:
        if one.criterion == criterion and {one.first[0], one.second[0]} <= row.keys():
            cell = row[one.first[0]], row[one.second[0]], at[one.item]
            net[cell] += one.first_votes - one.second_votes
            votes[cell] += one.first_votes + one.second_votes
    for (a, run), (b, other) in combinations(enumerate(runs), 2):
        for k, item in enumerate(study.items):
            votes[a, b, k] += sum(x == y for x, y in zip(run.candidates[item.id], other.candidates[item.id]))
    net, votes = net - net.swapaxes(0, 1), votes + votes.swapaxes(0, 1)
    votes[np.diag_indices(len(runs))] = 1
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((net / votes).sum(axis=1) / (len(runs) - 1))


def _wins(values: Floats) -> Floats:
    """(runs, items) wins minus losses by values (runs, items), per other run; NaN if any run has no value."""
    return np.asarray(np.sign(values[:, None] - values).sum(axis=1) / (len(values) - 1))


def _of_people(study: Study, runs: Sequence[Run], criterion: str) -> Floats:
    """(runs, items) mean rating of each run's captions of each item; NaN without ratings."""
    at = points(study, criterion, "mean")
    names, found = [run.name for run in study.runs], np.full((len(study.runs), len(study.items)), np.nan)
    cell = at.run * len(study.items) + at.item
    sums, counts = (np.bincount(cell, of, found.size).reshape(found.shape) for of in (at.value, None))
    np.divide(sums, counts, out=found, where=counts > 0)
    return np.asarray(found[[names.index(run.name) for run in runs]])
