"""Methods: What exactly is computed?"""

from ui import look, shell


def body() -> None:
    """The page."""
    look.header("Methods", "What exactly is computed?")


shell.page(body)
