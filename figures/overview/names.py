"""Short names of runs for narrow places, composed of the parts that distinguish them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from data.study import Run
from figures.style.escaping import whole
from figures.style.run_names import JOINT, short_names
from figures.style.text_width import fitting, text_width

ROOM = 102
"""Width in px of a name beside the chart, at a font size of 12.5 px."""
BOTH_SIDES = 118
"""Maximum width in px of a name in one line, also on a phone, where both sides of the chart have names."""
ROOMY = 220
"""Maximum width in px of a name in one line where the chart has the whole width of a laptop's page."""
_BLANKS = re.compile(r"[^\S\u00a0]+")
LONGEST = 40
"""Maximum length in characters of a name in a sentence."""


def run_labels(runs: Sequence[Run], room: float = ROOM) -> list[str]:
    """Return a name at most `room` px wide for each run: "Oracle · 1.0"; long names are shortened in the middle."""
    short = short_names(runs)
    return [fitting(short[run.name], room) for run in runs]


def two_lines(runs: Sequence[Run], room: float = BOTH_SIDES) -> bool:
    """Return whether names take two lines, which leaves no room for the intervals of values; `room` is in px."""
    return max(map(text_width, short_names(runs).values())) > room


def called(runs: Sequence[Run], run: Run) -> str:
    """Return the short name of a run, for use in a sentence."""
    return sentence_name(short_names(runs)[run.name])


def sentence_name(name: str, longest: int = LONGEST) -> str:
    """Return a run's name for a sentence, without line breaks.

    Only a long name may wrap, for example after a dot; one of more than `longest` characters is cut in the middle.
    """
    said = _BLANKS.sub(" ", whole(name)).strip()
    if len(said) > longest:
        said = f"{said[: longest * 3 // 5].rstrip()}…{said[len(said) - (longest - longest * 3 // 5 - 1) :].lstrip()}"
    return said.replace(" ", "\u00a0") if len(said) <= LONGEST // 2 else said.replace(JOINT, f"{JOINT[:-1]} ")
