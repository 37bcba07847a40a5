"""Test that each view has the same choices and tables as a page, as a section of the report, and as a command."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import streamlit as st
from typer.testing import CliRunner

from cli.app import app
from data import judge_answers
from data.convert import preferences_to_json, to_jsonl_bytes
from data.study import Preference, Study
from figures.report.render import section_of
from figures.report.request import Request
from figures.views import registry
from figures.views.controls import to_rank
from figures.views.registry import VIEWS, command_of
from figures.views.view import Known, Refusal, defaults
from metrics.analysis import paired_defaults
from metrics.analysis.defaults import defaults as default_metrics
from metrics.analysis.numbers import of_results
from metrics.cache.disk import Cache
from metrics.engine import scoring
from metrics.progress import Hooks
from metrics.registry import METRICS
from tests.analysis.judging.studies import judged
from tests.report_text import whole
from tests.studies import study as random_study
from tests.ui.shown import markup, page, unfolded, worked
from ui import rooms
from ui.jobs import jobs
from ui.widgets import show

CAPTIONS = random_study(items=40, references=3, candidates=2, runs=3, seed=5)
STUDY = replace(
    CAPTIONS,
    preferences=tuple(
        Preference(item.id, (f"run {k % 3}", 0), (f"run {(k + 1) % 3}", 0), *((2, 1), (1, 2))[k % 5 > 2], "rating", "")
        for k, item in enumerate(CAPTIONS.items)
    ),
)
STUDIES = {
    "judging": judged(items=12, rated=True),
    "unique_correct": random_study(items=9, references=6, candidates=2, runs=2),
}
"""The studies for views that need more than captions and preferences."""
NOTHING = {"central": random_study(items=4, references=1, runs=1)}
"""Studies in which views that need no run have nothing to show."""
ASKED = {"frontier": {"quality-metric": "cider_d"}, "slices": {"scored_by": "cider_d"}}
"""Choices for the page and the command: the report lacks their default, METEOR, whose index takes a minute to build."""


def request(study: Study) -> Request:
    metrics = tuple(METRICS[name] for name in ("bleu_4", "cider_d", "self_bleu_4"))
    numbers = of_results(scoring.score(study, metrics, jobs.OPTIONS), {})
    cache = Cache(None)
    made = Request(study, numbers, metrics, tuple(VIEWS), "2026-01-31", cache=cache)
    return replace(made, make=lambda work, _: work.compute(cache, Hooks()))


def command(name: str, study: Study, out: Path, *options: str) -> bytes:
    (out / "study.jsonl").write_bytes(to_jsonl_bytes(study))
    beside = out / ("answers.jsonl" if study.answers else "pairs.json")
    made = judge_answers.to_jsonl_bytes(study.answers) if study.answers else preferences_to_json(study.preferences)
    beside.write_bytes(made)
    files = [str(out / "study.jsonl"), *([str(beside)] if study.answers or study.preferences else [])]
    done = CliRunner().invoke(app, [command_of(name), *files, *options, "--out", str(out / "table.csv")])
    assert done.exit_code == 0, done.output
    return (out / "table.csv").read_bytes()


def of_page(name: str, study: Study, monkeypatch: pytest.MonkeyPatch, **choice: str) -> dict[str, Callable[[], bytes]]:
    files: dict[str, Callable[[], bytes]] = {}
    kept = st.download_button

    def button(label: str, data: Any, file: str, *args: Any, **kwargs: Any) -> bool:
        files[file] = data
        return kept(label, data, file, *args, **kwargs)

    monkeypatch.setattr(st, "download_button", button)
    monkeypatch.setattr(show, "folded", lambda label, key, body, icon=None: body())
    at = page(name, study, **ASKED.get(name, {}), **choice)
    for _ in range(6):
        worked()
        at.run()
    assert not at.exception
    assert not unfolded(at).exception
    return files


@pytest.mark.parametrize("name", VIEWS)
def test_a_view_says_what_it_asks_and_names_its_controls_once(name: str) -> None:
    view = registry.view(name)
    assert (view.name, view.title) == (name, VIEWS[name].title)
    assert view.question.endswith("?")
    assert view.about != view.question
    for names in ([control.name for control in view.controls], [control.flag for control in view.controls]):
        assert len(set(names)) == len(names)


@pytest.mark.parametrize("name", VIEWS)
def test_one_command_for_the_words_of_a_control(name: str) -> None:
    said = CliRunner().invoke(app, [command_of(name), "--help"], terminal_width=200).output
    for control in registry.view(name).controls:
        assert control.flag in said
        assert control.help.split(".")[0] in " ".join(said.split())


def test_words_look_for_the_leader_by_quality_and_pairs_for_that_of_the_ranking() -> None:
    """The words of the run that is nearest to people by a distance of distributions differ the least from people's."""
    known = Known(STUDY, tuple(METRICS[name] for name in default_metrics(STUDY)))
    assert [metric.family for metric in to_rank(known)] == ["distribution"]
    assert [metric.family for metric in registry.view("words").optional(known)] == ["quality"]


def test_words_begin_with_the_leader_once_its_numbers_are_known() -> None:
    view, asked = registry.view("words"), request(STUDY)
    by = asked.ranked
    assert by is not None
    values = {run.name: asked.numbers.results[run.name, by.name].corpus for run in STUDY.runs}
    leader = (max if by.higher_is_better else min)(values, key=lambda run: values[run])
    assert leader != STUDY.runs[0].name
    by_people = replace(STUDY, runs=tuple(replace(run, model="Human") for run in STUDY.runs if run.name == leader))
    others = tuple(run for run in STUDY.runs if run.name != leader)
    beside = replace(by_people, runs=(*by_people.runs, *others))
    del values[leader]
    second = (max if by.higher_is_better else min)(values, key=lambda run: values[run])
    for known, first in (
        (Known(STUDY, asked.metrics, asked.numbers), leader),
        (Known(STUDY, asked.metrics), STUDY.runs[0].name),
        (Known(beside, asked.metrics, asked.numbers), second),
        (Known(beside, asked.metrics), others[0].name),
        (Known(by_people, asked.metrics, asked.numbers), leader),
    ):
        choice = defaults(view, known)
        assert not isinstance(choice, Refusal)
        assert choice["run"] == first


def test_slices_open_on_the_pair_of_the_paired_comparison_whatever_metric_they_are_by() -> None:
    view, asked = registry.view("slices"), request(STUDY)
    known = Known(STUDY, asked.metrics, asked.numbers)
    (by,) = to_rank(known)
    assert by == paired_defaults.main_metric(STUDY, asked.metrics)
    first = paired_defaults.best_first(STUDY, asked.numbers, by)[0]
    pair = first, paired_defaults.rival(STUDY, asked.numbers, by, STUDY.run(first))
    for metric in view.control("scored_by").options(known, {}):
        choice = defaults(view, known, {"scored_by": metric})
        assert not isinstance(choice, Refusal)
        assert (choice["a"], choice["b"]) == pair
        needed = {one.name for one in view.needs(known, {"scored_by": metric})}
        assert {metric, by.name} <= needed


@pytest.mark.parametrize("name", VIEWS)
def test_page_report_and_command_give_the_same_table(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    study = STUDIES.get(name, STUDY)
    text = whole(section_of(name)(request(study)))
    embedded = {
        file: base64.b64decode(data)
        for file, data in re.findall(r'download="([^"]+)" href="data:text/csv;base64,([^"]*)"', text)
    }
    view, asked = registry.view(name), request(study)
    leader = defaults(view, Known(study, asked.metrics, asked.numbers)) if view.several else {}
    assert not isinstance(leader, Refusal)
    run = {"run": leader["run"]} if view.several else {}  # The page has no numbers here, and so no leader.
    options = [text for one in run.values() for text in ("--run", one)]
    options += [text for one, value in ASKED.get(name, {}).items() for text in (view.control(one).flag, value)]
    written = command(name, study, tmp_path, *options)
    assert embedded[f"{command_of(name)}.csv"] == written
    files = of_page(name, study, monkeypatch, **run)
    assert written in [make() for file, make in files.items() if file.endswith(".csv")]


def test_a_report_leaves_out_what_has_not_been_computed() -> None:
    left = section_of("words")(replace(request(STUDY), make=lambda work, _: None))
    assert "open the page first" in left.why  # type: ignore[union-attr]


@pytest.mark.parametrize("name", VIEWS)
def test_a_study_of_nothing_is_refused_everywhere_in_one_sentence(name: str, tmp_path: Path) -> None:
    study = NOTHING.get(name, replace(STUDY, runs=(), preferences=()))
    why = registry.view(name).refuses(study)
    assert isinstance(why, Refusal)
    assert name in rooms.lacking(study), "the menu does not offer it"
    assert name not in rooms.lacking(STUDIES.get(name, STUDY))
    (tmp_path / "study.jsonl").write_bytes(to_jsonl_bytes(study))
    done = CliRunner().invoke(app, [command_of(name), str(tmp_path / "study.jsonl")])
    assert done.exit_code == 2
    assert why.why in done.output
    assert section_of(name)(replace(request(STUDY), study=study)).why == why.why  # type: ignore[union-attr]
    at = page(name, study)
    assert not at.exception
    assert why.title in markup(at)
