"""Sentences of the Triangles page: how a run's captions of one image compare with people's."""

from __future__ import annotations

from data.study import Item, Run, Study
from figures.style.escaping import Strong
from figures.style.numbers import count, num, p_bound, p_phrase, percent
from figures.style.run_names import short_names
from figures.style.wording import article, item_noun
from figures.triangles.chart import RANKS, SIDES
from metrics.analysis.claims import SATURATED
from metrics.analysis.triangles import ENOUGH, Code, Evidence, TriangleView
from metrics.distances.words import BowDistance
from metrics.permutation.pvalues import ALPHA

SAYS: dict[Code, str] = {
    "apart": "and people's form two groups",
    "middle": "lie among people's and closer together",
    "wide": "are spread wider than people's",
    "alike": "are closer to one another than to people's",
    "off": "lie apart from people's",
    "between": "lie between people's",
    "astride": "lie on either side of people's",
    "interleaved": "are nearer to people's than to one another",
    "none": "differ from people's",
}
"""The first sentence if the test finds a difference."""
WORDS: dict[Code, str] = {
    "apart": "the run and people say different things: two captions of one side are closer to each other than to one "
    "of the other side, more often than by chance",
    "middle": "the run stays in the middle of what people say and varies less: bland captions",
    "wide": "the run's captions are spread wider than people's: two of them are often farther apart than either is "
    "from a caption by a person, and people's are closer to each other than to the run's",
    "alike": "the run's captions are too alike: two of them are closer to each other than to a caption by a person, "
    "more often than by chance; they are as near to people's as expected by chance",
    "off": "the run's captions lie apart from people's: two by people are closer to each other than to one of the run, "
    "more often than by chance; the run's are as near to one another as expected by chance",
    "between": "the run's captions lie between people's: two by people are farther apart than either is from one of "
    "the run, more often than by chance",
    "astride": "people's captions lie between the run's: two of the run are farther apart than either is from one by a "
    "person, more often than by chance",
    "interleaved": "the captions of each side are nearer to the other side's than to one another, more often than by "
    "chance",
    "none": "",
}


def verdict(study: Study, run: Run, view: TriangleView) -> tuple[str, ...]:
    """Return how a run's captions of an image compare with people's by TRM and p, what that means, and when p is valid.

    An image picked because it stands out has a small p for that reason alone. The direction comes from the rank shares;
    it is omitted if the test finds no difference.
    """
    name, one = Strong(short_names(study.runs).get(run.name, run.name)), item_noun(study)
    numbers = f"TRM {num(view.value)}, {p_phrase(view.test.p_value, view.test.floor)}"
    if view.test.p_value > ALPHA:
        return _unsure(name, one, view, numbers)
    code = view.reading.code
    first = (name, f"'s captions of this {one} {SAYS[code]}: {numbers}.")
    before = f" Pages open on {article(one)} that stands out: this p holds only for one picked before you saw numbers."
    if code == "none":
        return (*first, f" Together, the shares differ from chance; no single share stands out.{before}")
    evidence = "; ".join(_evidence(e) for e in view.reading.evidence)
    return (*first, f" Here {WORDS[code]} ({evidence}).{before}")


def _unsure(name: Strong, one: str, view: TriangleView, numbers: str) -> tuple[str, ...]:
    """Why there is no statement about the two sides: no difference was found, or none could have been."""
    if view.at_maximum >= SATURATED:
        share = percent(view.at_maximum)
        return (
            f"Too little evidence: {share} of the distances are at their maximum, where triangles tie. ",
            f"{numbers}.",
        )
    if view.least_p > ALPHA:
        n, m = view.sizes
        few = f"Too few captions for a verdict: {n} by the run and {m} by people"
        return (f"{few} (smallest possible p: {p_bound(view.least_p)}). ", f"{numbers}.")
    return (
        "No significant difference between ",
        name,
        f"'s captions of this {one} and people's: {numbers}. {_hope(view)}",
    )


def _hope(view: TriangleView) -> str:
    """What follows from finding no difference."""
    if isinstance(view.metric.space, BowDistance):
        return "Bags of words only count words in common: compare by meaning before you take them for alike."
    n, m = view.sizes
    return f"With {n} against {m} captions, only a large difference would show."


def _evidence(e: Evidence) -> str:
    words = (
        f"pairs by {SIDES[e.direction]}: {percent(e.share)} {RANKS[e.rank]}, "
        f"by chance {percent(e.low)} to {percent(e.high)}"
    )
    return words.replace(" %", "\u00a0%")


def too_few(item: Item, run: Run) -> str:
    """Return that a side has too few captions for a verdict, and how many; "" if both have enough."""
    sides = ((len(run.candidates.get(item.id, ())), "by the run"), (len(item.references), "by people"))
    few = [f"{count(n, 'caption') if n else 'no caption'} {whose}" for n, whose in sides if n < ENOUGH]
    return f"Too few captions for a verdict: {' and '.join(few)}" if few else ""
