"""Test metrics with custom settings or from plug-ins on pages: how they are chosen, and what an address may set."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from data.study import Study
from metrics import METRICS, resolve
from metrics.engine import scoring
from metrics.extensions import plugins
from tests.studies import study as random_study
from tests.ui.shown import markup, page, score
from ui import shell
from ui.jobs import jobs

OWN = "mmd_bow(bandwidth=2,biased=true)"
LABEL = "MMD² bag of words (bandwidth 2, biased)"
EXAMPLE = re.findall(
    r"^```python\n(.*?)^```", (Path(__file__).parents[2] / "docs/own-metric.md").read_text(), re.S | re.M
)[0]


@pytest.fixture
def study() -> Study:
    return random_study(items=6, references=4, candidates=4, runs=3)


@pytest.fixture(autouse=True)
def alone() -> Iterator[None]:
    shell._plugins.cache_clear()
    yield
    shell._plugins.cache_clear()
    for one in plugins.loaded():
        plugins.unload(one)


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "my_metrics.py"
    path.write_text(EXAMPLE)
    monkeypatch.setenv("TRILENS_PLUGINS", str(path))
    return path


def asked(at, name: str) -> list[str]:
    found = at.query_params.get(name, [])
    return [found] if isinstance(found, str) else list(found)


def table(at):
    return at.button(key="leaderboard_swap").click().run().dataframe[0].value.set_index("Run")


def scored(study: Study, written: str) -> float:
    (metric,) = resolve([written])
    found = scoring.score(study, [metric], jobs.OPTIONS, jobs.jobs().cache)
    return found[study.runs[0].name, metric.name].corpus


def test_a_link_shows_a_metric_with_its_own_settings_beside_the_plain_one(study):
    score(study, ["mmd_bow", "distinct_2"])
    value = scored(study, OWN)
    at = page("leaderboard", study, own=OWN, distribution=["mmd_bow", OWN], quality=[], diversity=["distinct_2"])
    assert not at.exception
    assert asked(at, "own") == [OWN]
    shown = table(at)
    assert shown.loc[study.runs[0].name, LABEL] == value
    assert shown.loc[study.runs[0].name, "MMD² bag of words"] != value


def test_own_settings_are_added_in_the_picker_and_stay(study):
    score(study, ["mmd_bow", "distinct_2"])
    value = scored(study, OWN)
    at = page("leaderboard", study, distribution=["mmd_bow"], quality=[], diversity=["distinct_2"])
    at.selectbox(key="own_metric").set_value("mmd_bow").run()
    at.number_input(key="own_mmd_bow_bandwidth").set_value(2.0)
    at.toggle(key="own_mmd_bow_biased").set_value(True)
    at.button(key="own_add").click().run()
    assert not at.exception
    assert asked(at, "own") == [OWN]
    assert asked(at, "distribution") == ["mmd_bow", OWN]
    assert table(at).loc[study.runs[0].name, LABEL] == value
    at.button(key="own_remove").click().run()
    assert not asked(at, "own")
    assert asked(at, "distribution") == ["mmd_bow"]


def test_settings_that_are_the_plain_ones_choose_the_plain_metric(study):
    score(study, ["mmd_bow", "bleu_2", "distinct_2"])
    at = page("leaderboard", study, distribution=["mmd_bow"], quality=[], diversity=["distinct_2"])
    at.selectbox(key="own_metric").set_value("bleu_4").run()
    at.number_input(key="own_bleu_4_n").set_value(2)
    at.button(key="own_add").click().run()
    assert not asked(at, "own")
    assert "bleu_2" in asked(at, "quality")


@pytest.mark.parametrize(
    "hostile",
    [
        "cider_d(idf=/etc/passwd)",
        "mmd_bert(encoder=/etc)",
        "mmd_bow(bandwidth=<script>alert(1)</script>)",
        "mmd_bow(bandwidth=1e99)",
        "mmd_bow(__class__=1)",
        "nothing(bandwidth=1)",
        "mmd_bow(" + "bandwidth=1," * 5_000 + ")",
        "",
    ],
)
def test_an_address_sets_nothing_that_it_may_not(study, hostile):
    score(study, ["mmd_bow", "distinct_2"])
    at = page(
        "leaderboard", study, own=hostile, distribution=["mmd_bow", hostile], quality=[], diversity=["distinct_2"]
    )
    assert not at.exception
    assert not asked(at, "own")
    assert asked(at, "distribution") == ["mmd_bow"]
    assert "<script>" not in markup(at)
    assert "There is no metric with own settings" in markup(at)


def test_an_address_names_no_more_than_there_may_be(study):
    score(study, ["mmd_bow"])
    own = [f"mmd_bow(bandwidth={k})" for k in range(1, 60)]
    at = page("methods", study, own=own)
    assert not at.exception
    assert len(asked(at, "own")) == 20


@pytest.mark.parametrize("file_name", ["sweeps", "frontier", "paired", "images", "methods", "triangles", "central"])
def test_every_page_opens_with_own_settings(study, file_name):
    score(study, ["mmd_bow", "bleu_4", "distinct_2", "trm_bow"])
    scored(study, OWN)
    at = page(file_name, study, own=OWN, distribution=[OWN], main=OWN, by=OWN, distance="bag of words")
    assert not at.exception
    assert asked(at, "own") == [OWN]


def test_methods_says_what_a_metric_with_own_settings_is(study):
    at = page("methods", study, own=OWN, part="distribution")
    assert resolve([OWN])[0].signature in markup(at) + "".join(str(code.value) for code in at.code)


@pytest.mark.usefixtures("file")
def test_a_plugin_is_in_the_picker_and_on_the_pages(study):
    at = page("methods", study, part="distribution")
    assert not at.exception
    assert "From the plug-in my_metrics.py." in markup(at)
    score(study, ["length_gap", "distinct_2"])
    at = page("leaderboard", study, distribution=["length_gap"], quality=[], diversity=["distinct_2"])
    assert not at.exception
    assert "Length gap" in table(at).columns
    assert METRICS["length_gap"] in plugins.loaded()[0].metrics


def test_a_faulty_plugin_is_a_sentence_in_place_of_the_page(study, file):
    file.write_text(EXAMPLE.replace("METRICS = (LengthGap(),)", "METRICS = (LengthGap,)"))
    at = page("methods", study)
    assert not at.exception
    assert "my_metrics.py, line 20: METRICS holds the class LengthGap: write LengthGap()." in markup(at)
    assert "BLEU" not in markup(at)
