"""The part that only the page of the judge has: its answers, searched."""

from __future__ import annotations

from figures.judging import tables
from metrics.analysis.judging.answers import kinds
from ui.render import Shown
from ui.session import address
from ui.widgets import figure, show


def answers(page: Shown) -> None:
    """Show every question with its captions, scores and reasons, those that have the words sought."""
    study = page.known.study

    def body() -> None:
        wanted = address.text("Search captions and reasons", "find", max_chars=80, width=420)
        found = tables.of_answers(study, kinds(study), wanted)
        show.table(found.readable(), "judging_answers_table", name="answers of the judge", whole=found.frame)

    figure.figure("judging_answers", "What it answered", "each question with the score of every repeat", body=body)
