"""Temperature sweeps: How does each model behave as sampling gets hotter?"""

from ui import address, items, look, progress, scored, shell, state, sweeps


def body() -> None:
    """The page."""
    look.header("Temperature sweeps", "How does each model behave as sampling gets hotter?")
    study = state.study()
    if items.nothing(study):
        return
    choice = sweeps.controls(study)
    if not choice.metrics:
        address.unknown()
        look.empty("Nothing chosen", "Choose at least one metric above.")
        return
    numbers, view = scored.fetch(study, choice.metrics)
    progress.show(view)
    found = sweeps.views(study, numbers, choice)
    point = sweeps.looked(choice, found)
    address.unknown()
    if choice.decoders:
        sweeps.decoder_view(study, choice, found, point[0] if point else None)
    else:
        sweeps.temperature_view(study, choice, found, point[0] if point else None)
    if point:
        sweeps.behind(study, numbers, choice, point)
    sweeps.tables(study, found, choice)


shell.page(body)
