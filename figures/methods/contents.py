"""The contents of the Methods page, as links to its parts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from figures.style.escaping import esc


def anchor(name: str) -> str:
    """Return the anchor of a part of the page, such as `#method-cider_d`, without its #."""
    return f"method-{name}"


def mark(name: str) -> str:
    """Return the empty element that is the target of a link."""
    return f'<div id="{esc(anchor(name))}" style="scroll-margin-top: 4rem"></div>'


def _link(name: str, label: str) -> str:
    whole = ", ".join(f'<span style="white-space: nowrap">{esc(part)}</span>' for part in label.split(", "))
    return f'<a href="#{esc(anchor(name))}" target="_self">{whole}</a>'


def contents_html(groups: Mapping[str, Sequence[tuple[str, str]]]) -> str:
    """Return a line of links for each group of parts, given as pairs of name and label."""
    rows = []
    for title, parts in groups.items():
        # Keep the dot at the end of its line.
        links = "\u00a0· ".join(_link(name, label) for name, label in parts)
        rows.append(f"<dt>{esc(title)}</dt><dd>{links}</dd>")
    return f'<nav aria-label="Contents"><dl class="tl-facts tl-index">{"".join(rows)}</dl></nav>'
