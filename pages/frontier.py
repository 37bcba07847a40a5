"""Quality-diversity frontier: Which model best balances quality and diversity?"""

from figures.frontier import words as frontier_words
from figures.style.escaping import capital
from metrics.analysis.frontier import frontier as frontier_of
from ui import shell
from ui.frame import look
from ui.jobs import numbers as jobs_numbers
from ui.jobs import progress
from ui.session import address, state
from ui.views import frontier, frontier_pair
from ui.widgets import image_picker, run_picker


def body() -> None:
    """The page."""
    look.header("Quality-diversity frontier", "Which model best balances quality and diversity?")
    study = state.study()
    if not study.runs:
        run_picker.no_runs()
        return
    if why := frontier_pair.lacking(study):
        with look.empty("No pair of metrics", f"The frontier needs a quality and a diversity metric. {capital(why)}."):
            image_picker.data_link()
        return
    with image_picker.row():
        choice = frontier.controls(study)
    address.show_unknown()
    numbers, job = jobs_numbers.fetch(study, choice.metrics)
    progress.show(job)
    numbers = frontier.with_test(study, numbers)
    study, numbers, runs = frontier.rows(study, numbers, choice)
    view = frontier_of(study, numbers, choice.quality, choice.diversity, runs)
    if not view.runs:
        frontier.show_nothing(view)
        return
    said, more = frontier_words.verdict(study, view)
    look.verdict(*said, more=more)
    frontier.show_frontier(study, view, choice)
    frontier.show_parts(study, view)


shell.page(body)
