"""A note on an image, as somebody wrote it."""

from __future__ import annotations

from figures.style.escaping import esc


def note_html(text: str) -> str:
    """Return a note verbatim, with its line breaks."""
    return f'<div class="tl-note tl-memo"><b>Note</b><p dir="auto">{esc(text)}</p></div>'
