"""Methods: What exactly is computed?"""

from ui import shell
from ui.frame import look
from ui.session import address, state
from ui.views import methods, reproduced


def body() -> None:
    """Show the page."""
    look.header("Methods", "What exactly is computed?")
    study = state.study()
    metrics = methods.choose()
    asked = methods.asked()
    address.show_unknown()
    if metrics:
        look.verdict(*methods.summary(metrics))
    else:
        look.empty("No metric matches", "Search for fewer words, or clear the families chosen.")
    if asked is not None:
        methods.show_asked(asked, study)
    part = methods.choose_part(metrics)
    if part == "study":
        methods.show_study(study)
    elif part == "conventions":
        methods.show_conventions()
    elif part == "published":
        reproduced.show_published()
    elif part == "cite":
        methods.show_citations(metrics)
    else:
        methods.show_family(part, metrics, study)


shell.page(body)
