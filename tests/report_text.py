"""Return the text of one page of a report, with the commands at the end of the file."""

from __future__ import annotations

from figures.report.html import LeftOut, Page, code, section_html


def whole(page: Page) -> str:
    assert not isinstance(page, LeftOut), page.why
    return section_html(page) + code("\n".join(page.commands))
