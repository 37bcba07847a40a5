"""Overview: What does this study say?"""

from metrics.analysis.overview import standing_image
from ui import shell
from ui.session import address, state
from ui.views import overview
from ui.widgets import run_picker


def body() -> None:
    """The page."""
    study = state.study()
    overview.top(bool(study.runs))
    run_picker.notice()
    if not study.runs or not study.items:
        overview.nothing(study)
        return
    choice = overview.choose(study)
    address.unknown()
    seen, numbers, view = overview.look_at(study, choice)
    overview.headline(seen, view)
    position = standing_image(numbers, seen)
    steps = overview.evidence(study, seen, choice, position)
    overview.explained(study, seen, position, steps)


shell.page(body)
