"""Quality-diversity frontier: Who trades best?"""

from figures import frontier_words
from metrics.frontier import frontier as frontier_of
from ui import address, controls, frontier, items, look, progress, scored, shell, state


def body() -> None:
    """The page."""
    look.header("Quality-diversity frontier", "Who trades best?")
    study = state.study()
    if not study.runs:
        controls.no_runs()
        return
    if why := frontier.lacking(study):
        look.empty("No metric can be computed here", why)
        return
    with items.row():
        choice = frontier.controls(study)
    address.unknown()
    numbers, job = scored.fetch(study, choice.metrics)
    progress.show(job)
    view = frontier_of(study, numbers, choice.quality, choice.diversity, choice.runs, choice.singles)
    if not view.runs:
        frontier.show_nothing(view)
        return
    look.verdict(*frontier_words.verdict(study, view))
    frontier.show_frontier(study, view, choice)
    frontier.show_singles(study, view)
    frontier.show_tables(study, view)


shell.page(body)
