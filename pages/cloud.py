"""Caption cloud: Where do captions live?"""

from ui import look, shell


def body() -> None:
    """The page."""
    look.header("Caption cloud", "Where do captions live?")


shell.page(body)
