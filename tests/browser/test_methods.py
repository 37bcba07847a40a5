"""Test the Methods page as a person uses it: look up a metric, read its formula, and download the BibTeX."""

from tests.browser.conftest import Server, Visit


def test_a_metric_is_looked_up_and_cited(server: Server, visit: Visit) -> None:
    shown = visit(server, "methods")
    page = shown.page
    page.wait_for_function("document.querySelectorAll('.katex').length >= 20")
    field = page.get_by_role("textbox", name="Search")
    field.fill("vendi")
    field.press("Enter")
    page.wait_for_function("document.querySelectorAll('.tl-facts code').length === 1")
    shown.idle()
    assert "find=vendi" in page.url
    assert page.evaluate("document.activeElement.tagName") == "INPUT", "a rerun leaves the focus in place"
    assert page.locator(".tl-facts code").first.inner_text() == "vendi_bert|v1|enc:all-MiniLM-L6-v2@53aa5117"
    page.get_by_role("tab", name="Citations").click()
    cited = shown.saved(page.get_by_role("button", name="BibTeX", exact=True))
    assert cited.read_text().count("@") == 2
    shown.shot("methods")
    shown.check()
