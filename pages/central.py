"""Central captions: How close do models stay to the middle of what people say?"""

from ui import shell
from ui.frame import look
from ui.jobs import progress
from ui.session import address, state
from ui.views import central, central_study
from ui.widgets import image_picker


def body() -> None:
    """The page."""
    look.header("Central captions", "How close do models stay to the middle of what people say?")
    study = state.study()
    needs = "The centre is the middle of what people wrote."
    if image_picker.nothing(study, needs_runs=False) or image_picker.no_references(study, needs):
        return
    with image_picker.row():
        choice, here = central.controls(study)
    address.show_unknown()
    if (why := central.missing(choice.space)) is not None:
        look.empty(f"{choice.space.label} cannot be computed here", why)
    elif choice.scope == "image":
        central.show_image(study, choice, here)
    elif not central_study.without_centres(study):
        view = central_study.call(study, choice)
        progress.show(view)
        if view.arrays is not None:
            central_study.show_study(study, choice, view.arrays)


shell.page(body)
