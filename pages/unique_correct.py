"""Unique vs correct: Does a metric see both correctness and variety?"""

from ui import shell
from ui.frame import look
from ui.session import address, state
from ui.views import dominance, unique_correct
from ui.widgets import image_picker


def body() -> None:
    """The page."""
    look.header("Unique vs correct", "Does a metric see both correctness and variety?")
    study = state.study()
    why = "Its sets are made of what people wrote about the same image and about others."
    none = image_picker.nothing(study, needs_runs=False) or image_picker.no_references(study, why)
    if none:
        return
    if unique_correct.too_few(study):
        if dominance.possible(study):
            look.section(unique_correct.RUNS)
            dominance.show_runs(study)
        return
    with image_picker.row():
        trm, design = unique_correct.controls(study)
    address.show_unknown()
    unique_correct.show_experiment(study, trm, design, unique_correct.fetch(study, trm, design))


shell.page(body)
