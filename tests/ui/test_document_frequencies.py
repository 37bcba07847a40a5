"""Test document frequencies in the app: they are used by every page and export, can be removed, and may be refused."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from pathlib import Path

import pandas as pd
import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest
from typer.testing import CliRunner

from cli.app import app
from data.check import GivenFile, repair
from data.convert import to_jsonl_bytes
from data.load import load_study
from data.study import Study
from figures.report import commands
from figures.style.numbers import COMPUTING
from metrics.analysis.bundle import checked, study_bundle
from metrics.analysis.central import study as central_study
from metrics.analysis.unique_correct import experiment
from metrics.cache.disk import Cache
from metrics.distances import document_frequencies
from metrics.distances.words import CiderDDistance
from metrics.registry import METRICS, OWN, with_frequencies
from tests.studies import study as random_study
from tests.ui.shown import ROOT, markup, mend, page, score, unfolded
from tests.ui.test_dataset import REFERENCES, RUN, data_page, dropped, opened, words
from tests.ui.test_unique_correct import first
from ui.jobs.jobs import jobs
from ui.session import state

ELSEWHERE = random_study(items=30, runs=0, seed=3)
FOUND = document_frequencies.count_frequencies(ELSEWHERE)
FILE = GivenFile("coco_val.npz", document_frequencies.to_npz(FOUND, "ptb"))
SIGNED = f"idf:{FOUND.digest[:12]}"
NAMES = ("trm_cider_d", "cider_d", "self_cider", "rouge_l")
CHOSEN = {"distribution": ["trm_cider_d"], "quality": ["cider_d", "rouge_l"], "diversity": ["self_cider"]}
OWN_IDF = re.compile(r"idf:(study|pooled)")
PAGES: dict[str, dict[str, str | list[str]]] = {
    "leaderboard": {**CHOSEN, "show": "Difference", "base": "run 1"},
    "sweeps": {**CHOSEN, "part": "tables"},
    "frontier": {
        "quality-metric": "cider_d",
        "diversity-metric": "self_cider",
        "single": ["trm_cider_d"],
        "part": "tables",
    },
    "paired": {**CHOSEN},
    "images": {"measures": ["cider_d", "trm_cider_d", "self_cider"], "distance": "CIDEr-D"},
    "triangles": {"distance": "CIDEr-D", "part": "captions"},
    "central": {"distance": "CIDEr-D", "scope": "image"},
    "central, study": {"distance": "CIDEr-D", "scope": "study"},
    "cloud, one": {"view": "one", "distance": "CIDEr-D"},
    "unique_correct": {"distance": "CIDEr-D", "part": "cells"},
    "methods": {},
}


@pytest.fixture
def study() -> Study:
    return random_study(items=7, references=8, candidates=8, runs=3)


def give(at: AppTest, *given: tuple[str, bytes]) -> AppTest:
    (place,) = (one for one in at.file_uploader if (one.key or "").startswith("idf_files"))
    place.set_value([(name, content, "application/octet-stream") for name, content in given])
    return at.run()


def panel(at: AppTest) -> str:
    labels = (block.proto.popover.label for block in at.get("popover"))
    return str(next(label for label in labels if label.startswith("CIDEr-D")))


def said(at: AppTest) -> str:
    return markup(at) + "\n".join(block.value for block in at.code)


def ready(study: Study) -> None:
    by, cache = with_frequencies(FOUND), jobs().cache
    score(study, [*NAMES, "consensus_cider_d", "consensus_rouge_l"], FOUND)
    space = by.trms["CIDEr-D"].space
    cache.put(central_study.key(study, space), central_study.measure(study, space, cache))
    design, trm = first(study, "CIDEr-D"), by.trms["CIDEr-D"]
    cache.put(experiment.experiment_key(study, design, trm), experiment.experiment(study, design, trm, cache).arrays())


@pytest.mark.parametrize("name", PAGES)
def test_every_page_and_export_goes_by_them(study: Study, name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    ready(study)
    made: dict[str, Callable[[], str]] = {}
    real = st.download_button

    def keep(label: str, data: Callable[[], str], *_: object, key: str, **__: object) -> None:
        if label == "LaTeX":
            made[key] = data

    monkeypatch.setattr(st, "download_button", keep)
    at = unfolded(page(name.split(",")[0], study, idf=FILE, **PAGES[name]))
    monkeypatch.setattr(st, "download_button", real)
    assert not at.exception
    assert SIGNED in markup(at)
    assert "CIDEr-D by coco_val.npz" in markup(at)
    texts = [data() for data in made.values()]
    assert any(SIGNED in text for text in texts) or name == "methods"
    assert not [hit for text in [said(at), *texts] for hit in OWN_IDF.findall(text)]
    if name == "methods":
        assert markup(at).count(f"Document frequencies: given, of 30 items ({SIGNED})") == 3
    if name == "unique_correct":
        assert any("--idf idf.npz" in block.value for block in at.code)


def test_without_any_every_page_has_the_registry_itself(study: Study) -> None:
    score(study, NAMES)
    at = page("leaderboard", study, **CHOSEN)
    assert METRICS["cider_d"].signature in markup(at)
    assert "CIDEr-D by" not in markup(at)
    assert with_frequencies(None) is OWN


def test_the_pages_numbers_are_those_of_the_command_line(study: Study, tmp_path: Path) -> None:
    """Numbers on screen with the frequencies of a file equal those of `score --idf` to the last digit."""
    own, idf, out = tmp_path / "own.jsonl", tmp_path / "idf.npz", tmp_path / "scores.csv"
    own.write_bytes(to_jsonl_bytes(study))
    at = give(dropped(("own.jsonl", own.read_bytes())), ("coco_val.npz", FILE.content))
    given = opened(at).idf
    assert given is not None
    idf.write_bytes(given.content)
    line = (
        commands.score(commands.CommandInputs((str(own),), idf=str(idf)), NAMES)
        .replace("scores.csv", str(out))
        .split()[1:]
    )
    done = CliRunner().invoke(app, [*line, "--cache-dir", str(jobs().cache.directory)])
    assert done.exit_code == 0, done.output
    expected = pd.read_csv(out).set_index(["run", "metric"])
    for key, value in CHOSEN.items():
        at.query_params[key] = value
    at = at.switch_page("pages/leaderboard.py").run()
    at.button(key="leaderboard_swap").click().run()
    for _ in range(100):  # while people's number is computed, the column is text
        if not any(COMPUTING in at.dataframe[0].value[METRICS[name].label].astype(str).tolist() for name in NAMES):
            break
        time.sleep(0.2)
        at.run()
    shown = at.dataframe[0].value.set_index("Run")
    by = with_frequencies(FOUND).metrics
    for run in study.runs:
        for name in NAMES:
            assert shown.loc[run.name, METRICS[name].label] == expected.value[run.name, name]
            assert expected.signature[run.name, name] == by[name].signature
    assert (
        expected.value.xs("cider_d", level="metric")
        != [result.corpus for (_, name), result in score(study, ["cider_d"]).items() if name == "cider_d"]
    ).all()


def test_a_file_is_given_shown_saved_and_taken_back(study: Study) -> None:
    at = dropped(("own.jsonl", to_jsonl_bytes(study)))
    assert panel(at) == "CIDEr-D: this study"
    assert not any("--idf" in block.value for block in at.code)
    at = give(at, ("coco_val.npz", FILE.content))
    assert not at.exception
    assert not at.error
    assert panel(at) == "CIDEr-D: coco\\_val\\.npz"
    assert f"{len(FOUND.last):,} n-grams in captions of 30 images" in words(at)
    assert SIGNED in markup(at)
    assert "CIDEr-D by coco_val.npz" in markup(at)
    assert any("own.jsonl --idf idf.npz" in block.value for block in at.code)
    (save,) = (button for button in at.get("download_button") if button.proto.label == "Save as idf.npz")
    assert save.proto.id
    kept = opened(at).idf
    assert kept is not None
    assert document_frequencies.parse(kept.content, "idf.npz") == FOUND
    at.button(key="idf_undo").click().run()
    assert panel(at) == "CIDEr-D: this study"
    assert opened(at).idf is None
    assert "CIDEr-D by" not in markup(at)


def test_captions_of_another_study_are_counted(study: Study) -> None:
    at = give(dropped(("own.jsonl", to_jsonl_bytes(study))), ("elsewhere.jsonl", to_jsonl_bytes(ELSEWHERE)))
    assert not at.error
    given = opened(at).idf
    assert given is not None
    assert given.name == f"references of {ELSEWHERE.name}"
    assert document_frequencies.parse(given.content, "x.npz") == FOUND


@pytest.mark.parametrize(
    ("name", "raw", "why"),
    [
        ("coco-val-df.p", b"\x80\x04}", "a pickle can run any program .* `trilens idf REFERENCES"),
        ("run.json", RUN, "not one n-gram was counted"),
    ],
)
def test_a_bad_file_is_refused_and_what_was_there_stays(study: Study, name: str, raw: bytes, why: str) -> None:
    at = give(dropped(("own.jsonl", to_jsonl_bytes(study))), ("coco_val.npz", FILE.content))
    before, token = opened(at), at.query_params["study"]
    at = give(at, (name, raw))
    assert not at.exception
    (error,) = at.error
    plain = error.value.replace("\\", "")
    assert re.search(why, plain), plain
    assert "CIDEr-D still uses the frequencies of coco_val.npz." in plain
    assert at.query_params["study"] == token
    assert opened(at) == before
    assert opened(at).idf == before.idf
    at = give(at, ("again.npz", FILE.content))  # alone: the bad one does not lie beside it
    assert not at.error
    assert opened(at).idf == GivenFile("again.npz", FILE.content)


def test_two_kinds_at_once_are_refused(study: Study) -> None:
    at = give(dropped(("own.jsonl", to_jsonl_bytes(study))), ("a.npz", FILE.content), ("b.json", REFERENCES))
    assert "one file of frequencies, or the files of one study" in at.error[0].value.replace("\\", "")
    assert opened(at).idf is None


def test_the_demo_takes_them_under_a_link_of_its_own() -> None:
    at = give(data_page(), ("coco_val.npz", FILE.content))
    assert "This is the demo" in words(at)
    assert panel(at) == "CIDEr-D: coco\\_val\\.npz"
    link = at.query_params["study"]
    (board,) = (one.proto for one in at.get("page_link") if one.proto.label.startswith("What they say"))
    assert f"study={link[0]}" in board.query_string
    assert any("demo.jsonl.gz --idf idf.npz" in block.value for block in at.code)
    assert panel(data_page()) == "CIDEr-D: this study"
    again = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page("pages/dataset.py")
    again.query_params["study"] = link
    assert panel(again.run()) == "CIDEr-D: coco\\_val\\.npz"
    again.button(key="idf_undo").click().run()
    assert again.query_params["study"] == link, "for everybody who has the link"
    assert panel(data_page()) == "CIDEr-D: this study"
    assert panel(again) == "CIDEr-D: this study"


def test_they_stay_with_their_study_and_go_with_it() -> None:
    at = give(dropped(("references.json", REFERENCES), ("mine.json", RUN)), ("coco_val.npz", FILE.content))
    at = mend(at, "drop_empty_candidates")
    assert opened(at).idf == FILE
    assert repair(opened(at), []).idf == FILE

    def drop(*given: tuple[str, bytes]) -> None:
        at.file_uploader(key="upload").set_value([(name, content, "text/plain") for name, content in given])
        at.run()

    drop(("references.json", REFERENCES), ("mine.json", RUN), ("more.json", RUN.replace(b"dog", b"cat")))
    assert len(opened(at).study.runs) == 2  # type: ignore[union-attr]
    assert opened(at).idf == FILE
    drop(("own.jsonl", to_jsonl_bytes(random_study())))
    assert opened(at).idf is None


def test_a_bundle_brings_them_and_pages_go_by_its_numbers(study: Study) -> None:
    score(study, NAMES, FOUND)
    content = study_bundle(study, jobs().cache, FOUND)
    jobs.cache_clear()
    jobs().cache.clear()
    at = dropped(("b.zip", content))
    assert panel(at) == "CIDEr-D: b\\.zip"
    by = with_frequencies(FOUND)
    view = jobs().view(study, [by.metrics[name] for name in NAMES], "nobody", start=False)
    assert view.results == {}
    brought = Cache(None, given=opened(at).numbers)
    assert study_bundle(study, brought, FOUND) == content
    at.button(key="idf_undo").click().run()
    more = [("b.zip", content), ("more.jsonl", to_jsonl_bytes(study))]
    at.file_uploader(key="upload").set_value([(name, raw, "text/plain") for name, raw in more])
    at.run()
    assert opened(at).idf is None
    assert checked(load_study([("b.zip", content)])).idf is not None


def test_a_report_says_which_and_how_to_have_them(study: Study) -> None:
    from ui.views.report import make

    ready(study)
    pages = ("leaderboard", "central", "unique_correct", "methods")
    for anonymous, names in ((False, NAMES), (True, ("rouge_l",))):
        metrics = tuple(with_frequencies(FOUND).metrics[name] for name in names)
        made = make(study, state.Loaded(study, (), ()), metrics, pages, "", anonymous, "", False, FOUND).decode()
        assert f"given, of 30 items ({SIGNED})" in made
        assert "--idf idf.npz --metrics" in made
        assert "coco_val" not in made
        assert not OWN_IDF.findall(made)


def test_only_one_module_of_the_app_reads_the_registry() -> None:
    """A page that read the registry itself would show CIDEr-D with the study's own frequencies, whatever was given.

    Two other modules read only what does not depend on frequencies: imported scores, and classes with a user's
    settings.
    """
    readers = [
        path.name
        for folder in ("ui", "pages")
        for path in (ROOT / folder).rglob("*.py")
        if re.search(r"metrics(\.registry| import .*\bregistry\b)", path.read_text())
    ]
    assert sorted(readers) == ["imported_scores.py", "own_settings.py", "study_metrics.py"]


def test_central_captions_measure_by_them(study: Study) -> None:
    space = with_frequencies(FOUND).trms["CIDEr-D"].space
    at = page("central", study, idf=FILE, distance="CIDEr-D", scope="image")
    assert central_study.signature(space) in markup(at)
    assert central_study.signature(CiderDDistance()) not in markup(at)


def test_what_the_server_remembers_of_an_image_is_by_the_frequencies_in_force(study: Study) -> None:
    """Sessions share what is remembered, so other frequencies must not lead to the same entry."""
    one = {"view": "one", "distance": "CIDEr-D"}
    before, after, again = (page("cloud", study, idf=idf, **one).dataframe[0].value for idf in (None, FILE, None))
    assert not before.equals(after)
    assert before.equals(again)
