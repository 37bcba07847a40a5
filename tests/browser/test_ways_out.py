"""Test how a person exports a report and a study bundle from the Data page, and that both can be opened elsewhere
offline.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from figures.style.palette import TONES
from tests.browser.conftest import Server, Visit

NINE = (
    "distribution=trm_meteor&distribution=trm_bert&distribution=mmd_bert&distribution=ms_jaccard_4&quality=meteor"
    "&quality=cider_d&quality=bleu_4&diversity=self_bleu_4&diversity=distinct_2"
)
"""More metrics for the Leaderboard than fit on a sheet."""


def test_a_report_opens_alone_and_offline(server: Server, visit: Visit, browser: Any, tmp_path: Path) -> None:
    shown = visit(server, f"dataset?{NINE}")
    page = shown.page
    page.get_by_test_id("stPopoverButton").filter(has_text="Report").first.click()
    page.get_by_role("button", name="Caption cloud").click()
    shown.idle()
    page.get_by_role("button", name="Make", exact=True).click()
    page.get_by_test_id("stProgress").get_by_text(re.compile(r", \d+ of \d+")).wait_for()
    shown.idle()
    with page.expect_download() as taken:
        page.get_by_role("button", name="Save it").click()
    taken.value.save_as(tmp_path / "report.html")
    shown.check()
    asked: list[str] = []
    alone = browser.new_context(offline=True, viewport={"width": 1280, "height": 900}).new_page()
    alone.on("request", lambda request: asked.append(request.url) if request.url.startswith("http") else None)
    alone.goto((tmp_path / "report.html").as_uri())
    titles = alone.locator("h2").all_inner_texts()
    assert titles[:3] == ["Overview", "Leaderboard", "Paired comparison"]
    assert titles[-2:] == ["Methods", "Provenance"]
    assert "Caption cloud" not in titles
    # All pages but the first are folded to their findings; a link opens one, a button all, and charts are drawn as
    # they open.
    alone.wait_for_selector("#overview .main-svg")
    assert alone.locator(".tl-page[open]").count() == alone.locator(".js-plotly-plot").count() == 1
    assert alone.locator(".tl-page:not([open])").last.evaluate("e => e.clientHeight") < 80
    alone.locator('nav a[href="#leaderboard"]').click()
    alone.wait_for_selector("#leaderboard .tl-page[open]")
    assert alone.locator(".tl-page[open]").count() == 2
    alone.get_by_role("button", name="Open all pages").click()
    alone.wait_for_selector(f"#{alone.locator('[data-chart]').last.get_attribute('data-chart')} .main-svg")
    assert alone.locator(".js-plotly-plot .main-svg").count() > 10
    cut = (
        "[...document.querySelectorAll('.js-plotly-plot')].filter(e => e.clientWidth > e.parentElement.clientWidth + 1)"
    )
    assert alone.evaluate(f"{cut}.length") == 0
    assert asked == []
    tops = {box.bounding_box()["y"] for box in alone.locator(".tl-ov-step").all()}
    assert (alone.locator(".tl-ov-step").count(), len(tops)) == (3, 1), "the steps of the triangle stand side by side"
    # Charts and other parts follow the system's theme; the contents stay in sight; on paper, the report is light.
    _wait_for_ground(alone, "rgb(255, 255, 255)", TONES["light"]["muted"])
    alone.emulate_media(color_scheme="dark")
    _wait_for_ground(alone, "rgb(20, 20, 19)", TONES["dark"]["muted"])
    alone.evaluate("dispatchEvent(new Event('beforeprint'))")
    _wait_for_ground(alone, "rgb(20, 20, 19)", TONES["light"]["muted"])
    # Boards are made smaller on paper, where they keep their bars, and are as before afterwards.
    alone.set_viewport_size({"width": 690, "height": 900})
    alone.emulate_media(media="print", color_scheme="dark")
    of_each = "[e.scrollWidth - e.clientWidth, e.style.zoom]"
    wide = f"[...document.querySelectorAll('.tl-scroll')].map(e => {of_each})"
    boards = alone.evaluate(wide)
    assert len(boards) > 1, "one of all metrics would be cut"
    assert all(over <= 1 and float(zoom) == 0.75 for over, zoom in boards)
    assert alone.locator(".tl-board .m:not(.by) .tr").first.is_visible()
    # Nothing is separated from its heading, no verdict or figure is split, and nothing has to be scrolled.
    rules = {".tl-head": "breakAfter", ".tl-fig": "breakAfter", ".tl-verdict": "breakInside", ".tl-two": "breakInside"}
    rules |= {".tl-drawn": "breakInside", ".tl-ov-step": "breakInside", ".tl-foot": "breakBefore"}
    for part, rule in rules.items():
        assert alone.evaluate(f"getComputedStyle(document.querySelector('{part}')).{rule}") == "avoid", part
    assert not alone.locator(".tl-unseen").first.is_visible()
    alone.evaluate("dispatchEvent(new Event('afterprint'))")
    assert alone.evaluate(wide)[0][1] == ""
    alone.emulate_media(media="screen", color_scheme="dark")
    alone.set_viewport_size({"width": 1280, "height": 900})
    alone.evaluate("scrollTo(0, document.body.scrollHeight)")
    alone.wait_for_function(
        "Math.abs(document.querySelector('nav').getBoundingClientRect().top - 40) < 6", timeout=30_000
    )
    alone.set_viewport_size({"width": 390, "height": 844})
    alone.wait_for_function("document.documentElement.scrollWidth === 390", timeout=10_000)
    assert not alone.locator("nav").is_visible()


def _wait_for_ground(page: Any, ground: str, text: str) -> None:
    """Wait until the page has this background, and the text of every chart that is drawn has this colour."""
    page.wait_for_function(
        """([ground, text]) => getComputedStyle(document.body).backgroundColor === ground
          && [...document.querySelectorAll('.js-plotly-plot')].every(chart => chart._fullLayout.font.color === text)""",
        arg=[ground, text],
        timeout=30_000,
    )


def test_a_bundle_is_saved_and_opened_again_with_its_numbers(server: Server, visit: Visit, tmp_path: Path) -> None:
    shown = visit(server, "dataset")
    with shown.page.expect_download() as taken:
        shown.page.get_by_role("button", name="Study bundle").click()
    taken.value.save_as(tmp_path / "demo.trilens.zip")
    shown.page.locator('input[type="file"]').set_input_files(tmp_path / "demo.trilens.zip")
    shown.page.wait_for_selector("text=came with the study bundle")
    shown.idle()
    said = shown.page.locator(".tl-verdict").first.inner_text()
    assert "48 images" in said
    shown.follow(shown.page.get_by_role("link", name="Leaderboard").first)
    shown.page.wait_for_selector(".tl-board")
    shown.idle()
    assert "0.299" in shown.page.locator(".tl-board").inner_text()
    assert shown.page.get_by_role("button", name="Cancel").count() == 0
    shown.check()
