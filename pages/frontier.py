"""Quality-diversity frontier: Who trades best?"""

from ui import look, shell


def body() -> None:
    """The page."""
    look.header("Quality-diversity frontier", "Who trades best?")


shell.page(body)
