"""Test that the Overview's index of findings has what pages say by default."""

from __future__ import annotations

import re
from dataclasses import replace

from figures.style.html import answer
from tests.studies import study as random_study
from tests.ui.shown import markup, page, score, worked
from tests.ui.test_visit import other
from ui import rooms


def test_pages_are_named_until_they_have_been_opened_and_then_say_what_they_found():
    study = random_study(items=12, runs=3)
    study = replace(study, runs=study.runs[::-1])  # the leader, on which pages open, is not the first run
    score(study, ["cider_d", "trm_bow", "rouge_l", "bleu_2", "distinct_1"])
    at = page("overview", study)
    for _ in range(4):  # each run begins one view that takes seconds
        worked()
        at.run()
    assert not at.exception
    assert "Not opened yet" in markup(at)
    names = {link.proto.label for link in at.get("page_link")}
    titles = {name.rpartition(": ")[2] for name in names}
    missing = rooms.lacking(study)
    wanted = {one.title for one in rooms.ENTRIES if one.file not in missing} - {"Overview", "Data", "Images"}
    assert wanted - {"Triangles", "Methods"} <= titles, "every page that the study can fill"
    assert "Language: Words" in names, "found without being opened"
    index = markup(at)
    for name in ("words", "paired"):
        other(at, name)
        worked()
        said = re.search(r'<div class="tl-verdict"><p>(.*?)</p>', markup(at.run()))
        assert said is not None
        if name == "paired":
            other(at, "overview")
            index = markup(at)
        assert said[1] in index, "in the words of the page"


def test_a_finding_is_the_visible_part_of_a_verdict():
    parts = ["First sentence of <b>. ", *(f"Word {k} of many. " for k in range(20))]
    assert answer(parts) == "First sentence of &lt;b&gt;. Word 0 of many. "
