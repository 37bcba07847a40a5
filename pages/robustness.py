"""Robustness: What fools a metric?"""

from ui import shell
from ui.frame import look
from ui.jobs import progress
from ui.session import address, state
from ui.views import robustness
from ui.widgets import image_picker


def body() -> None:
    """Show the page."""
    look.header("Robustness", "What fools a metric?")
    study = state.study()
    why = "One caption by a person is damaged and scored against the others."
    if image_picker.no_references(study, why) or robustness.nothing(study):
        return
    choice = robustness.choose(study)
    address.show_unknown()
    if choice is None:
        return
    choice, view = robustness.measured(study, choice)
    progress.show(view, in_parts=view.arrays is None)
    if view.arrays is not None:
        robustness.show(study, choice, view.arrays)
    else:
        robustness.show_finished(study, choice, view)


shell.page(body)
