"""Caption cloud: Where do captions live?"""

from dataclasses import replace

from data.study import Study
from metrics.analysis.cloud.captions import Projection
from ui import shell
from ui.frame import look
from ui.jobs import progress
from ui.session import address, state
from ui.views import cloud, cloud_controls, cloud_difference, cloud_item, cloud_layout, cloud_selection
from ui.widgets import image_picker


def body() -> None:
    """The page."""
    look.header("Caption cloud", "Where do captions live?")
    study = state.study()
    if image_picker.nothing(study, needs_runs=False):
        return
    with image_picker.row():
        view = cloud_controls.view_of(study)
        if view == cloud_controls.ONE:
            runs, here, metric = cloud_item.controls(study)
        elif cloud_controls.encoders():
            choice, projection = cloud_controls.choose(study, view)
    if view == cloud_controls.ONE:
        address.show_unknown()
        cloud_item.show_item(study, runs, here, metric)
    elif not cloud_controls.no_encoder():
        cloud_selection.check_pick(cloud_layout.sampled(study, projection.seed))
        choice = replace(choice, areas=cloud_selection.areas(study, projection))
        address.show_unknown()
        _cloud(study, choice, projection)


def _cloud(study: Study, choice: cloud_controls.CloudChoice, projection: Projection) -> None:
    shown, arrays, job = cloud_layout.fetch(study, projection)
    progress.show(job)
    if arrays is not None and choice.view == cloud_controls.DIFFERENCE:
        cloud_difference.show_difference(study, choice, shown, arrays)
    elif arrays is not None:
        cloud.show_cloud(study, choice, shown, arrays, instead=shown != projection)


shell.page(body)
