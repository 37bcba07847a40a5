"""The report's page about images with a star or a note."""

from __future__ import annotations

from dataclasses import replace

import pandas as pd

from data.load import Loaded
from figures.images.notes import note_html
from figures.images.pictures import picture
from figures.images.titles import WHOLE, title
from figures.report import html as report_html
from figures.report.findings import of_report
from figures.report.html import LeftOut, Page, Section
from figures.report.request import Request
from figures.style import html as style_html
from figures.style.escaping import esc
from figures.style.numbers import count
from figures.style.wording import item_noun

MOST = 12
"""Maximum number of images shown with their picture and note; the table has all."""


def marked_places(request: Request) -> tuple[int, ...]:
    """Return the positions of the items with a star or a note, in the order of the study."""
    marks = request.marks
    return tuple(k for k, item in enumerate(request.study.items) if item.id in marks.stars or item.id in marks.notes)


def with_marks(request: Request, loaded: Loaded, drawn: bool) -> Request:
    """Return the request with stars, notes, findings, the number of hidden runs, and the pictures of all images shown.

    `drawn` tells whether the study is the demo, which has its own pictures.
    """
    study, whole = request.study, loaded.study or request.study
    request = replace(request, marks=loaded.marks, hidden=len(whole.runs) - len(study.runs))
    request = replace(request, findings=of_report(loaded, study))
    places = (*request.images, *marked_places(request)[:MOST])
    found = {place: picture(study.items[place], drawn, loaded) for place in places}
    return replace(request, pictures={place: one for place, one in found.items() if one is not None})


def marked(request: Request) -> Page:
    """Return the starred and annotated images, if any, with their pictures and titles, and each note verbatim."""
    places, noun = marked_places(request), item_noun(request.study)
    if not places:
        return LeftOut(f"no {noun} has a star or a note")
    marks, items = request.marks, [request.study.items[place] for place in places]
    stars, notes = (sum(item.id in of for item in items) for of in (marks.stars, marks.notes))
    facts = [fact for n, fact in ((stars, count(stars, "star")), (notes, count(notes, "note"))) if n]
    more = [f"the first {MOST} of {count(len(places), noun)} are shown"] if len(places) > MOST else []
    blocks = (
        report_html.grid(_card(request, place) for place in places[:MOST]),
        style_html.figure_footer([*facts, *more]),
        request.table(_table(request, places), "marked", f"Every marked {noun} as a table"),
    )
    return Section(f"Starred and noted {noun}s", f"Which {noun}s did somebody mark?", (), blocks)


def _card(request: Request, place: int) -> str:
    item, found = request.study.items[place], request.pictures.get(place)
    star = "★ " if item.id in request.marks.stars else ""
    name = f'<p class="tl-name" dir="auto" title="{esc(item.id)}">{star}{esc(title(request.study, item, WHOLE))}</p>'
    shown = report_html.picture(found, title(request.study, item)) if found else ""
    note = request.marks.notes.get(item.id)
    return f'<div class="tl-marked">{shown}{name}{note_html(note) if note else ""}</div>'


def _table(request: Request, places: tuple[int, ...]) -> pd.DataFrame:
    marks, items = request.marks, [request.study.items[place] for place in places]
    noun = item_noun(request.study).capitalize()
    return pd.DataFrame(
        {
            noun: [title(request.study, item, WHOLE) for item in items],
            "Star": ["★" if item.id in marks.stars else "" for item in items],
            "Note": [marks.notes.get(item.id, "") for item in items],
            "Id": [item.id for item in items],
        }
    )
