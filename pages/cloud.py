"""Caption cloud: How near are runs to people's captions, and how varied?"""

from dataclasses import replace

from streamlit.delta_generator import DeltaGenerator

from data.study import Study
from metrics.analysis.cloud.captions import Projection
from metrics.analysis.feasibility import has_references
from ui import shell
from ui.frame import look
from ui.jobs import progress
from ui.session import address, state
from ui.views import cloud, cloud_controls, cloud_difference, cloud_item, cloud_layout, cloud_maps, cloud_selection
from ui.widgets import image_picker


def body() -> None:
    """Show the page."""
    study = state.study()
    near = "How near are runs to people's captions, and how varied?"
    look.header("Caption cloud", near if has_references(study) else "How varied are captions of the same run?")
    if image_picker.nothing(study, needs_runs=False):
        return
    view = cloud_controls.view_of(study)
    if view == cloud_controls.ONE:
        with image_picker.row():
            runs, here, metric = cloud_item.controls(study)
        address.show_unknown()
        cloud_item.show_item(study, runs, here, metric)
    elif not cloud_controls.no_encoder():
        with image_picker.row():
            choice, projection, place = cloud_controls.choose(study, view)
        cloud_selection.check_pick(cloud_layout.sampled(study, projection.seed))
        choice = replace(choice, areas=cloud_selection.areas(study, projection))
        _cloud(study, choice, projection, place)


def _cloud(study: Study, choice: cloud_controls.CloudChoice, projection: Projection, place: DeltaGenerator) -> None:
    part, shown, arrays, job = cloud_layout.fetch(study, projection)
    layout = None if arrays is None else cloud_layout.placed(part, shown, arrays)
    if part is not study:
        address.show_unknown()
        drawn = choice.view == cloud_controls.PANELS and layout is not None and cloud_maps.draws(part, shown, layout)
        progress.show(job, height=0 if drawn else 440, shape="points")
        if drawn and layout is not None:
            cloud_maps.show_early(study, part, shown, layout)
        return
    if choice.view == cloud_controls.PANELS and layout is not None:
        runs = cloud_controls.maps_of(study, place, cloud_maps.first(study, shown, layout))
        choice = replace(choice, runs=runs)
    address.show_unknown()
    progress.show(job, height=440 if layout is None else 0, shape="points")
    if layout is None:
        return
    if choice.view == cloud_controls.DIFFERENCE:
        cloud_difference.show_difference(study, choice, shown, layout)
    elif choice.view == cloud_controls.ALL:
        cloud.show_cloud(study, choice, shown, layout, instead=shown != projection)
    else:
        cloud_maps.show_maps(study, choice, shown, layout)


shell.page(body)
