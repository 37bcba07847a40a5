"""Ratings of captions by coherence label, which describes how a caption relates to its image (Inan et al. 2021)."""

from __future__ import annotations

import csv
import hashlib
import io
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from data.ratings.coherence import LABELS, LONGEST, MOST, as_label, label_written_for
from data.study import DataError

GOOD = 0.75
"""Lowest rating of a caption that can serve as the reference for another."""
_COLUMNS = ("caption", "url", "source", "cbBrokenImg")


@dataclass(frozen=True)
class Rated:
    """A caption of an image, written for a label, with its mean rating, 0 to 1, and any reference with its label."""

    image: str
    caption: str
    label: str
    rating: float
    reference: str = ""
    reference_label: str = ""


def in_order(rated: Iterable[Rated]) -> list[Rated]:
    """Sort captions by image, label, text and reference, so that no number depends on the order of a file."""
    return sorted(rated, key=place)


def place(one: Rated) -> tuple[str, ...]:
    """Return the sort key of a caption."""
    return one.image, one.label, one.caption, one.reference, one.reference_label


class Ratings(NamedTuple):
    """Rated captions, and the number of rows left out for each reason."""

    rated: tuple[Rated, ...]
    left_out: Mapping[str, int]


def read(name: str, data: bytes) -> Ratings:
    """Return the ratings in a RaCCoon table: one row per caption and rater, with tick boxes for each label.

    A caption is rated by the label for which it was written (`source`): Visible and Story from 1 to 5, scaled to 0..1;
    Meta and Subjective as good (1) or bad (0). The rating is 0 if the rater did not see that label in the caption. The
    rating of a caption is the mean over its raters. Raises DataError if the file is not such a table.
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


def read_rows(name: str, rows: Sequence[Mapping[str, Any]]) -> Ratings:
    """Return the ratings in JSON: `image`, `caption`, `label`, `rating`, and `reference` with `reference_label`.

    Any labels are allowed, but at most 16. If a rating lies outside 0..1, all ratings are scaled to a minimum of 0 and
    a maximum of 1; the rating of a caption is the mean over its rows. Raises DataError for a record without these
    fields and for too many labels.
    """
    found: dict[tuple[str, str, str, str, str], list[float]] = {}
    for number, row in enumerate(rows, 1):
        where = f"{name}: record {number}"
        texts = [row.get(key) for key in ("image", "caption")]
        if not all(isinstance(text, str) and text.strip() for text in texts):
            raise DataError(f"{where} has no `image` or no `caption`: give both as text.")
        labels = [
            as_label(row.get("label")),
            as_label(row.get("reference_label")) if row.get("reference_label") else "",
        ]
        if None in labels:
            raise DataError(f"{where}: a label is text of 1 to {LONGEST} characters.")
        rating = row.get("rating")
        if not isinstance(rating, int | float) or isinstance(rating, bool) or not abs(rating) < 1e6:
            raise DataError(f"{where}: `rating` is not a finite number.")
        reference = row.get("reference") or ""
        if not isinstance(reference, str):
            raise DataError(f"{where}: `reference` is not text.")
        key = (str(texts[0]), str(texts[1]), str(labels[0]), reference, str(labels[1]))
        found.setdefault(key, []).append(float(rating))
    if len({key[2] for key in found} | {key[4] for key in found if key[4]}) > MOST:
        raise DataError(f"{name}: more than {MOST} labels. Give fewer.")
    every = [value for values in found.values() for value in values]
    low, high = min(every, default=0.0), max(every, default=1.0)
    low, high = (0.0, 1.0) if low >= 0 and high <= 1 else (low, high)
    rated = []
    for (image, caption, label, *of), values in found.items():
        mean = sum(values) / len(values)
        rated.append(Rated(image, caption, label, (mean - low) / ((high - low) or 1.0), *of))
    return Ratings(tuple(rated), {})


def _boxes(label: str) -> list[tuple[str, float]]:
    if label in ("Meta", "Subjective"):
        return [(f"cb{label}Good", 1.0), (f"cb{label}Bad", 0.0)]
    return [(f"cb{label}{k}", (k - 1) / 4) for k in range(1, 6)]


def _row(cells: Mapping[str, str]) -> tuple[tuple[str, str, str], float] | str:
    """Return the image, caption and label of a row with its rating, or the reason to leave the row out."""
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
    """Give each caption without a reference the best other caption of its image that is rated GOOD or higher.

    Ties are broken by a digest of the text, so that the order of the file does not matter. Captions without such a
    companion are dropped.
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
