"""Slices: Where is a run better or worse?"""

from ui import shell
from ui.frame import look
from ui.jobs import progress
from ui.session import address, state
from ui.views import slices


def body() -> None:
    """The page."""
    look.header("Slices", "Where is a run better or worse?")
    study = state.study()
    if slices.nothing(study):
        return
    choice, view = slices.choose(study)
    address.show_unknown()
    if choice is None:
        return
    values, compared = slices.measured(study, choice, view)
    # The permutation tests of the runs go on behind: nothing here reads them.
    progress.show(compared if compared.job is not None or compared.arrays is not None else view)
    if isinstance(values, str):
        look.note(f"{choice.metric.label}: {values}.")
    else:
        slices.show(study, choice, values, compared)
        address.show_unknown()


shell.page(body)
