"""Test that the Overview's index of findings has what pages say by default, without computing anything."""

from __future__ import annotations

import re

from figures.style.html import answer
from tests.studies import study as random_study
from tests.ui.shown import markup, page, score, worked
from tests.ui.test_visit import other
from ui import rooms


def test_pages_are_named_until_they_have_been_opened_and_then_say_what_they_found():
    study = random_study(items=12, runs=3)
    score(study, ["cider_d", "trm_bow", "rouge_l", "bleu_2", "distinct_1"])
    at = page("overview", study)
    worked()
    at.run()
    assert not at.exception
    assert "Not opened yet" in markup(at)
    before = markup(at).count('<div class="tl-answer">')
    names = {link.proto.label for link in at.get("page_link")}
    missing = rooms.lacking(study)
    wanted = {one.title for one in rooms.ENTRIES if one.file not in missing} - {"Overview", "Data", "Images"}
    assert wanted - {"Triangles", "Methods"} <= names, "every page that the study can fill"
    other(at, "paired")
    worked()
    said = re.search(r'<div class="tl-verdict"><p>(.*?)</p>', markup(at.run()))
    assert said is not None
    other(at, "overview")
    assert markup(at).count('<div class="tl-answer">') == before + 1
    assert said[1] in markup(at), "in the words of the page"


def test_a_finding_is_the_visible_part_of_a_verdict():
    parts = ["First sentence of <b>. ", *(f"Word {k} of many. " for k in range(20))]
    assert answer(parts) == "First sentence of &lt;b&gt;. Word 0 of many. "
