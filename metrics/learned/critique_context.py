"""The context in which a critique judges captions."""

from __future__ import annotations

from typing import Literal

Context = Literal["reference", "image", "both", "none"]


class InContext:
    """Settings of a critique that include its `context`."""

    context: Context

    @property
    def beside_references(self) -> bool:
        """Whether captions are judged together with a reference."""
        return self.context in ("reference", "both")

    @property
    def beside_images(self) -> bool:
        """Whether captions are judged together with the features of their image."""
        return self.context in ("image", "both")
