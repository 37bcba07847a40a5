"""Coherence: Do metrics score every kind of caption alike?"""

from ui import shell
from ui.frame import look
from ui.session import address, state
from ui.views import coherence


def body() -> None:
    """Show the page."""
    look.header("Coherence", "Do metrics score every kind of caption alike?")
    study = state.study()
    if coherence.nothing(study):
        return
    choice, view = coherence.choose(study)
    address.show_unknown()
    coherence.show(study, choice, view)
    address.show_unknown()


shell.page(body)
