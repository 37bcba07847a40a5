"""Images: What did the models say here?"""

from figures.numbers import count
from figures.words import noun
from ui import address, images, items, look, progress, shell, state, warm


def body() -> None:
    """The page."""
    look.header("Images", "What did the models say here?")
    study = state.study()
    if items.nothing(study, needs_runs=False):
        return
    top, below = items.row(), items.row()
    with top:
        picker = items.row("content")
    with below:
        runs, metrics = images.choose(study)
        choice = images.choose_order(runs)
    view = images.results(study, metrics, choice)
    every = images.ordered(study, view.results, choice)
    with top:
        order, words = images.search(study, runs, every)
    listed = order.positions or every.positions
    here = items.position(study, listed)
    with picker:
        items.picker(study, listed, here)
    address.unknown()
    progress.show(view)
    if not order.positions:
        look.empty("No caption has these words", f"“{words}” is in none of {count(len(study.items), noun(study))}.")
        return
    images.show_image(study, here, runs, metrics, view.results, words)
    images.show_list(study, order, here)
    warm.start()


shell.page(body)
