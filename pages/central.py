"""Central captions: What is the bland middle?"""

from ui import look, shell


def body() -> None:
    """The page."""
    look.header("Central captions", "What is the bland middle?")


shell.page(body)
