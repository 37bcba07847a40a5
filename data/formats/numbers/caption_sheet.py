"""Sheets of captions, one per row, with numbers beside them: ratings by people, and scores of metrics."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any

from data.fields.criteria import ASKED, BESIDE, ENDS, MEANS_RATING, NO_SCORE, can_be_person
from data.fields.directions import OF_ANSWERS, OF_METRICS, is_error
from data.fields.models import RATER, WITH_REASONS
from data.fields.names import IDS, PREDICTED, REFERENCES, norm, plain, rank, whose, words
from data.files.printed_lists import captions_of
from data.findings import Log
from data.formats.columns import metadata, rating_words, row_runs, run_scores
from data.formats.columns.assigned_roles import ColumnRoles
from data.formats.columns.contents import cell_of, columns_of, is_written, values
from data.formats.columns.roles import column_roles
from data.formats.nesting import listed_runs, nested_records
from data.formats.numbers import preferred_runs, ranks, rated_once, rating_columns, ratings, scales, scores
from data.formats.numbers.nested_ratings import BY_PROGRAMS
from data.formats.numbers.rater_columns import judged_by, rated_with_reasons, rater_column, rater_of
from data.formats.tables import table
from data.formats.tables.table import Table
from data.ratings.human_ratings import UNNAMED
from data.records import Part, RatingRow, ScoreRow, Source, kind

NAMED_SCORES = "named_scores"
"""The object, added to a record, that has the score of each metric that a list names."""
_JUDGED = OF_ANSWERS | BESIDE
_SCALE = re.compile(r"_?[(\[].*[)\]]$")
_OF_SCORES = frozenset(["evaluation", "eval", "scores", "metrics", "feedback", "feedback_stats"])
"""Names of objects whose numbers are scores."""
_A_METRIC = re.compile(rf"_(?:{OF_METRICS.pattern})")
_RATED_THINGS = {"content", "age", "star", "stars", "product", "movie", "film", "book", "recipe"}
"""Words before `rating` in the names of ratings of things other than captions."""


def load(source: Source, found: Table) -> Part | None:
    """Return the captions of a table, with the ratings and scores beside them; None, with a finding, if it has no
    captions.

    Ratings are in columns with the names of criteria, such as `Fluency (1-5)`, scores in columns of numbers that have
    the names of metrics, and both in columns that a person declared as such. Rows that differ only in rater and ratings
    belong to one caption. A table of declared ratings without captions is read as ratings alone.
    """
    sample = found.sample()
    given = source.reading.columns
    shares = _shares(found.header, sample, range(len(found.header)))
    guessed = _criteria(found.header, sample, sure=bool(given.ratings))
    guessed = {k: name for k, name in guessed.items() if k not in shares and found.header[k] not in given.named}
    told = {found.header.index(name): name.strip() for name in given.ratings if name in found.header}
    criteria = dict(sorted((guessed | told).items()))
    header, metrics = _metrics(found, sample, source)
    roles = column_roles(found.header, replace(source, log=Log()), sample)
    choice = ranks.choice(found, roles) if not given.any else ranks.Choice()
    each = _each_run(found.header, sample, roles, given.named)
    single = roles is not None and len(roles.predicted) == 1
    rater = _rater(found, roles, source) if single or each or choice.columns else -1
    if single and not (criteria or given.any):
        criteria = rated_once.criteria(found.header, sample, rater, roles)
    if not (criteria or metrics or each or choice.columns):
        return table.load(replace(source, value=found))
    if roles is None and told:
        return ratings.load(source, found)
    kept = list(found.rows)
    rater = rater if criteria or each or choice.columns else -1
    of_runs = {k for of in each.values() for k in of.values()}
    once = rated_once.rows(kept, {*criteria, *of_runs, rater, *choice.columns}, rater, roles)
    whose = {k: WITH_REASONS for k in guessed if rater < 0 and rated_with_reasons(found.header, kept, k)}
    whose |= {k: who for k, (_, who) in rating_columns.by_rater(found.header, sample).items() if k in guessed}
    kept = rating_words.in_numbers(kept, criteria, source) if single else kept
    of_captions = [kept[k] for k in dict.fromkeys(once)]
    value = replace(source, value=replace(found, rows=iter(of_captions)))
    beside = (
        dict.fromkeys(metrics, "score") | dict.fromkeys(criteria, "rating") | dict.fromkeys({rater} - {-1}, "rater")
    )
    apart = [*metrics, *of_runs, *choice.columns, *({rater if len(of_captions) < len(kept) else -1} - {-1})]
    unread = dict.fromkeys(apart, "ignore") if roles is not None and roles.predicted else {}
    made = table.read(value, beside if single else unread)
    if made is None:
        return None
    part, roles = made
    if single:
        part.ratings = list(_ratings(source, found.header, kept, once, roles, criteria, (rater, whose)))
        rating_columns.say_people(source, found.header, sample, guessed)
        metadata.say(source.log, "ratings_read", source.name, list(dict.fromkeys(row.metric for row in part.ratings)))
        part.scores = list(_scores(source, header, of_captions, roles, metrics))
    elif roles.predicted:
        sheet = source, found.header, kept, roles, each
        part.preferences = judged_by(*sheet[:3], rater, [*preferred_runs.votes(*sheet), *ranks.in_sheet(*sheet)])
        part.scores, part.ratings = _by_run(source, found.header, kept, roles, each, rater)
        metadata.say(source.log, "scores_beside", source.name, [found.header[k] for k in metrics if k not in of_runs])
    if choice.columns:
        part.preferences = ranks.preferences(source, found.header, kept, roles, choice, rater)
    if not single:
        metadata.say(source.log, "ratings_beside", source.name, [found.header[k] for k in told])
    return part


def _each_run(
    header: Sequence[str], sample: Sequence[Sequence[Any]], roles: ColumnRoles | None, given: Container[str]
) -> dict[str, dict[int, int]]:
    """Return, by criterion or metric, the columns of numbers by column of captions, without those that have a given
    role.

    Each column of captions contains a run, or one of a run's several captions, such as `answer_0` beside `score_0`.
    """
    if roles is None:
        return {}
    several = dict.fromkeys(roles.predicted, "") if len(roles.predicted) > 1 else {}
    free = [name if name not in given or k in roles.predicted else "" for k, name in enumerate(header)]
    each = run_scores.columns(free, sample, roles.named or several, ranks.RANKS)
    numbers = {name for name, of in each.items() if all(_are_numbers(sample, k) for k in of.values())}
    ranked = {name for name in numbers if norm(name) in ranks.RANKS}
    numbers -= {
        name for name in ranked if not all(ranks.are_ranks(sample, k, len(roles.named)) for k in each[name].values())
    }
    return {name: of for name, of in each.items() if name in numbers or _is_criterion(name)}


def _by_run(
    source: Source,
    header: Sequence[str],
    rows: Sequence[tuple[str, Sequence[Any]]],
    roles: ColumnRoles,
    each: dict[str, dict[int, int]],
    rater: int,
) -> tuple[list[ScoreRow], list[RatingRow]]:
    """Return the scores and the ratings in the columns that `_each_run` returned; items without ids are numbered."""
    told: list[ScoreRow] = []
    rated: list[RatingRow] = []
    people = {name for name in each if can_be_person(name) and name.istitle()}
    people = people if len(people) > 1 else set()
    criteria = {at: name for name, of in each.items() for at in of.values() if _is_criterion(name)}
    rows = rating_words.in_numbers(rows, criteria, source)
    for count, (where, row) in enumerate(rows if roles.told_by < 0 else (), 1):
        item = row_runs.item_of(row, count, roles)
        cells = ((name, k, cell_of(row, at)) for name, of in each.items() for k, at in of.items())
        for name, k, cell in cells if item is not None else ():
            caption = said if isinstance(said := cell_of(row, k), str) and said else None
            run = roles.named.get(k) or row_runs.run_of(source, partial(cell_of, row), roles, header, {})
            place = (scores.number(cell), run, item, None, caption)
            if name in people or _is_criterion(name):
                metric, who = (UNNAMED, name) if name in people else (name, rater_of(row, rater, header))
                rated += [RatingRow(where, metric, *place, rater=who)] if place[0] is not None else []
            else:
                plain, higher = scores.with_side(name)
                told.append(ScoreRow(where, scores.clean(plain or name), *place, higher))
    for code, read in (("scores_read", told), ("ratings_read", rated)):
        metadata.say(source.log, code, source.name, list(dict.fromkeys(one.metric for one in read)))
    return told, rated


def _is_criterion(name: str) -> bool:
    return _SCALE.sub("", bare := norm(name)) in BESIDE or "rating" in words(name) or ENDS.search(bare) is not None


def _rater(found: Table, roles: ColumnRoles | None, source: Source) -> int:
    given, header = source.reading.columns, found.header
    if given.rater in header:
        return header.index(given.rater)
    taken = (of := roles or ColumnRoles()).said()
    able = [k for k, name in enumerate(header) if k not in taken and name not in given.named]
    return rater_column(header, found.sample(), able, by_run=bool(of.runs), same=of.ids())


def is_due(found: Table) -> bool:
    """Return whether a table has candidates beside references, judging by names, or beside both ratings and scores.

    A table with a column of raters must also have columns with the names of criteria.
    """
    names, sample = [norm(name) for name in found.header], found.sample()
    written = [k for k in range(len(names)) if is_written(sample, k)]
    references = [k for k in written if rank(names[k], REFERENCES) is not None or whose(found.header[k]) == "people"]
    scored = any(is_metric(name) and _are_numbers(sample, k) for k, name in enumerate(found.header))
    criteria = _criteria(found.header, sample)
    apart = {*rating_columns.CRITERION, *(() if criteria else RATER)}
    if len(written) == len(references) or {*names} & apart:
        return False
    return bool(references) or (scored and bool(criteria))


def are_rated_captions(rows: list[dict[str, Any]]) -> bool:
    """Return whether records of ratings contain references beside candidates, or an object of settings."""
    inside = [nested_records.flat(row) for row in rows if isinstance(row, dict)]
    header, sample = columns_of(inside)
    found = Table(header, (("", row) for row in sample))
    return any("." in path for row in inside for path in nested_records.of_run(row)) or is_due(found)


def are_rated(rows: list[dict[str, Any]]) -> bool:
    """Return whether records have ratings by people in fields with the names of criteria."""
    return bool(_criteria(*columns_of(rows)))


def _criteria(header: Sequence[str], rows: Sequence[Sequence[Any]], sure: bool = False) -> dict[int, str]:
    """Return the criterion of each column of ratings by people; unless `sure`, an ambiguous name is not enough."""
    several, by_name = rating_columns.by_rater(header, rows), rating_columns.by_person(header, rows)
    bare = {k: plain(several[k][0] if k in several else _within_run(name)) for k, name in enumerate(header) if name}
    names = {place: _SCALE.sub("", norm(name)) for place, name in bare.items()}
    scaled = {place for place, name in names.items() if ENDS.search(name) or ENDS.search(norm(bare[place]))}
    other = BY_PROGRAMS | _RATED_THINGS
    scaled |= {place for place, name in names.items() if MEANS_RATING.search(name) and not {*words(name)} & other}
    scaled = {place for place in scaled if not is_metric(bare[place]) and scales.are_ratings(rows, place)}
    agreed = {place for place in names if rating_words.states_agreement(rows, place)}
    rated = {
        place: bare[place] for place, name in names.items() if name in BESIDE or place in by_name or place in scaled
    }
    rated = {k: name for k, name in rated.items() if scales.are_ratings(rows, k)}
    rated = {k: name for k, name in rated.items() if not rating_columns.are_answers(name, rows, k)}
    by_rater = {place: header[place] for place in names if _are_by_rater(rows, place)}
    asked = any(names[place] in ASKED for place in rated)
    people = [norm(name) in RATER and not norm(name).startswith("judge") for name in header]  # a judge may be a model
    asked |= any(people) or any(name.rstrip().endswith("?") for name in header)
    asked |= any(rating_columns.is_rater(who) for _, who in by_name.values())
    return {
        **(rated if sure or by_rater or scaled or asked or agreed else {}),
        **by_rater,
        **{place: bare[place] for place in agreed},
    }


def _within_run(path: str) -> str:
    """Return the name of a field, without the list of runs in which its object may be (`systems[].rating`)."""
    outer, _, name = path.rpartition("[].")
    return (name if norm(outer) in listed_runs.OF_RUNS or whose(outer) == "model" else path).strip()


def _are_by_rater(rows: Sequence[Sequence[Any]], place: int) -> bool:
    filled = values(rows, place)
    return bool(filled) and all(isinstance(cell, dict) for cell in filled)


def _metrics(found: Table, rows: Sequence[Sequence[Any]], source: Source) -> tuple[list[str], list[int]]:
    """Return the header, in which metrics have their own names, and the columns of metrics.

    These are the columns that a person declared, that have the name of a metric or of a score, or that have a column
    of reasons, and all other numbers in a file named `scores`.
    """
    given, header = source.reading.columns, found.header
    taken = {*given.named, *(header[k] for k in found.id_of)}
    told = ({*scores.beside(header, rows, source.stem)} - _criteria(header, rows).keys()) | _listed(header, rows)
    able = [k for k, name in enumerate(header) if name not in taken and (k in told or is_metric(name))]
    able = [k for k in able if _are_numbers(rows, k)]
    shares = _shares(header, rows, range(len(header)))
    rated = {*able, *_criteria(header, rows, sure=True)} - {*shares}
    free = [k for k, name in enumerate(header) if k not in rated and name not in taken]
    said = any(rank(name, PREDICTED) is not None and is_written(rows, k) for k, name in enumerate(header))
    more = [k for k in free if k in shares or f"{header[k]}_reason" in header or tells_score(header[k])]
    free = [k for k in free if said and k not in more and rank(header[k], PREDICTED) is not None]
    more += [k for k in free if _are_parts(rows, k)]
    named, guessed = scores.headlines(found, able) if able else (list(header), [])
    guessed += [k for k in more if _are_numbers(rows, k) and not scores.is_index(header, rows, k)]
    return named, [*(header.index(name) for name in given.scores if name in header), *sorted(guessed)]


def _listed(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> set[int]:
    """Return the columns that a list of names in the column `metrics` shows to be metrics, as in samples of lm-eval."""
    lists = [cell for k, name in enumerate(header) if norm(name) == "metrics" for cell in values(rows, k)]
    listed = {str(name) for cell in lists if isinstance(cell, list) for name in cell}
    return {k for k, name in enumerate(header) if name in listed}


def is_metric(path: str) -> bool:
    """Return whether a field has a metric's name, lies in an object with such a name, or comes from a list of named
    scores.
    """
    parts = [norm(part) for part in path.split(".")]
    return is_error(parts[-1]) or any(part == NAMED_SCORES or OF_METRICS.match(part) for part in parts)


def _shares(header: Sequence[str], rows: Sequence[Sequence[Any]], able: Sequence[int]) -> list[int]:
    """Return the columns that are named after scores of answers, with numbers from 0 to 1, not all of which are whole.

    Beside them, columns named after criteria that people also rate, such as relevance, count if they have such numbers.
    """
    names = {k: norm(header[k].rpartition(".")[2]) for k in able}
    told = {k: [*map(scores.number, values(rows, k))] for k, name in names.items() if name in _JUDGED}
    numbers = {k: [one for one in of if one is not None] for k, of in told.items()}
    known = [k for k, of in numbers.items() if of and all(0 <= one <= 1 for one in of)]
    parts = any(one % 1 for k in known for one in numbers[k]) and any(names[k] in OF_ANSWERS for k in known)
    return known if parts else []


def tells_score(path: str) -> bool:
    """Return whether words in the name of a field, or of its object, mean a score: `direct_bleu`, `evaluation.tone`.

    Ids, weights, settings and measures of effort are not scores, and numbers in a record's lists do not belong to a
    single caption.
    """
    *outer, name = parts = [norm(part) for part in path.split(".")]
    if "[]" in path or rank(name, IDS) is not None or any(NO_SCORE & set(words(part)) for part in parts):
        return False
    told = {"score", "scores"} & {word for part in path.split(".") for word in words(part)} or {*outer} & _OF_SCORES
    return bool(told) or any(map(_A_METRIC.search, parts))


def _are_parts(rows: Sequence[Sequence[Any]], place: int) -> bool:
    """Return whether a column has numbers that are not all whole."""
    return _are_numbers(rows, place) and any((scores.number(cell) or 0) % 1 for cell in values(rows, place))


def _are_numbers(rows: Sequence[Sequence[Any]], place: int) -> bool:
    cells = [cell for cell in values(rows, place) if not scores.is_gap(cell)]
    return bool(cells) and all(scores.number(cell) is not None for cell in cells)


Place = tuple[str, str, int | None, str | None]
"""Item and run and, for a row with one caption, that caption's position within them and its text."""


def _places(
    source: Source, header: list[str], rows: Sequence[tuple[str, Sequence[Any]]], roles: ColumnRoles
) -> Iterator[tuple[str, Sequence[Any], Place]]:
    """Yield each row with its place; without a column of ids, items are numbered by row."""
    places: Counter[tuple[str, str]] = Counter()
    for count, (where, row) in enumerate(rows, 1):
        cell = partial(cell_of, row)
        item, caption = row_runs.item_of(row, count, roles), cell(roles.predicted[0]) or ""
        listed = captions_of(caption)
        caption = listed[0] if len(listed) == 1 else listed
        if item is None:
            continue
        run = row_runs.run_of(source, cell, roles, header, {})
        if isinstance(caption, str):
            yield where, row, (item, run, places[item, run], caption)
            places[item, run] += 1
        else:
            yield where, row, (item, run, None, None)


def _ratings(
    source: Source,
    header: list[str],
    rows: Sequence[tuple[str, Sequence[Any]]],
    once: Sequence[int],
    roles: ColumnRoles,
    criteria: dict[int, str],
    raters: tuple[int, Mapping[int, str]],
) -> Iterator[RatingRow]:
    """Yield a rating for each number in a criterion's cells beside captions; `once` has the row of each caption.

    `raters` contains the column that names raters, and the rater of each column of one person's ratings. Beside several
    captions, a number rates all of them, and an equally long list without raters rates each.
    """
    first = list(dict.fromkeys(once)) if criteria else []
    told = _places(source, header, [(str(k), rows[k][1]) for k in first], roles)
    places, ends = {int(k): place for k, _, place in told}, scales.Scales(source)
    for k, (where, row) in enumerate(rows if places else ()):
        if once[k] not in places:
            continue
        item, run, place, caption = places[once[k]]
        who = rater_of(row, raters[0], header)
        said = cell_of(row, roles.predicted[0])
        for column, criterion in criteria.items():
            cell = _by_rater(cell_of(row, column))
            own = raters[1].get(column) or who
            each = (
                isinstance(cell, dict)
                and isinstance(said, list)
                and list(cell) == [str(k + 1) for k in range(len(said))]
            )
            for number, (name, one) in enumerate((cell if isinstance(cell, dict) else {own: cell}).items()):
                if (value := ends.value(one, criterion, where, item)) is not None:
                    of = (number, None, "") if each else (place, caption, name or who)
                    yield RatingRow(where, criterion, value, run, item, *of[:2], rater=of[2])


def _by_rater(cell: Any) -> Any:
    """Return a list of several ratings as an object by rater, numbered from 1; return other cells unchanged."""
    several = rating_words.listed(cell)
    return {str(k): one for k, one in enumerate(several, 1)} if len(several) > 1 else cell


def _scores(
    source: Source,
    header: list[str],
    rows: Sequence[tuple[str, Sequence[Any]]],
    roles: ColumnRoles,
    metrics: list[int],
) -> Iterator[ScoreRow]:
    """Yield a score per cell of a metric, for the row's only caption or for its item; report cells without a number."""
    told = {
        k: (scores.clean(name or ""), side)
        for k in metrics
        for name, side in [scores.with_side(_within_run(header[k]))]
    }
    for where, row, (item, run, place, caption) in _places(source, header, rows, roles) if metrics else ():
        for column, (metric, higher) in told.items():
            cell = cell_of(row, column)
            value = scores.number(cell)
            if value is None and not scores.is_gap(cell):
                source.log.add("score_not_number", source.name, where, item, metric=metric, found=kind(cell))
            if metric:
                yield ScoreRow(where, metric, value, run, item, place, caption, higher)
