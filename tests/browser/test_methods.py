"""Test the Methods page as a person uses it: look up a metric, read its formula, download the BibTeX."""

from playwright.sync_api import Page

from tests.browser.conftest import Server, Visit


def test_a_metric_is_looked_up_and_cited(server: Server, visit: Visit, tmp_path) -> None:
    shown = visit(server, "methods")
    page = shown.page
    _follow(page, "CIDEr-D")
    assert page.locator(".katex").count() >= 20
    field = page.get_by_role("textbox", name="Search")
    field.fill("vendi")
    field.press("Enter")
    page.wait_for_function("document.querySelectorAll('.tl-facts code').length === 1")
    shown.idle()
    assert "find=vendi" in page.url
    with page.expect_download() as taken:
        page.get_by_role("button", name="BibTeX", exact=True).click()
    taken.value.save_as(tmp_path / "cited.bib")
    assert (tmp_path / "cited.bib").read_text().count("@") == 2
    shown.shot("methods")
    again = visit(server, page.url.removeprefix(f"{server.url}/"), theme="dark", width=900)
    assert again.page.locator(".tl-facts code").first.inner_text() == "vendi_bert|v1|enc:all-MiniLM-L6-v2@53aa5117"
    again.shot("methods-dark")
    for seen in (shown, again):
        seen.check()


def test_contents_lead_to_a_card_on_a_telephone(server: Server, visit: Visit) -> None:
    shown = visit(server, "methods", theme="dark", width=390)
    for name in ("How to cite", "Vendi MiniLM", "The triangle of TRM"):
        _follow(shown.page, name)
    shown.check()


def _follow(page: Page, name: str) -> None:
    link = page.get_by_role("navigation", name="Contents").get_by_role("link", name=name, exact=True)
    place = (link.get_attribute("href") or "").removeprefix("#")
    link.click()
    page.wait_for_function(
        "id => { const y = document.getElementById(id).getBoundingClientRect().y; return y >= 0 && y < innerHeight; }",
        arg=place,
    )
    page.get_by_role("heading", name="Methods", exact=True).scroll_into_view_if_needed()
