"""Unique vs correct: Does the metric see both?"""

from ui import look, shell


def body() -> None:
    """The page."""
    look.header("Unique vs correct", "Does the metric see both?")


shell.page(body)
