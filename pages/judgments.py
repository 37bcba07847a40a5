"""Judgments: Which metric agrees with people?"""

from ui import shell
from ui.frame import look
from ui.jobs import progress
from ui.session import address, state
from ui.views import judgments


def body() -> None:
    """The page."""
    look.header("Judgments", "Which metric agrees with people?")
    study = state.study()
    if judgments.nothing(study):
        return
    choice, numbers = judgments.choose(study)
    address.show_unknown()
    if choice is None or numbers is None:
        judgments.show_systems(study, None, {})
        return
    metrics, view = judgments.measured(study, choice, numbers.results)
    progress.show(numbers if numbers.job is not None else view)
    if view.arrays is not None:
        judgments.show_captions(study, choice, metrics, view.arrays, numbers.results)
    judgments.show_systems(study, choice, numbers.results)


shell.page(body)
