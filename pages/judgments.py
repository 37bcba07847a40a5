"""Judgments: Which metric agrees with people, and which with each other?"""

from streamlit.delta_generator import DeltaGenerator

from data.study import Study
from ui import rooms, shell
from ui.frame import look
from ui.jobs import progress
from ui.session import address, state
from ui.views import agreement, judgments, judgments_pairs
from ui.widgets import image_picker

PARTS = {"people": "with people", "each": "with each other"}


def body() -> None:
    """Show the page."""
    study = state.study()
    address.begin_anew("with")
    # Without ratings, the part that explains how to add them is reached only by a link.
    whole = judgments.any_judged(study) or address.value("with") == "people"
    people = "Which metric agrees with people, and which with each other?"
    look.header(rooms.title(rooms.JUDGMENTS, study), people if whole else "Which metrics agree with each other?")
    there = PARTS if whole else {"each": PARTS["each"]}
    first = there if judgments.rated(study) else dict(reversed(there.items()))
    bar = image_picker.row()
    part = address.select_one("with", list(first), next(iter(first)))
    if len(first) > 1:
        with bar, image_picker.row("content"):
            part = address.select("Agreement", "with", list(first), part, format_func=PARTS.__getitem__)
    if part == "each":
        _each(study, bar)
    else:
        _people(study, bar)


def _each(study: Study, bar: DeltaGenerator) -> None:
    if agreement.nothing(study):
        return
    agreement.show_agreement(*agreement.choose(study, bar))
    address.show_unknown()


def _people(study: Study, bar: DeltaGenerator) -> None:
    if judgments.nothing(study):
        return
    choice, numbers = judgments.choose(study, bar)
    address.show_unknown()
    if choice is None or numbers is None:
        judgments.show_systems(study, None, {})
        return
    waiting = numbers.job is not None
    if choice.criterion:
        wanted, main = judgments.compared(study, choice.criterion), None
        metrics, view = judgments.measured(wanted, choice, numbers.results)
        names = (metric.label for metric in choice.metrics) if view.arrays is None else ()
        progress.show(numbers if waiting else view, *names)
        if view.arrays is not None:
            main = judgments.show_ranking(wanted, choice, metrics, view.arrays, numbers.results)
        judgments.show_parts(study, choice, main, numbers.results, waiting, view.arrays is not None)
        return
    progress.show(numbers)
    if study.preferences and numbers.results:
        judgments_pairs.show_pairs(study, choice.chosen, choice.metrics, numbers.results, True, waiting)
    judgments.show_systems(study, choice, numbers.results)


shell.page(body)
