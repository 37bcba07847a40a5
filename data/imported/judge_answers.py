"""Turn a judge's answers into scores, preferences and distances like those of any other rater."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from data.findings import Log, TrustedText, clip
from data.formats.numbers.scores import clean
from data.imported.vectors import names_like
from data.judge_answers import JUDGE, RANGES, Answer
from data.matching.merge import Pool
from data.matching.scores import CaptionLookup
from data.ratings.human_ratings import UNNAMED
from data.records import Part, ScoreRow
from data.study import Captions, ImportedDistances, ImportedScores, Preference, Study

SCORED = {"clair": "clair", "rating": "judged_rating", "coverage": "fact_coverage", "precision": "fact_precision"}
"""First part of the name of a metric made from answers to a prompt; the judge is the second part."""
F1 = "fact_f1"
"""First part of the name of the harmonic mean of the coverage and precision of facts."""
Answers = list[Answer]


def attach(study: Study, pool: Pool, parts: Iterable[Part], fixes: Container[str], log: Log) -> Study:
    """Return the study with the answers in its files and the data derived from the answers; report unknown captions."""
    known: dict[tuple[object, ...], Answer] = {}
    file = ""
    for part in parts:
        if part.answers and not (part.first_of and "drop_same_files" in fixes):
            file = file or part.file
            _take(study, pool, part, fixes, known, log)
    return with_answers(study, known.values(), log, file) if file else study


def with_answers(study: Study, answers: Iterable[Answer], log: Log, file: str = "") -> Study:
    """Return the study with `answers`, and the data derived from them, in place of its own; report faults."""
    found = tuple(answers)
    study = replace(without(study), answers=found)
    groups: dict[tuple[str, str], Answers] = {}
    for one in found:
        groups.setdefault((one.prompt, one.signature), []).append(one)
    scores, pairs, distances = list(study.scores), list(study.preferences), list(study.distances)
    checked: dict[str, dict[str, ImportedScores]] = {}
    criteria = pair_criteria(found)
    for (prompt, signature), group in groups.items():
        _say_faults(group, file, log)
        signed = f"{signature}|fingerprint:{'+'.join(_fingerprints(group)) or 'none'}"
        if prompt in SCORED:
            name = _free(f"{SCORED[prompt]}_{group[0].judge}", [one.name for one in scores])
            scores.append(_scores(study, name, signed, group, file, log))
            checked.setdefault(signature.partition("|")[2], {})[prompt] = scores[-1]
        elif prompt == "pairwise":
            pairs += _preferences(criteria[signature], group, file, log)
        elif prompt == "alike":
            name = _free(f"alike_{group[0].judge}", [one.name for one in distances])
            distances.append(ImportedDistances(name, _matrices(study, group, file, log), signed))
    for of in checked.values():
        if {"coverage", "precision"} <= of.keys():
            names = [one.name for one in scores]
            scores.append(_facts_f1(of["coverage"], of["precision"], names))
    return replace(study, scores=tuple(scores), preferences=tuple(pairs), distances=tuple(distances))


def without(study: Study) -> Study:
    """Return the study without answers and the scores, preferences and distances derived from them."""
    if not study.answers:
        return study
    derived = set(pair_criteria(study.answers).values())
    return replace(
        study,
        answers=(),
        scores=tuple(one for one in study.scores if not one.signature),
        distances=tuple(one for one in study.distances if not one.signature),
        preferences=tuple(one for one in study.preferences if one.criterion not in derived),
    )


def preferences_of_people(study: Study) -> tuple[Preference, ...]:
    """Return the preferences that were not made by a judge; statements about people use only these preferences."""
    return tuple(one for one in study.preferences if not one.criterion.startswith(JUDGE))


def pair_criteria(answers: Iterable[Answer]) -> dict[str, str]:
    """Return, for each signature, the criterion of the preferences derived from its answers."""
    found: dict[str, str] = {}
    for one in answers:
        if one.prompt == "pairwise" and one.signature not in found:
            found[one.signature] = _free(f"{JUDGE}{one.judge}", list(found.values()))
    return found


def judge_of(criterion: str) -> str:
    """Return the judge whose preferences have this criterion; "" for people's."""
    return criterion.removeprefix(JUDGE).removesuffix(f" {UNNAMED}") if criterion.startswith(JUDGE) else ""


def _take(
    study: Study,
    pool: Pool,
    part: Part,
    fixes: Container[str],
    known: dict[tuple[object, ...], Answer],
    log: Log,
) -> None:
    rows = [[_row(where, one, k) for k in range(len(one.captions))] for where, one in part.answers]
    places = CaptionLookup(study, pool, part, fixes, log, [row for of in rows for row in of])
    references = {item.id: item.references for item in study.items}
    candidates = {run.name: run.candidates for run in study.runs}
    for (where, answer), of in zip(part.answers, rows):
        keys = [_key(row, places, references) for row in of]
        if None in keys:
            continue
        runs, ids, at = zip(*(key for key in keys if key is not None))
        texts = [candidates[run][id][k] if run else references[id][k] for run, id, k in zip(runs, ids, at)]
        found = replace(answer, item=ids[0], runs=runs, places=at, captions=tuple(texts))
        first = known.setdefault(found.question, found)
        if not (first.score == found.score or (math.isnan(first.score) and math.isnan(found.score))):
            log.add("score_differs", part.file, where, found.item, metric=found.prompt)


def _row(where: str, answer: Answer, k: int) -> ScoreRow:
    return ScoreRow(where, "", None, answer.runs[k] or None, answer.item, answer.places[k], answer.captions[k])


def _key(row: ScoreRow, places: CaptionLookup, references: Mapping[str, Captions]) -> tuple[str, str, int] | None:
    """Return the run, item and position of a caption, with "" as the run of a reference; None if it is unknown."""
    if row.run is not None:
        return next(iter(places.of(row) or ()), None)
    assert row.item is not None
    id = places.ids[row.item]
    if id not in references:
        return next(iter(places.of(replace(row, run=next(iter(places.runs)))) or ()), None)
    text = (row.caption or "").strip()
    at = [k for k, one in enumerate(references[id]) if one.strip() == text]
    at = [k for k in at if k == row.index] or at
    if not at:
        places.unknown(row, "a reference")
        return None
    return "", id, at[0]


def _free(name: str, taken: Sequence[str]) -> str:
    plain = clean(name.replace("/", "_"))
    return next(one for one in names_like(plain) if one not in taken)


def _fingerprints(group: Answers) -> list[str]:
    return sorted({clean(one.fingerprint) for one in group if one.fingerprint})


def _say_faults(group: Answers, file: str, log: Log) -> None:
    """Add findings about answers without a score, and about a server whose fingerprint changed between answers."""
    judge, prompt, total = group[0].judge, TrustedText(group[0].prompt), len(group)
    for why, n in Counter(one.fault for one in group if one.fault).items():
        log.add("answer_faults", file, count=n, judge=judge, prompt=prompt, n=n, total=total, why=why)
    if len(names := _fingerprints(group)) > 1:
        told = TrustedText(", ".join(map(clip, names[:3])))
        log.add("judge_changed", file, judge=judge, prompt=prompt, n=len(names), names=told)


def _means(group: Answers) -> dict[tuple[tuple[str, ...], str, tuple[int, ...]], float]:
    """Return the mean score over readable repeats, by the runs, item and positions of the captions, in the order
    shown.
    """
    found: dict[tuple[tuple[str, ...], str, tuple[int, ...]], list[float]] = {}
    for one in group:
        if not math.isnan(one.score):
            found.setdefault((one.runs, one.item, one.places), []).append(one.score)
    return {key: math.fsum(values) / len(values) for key, values in found.items()}


def _scores(study: Study, name: str, signature: str, group: Answers, file: str, log: Log) -> ImportedScores:
    means = _means(group)
    values: dict[str, dict[str, tuple[float, ...]]] = {}
    for run in study.runs:
        values[run.name] = {
            item.id: tuple(
                means.get(((run.name,), item.id, (k,)), math.nan) for k in range(len(run.candidates[item.id]))
            )
            for item in study.items
        }
        lacking = {id: sum(map(math.isnan, of)) for id, of in values[run.name].items() if any(map(math.isnan, of))}
        if n := sum(lacking.values()):
            total, what = sum(map(len, values[run.name].values())), TrustedText("captions")
            id = next(iter(lacking))
            log.add("score_gaps", file, id=id, count=n, metric=name, run=run.name, n=n, total=total, what=what)
    return ImportedScores(name, "candidate", True, *RANGES[group[0].prompt], values, signature)


def _facts_f1(coverage: ImportedScores, precision: ImportedScores, taken: Sequence[str]) -> ImportedScores:
    """Return the harmonic mean of both scores for each candidate: 0 if both are 0, NaN if one is missing."""
    values = {
        run: {
            id: tuple(
                2 * r * p / (r + p) if r + p else r + p for r, p in zip(of, precision.values[run][id], strict=True)
            )
            for id, of in items.items()
        }
        for run, items in coverage.values.items()
    }
    name = _free(coverage.name.replace(SCORED["coverage"], F1, 1), taken)
    asked, _, answered = coverage.signature.partition("|fingerprint:")
    return replace(
        coverage, name=name, values=values, signature=f"{asked}|with:{precision.signature}|f1|fingerprint:{answered}"
    )


def _preferences(criterion: str, group: Answers, file: str, log: Log) -> list[Preference]:
    """Return one vote per pair, split according to the answers in both orders.

    Pairs answered in only one order get no vote, and a finding reports their number. An answer "tie" counts as a tie;
    answers that contradict each other count as half a vote for each side.
    """
    means = _means(group)
    tied = _means([replace(one, score=float(one.score == 0.5)) for one in group if not one.fault])
    found, alone = [], 0
    for (runs, item, places), seen in means.items():
        first, second = zip(runs, places)
        swapped = means.get((runs[::-1], item, places[::-1]))
        alone += swapped is None
        if swapped is not None and first < second:
            share = (seen + 1 - swapped) / 2
            ties = (tied[runs, item, places] + tied[runs[::-1], item, places[::-1]]) / 2
            found.append(Preference(item, first, second, share, 1 - share, criterion, "", ties))
    if alone:
        log.add("answer_one_order", file, count=alone, judge=group[0].judge, n=alone)
    return found


def _matrices(study: Study, group: Answers, file: str, log: Log) -> dict[str, dict[str, NDArray[np.float64]]]:
    """Return 1 - likeness of candidates and references, by run and item, for items in which every pair has an answer.

    A finding states how many items of a run lack answers. Captions are identified by their text, since a judge is asked
    only once about a pair that several runs share.
    """
    values: dict[tuple[str, frozenset[str]], list[float]] = {}
    for one in group:
        if not math.isnan(one.score):
            values.setdefault((one.item, frozenset(one.captions)), []).append(one.score)
    near = {key: math.fsum(of) / len(of) for key, of in values.items()}

    def likeness(id: str, one: str, other: str) -> float:
        return 1.0 if one == other else near.get((id, frozenset((one, other))), math.nan)

    found: dict[str, dict[str, NDArray[np.float64]]] = {}
    for run in study.runs:
        for item in study.items:
            texts = (*run.candidates[item.id], *item.references)
            matrix = 1 - np.array([[likeness(item.id, one, other) for other in texts] for one in texts])
            if not np.isnan(matrix).any():
                found.setdefault(run.name, {})[item.id] = matrix
        if missing := len(study.items) - len(found.get(run.name, {})):
            log.add("distance_missing", file, count=missing, n=missing, total=len(study.items), run=run.name)
    return found
