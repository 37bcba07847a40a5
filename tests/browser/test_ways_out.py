"""Report and study bundle as a person exports them: saved on the Data page, opened elsewhere, without a network."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.browser.conftest import Server, Visit


def test_a_report_opens_alone_and_offline(server: Server, visit: Visit, browser: Any, tmp_path: Path) -> None:
    shown = visit(server, "dataset")
    page = shown.page
    page.get_by_test_id("stPopoverButton").filter(has_text="Report").first.click()
    page.get_by_role("button", name="Caption cloud").click()
    shown.idle()
    with page.expect_download(timeout=120_000) as taken:
        page.get_by_role("button", name="Make and save").click()
    taken.value.save_as(tmp_path / "report.html")
    shown.check()
    asked: list[str] = []
    alone = browser.new_context(offline=True, viewport={"width": 1280, "height": 900}).new_page()
    alone.on("request", lambda request: asked.append(request.url) if request.url.startswith("http") else None)
    alone.goto((tmp_path / "report.html").as_uri())
    titles = alone.locator("h2").all_inner_texts()
    assert titles[:3] == ["Overview", "Leaderboard", "Temperature sweeps"]
    assert titles[-1] == "Methods"
    assert "Caption cloud" not in titles
    assert alone.locator(".js-plotly-plot .main-svg").count() > 10
    cut = (
        "[...document.querySelectorAll('.js-plotly-plot')].filter(e => e.clientWidth > e.parentElement.clientWidth + 1)"
    )
    assert alone.evaluate(f"{cut}.length") == 0
    assert asked == []


def test_a_bundle_is_saved_and_opened_again_with_its_numbers(server: Server, visit: Visit, tmp_path: Path) -> None:
    shown = visit(server, "dataset")
    with shown.page.expect_download(timeout=120_000) as taken:
        shown.page.get_by_role("button", name="Study bundle").click()
    taken.value.save_as(tmp_path / "demo.trilens.zip")
    again = visit(server, "dataset")
    again.page.locator('input[type="file"]').set_input_files(tmp_path / "demo.trilens.zip")
    again.page.wait_for_selector("text=came with the study bundle", timeout=60_000)
    again.idle()
    said = again.page.locator(".tl-verdict").first.inner_text()
    assert "48 images" in said
    again.page.get_by_role("link", name="Leaderboard").first.click()
    again.page.wait_for_selector(".tl-board", timeout=60_000)
    again.idle()
    assert "0.299" in again.page.locator(".tl-board").inner_text()
    assert again.page.get_by_role("button", name="Cancel").count() == 0
    again.check()
