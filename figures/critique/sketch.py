"""A preview of the page of critiques: a drawing without numbers."""

from __future__ import annotations

from figures.style.html import Markup

ROWS = (("A run that passes", 78), ("A run that does not", 24))
"""Two invented runs, with the positions of their marks."""
PEOPLE = 82
"""Position of people's mark, in per cent of the width."""
ALT = "A drawing: each run has a mark between captions taken for the run's and captions taken for people's."


def sketch() -> Markup:
    """Return two lines, each with the marks of a run and of people on it."""
    lines = "".join(
        f"<div><span>{name}</span><i><b style='left:{at}%'></b><b class='people' style='left:{PEOPLE}%'></b></i></div>"
        for name, at in ROWS
    )
    ends = "<div><span></span><small>taken for the run's</small><small>taken for people's</small></div>"
    return Markup(f'<div class="tl-sketch" role="img" aria-label="{ALT}">{lines}{ends}</div>')
