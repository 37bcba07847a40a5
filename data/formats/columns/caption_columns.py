"""Find the fields that contain captions, and whose captions they are, by known names, words in names, and contents."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from data.fields import names, places
from data.fields.criteria import ASKED
from data.fields.names import (
    NEUTRAL,
    OF_REQUESTS,
    OF_RUNS,
    PREDICTED,
    REFERENCES,
    TURN,
    WORDS_OF_CLASSES,
    leaf,
    no_caption,
    rank,
    whose,
    words,
)
from data.files import printed_lists
from data.formats.columns import contents, run_columns
from data.formats.columns.contents import (
    are_sentences,
    are_within,
    fits,
    has_sentences,
    holds_texts,
    is_part,
    is_prompt,
    is_written,
    n_words,
    of_whole_items,
    resembles,
    said,
    values,
    whole,
)
from data.formats.columns.run_columns import (
    is_tokenised,
    named_caption,
    of_words,
    runs_by_name,
    runs_of,
    state_settings,
    without_languages,
)
from data.matching.near_names import misspelt
from data.records import Source

Rows = Sequence[Sequence[Any]]


@dataclass
class Texts:
    """The columns of captions; `runs` maps columns to the runs that wrote them, and `repeated` columns repeat captions.

    With `neutral`, nothing shows who wrote the captions; `guessed` is True if the contents of cells decided.
    """

    predicted: list[int] = field(default_factory=list)
    references: list[int] = field(default_factory=list)
    repeated: list[int] = field(default_factory=list)
    runs: dict[int, str] = field(default_factory=dict)
    neutral: bool = False
    guessed: bool = False


NOTHING = Texts()
_INCORRECT = re.compile(r"(?:incorrect|wrong)[\W_]*", re.IGNORECASE)
_ID_OF_SIDE = re.compile(r"[a-z]+_?(?:\d|[ab])_id")
"""The id of one of two answers that a judge compares, `answer1_id`."""


def find(
    header: Sequence[str],
    sample: Rows,
    taken: set[int],
    source: Source,
    one_run: bool,
    given: Texts = NOTHING,
    once: bool = False,
) -> Texts:
    """Return the columns that contain captions; with `one_run` none of them is a separate run.

    Candidates or references may be `given`; the other side is guessed. With `once`, every row is a different item.
    """
    header, stated = without_languages(_of_model(header)), {*given.predicted, *given.references}
    tokenised = {k for k in range(len(header)) if is_tokenised(header, k)}
    closed = taken | stated | tokenised | _of_no_author_beside(header, stated)
    able = of_words(header, sample, [k for k in sorted({*range(len(header))} - closed) if holds_texts(sample, k)])
    found = _sides(header, sample, able, one_run, given)
    predicted, references = _with_choices(header, sample, found.predicted, able), found.references
    neutral = _neutral_of(header, sample, able, {*predicted, *references}, bool(predicted))
    neutral = run_columns.spoken(sample, neutral, predicted, references)
    alike = [] if predicted or one_run else run_columns.called_like(header, sample, able, references)
    if references and not predicted:
        neutral = _fitting(header, sample, [k for k in neutral if not alike or k in alike], able, references)
    if not predicted and (not neutral if one_run else not (neutral and references)):
        free = [k for k in able if k not in references and k not in neutral]
        wide = alike or run_columns.columns_of_runs(header, sample, free, references or neutral)
        # Where a column names the run, several such columns are not all captions, unless they differ in a number.
        numbered = len({names.unnumbered(leaf(header[k])) for k in wide}) == 1
        wide = wide if not one_run or (references and numbered) else []
        if wide and (references or not neutral):
            found.runs = {} if one_run else runs_by_name(header, wide) or run_columns.of_a_name(header, wide, source)
            predicted, found.guessed = wide, True
        elif fitting := run_columns.runs_beside(header, sample, wide, neutral):
            found.runs, predicted, references, neutral = fitting, [*fitting], neutral, []
            found.guessed = True
            source.log.add("taken_as_references", source.name, n=len(references))
    if not (predicted or neutral):
        called = [k for k in able if k not in references and named_caption(header[k]) and are_sentences(sample, k)]
        neutral = of_whole_items(header, sample, called, able)
    if not (predicted or references or neutral):
        predicted, references, found.runs, neutral = _of_no_name(header, sample, able, source, one_run)
        found.guessed = True
    if predicted and not (references or neutral):
        references = run_columns.transcripts(header, sample, able, predicted)
        found.guessed |= bool(references)
    # A column of runs is better evidence than the name of a file; so are captions beside those of a model.
    sure = source.reading.role is None and (one_run or neutral)
    if predicted and not (references or sure) and source.role("predictions") == "references":
        predicted, references, found.runs = [], predicted, {}
    free = [k for k in able if k not in references]
    found.runs |= {} if one_run or found.runs else run_columns.with_settings(header, predicted)
    found.predicted = sorted(found.runs) or _filled_up(header, sample, _group(header, predicted, sample), free, once)
    found.references = whole(sample, _group(header, references, sample, most=True), able, found.predicted)
    read = [*found.predicted, *found.references]
    found.repeated = [k for k in (*predicted, *references) if k not in read and are_within(sample, [k], read)]
    found.repeated += sorted(tokenised - taken - stated)
    if neutral := [k for k in neutral if k not in found.predicted]:
        _neutral(found, _group(header, neutral, sample), source, sample, header, one_run)
    return found


def _of_model(header: Sequence[str]) -> Sequence[str]:
    """Return the names, without `incorrect` if another column is `corrected`: what people corrected is a model's."""
    corrected = any("corrected" in words(name) for name in header)
    return [_INCORRECT.sub("", name) for name in header] if corrected else header


def _of_no_name(
    header: Sequence[str], sample: Rows, able: list[int], source: Source, one_run: bool
) -> tuple[list[int], list[int], dict[int, str], list[int]]:
    """Return candidates, references, runs, and captions of unknown authorship, if no column has a name for captions."""
    if sum(_ID_OF_SIDE.fullmatch(names.norm(name)) is not None for name in header) > 1:
        return [], [], {}, []  # the texts beside the ids of two answers are about these answers
    if (bare := run_columns.with_bare_name(header, sample, able))[1]:
        return bare[1], [bare[0]], {} if one_run else runs_by_name(header, bare[1]), []
    free = [k for k in able if not no_caption(header[k]) and not names.is_known(header[k])]
    written = [k for k in free if is_written(sample, k) and has_sentences(sample, k)]
    if not one_run and state_settings(header, written):  # beside them, a text that never changes is the prompt
        free = [k for k in free if k in written or not is_prompt(sample, k)]
    numbered = len(written) > 1 == len({names.unnumbered(leaf(header[k])) for k in written})
    if numbered and source.role("predictions") == "references":  # `c1`, `c2` in a file named after people
        return [], written, {}, []
    if len(written) == 1 and any(not values(sample, k) for k in free):  # an empty column of translations, perhaps
        return [], [], {}, []
    variants = all(set(words(header[k])) & names.OF_VARIANTS for k in written) and not one_run
    if variants and len(written) > 1 and all(resembles(sample, k, written[:1]) for k in written[1:]):
        return written, [], runs_by_name(header, written), []
    count = sum(are_sentences(sample, k) for k in free)
    each = not one_run and (source.reading.beside_references and not _are_misspelt(header, written))
    each |= not one_run and state_settings(header, written)
    told = each or all(names.tells_captions(header[k]) for k in written)
    if 1 < len(written) == count and told and not (one_run and runs_by_name(header, written)):
        return written, [], runs_by_name(header, written), []
    return [], [], {}, written if len(written) == count == 1 else []


def _of_no_author_beside(header: Sequence[str], stated: set[int]) -> set[int]:
    """Return the columns of unknown authors in a stated column's list, or with its last name part (`en.caption`)."""
    alike, lists = ({part(header[k]) for k in stated} for part in (leaf, places.list_of))
    beside = {k for k, name in enumerate(header) if places.list_of(name) in lists - {""} and whose(name) != "model"}
    return beside | {k for k, name in enumerate(header) if leaf(name) in alike and not whose(name)}


def _filled_up(header: Sequence[str], sample: Rows, chosen: list[int], free: list[int], once: bool) -> list[int]:
    """Return the chosen columns, and columns with texts in exactly those rows in which the chosen ones have none.

    A column without a name for predictions may contain texts by people, unless every row is a different item (`once`).
    """
    known = [*PREDICTED, *(NEUTRAL if once else [])]
    for k in (k for k in free if rank(header[k], known) is not None):
        filled = [(bool(values([row], k)), any(values([row], one) for one in chosen)) for row in sample]
        if chosen and k not in chosen and any(own for own, _ in filled) and all(a != b for a, b in filled):
            chosen = sorted([*chosen, k])
    return chosen


def _sides(header: Sequence[str], sample: Rows, able: list[int], one_run: bool, given: Texts) -> Texts:
    """Return the columns whose names show whether their captions are by models or by people."""
    predicted, references = _by_name(header, sample, able)
    predicted, references = given.predicted or predicted, given.references or references
    found = Texts(guessed=not (predicted or references))
    if not predicted:
        asked = [k for k in names.asked(header) if k in able]
        predicted = asked or [k for k in able if k not in references and _says(header, sample, k, "model")]
        found.runs = {} if one_run else runs_of(header, predicted)
    elif not one_run and len(counted := [k for k in predicted if names.base(leaf(header[k])) in OF_RUNS]) > 1:
        predicted, found.runs = counted, runs_of(header, counted)
    elif not references and (gold := run_columns.generated_beside(header, able, predicted)):
        references, of_models, found.guessed = [*gold], next(iter(gold.values())), True
        predicted, found.runs = [*of_models], {} if one_run else of_models
    elif not one_run and (more := _further(header, sample, able, predicted, references)):
        predicted = [*predicted, *more]
        found.runs = runs_of(header, predicted)
    if not references and not given.predicted and (real := _actual(header, sample, able, predicted)):
        predicted = [k for k in predicted if k not in real]
        found.runs = {} if one_run else runs_of(header, predicted)
        references, found.guessed = real, True
    references = references or ([] if given.predicted else run_columns.bare_beside(header, able, predicted))
    if not references:
        people = [k for k in able if k not in predicted and _says(header, sample, k, "people")]
        references = [] if contents.are_votes(sample, people) else people
        found.guessed |= bool(references)
    if any(said(row, [k]) for row in sample for k in able):
        references = [k for k in references if any(said(row, [k]) for row in sample)]
    found.predicted = predicted
    classes = not contents.asks_several(header, sample)
    references = [k for k in references if not (classes and _is_class(header, sample, k, able, given.predicted))]
    written = any("[]" not in header[k] and is_written(sample, k) for k in references)
    found.references = [k for k in references if not (written and "[]" in header[k])]
    free = [] if one_run or given.predicted else able
    among = [k for k in free if k in predicted or not predicted]
    each = run_columns.runs_in_objects(header, sample, among, found.references)
    if each and (not predicted or len(each) == len(predicted)):
        found.predicted, found.runs, found.guessed = [*each], each, True
    elif more := run_columns.further_runs(header, sample, free, predicted, found.references):
        found.predicted, found.guessed = sorted([*predicted, *more]), True
        found.runs = runs_by_name(header, found.predicted)
    return found


def _further(
    header: Sequence[str], sample: Rows, able: list[int], predicted: list[int], references: list[int]
) -> list[int]:
    """Return further columns whose names say that they contain a model's texts, such as `baseline_response`; leave out
    columns that only repeat the `predicted` ones.
    """
    named = [k for k in able if named_caption(header[k]) or "baseline" in words(header[k])]
    more = [k for k in named if k not in {*predicted, *references} and "." not in header[k]]
    more = [k for k in more if _says(header, sample, k, "model")]
    more = [k for k in more if not any(is_part(sample, one, k) for one in predicted)]
    return [] if are_within(sample, more, predicted) else more


def _actual(header: Sequence[str], sample: Rows, able: list[int], predicted: list[int]) -> list[int]:
    """Return the columns called `actual` beside a model's, such as `Actual Nepali` beside `Predicted Nepali`."""
    of_model = {k: set(words(header[k])) & names.OF_MODELS for k in able}
    real = [k for k in able if of_model[k] == {"actual"} and are_sentences(sample, k)]
    other = any(k not in real and (k in predicted or whose(header[k]) == "model") for k in able)
    return [k for k in real if other and whose(header[k]) == "model"]


def _is_class(header: Sequence[str], sample: Rows, place: int, able: list[int], given: list[int]) -> bool:
    """Return whether a column contains one-word classes, by its name or because longer captions do not contain its
    words.
    """
    captions = given or [k for k in able if k != place and rank(header[k], [*PREDICTED, *NEUTRAL]) is not None]
    length, named = n_words(sample, captions), leaf(header[place]) in WORDS_OF_CLASSES
    short = captions and (length < 2 or (length >= 3 and resembles(sample, place, captions)))
    return n_words(sample, [place]) < (0 if short else 2 if named else 1.5 if length >= 3 else 0)


def _by_name(header: Sequence[str], sample: Rows, able: list[int]) -> tuple[list[int], list[int]]:
    """Return candidates and references by name; a model's turns are references if other columns have candidates."""
    # A top-level field takes precedence over one in the details of a metric.
    predicted = sorted((k for k in ranked(header, PREDICTED) if k in able), key=lambda k: "." in header[k])
    answers = [k for k in able if k not in predicted and is_answer(header[k]) and (not sample or values(sample, k))]
    within = [k for k in predicted if _is_within(header[k], REFERENCES)]
    predicted = [k for k in predicted if k not in within] if len(within) < len(predicted) else predicted
    references = [k for k in ranked(header, REFERENCES) if k in able and k not in {*predicted, *answers}]
    references = [k for k in references if leaf(header[k].rpartition(".")[0]) not in OF_REQUESTS]
    references += [k for k in within if k not in {*predicted, *references}]
    own = [k for k in predicted if are_sentences(sample, k)] or [
        k for k in able if k not in answers and named_caption(header[k]) and _says(header, sample, k, "model")
    ]
    told = [k for k in answers if own and not references and not are_within(sample, [own[0]], [k])]
    return [*predicted, *(k for k in answers if k not in told)], [*references, *told]


def _is_within(path: str, known: list[str]) -> bool:
    outer = path.rpartition(".")[0]
    return bool(outer) and rank(outer, known) is not None


def _with_choices(header: Sequence[str], sample: Rows, predicted: list[int], able: list[int]) -> list[int]:
    """Return the predicted columns, with the list of all choices in place of a `completion` that is the first of them.

    Inspect logs an answer in both; with a single choice they are the same.
    """
    lists = {header[k].removesuffix("choices[].message.content"): k for k in able if is_answer(header[k])}
    of = {k: lists.get(header[k].removesuffix("completion"), k) for k in predicted}
    more = {k for k, place in of.items() if any(said(row, [k]) < said(row, [place]) for row in sample)}
    return list(dict.fromkeys(of[k] if k in more and are_within(sample, [k], [of[k]]) else k for k in predicted))


def _neutral_of(header: Sequence[str], sample: Rows, able: list[int], taken: set[int], beside: bool) -> list[int]:
    """Return the columns of captions with known names that show no author, except `taken` ones.

    Columns of parts of items are left out if other columns describe whole items, as are comments in records of answers
    or ratings. If there are candidates (`beside`), columns without any text are left out, too.
    """
    found = [k for k in ranked(header, names.neutral(header)) if k in able and not places.is_given(header[k])]
    found = [k for k in found if not beside or not sample or values(sample, k)]
    judged = any({*words(name)} & names.OF_JUDGES or names.norm(name) in ASKED for name in header)
    asked = judged or any(map(names.ON_SCALE.search, header)) or bool(names.asked(header))
    found = of_whole_items(header, sample, found, able)
    rare = {k for k in found if 2 * sum(bool(said(row, [k])) for row in sample) < len(sample)}
    comments = {k for k in found if (asked or k in rare) and leaf(header[k]).removesuffix("s") == "comment"}
    return [k for k in found if k not in taken | comments]


def _says(header: Sequence[str], sample: Rows, place: int, who: str) -> bool:
    return whose(header[place]) == who and bool(sample) and are_sentences(sample, place)


def _fitting(
    header: Sequence[str], sample: Rows, neutral: list[int], able: list[int], references: list[int]
) -> list[int]:
    """Return the columns that may contain captions, without those that only comment on references.

    A column contains comments if each of its texts is in the same object as a reference, or if its texts do not fit the
    references while the texts of other columns do.
    """
    objects = {header[k].rpartition(".")[0] for k in references}
    kept = [k for k in neutral if not (within := header[k].rpartition(".")[0]).endswith("[]") or within not in objects]
    free = [k for k in able if k not in neutral and k not in references]
    if any(is_written(sample, k) and fits(sample, k, references) for k in kept):
        return kept
    return [] if run_columns.columns_of_runs(header, sample, free, references) else kept


def _are_misspelt(header: Sequence[str], places: list[int]) -> bool:
    known = [name for name in (*PREDICTED, *NEUTRAL, *REFERENCES) if not name.startswith("sample")]
    named = (names.base(names.norm(header[k])) for k in places)
    return bool(misspelt((one for one in named if one not in OF_RUNS), known))


def _neutral(
    found: Texts, neutral: list[int], source: Source, sample: Rows, header: Sequence[str], one_run: bool
) -> None:
    """Assign the columns of captions whose names show no author.

    Numbered columns are by people (Clotho), as are captions of which some are withdrawn; beside predictions they are
    references if there are no others. Beside references and the name of a run, they belong to that run, even in a file
    named after people, such as `human_scores`.
    """
    if found.references and are_within(sample, neutral, found.references):
        found.repeated += neutral
        return
    if len(found.predicted) == len(neutral) == 1 and is_part(sample, neutral[0], found.predicted[0]):
        found.repeated, found.predicted = [*found.repeated, *found.predicted], neutral
        return
    several = len(neutral) > 1 and not one_run and not found.references and not places.rates_each(header)
    human = several or printed_lists.marked(map(names.norm, header))
    named = one_run and source.reading.role is None  # a column of runs is better evidence than the name of a file
    usual = "predictions" if named else source.role("references" if human else "predictions")
    if found.predicted or (usual == "references" and not found.references):
        # Other files may show that a model wrote the captions in numbered columns.
        found.neutral = not (found.predicted or found.references or printed_lists.marked(map(names.norm, header)))
        found.neutral &= source.role("predictions") != "references"
        found.references = found.references or neutral
    elif usual != "references":
        found.predicted, found.neutral = neutral, not found.references


def is_answer(path: str) -> bool:
    """Return whether a path leads to a model's turn in a conversation."""
    return TURN in path or path.endswith(("message.content", "content.parts"))


def ranked(header: Sequence[str], known: list[str]) -> list[int]:
    """Return the columns with a known name, surest first and, for the same name, least nested first."""
    found = [(place, k) for k, column in enumerate(header) if (place := rank(column, known)) is not None]
    return [k for _, k in sorted(found, key=lambda one: (one[0], header[one[1]].count("."), one[1]))]


def _group(header: Sequence[str], places: list[int], sample: Rows, most: bool = False) -> list[int]:
    """Return the numbered columns with the surest name. With `most` and several names, return all if they are by
    several writers, or else those of the name with the most distinct texts.
    """
    groups: dict[tuple[str, str], list[int]] = {}
    for k in places:
        groups.setdefault((header[k].rpartition(".")[0], names.unnumbered(leaf(header[k]))), []).append(k)
    made = [sorted(group) for group in groups.values()]
    if not most or len(made) < 2:
        return made[0] if made else []
    if run_columns.by_writer(header, sample, places):
        return sorted(places)
    return max(made, key=lambda group: sum(len(said(row, group)) for row in sample))
