"""Wording shared by several pages: text that Markdown does not interpret, durations, kinds of work."""

from __future__ import annotations

import re

import streamlit as st

from data.findings import Finding, unmarked
from figures.style.escaping import Strong, whole
from figures.style.numbers import count
from figures.style.wording import of_texts
from metrics.base import Work

WORK: dict[Work, str] = {"words": "words and phrases", "encoder": "sentence embeddings", "meteor": "METEOR"}
_NOUN = "_text_noun"
_MARKUP = re.compile(r"([\\`*_{}\[\]()#+\-.!|~$:<>&])")


def plain(text: str) -> str:
    """Escape text for Markdown and put it on one line; lone surrogates become replacement characters."""
    return _MARKUP.sub(r"\\\1", re.sub(r"\s+", " ", whole(text)))


def speak_of(noun: str) -> None:
    """Set what this session's pages call a text of a run: "caption" or "response"."""
    st.session_state[_NOUN] = noun


def own_words(text: str) -> str:
    """Return the app's own text with the noun that was set; markup is left as it is."""
    if type(text) not in (str, Strong):
        return text
    return type(text)(of_texts(st.session_state.get(_NOUN, "caption"), text))


def with_typed_spaces(text: str) -> str:
    """Replace non-breaking spaces, which keep names on one line, by the ordinary spaces that a person types to find a
    label.
    """
    return text.replace("\u00a0", " ")


def sentence(finding: Finding) -> str:
    """Return a finding as text: the file, the problem and the remedy."""
    said = unmarked(f"{finding.problem} {finding.repair}")
    return f"{finding.file}: {said}" if finding.file else said


def roughly(seconds: float) -> str:
    """Return an estimate in plain words: "less than a minute", "about 5 minutes", "about 2 hours"."""
    if seconds < 50:
        return "less than a minute"
    minutes = next((step for step in (1, 2, 3, 5, 7, 10, 15, 20, 30, 45) if seconds <= 66 * step), None)
    n, unit = (minutes, "minute") if minutes is not None else (max(1, round(seconds / 3600)), "hour")
    return f"about {count(n, unit)}"


def duration(seconds: float) -> str:
    """Return a duration as text, such as "20 s", "4 min" or "2.5 h"."""
    if seconds < 90:
        return f"{max(1, round(seconds))} s"
    return f"{round(seconds / 60)} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
