"""Images: What did the models say here?"""

from metrics.analysis import images_defaults
from ui import rooms, shell, warm
from ui.frame import look
from ui.jobs import progress
from ui.session import address, state
from ui.views import images, images_all, images_order
from ui.widgets import image_marks, image_picker


def body() -> None:
    """Show the page."""
    study = state.study()
    look.header(rooms.title(rooms.IMAGES, study), "What did the models say here?")
    if image_picker.nothing(study, needs_runs=False):
        return
    with image_picker.row():
        opened = images.ways(study)
        place = image_picker.row("content")
        chosen, options = images.choose(study)
    view = images.results(study, chosen.metrics, chosen.order)
    every = images_order.ordered(study, view.results, chosen.order)
    # The view of one image has its own list in the row; a search that is not in use leaves the space to it.
    with options if opened == "one" and options is not None and not address.value("find") else place:
        found, words = images_order.search(study, chosen.runs, every)
    order = images_order.only_marked(study, found, chosen.order)
    listed = order.positions or every.positions
    default = None
    if chosen.order.kind in ("spread", "file") and len(chosen.runs) > 1:
        default = images_defaults.differing(study, chosen.runs, listed)
    # While results are missing, the runs beside each other may still change, and the first image with them.
    settled = chosen.order.kind != "spread" or chosen.told_by is not None or address.values("beside") is not None
    here = image_picker.position(study, listed, default, keep=every.complete and settled)
    if opened == "one":
        with place:
            image_picker.picker(study, listed, here, 220)
    address.show_unknown()
    progress.show(view)
    if not order.positions:
        images_order.show_none(study, chosen.order, words)
    elif opened == "sheet":
        images_all.show_sheet(study, order, chosen, view.results)
    elif opened == "table":
        images_all.show_table(study, order, chosen, view.results)
    else:
        images.show_opening(study, chosen)
        images.show_image(study, here, chosen, view.results, words)
        images.show_parts(study, here, chosen.runs, chosen.metrics, view.results)
        image_marks.panel(study, study.items[here])
    warm.start()


shell.page(body)
