"""Sensitivity: How many captions and images does it take to show a difference?"""

from figures.style.wording import of_items
from ui import shell
from ui.frame import look
from ui.session import address, state
from ui.views import sensitivity
from ui.widgets import image_picker


def body() -> None:
    """Show the page."""
    study = state.study()
    look.header("Sensitivity", *of_items(study, ["How many captions and images does it take to show a difference?"]))
    why = "This page tests sets of captions against what people wrote."
    if image_picker.nothing(study) or image_picker.no_references(study, why):
        return
    choice = sensitivity.choose(study)
    address.show_unknown()
    if choice is None:
        return
    sensitivity.show(study, choice, *sensitivity.measured(study, choice))
    sensitivity.show_speeds(study, choice)


shell.page(body)
