"""The sentences of a text, by the same rule for everything that reads paragraphs."""

from __future__ import annotations

import re

RULE = "stops"
"""The name of the rule in signatures."""
_END = re.compile(r"[\n\r]+|(?<=[.!?])\s+|(?<=[.!?][\"')\]])\s+")


def sentences(text: str) -> list[str]:
    """Return the sentences of a text, which end at a line break, or where white space follows a full stop, ! or ?.

    A quotation mark or a bracket may follow the stop. An abbreviation ends a sentence, too.
    """
    return [one for one in _END.split(text) if one.strip()]
