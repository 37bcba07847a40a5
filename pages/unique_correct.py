"""Unique vs correct: Does the metric see both?"""

from ui import address, items, look, shell, state, unique_correct


def body() -> None:
    """The page."""
    look.header("Unique vs correct", "Does the metric see both?")
    study = state.study()
    if items.nothing(study, needs_runs=False) or unique_correct.too_few(study):
        return
    with items.row():
        trm, design = unique_correct.controls(study)
    address.unknown()
    unique_correct.show_experiment(study, trm, design, unique_correct.fetch(study, trm, design))


shell.page(body)
