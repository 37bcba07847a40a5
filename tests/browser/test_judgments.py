"""Test Judgments as a person uses it: files with ratings and pairs, a click on a metric, its captions, the link."""

from __future__ import annotations

import re
from urllib.parse import parse_qs, urlsplit

import numpy as np
import pandas as pd
import pytest

from data.convert import to_jsonl_bytes
from tests.browser.conftest import Server, Visit, Watched
from tests.browser.test_shell import narrowed
from tests.studies import study as random_study

pytestmark = pytest.mark.browser
STUDY = random_study(items=12, candidates=2, runs=3)
PANEL = ".st-key-judgments_wide .js-plotly-plot"
METRICS = "quality=rouge_l&quality=bleu_1&distribution=none&diversity=none"
# Where the mark of a metric is in the window.
PLACE = """([panel, name]) => {
  const graph = document.querySelector(panel), layout = graph._fullLayout, box = graph.getBoundingClientRect();
  const trace = graph.data.find(t => t.mode === 'markers' && t.name === name && (t.xaxis || 'x') === 'x');
  const at = (axis, value) => axis._offset + axis.d2p(value);
  return [box.x + at(layout.xaxis, trace.x[0]), box.y + at(layout.yaxis, trace.y[0])];
}"""


def given() -> list[dict[str, object]]:
    source = np.random.default_rng(0)
    rows = [
        (item.id, run.name, k, *source.integers(1, 6, 2).tolist())
        for run in STUDY.runs for item in STUDY.items for k in range(2)
    ]  # fmt: skip
    ratings = pd.DataFrame(rows, columns=["item", "run", "candidate", "rating_1", "rating_2"])
    pairs = [(item.id, "run 0", "run 1", 0, 1, "ab"[k % 2], "MM") for k, item in enumerate(STUDY.items)]
    names = ["item", "run_a", "run_b", "caption_index_a", "caption_index_b", "winner", "category"]
    contents = {
        "study.jsonl": to_jsonl_bytes(STUDY),
        "ratings.csv": ratings.to_csv(index=False).encode(),
        "pairs.csv": pd.DataFrame(pairs, columns=names).to_csv(index=False).encode(),
    }
    return [{"name": name, "mimeType": "text/csv", "buffer": content} for name, content in contents.items()]


def drawn(watched: Watched) -> str:
    watched.page.wait_for_function(
        "panel => document.querySelector(panel)?.data?.some(t => t.name === 'ROUGE-L')", arg=PANEL
    )
    return str(watched.idle().page.inner_text(".tl-verdict p"))


def test_a_click_on_a_metric_shows_its_captions(server: Server, visit: Visit) -> None:
    watched = visit(server, "dataset")
    page = watched.page
    page.set_input_files('[data-testid="stFileUploader"] input[type=file]', given())
    page.wait_for_url("**study=**")
    watched.idle()
    study = parse_qs(urlsplit(page.url).query)["study"][0]
    watched.open(f"judgments?{METRICS}&study={study}")
    said = drawn(watched)
    best = re.fullmatch(r"No agreement with people is detected; (BLEU-1|ROUGE-L) comes nearest \(\S+\)\.", said)
    assert best
    assert len(said.split()) <= 35
    other = "ROUGE-L" if best[1] == "BLEU-1" else "BLEU-1"
    page.locator(PANEL).scroll_into_view_if_needed()
    x, y = page.evaluate(PLACE, [PANEL, other])
    page.mouse.move(x - 3, y - 2)
    page.mouse.move(x, y)
    page.wait_for_selector(".hoverlayer .hovertext")
    page.mouse.click(x, y)
    page.wait_for_url(f"**main={'rouge_l' if other == 'ROUGE-L' else 'bleu_1'}**")
    page.wait_for_selector(f'b:has-text("{other} places it higher than people")')
    assert drawn(watched) == said
    page.locator("[role=tab]", has_text="Pair by pair").click()
    page.get_by_text("Which of two captions people prefer").wait_for()
    page.locator("[role=tab]", has_text="Where they disagree").click()
    page.wait_for_selector(f'b:has-text("{other} places it higher than people")')
    watched.idle()
    main = narrowed(watched, 900).page.query_selector('[data-testid="stMain"]')
    assert main.evaluate("e => e.scrollWidth <= e.clientWidth")
    watched.check()
