"""Overview: What does this study say?"""

from metrics.analysis.overview import representative_image
from ui import shell
from ui.session import address, state
from ui.views import overview, overview_findings, overview_without_references


def body() -> None:
    """Show the page."""
    study = state.study()
    overview.top(bool(study.runs))
    if not study.runs or not study.items:
        overview.show_no_runs(study)
        return
    if overview_without_references.shown(study):
        overview_findings.show(study)
        return
    choice = overview.choose(study)
    address.show_unknown()
    seen, numbers, view = overview.fetch_overview(study, choice)
    overview.headline(seen, view)
    position = representative_image(numbers, seen)
    steps = overview.evidence(seen, choice, numbers, position)
    overview_findings.show(study)
    overview.show_triangle(seen, position, steps)


shell.page(body)
