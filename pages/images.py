"""Images: What did the models say here?"""

from figures.style.numbers import count
from figures.style.wording import item_noun
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
    top, below = image_picker.row(), image_picker.row()
    with top:
        picker = image_picker.row("content")
    with below:
        runs, metrics = images.choose(study)
        choice = images.choose_order(runs)
    view = images.results(study, metrics, choice)
    every = images.ordered(study, view.results, choice)
    with top:
        order, words = images.search(study, runs, every)
    listed = order.positions or every.positions
    here = image_picker.position(study, listed)
    with picker:
        image_picker.picker(study, listed, here)
    address.show_unknown()
    progress.show(view)
    if not order.positions:
        look.empty(
            "No caption has these words", f"“{words}” is in none of {count(len(study.items), item_noun(study))}."
        )
        return
    images.show_image(study, here, runs, metrics, view.results, words)
    images.show_list(study, order, here)
    warm.start()


shell.page(body)
