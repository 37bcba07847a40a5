"""Columns of texts that each hold a run under any name, found by their contents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from data.fields.names import (
    NEUTRAL,
    NO_CAPTION,
    OF_MODELS,
    OF_PEOPLE,
    OF_RUNS_ALONE,
    TRANSCRIPTS,
    is_known,
    leaf,
    unnumbered,
    whose,
    words,
)
from data.formats.columns.column_runs import LANGUAGE, runs_by_name, runs_of
from data.formats.columns.contents import fits, is_source, is_written, n_words, of_whole_items, resembles, same_writer

Rows = Sequence[Sequence[Any]]
_OBJECTS = frozenset(["doc", "image", "video", "audio", "metadata", "message", "extra", "raw"])
"""Names of objects that hold other texts than those of a run."""


def named_caption(path: str) -> bool:
    """Return whether a word in the name of a field means captions, and no word means another kind of text."""
    found = set(words(path))
    return bool(found & {*NEUTRAL, *TRANSCRIPTS}) and not found & NO_CAPTION


def columns_of_runs(header: Sequence[str], sample: Rows, free: list[int], beside: list[int]) -> list[int]:
    """Return the columns that each hold a run: those with a name for captions or, beside references, sentences that fit
    them.
    """
    able = [k for k in free if not set(words(header[k])) & NO_CAPTION and is_written(sample, k)]
    able = of_whole_items(header, sample, able, able)
    named = [k for k in able if named_caption(header[k])]
    if named and (beside or len(named) > 1):
        return named if runs_of(header, named) or len(named) == 1 else []
    fitting = [k for k in able if beside and fits(sample, k, beside)]
    numbered = {unnumbered(name) for k in fitting if unnumbered(name := leaf(header[k])) != name}
    return [k for k in able if k in fitting or unnumbered(leaf(header[k])) in numbered]


def called_like(header: Sequence[str], sample: Rows, able: list[int], references: list[int]) -> list[int]:
    """Return the columns of texts with the words in the name of the references, except for the word that means people.

    Beside `gold_ending`, `gpt2_ending` is a run's, whereas `sentence1` is not.
    """
    meant = [found - OF_PEOPLE for k in references if (found := set(words(header[k]))) & OF_PEOPLE]
    meant = [{word for word in found if len(word) > 1} for found in meant]
    able = [k for k in able if k not in references and not set(words(header[k])) & NO_CAPTION and is_written(sample, k)]
    return [k for k in able if any(found and found < set(words(header[k])) for found in meant)]


def runs_beside(header: Sequence[str], sample: Rows, wide: list[int], neutral: list[int]) -> dict[int, str]:
    """Return the runs, if at least two, in columns that fit a column of unknown authorship, which is then taken as
    people's.
    """
    fitting = [k for k in wide if fits(sample, k, neutral)]
    return runs_by_name(header, fitting) if len(fitting) > 1 and len(neutral) == 1 else {}


def runs_in_objects(header: Sequence[str], sample: Rows, able: list[int], references: list[int]) -> dict[int, str]:
    """Return the runs in objects with texts under one name, `blip.text` and `git.text`, that fit the references."""
    told = {k: header[k].rpartition(".") for k in able if k not in references and is_known(leaf(header[k]))}
    told = {k: of for k, of in told.items() if of[0] and "." not in of[0] and "[" not in of[0]}
    told = {k: of for k, of in told.items() if not set(words(of[0])) & NO_CAPTION and not whose(of[0])}
    told = {k: of for k, of in told.items() if of[0] not in _OBJECTS and not LANGUAGE.fullmatch(of[0])}
    alike = len({inner for _, _, inner in told.values()}) == 1 < len(told)
    fitting = alike and bool(references) and all(is_written(sample, k) and fits(sample, k, references) for k in told)
    return {k: outer for k, (outer, _, _) in told.items()} if fitting else {}


def further_runs(
    header: Sequence[str], sample: Rows, able: list[int], predicted: list[int], references: list[int]
) -> list[int]:
    """Return the columns of texts like those `predicted`, if the names of these only say that they are models: beside
    `base_model`, `finetuned` is a run, too.
    """
    said = [{*words(header[k])} for k in predicted]
    if not said or not all(of & OF_RUNS_ALONE and not of & (OF_MODELS - OF_RUNS_ALONE | {*NEUTRAL}) for of in said):
        return []
    beside = references or predicted
    free = [k for k in able if k not in predicted and k not in references and is_written(sample, k)]
    free = [k for k in free if not (set(words(header[k])) & NO_CAPTION or whose(header[k]) or is_known(header[k]))]
    free = [k for k in free if not (same_writer(sample, k, beside) or is_source(sample, k, predicted))]
    length = n_words(sample, predicted)
    free = [k for k in free if length / 2 < n_words(sample, [k]) < 2 * length]
    return [k for k in free if resembles(sample, k, beside) or (references and fits(sample, k, beside))]
