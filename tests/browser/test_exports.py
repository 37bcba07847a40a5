"""Test the parts of a page in a browser: text is never markup, keys reach all, and exported figures and tables suit a
paper, for which nothing is fetched.
"""

from __future__ import annotations

import io
import json
import re
import struct
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest
from PIL import Image

from data.version import VERSION
from figures.style.palette import PALETTE, TONES
from tests.browser.conftest import SHOTS, Server, Visit, Watched, serving
from tests.browser.parts import FOOTER, HOSTILE, TITLE, either

pytestmark = pytest.mark.browser
SVG = "{http://www.w3.org/2000/svg}"


@pytest.fixture(scope="module")
def parts(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    """Serve both pages, since a server of its own costs each page its start and its scripts' compilation."""
    with serving(tmp_path_factory.mktemp("parts"), either) as running:
        yield running


def open_save(watched: Watched, key: str) -> None:
    watched.page.click(f".st-key-{key}_save button")
    watched.page.wait_for_selector('button[data-kind="svg"]')


def saved(watched: Watched, kind: str, inches: float) -> tuple[str, bytes]:
    with watched.page.expect_download() as waiting:
        watched.page.click(f'button[data-kind="{kind}"][data-inches="{inches}"]')
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def texts(root: ElementTree.Element) -> str:
    return " ".join("".join(text.itertext()) for text in root.iter(f"{SVG}text"))


def test_files_have_their_width_their_fonts_their_signature_and_all_of_their_texts(
    parts: Server, visit: Visit, browser: Any
) -> None:
    watched = visit(parts, "?figures=1", theme="dark")
    asked: list[str] = []
    watched.page.on("request", lambda request: asked.append(request.url))
    open_save(watched, "null")
    assert not any("plotly.min" in url for url in asked), "plotly is fetched when a file is asked for"
    for inches in (3.3, 6.9):
        suits_a_paper(*saved(watched, "svg", inches), inches)
    assert sum("plotly.min" in url for url in asked) == 1
    png_has_300_dots_an_inch(watched, browser)
    watched.page.keyboard.press("Escape")
    hostile_texts_and_webgl_leave_too(watched)
    watched.check()


def suits_a_paper(name: str, svg: bytes, inches: float) -> None:
    assert name == f"trilens-null-distribution-{inches}in.svg"
    root = ElementTree.fromstring(svg)
    assert root.get("width") == f"{inches}in"
    width, height = (float(part) for part in (root.get("viewBox") or "").split()[2:])
    assert width == pytest.approx(inches * 96 / 0.85, abs=0.01)
    assert float((root.get("height") or "").removesuffix("in")) == pytest.approx(height / width * inches, abs=1e-3)
    said = texts(root)
    assert "Observed 1.200" in said
    assert TITLE in said
    # One short line is below the figure; the metadata contain the signatures and what the marks mean.
    facts, signature = FOOTER.rsplit(" ", 1)
    assert "n = 48 images; TRM METEOR v1; Trilens" in said
    assert facts not in said
    assert "|v1|" not in said
    about = json.loads(root.findtext(f"{SVG}metadata") or "")
    assert about == {"Software": f"Trilens {VERSION}", "Description": facts, "Signature": signature}
    fonts = root.find(f"{SVG}style")
    assert fonts is not None
    assert "@font-face" in (fonts.text or "")
    loads = re.findall(rb"(?:href|src)=[\"']([^\"']*)|url\(([^)]*)\)", svg)
    assert {(a or b)[:5].strip(b"\"'") for a, b in loads} <= {b"data:", b"#clip", b"#lege"}
    assert re.sub(rb"http://www\.w3\.org/\d+/\w+", b"", svg).find(b"http") == -1
    # Paper is white whatever the theme: the label has its colour of the light theme.
    assert b"rgb(179, 71, 0)" in svg


def png_has_300_dots_an_inch(watched: Watched, browser: Any) -> None:
    _, svg = saved(watched, "svg", 3.3)
    alone = _rendered(browser, svg)
    for inches, pixels in ((3.3, 990), (6.9, 2070)):
        name, png = saved(watched, "png", inches)
        assert name == f"trilens-null-distribution-{inches}in.png"
        assert struct.unpack(">I", png[16:20]) == (pixels,)
        at = png.index(b"pHYs")
        assert struct.unpack(">IIB", png[at + 4 : at + 13]) == (11811, 11811, 1)
        facts, signature = FOOTER.rsplit(" ", 1)
        about = Image.open(io.BytesIO(png)).info
        assert (about["Description"], about["Signature"]) == (facts, signature)
        assert about["Software"] == f"Trilens {VERSION}"
        SHOTS.mkdir(exist_ok=True)
        (SHOTS / f"exported-{inches}.png").write_bytes(png)
        if inches == 3.3:
            # The same drawing in two ways: in a canvas, and opened by itself without a network.
            assert _ink(png) == pytest.approx(_ink(alone), rel=0.1)


def _rendered(browser: Any, svg: bytes) -> bytes:
    context = browser.new_context(offline=True, viewport={"width": 330, "height": 400}, device_scale_factor=300 / 96)
    page = context.new_page()
    page.set_content(f"<style>body{{margin:0}}</style>{svg.decode()}")
    page.evaluate("document.fonts.ready")
    page.wait_for_timeout(200)
    png = page.locator("svg").first.screenshot()
    context.close()
    return bytes(png)


def _ink(png: bytes) -> float:
    """Return the share of dark pixels in the picture plus that in its lower fifth, where the footer is."""
    image = Image.open(io.BytesIO(png)).convert("L")
    dark = image.point(lambda value: 255 if value < 160 else 0)
    foot = dark.crop((0, int(image.height * 0.82), image.width, image.height))
    shares = [sum(part.histogram()[255:]) / (part.width * part.height) for part in (dark, foot)]
    assert min(shares) > 0.01, "nothing is drawn"
    return sum(shares)


def test_saving_works_by_keyboard_with_or_without_a_title(parts: Server, visit: Visit) -> None:
    watched = visit(parts, "?figures=1")
    tab = watched.page
    tab.focus(".st-key-null_save button")
    tab.keyboard.press("Enter")
    tab.wait_for_selector('button[data-kind="svg"]')
    for _ in range(12):
        tab.keyboard.press("Tab")
        # Inside the shadow root the document only knows the host.
        if tab.evaluate(f"({_FOCUSED})()?.type") == "checkbox":
            break
    tab.keyboard.press("Space")
    for _ in range(12):
        tab.keyboard.press("Shift+Tab")
        if tab.evaluate(f"({_FOCUSED})()?.dataset?.kind") == "svg":
            break
    assert tab.evaluate(f"({_FOCUSED})()?.getAttribute('aria-label')").startswith("Save as SVG, ")
    with tab.expect_download() as waiting:
        tab.keyboard.press("Enter")
    said = texts(ElementTree.fromstring(Path(waiting.value.path()).read_bytes()))
    assert "Observed 1.200" in said
    assert TITLE not in said
    # On request, what its marks mean is printed, too.
    tab.get_by_label("What its marks mean").check()
    with tab.expect_download() as waiting:
        tab.click('button[data-kind="svg"][data-inches="6.9"]')
    said = texts(ElementTree.fromstring(Path(waiting.value.path()).read_bytes()))
    assert FOOTER.rsplit(" ", 1)[0] in said
    watched.check()


_FOCUSED = "() => { let e = document.activeElement; while (e?.shadowRoot) e = e.shadowRoot.activeElement; return e; }"


def hostile_texts_and_webgl_leave_too(watched: Watched) -> None:
    open_save(watched, "hostile")
    watched.page.get_by_label("What its marks mean").check()
    _, svg = saved(watched, "svg", 3.3)
    root = ElementTree.fromstring(svg)
    said = texts(root)
    assert "<script>window.hacked = 1</script>" in said
    assert "رجل" in said
    assert not list(root.iter(f"{SVG}script"))
    assert root.find(f".//{SVG}image") is not None, "points drawn by WebGL are a picture inside"
    assert watched.page.evaluate("window.hacked") is None


def saves_no_colour_of_the_dark_theme(watched: Watched, key: str, mark: str | None = None) -> None:
    """Check that the saved figure has no colour of the dark theme, and no marker of the choice, whose path is `mark`.

    The tests of three pages call this: one with a chosen run, one with a chosen point, and one with points drawn by
    WebGL.
    """
    watched.page.wait_for_selector(f".st-key-{key}_save button")
    watched.idle()
    open_save(watched, key)
    _, svg = saved(watched, "svg", 3.3)
    root = ElementTree.fromstring(svg)
    if mark is not None:
        assert float((root.get("height") or "").removesuffix("in")) <= 3.6, "it fits a column"
    said = svg.decode().lower()
    dark = [*PALETTE["dark"]["mark"][:4], TONES["dark"]["ink"], "#6A62C8", "#F5D26B"]
    light = {colour.lower() for colour in (*PALETTE["light"]["mark"], *PALETTE["light"]["text"])}
    for colour in dark:
        red, green, blue = (int(colour[i : i + 2], 16) for i in (1, 3, 5))
        assert f"rgb({red}, {green}, {blue})" not in said
        assert colour.lower() in light or colour.lower() not in said
    drawn = [(path.get("d") or "").lower() for path in root.iter(f"{SVG}path")]
    assert drawn
    assert mark is None or not any(one.startswith(mark) for one in drawn)


def test_texts_stay_texts_tables_leave_as_files_and_the_keyboard_scrolls_a_wide_table(
    parts: Server, visit: Visit
) -> None:
    watched = visit(parts, theme="dark", width=900)
    tab = watched.page
    tab.wait_for_selector(".js-plotly-plot .infolayer .annotation")
    assert tab.evaluate("window.hacked") is None
    assert tab.inner_text("h1").strip() == HOSTILE[0]
    said = tab.eval_on_selector_all(".tl-caps q", "all => all.map(q => q.textContent)")
    assert said == [*HOSTILE[:3], HOSTILE[3].replace("\ud800", "\ufffd")]
    right_to_left = tab.eval_on_selector_all(".tl-caps li", "all => all.map(li => getComputedStyle(li).direction)")
    assert right_to_left == ["ltr", "ltr", "rtl", "ltr"]
    assert tab.query_selector_all("[class^=tl-] script, [class^=tl-] img[src=x]") == []
    the_keyboard_reaches_a_wide_table_and_scrolls_it(watched)
    tables_leave_as_csv_and_latex(watched)
    watched.check()


def save(watched: Watched, press: str) -> tuple[str, bytes]:
    with watched.page.expect_download() as waiting:
        watched.page.click(press)
    return waiting.value.suggested_filename, Path(waiting.value.path()).read_bytes()


def tables_leave_as_csv_and_latex(watched: Watched) -> None:
    name, csv = save(watched, 'button:has-text("CSV")')
    lines = csv.decode().splitlines()
    assert name == "trilens-scores.csv"
    assert lines[0] == "Run,TRM"
    assert lines[2].endswith(",0.123456789")
    assert lines[3] == "رجل يركب دراجة,"
    name, tex = save(watched, 'button:has-text("LaTeX")')
    assert name == "trilens-scores.tex"
    assert r"\textbf{0.123}" in tex.decode()


def the_keyboard_reaches_a_wide_table_and_scrolls_it(watched: Watched) -> None:
    tab = watched.page
    for _ in range(60):
        tab.keyboard.press("Tab")
        if tab.evaluate("document.activeElement.className").startswith("tl-scroll"):
            break
    assert tab.evaluate("document.activeElement.className") == "tl-scroll wide"
    assert tab.evaluate("document.activeElement.getAttribute('aria-label')").startswith("Leaderboard")
    for _ in range(5):
        tab.keyboard.press("ArrowRight")
    tab.wait_for_function("document.activeElement.scrollLeft > 60")  # past the column of ranks
    name = tab.evaluate("document.querySelector('tbody th.rn').getBoundingClientRect().left")
    assert name == pytest.approx(tab.evaluate("document.activeElement.getBoundingClientRect().left"), abs=1)
