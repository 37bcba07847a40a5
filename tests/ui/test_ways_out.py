"""Test that LaTeX exports of all tables on pages are complete, and that the best values are marked where this is
promised.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
import streamlit as st

from data.study import Settings
from metrics.analysis.central import study as central_study
from metrics.analysis.cloud.captions import Projection
from metrics.distances.words import BowDistance
from tests.figures.test_latex import PDFLATEX, fits, structure
from tests.studies import study as random_study
from tests.ui.shown import page, score, unfolded
from tests.ui.test_cloud import prepared
from tests.ui.test_unique_correct import first, stored
from ui.jobs.jobs import jobs

METRICS = {"distribution": ["trm_bow"], "quality": ["rouge_l"], "diversity": ["distinct_1"]}
PAGES: dict[str, dict[str, str | list[str]]] = {
    "leaderboard": {**METRICS, "show": "Difference", "base": "50 % run_1"},
    "sweeps": {**METRICS, "part": "rest"},
    "sweeps, tables": {**METRICS, "part": "tables"},
    "frontier": {
        "quality-metric": "rouge_l",
        "diversity-metric": "distinct_1",
    },
    "paired": {**METRICS},
    "images": {"measures": ["trm_bow", "rouge_l"]},
    "images, list": {"measures": ["trm_bow", "rouge_l"], "part": "list"},
    "triangles": {"distance": "bag of words", "part": "captions"},
    "central": {"distance": "bag of words", "scope": "image"},
    "central, study": {"distance": "bag of words", "part": "lengths"},
    "cloud": {"method": "pca"},
    "cloud, captions": {"method": "pca", "part": "captions"},
    "cloud, difference": {"method": "pca", "view": "difference"},
    "cloud, one": {"view": "one", "distance": "bag of words"},
    "unique_correct": {"distance": "bag of words", "part": "variance"},
    "unique_correct, runs": {
        "distance": "bag of words",
        "quality-metric": "rouge_l",
        "diversity-metric": "distinct_1",
        "single": ["trm_bow"],
        "part": "runs",
    },
}
MARKED = {
    "leaderboard": {"leaderboard_numbers_tex"},
    "sweeps": {"sweeps_rest_tex"},
    "frontier": {"frontier_numbers_tex"},
    "images": {"image_numbers_tex"},
    "unique_correct, runs": {"frontier_ranks_tex"},
}
"""Tables whose rows are runs and whose columns are values of a metric."""
LONG = {"images, list": {"image_list_all_tex"}, "paired": {"paired_items_tex"}, "sweeps, tables": {"sweeps_all_tex"}}


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.usefixtures("quick_encoder")
def test_every_table_of_a_page_leaves_complete(name: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """The source of each table names the study, has a label and, except for the list of images, the metrics'
    signatures.
    """
    study = random_study(items=7, references=8, candidates=4, runs=4)
    runs = tuple(replace(run, name=f"50 % {run.name.replace(' ', '_')}") for run in study.runs)
    study = replace(study, name="a_b & c", runs=(*runs[:3], replace(runs[3], settings=Settings())))
    score(study, ["trm_bow", "rouge_l", "distinct_1", "consensus_rouge_l"])
    prepared(study, Projection("pca", centred=True))
    stored(study, first(study, "bag of words"), "bag of words")
    space, cache = BowDistance(), jobs().cache
    cache.put(central_study.key(study, space), central_study.measure(study, space, cache))
    made: dict[str, Callable[[], str]] = {}
    promised: dict[str, str] = {}

    def keep(label: str, data: Callable[[], str], *_: object, key: str, help: str, **__: object) -> None:
        if label == "LaTeX":
            made[key], promised[key] = data, help

    monkeypatch.setattr(st, "download_button", keep)
    at = unfolded(page(name.split(",")[0], study, **PAGES[name]))
    assert not at.exception
    assert set(made) >= LONG.get(name, set())
    assert made
    assert {key for key, said in promised.items() if "best bold" in said} == MARKED.get(name, set())
    for key, latex in made.items():
        text = latex()
        assert ("Best bold, second underlined." in text) == (r"\textbf{" in text) == (key in MARKED.get(name, ())), key
        if PDFLATEX:
            fits(text, tmp_path)
        for one in re.split(r"(?=^% Needs)", text, flags=re.M)[1:]:
            columns, cells = structure(one)
            assert set(cells) == {columns}, key
            caption = re.findall(r"^\\caption\{(.*)\}$", one, flags=re.M)
            assert len(caption) == 1, key
            assert r"a\_b \& c" in caption[0], key
            assert re.search(r"\\label\{tab:[\w:.-]+\}", one), key
            assert "% Signatures" in one or key == "image_list_all_tex", key
