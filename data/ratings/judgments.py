"""Judgments of captions and systems by people, matched to the captions of a study."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace

from data.findings import Log
from data.matching.merge import Pool, PoolRun
from data.matching.scores import CaptionLookup, Key
from data.ratings.human_ratings import SET, Rating, read, readable, written
from data.records import Part, PreferenceRow, ScoreRow
from data.study import Preference, Run, Study, SystemRatings

Human = dict[tuple[str, str], list[Rating]]
"""Ratings by run and item."""
Votes = dict[tuple[object, ...], Preference]
"""Preferences by item, captions, criterion and category."""


def attach(study: Study, pool: Pool, parts: Sequence[Part], fixes: Container[str], log: Log) -> Study:
    """Return the study with the judgments in its files; report judgments that match no caption as findings."""
    used = [part for part in parts if not (part.first_of and "drop_same_files" in fixes)]
    found = _own(study, pool, log)
    preferences: Votes = {}
    for part in used:
        if part.ratings:
            _take_ratings(study, pool, part, fixes, found, log)
        if part.preferences and study.runs:
            _take_preferences(study, pool, part, fixes, preferences, log)
    runs = tuple(_with_human(run, pool.runs[run.name], found) for run in study.runs)
    pairs = tuple(preferences.values()) if study.runs else pairs_alone(used, fixes, log)
    return replace(study, runs=runs, preferences=pairs, systems=systems(used))


def pairs_alone(parts: Iterable[Part], fixes: Container[str], log: Log) -> tuple[Preference, ...]:
    """Return the pairs that name two runs, with a finding, for a study without captions of these runs.

    The position of every caption is 0.
    """
    found: Votes = {}
    for part in (one for one in parts if not (one.first_of and "drop_same_files" in fixes)):
        told = [row for row in part.preferences if row.first.item and row.first.run and row.second.run]
        for row in told:
            if row.first.run == row.second.run:
                log.add("pair_of_one", part.file, row.first.where, str(row.first.item))
            else:
                _count(found, str(row.first.item), (str(row.first.run), 0), (str(row.second.run), 0), row)
        if told:
            runs = {str(side.run) for row in told for side in (row.first, row.second)}
            log.add("pairs_alone", part.file, runs=len(runs), n=len(told))
    return tuple(found.values())


def systems(parts: Iterable[Part]) -> tuple[SystemRatings, ...]:
    """Return the ratings of whole systems in these files, without duplicates."""
    return tuple({one.digest: one for part in parts for one in part.systems}.values())


def _own(study: Study, pool: Pool, log: Log) -> Human:
    """Return the ratings given beside the captions; those that cannot be read are left out, with a finding.

    Ratings of candidates that a repair removed are left out, too, as are ratings of a whole set that it reduced to one
    candidate.
    """
    found: Human = {}
    for run in study.runs:
        of = pool.runs[run.name]
        for id, value in (run.human or {}).items():
            size = len(of.written.get(id, of.candidates[id]))
            try:
                ratings = list(read(value, size))
            except ValueError as why:
                log.add("rating_unread", of.file, of.where.get(id, ""), id, run=run.name, why=why)
                continue
            if id in of.places:
                now = {place: k for k, place in enumerate(of.places[id])}
                whole = {SET: SET} if len(now) > 1 else {}
                ratings = [r._replace(place={**now, **whole}[r.place]) for r in ratings if r.place in {**now, **whole}]
            found[run.name, id] = ratings
    return found


def _take_ratings(study: Study, pool: Pool, part: Part, fixes: Container[str], found: Human, log: Log) -> None:
    places = CaptionLookup(study, pool, part, fixes, log, part.ratings, "rating")
    known = {(*at, r.criterion, r.place, r.rater): r.value for at, ratings in found.items() for r in ratings}
    taken = 0
    for row in part.ratings:
        assert row.value is not None
        for run, id, place in _meant(study, places, row):
            at = 0 if place == SET and len(study.run(run).candidates[id]) == 1 else place
            rating = Rating(row.metric, at, row.rater, row.value + 0.0)
            key = (run, id, rating.criterion, rating.place, rating.rater)
            taken += 1
            if key not in known:
                known[key] = rating.value
                found.setdefault((run, id), []).append(rating)
            elif known[key] != rating.value:
                log.add("rating_differs", part.file, row.where, id, name=row.metric)
    if not taken:
        log.add("rating_none", part.file)


def _meant(study: Study, places: CaptionLookup, row: ScoreRow) -> list[Key]:
    """Return the candidates to which a row refers; if it names no run, the candidates of any run with its caption."""
    if row.run is not None or row.caption is None or row.item is None or places.part.stem in places.runs:
        return places.of(row) or []
    id = places.ids[row.item]
    if id not in places.kept:
        return places.of(replace(row, run=study.runs[0].name)) or []
    wanted = row.caption.strip()
    found = [
        (run.name, id, place)
        for run in study.runs
        for place, text in enumerate(run.candidates[id])
        if wanted in (text.strip(), _first_written(places.pool.runs[run.name], id, place).strip())
    ]
    if not found:
        places.unknown(row, "a caption")
    return found


def _first_written(run: PoolRun, id: str, place: int) -> str:
    texts = run.written.get(id, run.candidates[id])
    return texts[run.places[id][place] if id in run.places else place]


def _take_preferences(
    study: Study,
    pool: Pool,
    part: Part,
    fixes: Container[str],
    found: Votes,
    log: Log,
) -> None:
    places = CaptionLookup(study, pool, part, fixes, log, [row.first for row in part.preferences], "rating")
    ids = [places.ids[row.first.item] for row in part.preferences if row.first.item is not None]
    # Items that no file has are reported elsewhere.
    left = [id for id in ids if id not in places.kept and id in pool.items]
    if left:
        log.add("pairs_left", part.file, id=left[0], count=len(left), n=len(left), total=len(part.preferences))
    for row in part.preferences:
        sides = [next(iter(_meant(study, places, side)), None) for side in (row.first, row.second)]
        if sides[0] is None or sides[1] is None:
            continue
        first, second = ((run, max(place, 0)) for run, _, place in (sides[0], sides[1]))
        if first == second:
            log.add("pair_of_one", part.file, row.first.where, sides[0][1])
            continue
        _count(found, sides[0][1], first, second, row)


def _count(found: Votes, item: str, first: tuple[str, int], second: tuple[str, int], row: PreferenceRow) -> None:
    """Add the votes of a row to those on the same two captions."""
    votes = row.first_votes, row.second_votes
    if first > second:
        first, second, votes = second, first, votes[::-1]
    key = (item, first, second, row.criterion, row.category)
    before = found.get(key)
    total = (votes[0] + before.first_votes, votes[1] + before.second_votes) if before else votes
    ties = row.ties + (before.ties if before else 0.0)
    found[key] = Preference(item, first, second, *total, row.criterion, row.category, ties)


def _with_human(run: Run, pooled: PoolRun, found: Mapping[tuple[str, str], list[Rating]]) -> Run:
    """Return the run with all ratings of its items; values that could not be read stay unchanged."""
    human = dict(run.human or {})
    for (name, id), ratings in found.items():
        if name == run.name:
            size = len(run.candidates[id])
            if id in pooled.places or sorted(readable(human.get(id), size)) != sorted(ratings):
                human[id] = written(ratings, size)
    return replace(run, human=human or None)
