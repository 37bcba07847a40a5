"""Central captions: What is the bland middle?"""

from ui import address, central, items, look, progress, shell, state


def body() -> None:
    """The page."""
    look.header("Central captions", "What is the bland middle?")
    study = state.study()
    if items.nothing(study, needs_runs=False):
        return
    with items.row():
        choice, here = central.controls(study)
    address.unknown()
    if (why := central.missing(choice.space)) is not None:
        look.empty(f"{choice.space.label} cannot be computed here", why)
    elif choice.scope == "image":
        central.show_image(study, choice, here)
    elif not central.without_centres(study):
        view = central.call(study, choice.space)
        progress.show(view)
        if view.arrays is not None:
            central.show_study(study, choice, view.arrays)


shell.page(body)
