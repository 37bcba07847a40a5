"""References: How much do people agree, and how many references are enough?"""

from ui import shell
from ui.frame import look
from ui.session import address, state
from ui.views import references


def body() -> None:
    """The page."""
    look.header("References", "How much do people agree, and how many references are enough?")
    study = state.study()
    if references.nothing(study):
        return
    choice = references.choose(study)
    address.show_unknown()
    if choice is None:
        return
    references.show(study, choice, references.measured(study, choice))


shell.page(body)
