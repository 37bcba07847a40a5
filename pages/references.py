"""References: How much do people agree, and how many references are enough?"""

from ui import shell
from ui.frame import look
from ui.session import address, state
from ui.views import references
from ui.widgets import image_picker


def body() -> None:
    """Show the page."""
    look.header("References", "How much do people agree, and how many of their captions (references) are enough?")
    study = state.study()
    why = "This page shows how far people agree, and how many of their captions are enough."
    if image_picker.no_references(study, why) or references.nothing(study):
        return
    choice = references.choose(study)
    address.show_unknown()
    if choice is None:
        return
    references.show(study, choice, references.measured(study, choice))


shell.page(body)
