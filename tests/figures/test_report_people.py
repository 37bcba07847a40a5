"""Test what a report says about runs and people, even if there is a single run or no difference is detected."""

from __future__ import annotations

import re
from dataclasses import replace

from figures.notes.people import would_find
from figures.overview import words
from figures.report.detectable_faults import with_known_faults
from figures.report.html import Section
from figures.report.pages import PAGES
from figures.style.escaping import capital
from metrics.analysis.overview import overview as overview_of
from metrics.progress import Hooks
from metrics.registry import METRICS
from tests.figures.test_report import CHOSEN, html, request
from tests.prove.worlds import world
from tests.studies import study as random_study
from tools.demo.models import TRUTH


def test_of_one_run_the_overview_says_how_it_stands_to_people() -> None:
    """A report on one run once said nothing about people, because its Overview was left out."""
    asked = request(random_study(items=8, runs=1, seed=5), pages=("overview",))
    said = re.sub(r"<[^>]+>", "", html(asked)).replace("\u00a0", " ")
    metric = METRICS["trm_bow"]
    quality = next(one for one in CHOSEN if one.name == "cider_d")
    seen = overview_of(asked.study, asked.numbers, quality, metric)
    told = " ".join(words.headline(seen)).replace("\u00a0", " ")
    assert told.startswith("run 0 is the only run, so there is no order. ")
    assert f"(joint test with {metric.label}, p " in told or "too little data" in told
    section = PAGES["overview"][1](asked)
    assert isinstance(section, Section)
    assert "".join(section.verdict).replace("\u00a0", " ") == told
    assert told in said
    assert f", joint test with {metric.label}" in said
    assert "In colour" not in said


def test_where_no_difference_is_detected_the_report_says_what_would_be() -> None:
    study = world(16, {"a": (TRUTH, 3), "b": (TRUTH, 3)}, seed=4, references=3, fixed=True)
    asked = request(
        study, pages=("overview", "leaderboard"), may_score=True, make=lambda work, doing: work.run(Hooks())
    )
    told = html(asked).replace("\u00a0", " ")
    metric, known = next(iter(with_known_faults(asked).numbers.detectable.items()))
    assert would_find(known).startswith("a run with ")
    assert told.count(would_find(known)) == 1, "below the Overview's chart"
    by_test = f"{capital(would_find(known))} by the joint test with {METRICS[metric].label}."
    assert told.count(by_test) == 1, "below the Leaderboard"
    never = html(replace(asked, make=lambda work, doing: None))
    assert "No difference from people is detected" in never.replace("\u00a0", " ")
    assert "would be noticed" not in never, "of a file that holds no such runs"
