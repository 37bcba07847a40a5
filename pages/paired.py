"""Paired comparison: Is the difference between two runs real, and where is it?"""

from ui import look, shell


def body() -> None:
    """The page."""
    look.header("Paired comparison", "Is the difference between two runs real, and where is it?")


shell.page(body)
