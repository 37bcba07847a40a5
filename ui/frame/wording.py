"""Wording shared by several pages: text safe from Markdown, durations, kinds of work."""

from __future__ import annotations

import re

from data.findings import Finding, unmarked
from figures.style.escaping import whole
from metrics.base import Work

WORK: dict[Work, str] = {"words": "words and phrases", "encoder": "sentence embeddings", "meteor": "METEOR"}
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$:<>&])")


def plain(text: str) -> str:
    """Escape text for Markdown and put it on one line; lone surrogates become replacement characters."""
    return _MARKUP.sub(r"\\\1", re.sub(r"\s+", " ", whole(text)))


def with_typed_spaces(text: str) -> str:
    """Replace non-breaking spaces, which keep names on one line, so that typed spaces find a label."""
    return text.replace("\u00a0", " ")


def sentence(finding: Finding) -> str:
    """Return a finding as text: the file, the problem and the remedy."""
    said = unmarked(f"{finding.problem} {finding.repair}")
    return f"{finding.file}: {said}" if finding.file else said


def duration(seconds: float) -> str:
    """Return "20 s", "4 min" or "2.5 h"."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
