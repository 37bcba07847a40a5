"""The part of the Judge page that only a screen has: a search of the answers."""

from __future__ import annotations

from figures.judging import tables
from metrics.analysis.judging.answers import kinds
from ui.render import Shown
from ui.session import address
from ui.widgets import figure, show


def answers(page: Shown) -> None:
    """Show every question with its captions, scores and reasons, filtered by a search."""
    study = page.known.study

    def body() -> None:
        wanted = address.text("Search captions and reasons", "find", max_chars=80, width=420)
        found = tables.of_answers(study, kinds(study), wanted)
        show.table(found.readable(), "judging_answers_table", name="answers of the judge", whole=found.frame)

    figure.figure("judging_answers", "All answers", "each question with the score of every repeat", body=body)
