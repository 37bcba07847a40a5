"""Names of rating criteria, and the footer of a ranking of metrics: its marks, and the metrics without a row."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from data.ratings.human_ratings import METADATA, WHOLE
from data.study import Study
from figures.style.html import key
from figures.style.wording import item_noun, not_drawn
from metrics.base import Metric
from metrics.engine.result import PENDING

OVERALL = dict.fromkeys(WHOLE, "overall rating")
"""Names for rating columns whose own names state only that people rated."""
MARKS = (key("dark", "filled: may be best"), key("hollow", "hollow: significantly behind the best"))
"""The meaning of the marks of a ranking."""
PANEL_MARKS = (
    key("dark", "filled: may be best in its panel"),
    key("hollow", "hollow: significantly behind the best of its panel"),
)
"""The meaning of the marks if there are two panels, each with its own best."""
SIGN = "below 0 for a diversity metric: the more diverse, the lower people's ratings"
"""Note on a negative sign for a diversity metric, for which more is not better in itself."""


def criterion_label(criterion: str) -> str:
    """Return the name of a criterion for a list; a metadata field is not called a rating by people.

    The name of a column, such as `human_score`, is put into words.
    """
    field = criterion.removeprefix(METADATA)
    if field != criterion:
        return f"{_in_words(field)} (metadata, not people)"
    return OVERALL.get(criterion.casefold(), _in_words(criterion))


def _in_words(name: str) -> str:
    return " ".join(name.replace("_", " ").split()) or name


def compared_with(criterion: str) -> str:
    """Return whom or what metrics are compared with, for use in a sentence."""
    field = criterion.removeprefix(METADATA)
    return "people" if field == criterion else f"{_in_words(field)} of the metadata"


def left_out(chosen: Sequence[Metric], suited: Collection[Metric], drawn: Collection[Metric], of: str) -> str:
    """Return which chosen metrics have no row, and why; "" if each has one.

    Metrics not in `suited` do not judge the rated unit, which `of` names; others are still being computed.
    """
    gone = [metric for metric in chosen if metric not in drawn]
    return not_drawn((metric.label, PENDING if metric in suited else _why_not(metric, of)) for metric in gone)


def _why_not(metric: Metric, of: str) -> str:
    if not metric.of_items:
        return f"one value for a whole run, none for {of}"
    if metric.family == "diversity":
        return f"measures {metric.measures}, not how good {of} is"
    return f"a value for a set, none for {of}"


def sign(metrics: Sequence[Metric]) -> str:
    """Return a note on the sign of a diversity metric's agreement; "" without such a metric."""
    return SIGN if any(metric.more_means == "more diverse" and not metric.has_better_side for metric in metrics) else ""


def further(
    study: Study,
    chosen: Sequence[Metric],
    suited: Collection[Metric],
    drawn: Sequence[Metric],
    criterion: str,
    unit: str,
) -> list[str]:
    """Return the notes after a ranking's marks: what a negative sign means, and which metrics are not drawn."""
    of = f"a single {item_noun(study) if criterion.startswith(METADATA) else unit}"
    return [one for one in (sign(drawn), left_out(chosen, suited, drawn, of)) if one]
