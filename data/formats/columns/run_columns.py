"""Columns that each contain one run, by their names or contents, and the names of the runs."""

from __future__ import annotations

import re
from collections.abc import Sequence, Set
from dataclasses import replace
from typing import Any

from data.fields.names import (
    BASELINES,
    LANGUAGES,
    NEUTRAL,
    NO_CAPTION,
    OF_MODELS,
    OF_PEOPLE,
    OF_RUNS,
    OF_RUNS_ALONE,
    OF_VARIANTS,
    PREDICTED,
    REFERENCES,
    TRANSCRIPTS,
    distinct,
    is_known,
    leaf,
    no_caption,
    norm,
    rank,
    unnumbered,
    whose,
    words,
)
from data.fields.word_lists import says_step
from data.formats.columns import contents
from data.formats.columns.contents import (
    are_numbers,
    are_sentences,
    fits,
    has_sentences,
    is_prompt,
    is_source,
    is_written,
    n_words,
    of_whole_items,
    resembles,
    same_writer,
    values,
)
from data.formats.nesting.setting_keys import are_settings
from data.matching.near_names import nearest
from data.records import Source
from data.run_settings import parse_name, stated
from data.study import Settings

Rows = Sequence[Sequence[Any]]
_OBJECTS = frozenset(["doc", "image", "video", "audio", "metadata", "message", "extra", "raw"])
"""Names of objects that contain texts other than those of a run."""
LANGUAGE = re.compile(r"[a-z]{2}(-[A-Za-z]{2,4})?")
SPOKEN = re.compile(rf"(\w*[a-zA-Z])[_-]({'|'.join(sorted(LANGUAGES))})")
"""A name that ends in a language code."""
_TOKENISED = re.compile(r"(?:_(?:tokenized|tokenised|tokens|lowercased?))+$")
_BEHIND = re.compile(r"(.*?[^\s._@/:-])[\s._@/:-]+(\d[.,]\d+|\d)")
"""A number up to 9 after a name: `BLIP 0.7`, or the path `BLIP.0.7`."""
_ANSWER, _SHARE = 3, 0.2
"""Mean number of words below which references are answers; minimum share of rows in which a model's answer equals a
reference.
"""
_WRITTEN_BY = ("generated", "predicted", "model", "pred", "gen", "system", "hyp", "bot")
"""Words before or after a name that show that a model wrote the texts."""
_BY_RUN = frozenset(["candidates", "captions", "model", "models", "predictions", "runs"])
"""Words in the names of objects that contain captions by run."""
_OF_TEXTS = frozenset(word for name in (*PREDICTED, *REFERENCES, *NEUTRAL, *NO_CAPTION) for word in words(name))
_COUNTED = re.compile(r"(.*?[^\d.\s_(\[#-])[\s_-]?[(\[#]?(\d{1,3})[)\]]?")
_SAMPLED = re.compile(
    r"(.*\d[)\]]?)(?:[\s_#-]+(?:(?:sample|caption|gen|no|nr)[\s_.#-]*)?|\s*[(\[#])(\d{1,3})[)\]]?", re.IGNORECASE
)


def without_languages(header: Sequence[str]) -> list[str]:
    """Return the names of columns, without the language code of captions in only one language (`captions_zh`)."""
    found = {k: match for k, name in enumerate(header) if (match := SPOKEN.fullmatch(name)) and is_known(match[1])}
    bare = [match[1] for match in found.values()]
    alone = {k: match[1] for k, match in found.items() if bare.count(match[1]) == 1 and match[1] not in header}
    return [alone.get(k, name) for k, name in enumerate(header)]


def runs_of(header: Sequence[str], places: Sequence[int]) -> dict[int, str]:
    """Return the run of each column; empty if the names differ only in a number or a language, as those of one run do.

    Numbers are temperatures if several names have the same numbers.
    """
    header = [*map(str.strip, _inside(header, places))]
    parts = [match.groups() for k in places if (match := _BEHIND.fullmatch(header[k]))]
    if parts and len(parts) == len(places) and _cross(parts) and not state_settings(header, places):
        return {k: f"{name} T={number}" for k, (name, number) in zip(places, parts)}
    series = _series([header[k] for k in places])
    named = distinct(list(dict.fromkeys(series))) if len(set(series)) > 1 else {}
    if all(LANGUAGE.fullmatch(name) for name in named.values()):
        return {}
    return {k: named[name] for k, name in zip(places, series)}


def with_settings(header: Sequence[str], places: list[int]) -> dict[int, str]:
    """Return the run of a single column whose name states settings, such as `pred_T0.5`; empty for other columns."""
    names = [header[k] for k in places]
    return (
        {k: distinct(names)[header[k]] for k in places} if len(places) == 1 and state_settings(header, places) else {}
    )


def of_a_name(header: Sequence[str], places: list[int], source: Source) -> dict[int, str]:
    """Return the run of a single column such as `BLIP` in the only file that is named after a step, such as `eval`.

    No word of the column's name may mean texts.
    """
    unsaid = says_step(source.stem) and sum(map(says_step, source.reading.stems)) == 1
    named = len(places) == 1 and not {*words(header[places[0]])} & _OF_TEXTS
    return each_run(header, places) if unsaid and named else {}


def runs_by_name(header: Sequence[str], places: list[int]) -> dict[int, str]:
    """Return the run of each column, as `runs_of` does; a name that is only a number is a temperature."""
    named = {k: header[k].strip() for k in places}
    if are_settings(named.values()) and all(name[:1].isdigit() for name in named.values()):
        return {k: f"T={name}" for k, name in named.items()}
    return runs_of(header, places)


def each_run(header: Sequence[str], places: Sequence[int]) -> dict[int, str]:
    """Return the run of each column if every column is a run: its name, without the object around all of them."""
    names = _inside(header, places)
    return {k: names[k] for k in places}


def _inside(header: Sequence[str], places: Sequence[int]) -> list[str]:
    """Return the column names without the object that contains all columns at `places`, if that object's name means
    captions by run.

    Numbers in an object are not names of runs.
    """
    parts = [header[k].partition(".") for k in places]
    named = all(inner and not inner[0].isdigit() for _, _, inner in parts)
    outer = parts[0][0] if parts else ""
    by_run = {*words(outer)} <= _BY_RUN or rank(outer, [*NEUTRAL, *PREDICTED]) is not None
    by_run = by_run or nearest(norm(outer), _BY_RUN) is not None
    inside = named and len({one for one, _, _ in parts}) == 1 and by_run
    return [name.partition(".")[2] if inside and k in places else name for k, name in enumerate(header)]


def with_temperatures(names: Sequence[str]) -> dict[str, str]:
    """Return `blip T=0.2` for each run's name such as `blip/0.2`, if several names have the same numbers; else {}."""
    parts = {name: match.groups() for name in names if (match := _BEHIND.fullmatch(name.strip()))}
    if len(parts) < len(names) or not parts or not _cross([*parts.values()]):
        return {}
    return {} if any(stated(name) != Settings() for name in names) else {n: f"{a} T={b}" for n, (a, b) in parts.items()}


def _cross(parts: Sequence[tuple[str, ...]]) -> bool:
    """Return whether several names each have the same numbers, which are then temperatures rather than versions."""
    names, numbers = (dict.fromkeys(one) for one in zip(*parts))
    crossed = len(set(parts)) == len(parts) == len(names) * len(numbers)
    return min(len(names), len(numbers)) > 1 and crossed and are_settings(numbers)


def state_settings(header: Sequence[str], places: Sequence[int]) -> bool:
    """Return whether the name of every column states a setting."""
    named = [header[k].strip() for k in places]
    return are_settings(named) or all(parse_name(name)[1] != Settings() for name in named)


def _series(columns: Sequence[str]) -> list[str]:
    """Return the names; names numbered from 0 or 1 lose their numbers, unless these count models or are seeds."""
    numbers: dict[str, list[int]] = {}
    for name in columns:
        match = _counted(name)
        called = {leaf(match[1]).strip("_"), *words(match[1])[-1:]} if match is not None else OF_RUNS
        if match is not None and not called & OF_RUNS and _same_but_decoder(name, match[1]):
            numbers.setdefault(match[1], []).append(int(match[2]))
    counted = {name for name, of in numbers.items() if len(of) > 1 and sorted(of) in (_upto(of, 0), _upto(of, 1))}
    return [match[1] if (match := _counted(name)) and match[1] in counted else name for name in columns]


def _same_but_decoder(name: str, other: str) -> bool:
    """Return whether two names state the same settings except the decoder; several beams may be captions of one run."""
    return replace(stated(name), decoder=None) == replace(stated(other), decoder=None)


def _counted(name: str) -> re.Match[str] | None:
    """Return the match of a name and a number at its end, or None; the name may end in a setting: `T0.2_1`."""
    sampled = _SAMPLED.fullmatch(name)
    return sampled if sampled and stated(sampled[1]) != Settings() else _COUNTED.fullmatch(name)


def _upto(numbers: Sequence[int], start: int) -> list[int]:
    return list(range(start, start + len(numbers)))


def is_tokenised(header: Sequence[str], place: int) -> bool:
    """Return whether a column's name shows that it repeats another column as tokens or in lower case:
    `caption/tokenized`.
    """
    name = norm(header[place])
    return (bare := _TOKENISED.sub("", name)) != name and bare in map(norm, header)


def named_caption(path: str) -> bool:
    """Return whether a word in the name of a field means captions, and no word means another kind of text."""
    found = set(words(path))
    return bool(found & {*NEUTRAL, *TRANSCRIPTS}) and not found & NO_CAPTION


def of_words(header: Sequence[str], sample: Rows, able: list[int]) -> list[int]:
    """Return the columns, without counts such as `sentences` if another column of captions has sentences."""
    if not any(named_caption(header[k]) and has_sentences(sample, k) for k in able):
        return able
    counts = [k for k in able if rank(header[k], NEUTRAL) is not None and are_numbers(sample, k)]
    return [k for k in able if k not in counts]


def columns_of_runs(header: Sequence[str], sample: Rows, free: list[int], beside: list[int]) -> list[int]:
    """Return the columns that each contain a run: they have names for captions or, beside references, sentences that
    fit the references.
    """
    able = [k for k in free if not no_caption(header[k]) and is_written(sample, k)]
    able = of_whole_items(header, sample, able, able)
    named = [k for k in able if named_caption(header[k])]
    if named and (beside or len(named) > 1):
        return named if runs_of(header, named) or len(named) == 1 else []
    fitting = [k for k in able if beside and fits(sample, k, beside)]
    numbered = {unnumbered(name) for k in fitting if unnumbered(name := leaf(header[k])) != name}
    found = [k for k in able if k in fitting or unnumbered(leaf(header[k])) in numbered]
    short = bool(beside) and n_words(sample, beside) < _ANSWER
    more = [k for k in free if short and k not in found and _answers(header, sample, k, beside)]
    return sorted([*found, *more]) if len([*found, *more]) > 1 else found


def _answers(header: Sequence[str], sample: Rows, place: int, beside: list[int]) -> bool:
    """Return whether a column with an unknown name has mostly distinct texts, some of them equal to references."""
    told = [
        [{text.casefold() for text in contents.said(row, places)} for places in ([place], beside)] for row in sample
    ]
    equal, distinct = sum(bool(own & known) for own, known in told), {text for own, _ in told for text in own}
    free = not (no_caption(header[place]) or is_known(header[place]) or whose(header[place]))
    return free and equal >= _SHARE * len(sample) and 2 * len(distinct) > len(sample)


def called_like(header: Sequence[str], sample: Rows, able: list[int], references: list[int]) -> list[int]:
    """Return the columns of texts whose names contain all words but those for people in the name of a column of
    references.

    Beside `gold_ending`, `gpt2_ending` is a run's, whereas `sentence1` is not.
    """
    meant = [found - OF_PEOPLE for k in references if (found := set(words(header[k]))) & OF_PEOPLE]
    meant = [{word for word in found if len(word) > 1} for found in meant]
    able = [k for k in able if k not in references and not no_caption(header[k]) and is_written(sample, k)]
    return [k for k in able if any(found and found < set(words(header[k])) for found in meant)]


def runs_beside(header: Sequence[str], sample: Rows, wide: list[int], neutral: list[int]) -> dict[int, str]:
    """Return the run in each column, of at least two, that fits a column of unknown authorship, which is then taken as
    people's.
    """
    fitting = [k for k in wide if fits(sample, k, neutral)]
    return runs_by_name(header, fitting) if len(fitting) > 1 and len(neutral) == 1 else {}


def generated_beside(header: Sequence[str], able: list[int], predicted: list[int]) -> dict[int, dict[int, str]]:
    """Return, for each column such as `response`, the runs in columns such as `generated_response` beside it.

    The texts of `response` are then by people. If the runs' columns are fields of an object, the fields name the runs.
    """
    found: dict[int, dict[int, str]] = {}
    for k in predicted:
        name = norm(header[k])
        outer = {f"{word}_{name}" for word in _WRITTEN_BY} | {f"{name}_{word}" for word in _WRITTEN_BY}
        parts = {j: header[j].partition(".") for j in able if j != k and "[" not in header[j]}
        runs = {j: inner or header[j] for j, (first, _, inner) in parts.items() if norm(first) in outer}
        if runs and "." not in header[k]:
            found[k] = runs
    return found


def by_writer(header: Sequence[str], sample: Rows, places: Sequence[int]) -> bool:
    """Return whether the names of references consist of one known name and their writers, as in `GT_Caption_GPT4O`, and
    their texts are about equally long.
    """
    parts = [norm(header[k]).split("_") for k in places]
    known = ["_".join(part[:-1]) for part in parts]
    kinds = {part[-1] for part in parts} & {*NEUTRAL, *NO_CAPTION}
    told = len({*known}) == 1 and rank(known[0], REFERENCES) is not None and not kinds
    lengths = [n_words(sample, [k]) for k in places]
    return told and max(lengths) < 2 * min(lengths)


def bare_beside(header: Sequence[str], able: list[int], predicted: list[int]) -> list[int]:
    """Return the columns named like a predicted column, but without its word for models: `summary` beside
    `generated_summary`.

    They contain people's texts.
    """
    named = {norm(header[k]) for k in predicted}
    added = {k: {f"{word}_{norm(header[k])}" for word in _WRITTEN_BY} for k in able if k not in predicted}
    return [k for k, names in added.items() if names & named]


def with_bare_name(header: Sequence[str], sample: Rows, able: list[int]) -> tuple[int, list[int]]:
    """Return a column of people's texts and the columns of runs whose names add words to its name: `docstring` beside
    `gpt_docstring`.

    The texts of at least one run must resemble people's. Without such columns, return -1 and [].
    """
    written = {k: {*words(header[k])} for k in able if is_written(sample, k) and not is_known(header[k])}
    for k, own in written.items():
        more = [j for j, said in written.items() if own and own < said and not no_caption(header[j])]
        if not no_caption(header[k]) and any(resembles(sample, j, [k]) for j in more):
            return k, more
    return -1, []


def transcripts(header: Sequence[str], sample: Rows, able: list[int], predicted: list[int]) -> list[int]:
    """Return the columns of transcripts by people that resemble a program's in the same rows and are about as long."""
    named = [k for k in able if k not in predicted and leaf(header[k]) in TRANSCRIPTS]
    length = n_words(sample, predicted)
    return [k for k in named if resembles(sample, k, predicted) and length / 2 < n_words(sample, [k]) < 2 * length]


def spoken(sample: Rows, neutral: list[int], predicted: list[int], references: list[int]) -> list[int]:
    """Return the columns of unknown authors, except prompts, whose text never changes.

    If there are no other captions, a prompt counts as a run that repeats one caption.
    """
    spoken = [k for k in neutral if not is_prompt(sample, k)]
    return spoken if spoken or predicted else [k for k in neutral if not references or are_sentences(sample, k)]


def runs_in_objects(header: Sequence[str], sample: Rows, able: list[int], references: list[int]) -> dict[int, str]:
    """Return the runs in objects with texts under one name, `blip.text` and `git.text`, that fit the references."""
    told = {k: header[k].rpartition(".") for k in able if k not in references and is_known(leaf(header[k]))}
    told = {k: of for k, of in told.items() if of[0] and "." not in of[0] and "[" not in of[0]}
    told = {k: of for k, of in told.items() if not no_caption(of[0]) and not whose(of[0])}
    told = {k: of for k, of in told.items() if of[0] not in _OBJECTS and not LANGUAGE.fullmatch(of[0])}
    alike = len({inner for _, _, inner in told.values()}) == 1 < len(told)
    fitting = alike and bool(references) and all(is_written(sample, k) and fits(sample, k, references) for k in told)
    return {k: outer for k, (outer, _, _) in told.items()} if fitting else {}


def further_runs(
    header: Sequence[str], sample: Rows, able: list[int], predicted: list[int], references: list[int]
) -> list[int]:
    """Return the columns of texts like the `predicted` ones, if only words such as `model` show that models wrote
    these.

    Beside `base_model`, for example, `finetuned` is a run, too.
    """
    said = [{*words(header[k])} for k in predicted]
    if not said or not all(of & OF_RUNS_ALONE and not of & (OF_MODELS - OF_RUNS_ALONE | {*NEUTRAL}) for of in said):
        return []
    beside = references or predicted
    able = [k for k in able if k not in predicted and k not in references]
    able = [k for k in able if not (no_caption(header[k]) or whose(header[k]) or is_known(header[k]))]
    named = variants(header, sample, able, beside)
    free = [k for k in able if k not in named and is_written(sample, k)]
    free = [k for k in free if not (same_writer(sample, k, beside) or is_source(sample, k, predicted))]
    length = n_words(sample, predicted)
    free = [k for k in free if length / 2 < n_words(sample, [k]) < 2 * length]
    found = [k for k in free if resembles(sample, k, beside) or (references and fits(sample, k, beside))]
    return sorted([*named, *found])  # the texts of a weak model may be short


def variants(
    header: Sequence[str], sample: Rows, able: list[int], beside: list[int], known: Set[str] = OF_VARIANTS
) -> list[int]:
    """Return the columns with one of the `known` words in their names whose texts differ from row to row and fit those
    beside them. They may be short, as a baseline's are.
    """
    named = [k for k in able if known & {*words(header[k])} and not (no_caption(header[k]) or is_known(header[k]))]
    return [k for k in named if _differ(sample, k) and fits(sample, k, beside)]


def with_baselines(
    header: Sequence[str],
    sample: Rows,
    free: list[int],
    references: list[int],
    named: dict[int, str],
    predicted: list[int],
) -> dict[int, str]:
    """Return the runs of predicted columns, `named` so far, and of baselines among `free`; {} if there are no
    baselines.
    """
    more = variants(header, sample, free, references, BASELINES) if predicted and references else []
    runs = runs_by_name(header, sorted([*predicted, *more])) if more else {}
    return runs if not more or named.items() <= runs.items() else named | {k: header[k].strip() for k in more}


def _differ(sample: Rows, place: int) -> bool:
    """Return whether most rows of a column have a text, and most of these texts differ."""
    found = values(sample, place)
    return 2 * len(found) > len(sample) and 2 * len({*map(str, found)}) > len(found)
