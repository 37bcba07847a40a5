"""Temperature sweeps: How does each model behave as sampling gets hotter?"""

from ui import look, shell


def body() -> None:
    """The page."""
    look.header("Temperature sweeps", "How does each model behave as sampling gets hotter?")


shell.page(body)
