"""Caption cloud: Where do captions live?"""

from data.study import Study
from ui import shell
from ui.frame import look
from ui.jobs import progress
from ui.session import address, state
from ui.views import cloud, cloud_item
from ui.widgets import image_picker


def body() -> None:
    """The page."""
    look.header("Caption cloud", "Where do captions live?")
    study = state.study()
    if image_picker.nothing(study, needs_runs=False):
        return
    if cloud.one_image(study):
        _image(study)
    elif not cloud.no_encoder():
        _cloud(study)


def _cloud(study: Study) -> None:
    with image_picker.row():
        projection = cloud.projection(study)
        choice = cloud.choose(study, projection)
    address.show_unknown()
    shown, arrays, view = cloud.fetch(study, projection)
    progress.show(view)
    if arrays is not None:
        cloud.show_cloud(study, choice, shown, arrays, instead=shown != projection)


def _image(study: Study) -> None:
    with image_picker.row():
        runs, here, metric = cloud_item.controls(study)
    address.show_unknown()
    cloud_item.show_item(study, runs, here, metric)


shell.page(body)
