"""Triangles: Do a run's captions of one image differ from people's?"""

from metrics.base import Undefined
from ui import shell, warm
from ui.frame import look
from ui.session import address, state
from ui.views import triangles, triangles_undefined
from ui.widgets import image_picker


def body() -> None:
    """Show the page."""
    look.header("Triangles", "Do a run's captions of one image differ from people's?")
    study = state.study()
    why = "A triangle joins captions of a model with captions by people."
    if image_picker.nothing(study) or image_picker.no_references(study, why) or triangles_undefined.nowhere(study):
        return
    with image_picker.row():
        run, here, metric = triangles.controls(study)
    address.show_unknown()
    try:
        triangles.need_enough(study.items[here], run)
        view = triangles.compute(study, run, here, metric)
    except Undefined as why:
        triangles_undefined.show(study, run, here, str(why))
    else:
        triangles.show_view(study, run, here, view)
    warm.start()


shell.page(body)
