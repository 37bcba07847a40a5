"""Ratings of captions by coherence label: what an image and a caption have to do with each other (Inan et al. 2021)."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import NamedTuple

from data.coherence import LABELS, label_written_for
from data.study import DataError

GOOD = 0.75
"""Least rating of a caption that can be the reference of another one."""
_COLUMNS = ("caption", "url", "source", "cbBrokenImg")


@dataclass(frozen=True)
class Rated:
    """A caption of an image, written for a label, with its mean rating 0..1; a reference with its label, if known."""

    image: str
    caption: str
    label: str
    rating: float
    reference: str = ""
    reference_label: str = ""


class Ratings(NamedTuple):
    """Rated captions, and what was left out: a count for each reason."""

    rated: tuple[Rated, ...]
    left_out: Mapping[str, int]


def read(name: str, data: bytes) -> Ratings:
    """Return the ratings in a table of RaCCoon: a row a caption and rater, with tick boxes for each label.

    A caption is rated by the label that it was written for (`source`): Visible and Story from 1 to 5, as 0..1; Meta and
    Subjective as good, 1, or bad, 0; 0 where the rater did not see that label in it. The rating of a caption is the
    mean over its raters. Raises DataError with file, record and remedy.
    """
    try:
        rows = list(
            csv.reader(io.StringIO(data.decode("utf-8-sig"), newline=""), delimiter="\t", quoting=csv.QUOTE_NONE)
        )
    except (UnicodeDecodeError, csv.Error) as why:
        raise DataError(f"{name}: not a table of UTF-8 text with tabs between columns ({why}).") from None
    header = [cell.strip() for cell in rows[0]] if rows else []
    wanted = [*_COLUMNS, *(column for label in LABELS for column, _ in _boxes(label))]
    if absent := [column for column in wanted if column not in header]:
        raise DataError(
            f"{name}: line 1 has no column {absent[0]!r}. Give a table with RaCCoon's columns: {', '.join(wanted)}."
        )
    left_out: dict[str, int] = {}
    found: dict[tuple[str, str, str], list[float]] = {}
    for number, row in enumerate(rows[1:], 2):
        if len(row) != len(header):
            raise DataError(f"{name}: line {number} has {len(row)} cells, the header {len(header)}: complete the line.")
        one = _row(dict(zip(header, (cell.strip() for cell in row))))
        if isinstance(one, str):
            left_out[one] = left_out.get(one, 0) + 1
        else:
            found.setdefault(one[0], []).append(one[1])
    return Ratings(tuple(Rated(*key, sum(said) / len(said)) for key, said in found.items()), left_out)


def _boxes(label: str) -> list[tuple[str, float]]:
    """The tick boxes of a label with the rating that each means."""
    if label in ("Meta", "Subjective"):
        return [(f"cb{label}Good", 1.0), (f"cb{label}Bad", 0.0)]
    return [(f"cb{label}{k}", (k - 1) / 4) for k in range(1, 6)]


def _row(cells: Mapping[str, str]) -> tuple[tuple[str, str, str], float] | str:
    """The image, caption and label of a row with its rating, or why the row is left out."""
    label = label_written_for(cells["source"])
    if label is None:
        return "written for no label that is rated"
    if cells["cbBrokenImg"] == "1":
        return "image could not be seen"
    if not cells["caption"] or not cells["url"]:
        return "no caption or no image"
    ticked = [rating for column, rating in _boxes(label) if cells[column] == "1"]
    if len(ticked) > 1:
        return "several boxes of its label are ticked"
    return (cells["url"], cells["caption"], label), ticked[0] if ticked else 0.0


def with_references(ratings: Ratings) -> Ratings:
    """Give each caption without a reference another caption of its image: the best one that is rated GOOD or more.

    Of equals the first by a digest of the text, so that the order of the file does not matter. Captions of an image
    without such another caption are left out.
    """
    good: dict[str, list[Rated]] = {}
    for one in ratings.rated:
        if one.rating >= GOOD:
            good.setdefault(one.image, []).append(one)
    for of_image in good.values():
        of_image.sort(key=lambda one: (-one.rating, hashlib.sha256(one.caption.encode()).digest(), one.label))
    given = [one if one.reference else _beside(one, good.get(one.image, ())) for one in ratings.rated]
    kept = tuple(one for one in given if one.reference)
    without = {"no other caption of the image is rated good": len(given) - len(kept)} if len(given) > len(kept) else {}
    return Ratings(kept, {**ratings.left_out, **without})


def _beside(one: Rated, good: Iterable[Rated]) -> Rated:
    other = next((other for other in good if other.caption.casefold() != one.caption.casefold()), None)
    return one if other is None else replace(one, reference=other.caption, reference_label=other.label)
