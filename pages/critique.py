"""Critique: Whose captions pass for people's?"""

from ui import shell
from ui.frame import look
from ui.session import address, state
from ui.views import critique, critique_inputs, critique_training
from ui.widgets import image_picker


def body() -> None:
    """Show the page."""
    look.header("Critique", "Whose captions pass for people's?")
    study = state.study()
    why = "A critique learns what people write."
    if critique.nothing(study) or image_picker.no_references(study, why):
        return
    choice = critique.choose(study)
    address.show_unknown()
    if critique_inputs.waiting(study, choice.design.metric.beside_images):
        return
    if critique_training.impossible(study, choice.design):
        return
    if found := critique_training.critics(study, choice.design):
        critique.show_scores(study, choice, found)
    else:
        critique_training.show_untrained(study, choice.design)


shell.page(body)
