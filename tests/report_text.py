"""Remove the marks that keep names on one line from HTML; `whole` does so for a report's page and its commands."""

from __future__ import annotations

import re

from figures.report.html import LeftOut, Page, code, section_html


def whole(page: Page) -> str:
    assert not isinstance(page, LeftOut), page.why
    return as_read(section_html(page)) + code("\n".join(page.commands))


def as_read(markup: str) -> str:
    """Return HTML without the marks that keep a name on one line."""
    return re.sub(r'<span class="tl-unbroken">(.*?)</span>', r"\1", markup)
