"""The full names of runs, shown on hover over short ones: in the app's HTML and in figures on screen."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from typing import Any

import plotly.graph_objects as go

from figures.style.escaping import esc
from figures.style.html import UNBROKEN, name_pattern
from figures.style.palette import plain
from figures.style.run_names import JOINT, one_line

_CUT = "…"
_BOLD = re.compile(rf'(<b(?: dir="auto")?>)((?:[^<>]|{UNBROKEN}|</span>)*)</b>')
_TAG = re.compile(r"<[^>]*>")
_NAME_OF_LINE = "%{fullData.name}"


class FullNames:
    """The full names of runs by the short names on pages.

    A short name such as "Oracle · 1.0" is recognised anywhere. Others may be ordinary words in a sentence: they are
    recognised only in bold or as a whole line, even if they are cut there.
    """

    def __init__(self, short: Mapping[str, str]) -> None:
        """Take a mapping from full names to short ones."""
        self._full = {one_line(one): one_line(name) for name, one in short.items()}
        joined = [one for one in short.values() if JOINT in one and self._full[one_line(one)] != one_line(one)]
        self._text = _anywhere(joined)
        self._markup = _anywhere([esc(one) for one in joined])
        self._figure = _anywhere([plain(one) for one in joined])

    def of(self, shown: str) -> str:
        """Return the full name of the run whose name, possibly shortened, is the whole text.

        "" if the text is the full name already, or does not name a single run.
        """
        said = one_line(shown)
        if said in self._full:
            return self._full[said] if self._full[said] != said else ""
        start, cut, end = said.partition(_CUT)
        if not cut or not start:
            return ""
        found = {name for one, name in self._full.items() if one.startswith(start) and one.endswith(end)}
        return found.pop() if len(found) == 1 else ""

    def within(self, text: str) -> list[str]:
        """Return the full names for the short names of model and setting in a text."""
        found = self._text.findall(text) if self._text is not None else []
        return list(dict.fromkeys(map(self.of, found)))

    def in_markup(self, markup: str) -> str:
        """Return the app's own HTML with full names on hover over short ones; only text is changed, never a tag."""

        def bold(match: re.Match[str]) -> str:
            name = self.of(unescape(_TAG.sub("", match[2])))
            return f"{match[1]}{_abbr(name, match[2])}</b>" if name else match[0]

        def text(match: re.Match[str]) -> str:
            return match[0] if match[1] else _abbr(self.of(unescape(_TAG.sub("", match[0]))), match[0])

        marked = _BOLD.sub(bold, markup)
        if self._markup is None:
            return marked
        return re.sub(rf"(<abbr .*?</abbr>|<(?!{UNBROKEN[1:]})[^>]*>)|{self._markup.pattern}", text, marked)

    def in_figure(self, figure: go.Figure) -> go.Figure:
        """Return the figure with full names in the hover texts of its points and labels."""
        labels = [label.to_plotly_json() for label in figure.layout.annotations]
        for label in labels:
            if "hovertext" not in label and (names := self._named(label.get("text", ""))):
                label |= {"hovertext": "<br>".join(map(plain, names)), "hoverlabel": _hover_label(figure)}
        if any("hoverlabel" in label for label in labels):
            figure.layout.annotations = labels
        for trace in figure.data:
            _each(trace, "hovertext", self._hover)
            template = getattr(trace, "hovertemplate", None)
            if isinstance(template, str) and _NAME_OF_LINE in template and trace.name:
                trace.hovertemplate = template.replace(_NAME_OF_LINE, trace.name)
            _each(trace, "hovertemplate", self._hover)
        return figure

    def _named(self, text: str) -> list[str]:
        """The full names for a label: for the whole label, or else for the short names in it."""
        said = unescape(_TAG.sub("", text))
        if name := self.of(said):
            return [name]
        return self.within(said)

    def _hover(self, text: str) -> str:
        lines = []
        for line in text.split("<br>"):
            bare = _TAG.sub("", line)
            name = self.of(unescape(bare))
            lines.append(line.replace(bare, plain(name)) if name else line)
        joined = "<br>".join(lines)
        if self._figure is None:
            return joined
        return self._figure.sub(lambda match: plain(self.of(unescape(match[0]))), joined)


def _anywhere(names: list[str]) -> re.Pattern[str] | None:
    if not names:
        return None
    longest_first = sorted(names, key=len, reverse=True)
    # Figures have plain spaces where a page has no-break spaces.
    either = "|".join(r"\s".join(map(name_pattern, name.split())) for name in longest_first)
    return re.compile(rf"(?<!\w)(?:{either})(?![\w.]*\w)")


def _abbr(name: str, shown: str) -> str:
    return f'<abbr class="tl-run" title="{esc(name)}">{shown}</abbr>'


def _each(trace: Any, name: str, change: Any) -> None:
    """Change a property of a trace that is one text or a text for each point; a missing one stays missing."""
    value = getattr(trace, name, None)
    if isinstance(value, str):
        setattr(trace, name, change(value))
    elif value is not None and all(isinstance(one, str) for one in value):
        setattr(trace, name, [change(one) for one in value])


def _hover_label(figure: go.Figure) -> dict[str, Any]:
    look = figure.layout.template.layout.hoverlabel
    return {"bgcolor": look.bgcolor, "bordercolor": look.bordercolor, "font": look.font.to_plotly_json()}
