"""Sweeps: How does each model behave as sampling gets hotter, or with another decoder?"""

from figures.sweeps import decoder_words
from metrics.analysis.sweeps import settings_of
from ui import shell
from ui.frame import look
from ui.jobs import chance, progress
from ui.jobs import numbers as jobs_numbers
from ui.session import address, state
from ui.views import sweeps, sweeps_images
from ui.widgets import image_picker


def body() -> None:
    """Show the page."""
    study = state.study()
    look.header("Sweeps", decoder_words.question(settings_of(study.runs)))
    if image_picker.nothing(study):
        return
    if sweeps.nothing_varies(study):
        return
    choice = sweeps.controls(study)
    if not choice.metrics:
        address.show_unknown()
        look.empty("Nothing chosen", "Choose at least one metric above.")
        return
    numbers, view = jobs_numbers.fetch(study, choice.metrics)
    progress.show(view)
    if choice.chance:
        numbers = chance.with_chance(study, numbers, choice.metrics)
    found = sweeps.views(study, numbers, choice)
    point = sweeps_images.selected_point(choice, found)
    address.show_unknown()
    show = sweeps.decoder_view if choice.decoders else sweeps.temperature_view
    show(study, choice, found, sweeps_images.picked(point))
    part = sweeps.part_below(study, found, choice, point is not None)
    if part == "images" and point:
        sweeps_images.images_of_point(study, numbers, choice, point)
    elif part == "rest":
        sweeps.off_axis(study, found)
    elif part == "tables":
        sweeps.tables(study, found, choice)


shell.page(body)
