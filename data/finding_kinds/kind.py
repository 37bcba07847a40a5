"""The texts of a kind of finding."""

from __future__ import annotations

from typing import NamedTuple


class Kind(NamedTuple):
    """A kind of finding; `problem` and `repair` are format strings, and `fix` is the name of a repair, or None if there
    is none.

    `manual_repair` replaces `repair` if the automatic repair would change nothing.
    """

    severity: str
    problem: str
    repair: str
    fix: str | None = None
    manual_repair: str = ""
