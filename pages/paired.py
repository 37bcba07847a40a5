"""Paired comparison: Is the difference between two runs real, and where is it?"""

from ui import shell
from ui.frame import look
from ui.jobs import progress
from ui.session import address, state
from ui.views import paired, paired_settings
from ui.widgets import image_picker


def body() -> None:
    """Show the page."""
    look.header("Paired comparison", "Is the difference between two runs real, and where is it?")
    study = state.study()
    if image_picker.nothing(study) or paired.one_run(study):
        return
    with (row := image_picker.row()):
        mode = paired.open_view(study)
    if mode == "settings":
        paired_settings.show_settings(study, row)
        return
    choice, numbers, view = paired.choose(study, mode, row)
    address.show_unknown()
    progress.show(view)
    if paired.nothing(choice):
        return
    if choice.mode == "all":
        paired.show_all(study, numbers, choice)
    else:
        paired.show_two(study, choice)


shell.page(body)
