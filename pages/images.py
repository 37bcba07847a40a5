"""Images: What did the models say here?"""

from ui import shell, warm
from ui.frame import look
from ui.jobs import progress
from ui.session import address, state
from ui.views import images
from ui.widgets import image_picker


def body() -> None:
    """The page."""
    look.header("Images", "What did the models say here?")
    study = state.study()
    if image_picker.nothing(study, needs_runs=False):
        return
    with image_picker.row():
        picker, search = image_picker.row("content"), image_picker.row("content")
        runs, metrics, choice = images.choose(study)
    view = images.results(study, metrics, choice)
    every = images.ordered(study, view.results, choice)
    with search:
        found, words = images.search(study, runs, every)
    order = images.only_marked(study, found, choice)
    listed = order.positions or every.positions
    here = image_picker.position(study, listed)
    with picker:
        image_picker.picker(study, listed, here)
    address.show_unknown()
    progress.show(view)
    if not order.positions:
        images.show_none(study, choice, words)
        return
    images.show_image(study, here, runs, metrics, view.results, words)
    images.show_parts(study, order, here, runs, metrics, view.results)
    warm.start()


shell.page(body)
