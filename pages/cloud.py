"""Caption cloud: Where do captions live?"""

from ui import address, cloud, items, look, progress, shell, state


def body() -> None:
    """The page."""
    look.header("Caption cloud", "Where do captions live?")
    study = state.study()
    if items.nothing(study, needs_runs=False) or cloud.no_encoder():
        return
    with items.row():
        projection = cloud.projection(study)
        choice = cloud.choose(study)
    address.unknown()
    shown, arrays, view = cloud.fetch(study, projection)
    progress.show(view)
    if arrays is not None:
        cloud.show_cloud(study, choice, shown, arrays)


shell.page(body)
