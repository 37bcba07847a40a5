"""Words: What does a run say too often, and what too rarely?"""

from ui import shell
from ui.frame import look
from ui.jobs import progress
from ui.session import address, state
from ui.views import words


def body() -> None:
    """The page."""
    look.header("Words", "What does a run say too often, and what too rarely?")
    study = state.study()
    if words.nothing(study):
        return
    choice = words.choose(study)
    address.show_unknown()
    view = words.measured(study, choice)
    progress.show(view)
    words.show(study, choice, view)
    address.show_unknown()


shell.page(body)
