"""Leaderboard: Which model is better, and how sure is that?"""

from ui import shell
from ui.frame import look
from ui.jobs import chance, progress
from ui.session import address, state
from ui.views import leaderboard
from ui.widgets import run_picker


def body() -> None:
    """Show the page."""
    look.header("Leaderboard", "Which model is better, and how sure is that?")
    study = state.study()
    if not study.runs:
        run_picker.no_runs(study)
        return
    choice, view_kind, numbers, view = run_picker.leaderboard(study)
    address.show_unknown()
    if not choice.metrics or not choice.runs:
        look.empty("Nothing chosen", "Choose at least one metric and one run above.")
        return
    progress.show(view)
    if choice.by_chance:
        numbers = chance.with_chance(study, numbers, choice.metrics)
    if view_kind == "difference":
        leaderboard.show_differences(study, numbers, choice)
    else:
        leaderboard.show_values(study, numbers, choice)
    leaderboard.mend(study, choice)


shell.page(body)
