"""Data: What am I comparing?"""

from functools import partial

from data.check import Loaded
from data.study import Study
from metrics.partly_read import with_findings
from ui import shell
from ui.frame import look
from ui.frame.wording import plain
from ui.session import state
from ui.views import dataset, dataset_findings, runs, seeds
from ui.widgets import show


def body() -> None:
    """Show the page."""
    look.header("Data", "What am I comparing?")
    study, demo, loaded = state.study(), state.is_demo(), with_findings(state.loaded())
    dataset.style()
    dataset.drop_zone(loaded, demo)
    if dataset.show_unusable():
        show.folded(f"Still open: {plain(study.name)}", "still_open", partial(opened, study, demo, loaded))
        return
    opened(study, demo, loaded)


def opened(study: Study, demo: bool, loaded: Loaded) -> None:
    """Show what is open: the study, its files and findings."""
    dataset.show_summary(study, loaded, demo)
    dataset_findings.show(loaded, editable=not demo)
    runs.table(state.whole_study(), demo, dataset_findings.in_sight(loaded) > 0)
    seeds.editor(state.whole_study(), demo)
    dataset.show_metrics(study, loaded)
    dataset.take_along(study, demo)


shell.page(body)
