"""The texts of a kind of finding."""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of finding; `problem` and `repair` are format strings, `fix` the name of a repair.

    `manual_repair` replaces `repair` where the automatic one would change nothing.
    """

    severity: str
    problem: str
    repair: str
    fix: str | None = None
    manual_repair: str = ""
