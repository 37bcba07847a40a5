"""Find files of a known format whose fields its loader does not read; they are then read as records of any shape."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from data.fields import names
from data.files import printed_lists
from data.findings import PEEK
from data.formats.columns import caption_columns, clips, contents, role_doubts
from data.formats.known import coco, idmap, trilens, vdtk
from data.formats.nesting import listed_runs, nested_records, run_keys, value_kinds
from data.formats.numbers import caption_sheet, nested_ratings

_READ = {
    "coco_results": (coco.IDS, coco.TEXTS),
    "trilens": (trilens.IDS, (*trilens.REFERENCES, *trilens.CANDIDATES, *trilens.BY_MODEL)),
    "vdtk": (vdtk.IDS, ("references", "candidates")),
}
"""The id and caption fields that the loaders of records read."""
_OF_TRILENS = ("human", "coherence", "metadata")
"""Fields with ratings or facts that the loader of Trilens's own format reads."""
_OF_CAPTIONS = frozenset(trilens.OTHERS) - {"image", "metadata"}
"""Fields about single captions or groups of items that only the loader of Trilens's own format reads."""


def misses_fields(value: Any, key: str) -> bool:
    """Return whether records list runs, or contain captions or ids that the loader of the format `key`
    does not read.
    """
    lists = [value] if isinstance(value, list) else [one for one in value.values() if isinstance(one, list)]
    if any(map(listed_runs.is_due, lists)):
        return True
    if key == "id_captions":
        return run_keys.has_runs(value) or idmap.holds_records(value)
    if key == "scores" and isinstance(value, list):
        inside = {
            path for row in value[:20] for path, one in nested_records.flat(row).items() if value_kinds.is_text(one)
        }
        within = {path for path in inside if "." in path and names.rank(path, names.PREDICTED) is not None}
        return bool(within) or any(map(caption_columns.is_answer, inside))
    if key == "ratings" and isinstance(value, list):
        return caption_sheet.are_rated_captions(value[:PEEK])
    return key in _READ and _say_more(value, key)


def _say_more(value: Any, key: str) -> bool:
    """Return whether records of a known format have captions, runs or numbers in fields that its loader does not
    read.
    """
    ids, captions = _READ[key]
    inner = "items" if key == "trilens" else "predictions"
    rows = value if isinstance(value, list) else value.get(inner) if isinstance(value.get(inner), list) else [value]
    beside = {name: one for name, one in value.items() if name != inner} if isinstance(value, dict) else {}
    beside = {} if rows == [value] else beside
    every = [] if beside or rows == [value] else rows
    rows = [row for row in rows[:20] if isinstance(row, dict)]
    objects = [one for row in rows for name in captions if isinstance(one := row.get(name), dict)]
    known = coco.RUNS if key == "coco_results" else ()
    states_runs = any(set(nested_records.of_run(row)) - set(known) for row in [beside, *rows])
    if states_runs and not (objects and key == "trilens"):
        return True
    if any(isinstance(row.get(name), dict | list) for row in rows for name in ids) or _repeat(every, key):
        return True
    plain = [{name: one for name, one in row.items() if name not in _OF_TRILENS} for row in rows]
    if not objects and (nested_ratings.is_due(plain) or caption_sheet.are_rated(plain)):
        return True
    if any(map(clips.named, rows)) or role_doubts.may_be(rows, captions):
        return True  # videos may have several clips, and other fields may contain the captions
    if key == "trilens" and not objects and any(map(_has_scores, rows)):
        return True
    if key == "coco_results" and _are_more_than_results(value, rows):
        return True
    if not rows or (key == "trilens" and not all(map(printed_lists.has_caption, objects))):
        return False
    if not any(isinstance(row.get(name), str | int | float) for row in rows for name in ids):
        return True
    if not any(names.rank(name, [*names.PREDICTED, *names.NEUTRAL]) is not None for row in rows for name in row):
        answers = any(caption_columns.is_answer(path) for row in rows for path in nested_records.flat(row))
        return answers or (key == "trilens" and _has_other_texts(rows))
    told = {name for row in rows for name, one in row.items() if _holds_captions(one) and name not in captions}
    predicted = any(name in captions and names.rank(name, names.PREDICTED) is not None for row in rows for name in row)
    others = [names.PREDICTED, names.REFERENCES, *([names.NEUTRAL] if predicted else [])]
    return any(names.whose(name) == "people" or names.rank(name, of) is not None for name in told for of in others)


def _are_more_than_results(value: Any, rows: Sequence[dict[str, Any]]) -> bool:
    """Return whether results in COCO's form have scores, marks, numbered runs or two ids beside their captions."""
    named = [(name, one) for row in rows for name, one in row.items()]
    if any(
        caption_sheet.is_metric(name)
        or names.norm(name) in names.STATE_PEOPLE
        or (name in printed_lists.MARKS and isinstance(one, list))
        for name, one in named
    ):
        return True
    if isinstance(value, list) and coco.count_all_runs(value):
        return True
    # Which of two ids is meant depends on the other files.
    return any(row.keys() & {"id", "image_id"} and row.keys() & set(names.IMAGES) for row in rows)


def _has_scores(row: dict[str, Any]) -> bool:
    """Return whether an object within a record contains numbers that are named as scores."""
    inside = {path: one for path, one in nested_records.flat(row).items() if "." in path and type(one) in (int, float)}
    return any(caption_sheet.is_metric(path) or caption_sheet.tells_score(path) for path in inside)


def _has_other_texts(rows: list[dict[str, Any]]) -> bool:
    """Return whether a field with an unknown name has sentences that may be a run's, as in the input of SPICE."""
    header = [name for name, one in rows[0].items() if isinstance(one, str) and names.whose(name) != "people"]
    header = [name for name in header if not names.no_caption(name)]
    sample = [[row.get(name) for name in header] for row in rows]
    return any(contents.is_written(sample, k) for k in range(len(header)))


def _holds_captions(value: Any) -> bool:
    return value_kinds.is_text(value) or (value_kinds.are_objects(value) and all(map(printed_lists.has_caption, value)))


def _repeat(every: Sequence[Any], key: str) -> bool:
    """Return whether several records share an id and the loader would not read all of their texts.

    They have texts in fields that the loader does not read, or most ids recur with other texts: such records are single
    samples or references, of which the loader would keep only the first.
    """
    ids, captions = _READ[key]
    names_of = {*ids, *captions, "dataset", "image"}
    rows = [row for row in every if isinstance(row, dict)]
    known = [str(next((row[name] for name in ids if name in row), "")) for row in rows]
    counts = Counter(known)
    if len(counts) == len(known):
        return False
    if any(isinstance(one, str) and one and name not in names_of for row in rows[:20] for name, one in row.items()):
        return True
    by_run = any(isinstance(row.get(name), dict) for row in rows for name in captions)
    if key == "coco_results" or by_run or any(row.keys() & _OF_CAPTIONS for row in rows):
        return False
    texts = {(id, str([row.get(name) for name in captions])) for id, row in zip(known, rows)}
    return len(texts) > len(counts) and 2 * sum(n > 1 for n in counts.values()) > len(counts)
