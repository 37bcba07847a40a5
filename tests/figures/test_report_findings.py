"""Test that findings are on the first page of a report, and also in its headline if they may change results."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache

import pytest

from data.convert import to_jsonl_bytes
from data.files.blobs import File
from data.findings import Finding
from data.load import Loaded, load_study
from data.study import Run, Study
from figures.report import findings
from figures.report.marked_images import with_marks
from figures.report.pages import build_report
from figures.report.request import Request
from figures.style.escaping import esc
from metrics.analysis.numbers import of_results
from metrics.engine import scoring
from metrics.registry import METRICS
from tests.studies import study as random_study

CHOSEN = (METRICS["cider_d"], METRICS["rouge_l"])


def about_its_items(study: Study) -> Study:
    """Add the item's id to every caption, since random captions are no nearer to references of their own item than
    to others.
    """
    items = [replace(i, references=tuple(f"{text} {i.id}" for text in i.references)) for i in study.items]
    told = [{id: tuple(f"{text} {id}" for text in of) for id, of in run.candidates.items()} for run in study.runs]
    return replace(study, items=tuple(items), runs=tuple(map(_with, study.runs, told)))


def _with(run: Run, candidates: dict[str, tuple[str, ...]]) -> Run:
    return replace(run, candidates=candidates)


WHOLE = about_its_items(random_study(items=12, references=3, candidates=2, runs=3))


def copier(study: Study) -> Run:
    return replace(study.runs[0], name="copier", candidates={i.id: i.references[:2] for i in study.items})


def part(run: Run) -> Run:
    return replace(run, candidates=dict(list(run.candidates.items())[:6]))


STUDIES = {
    "nothing": WHOLE,
    "copied": replace(WHOLE, runs=(copier(WHOLE), *WHOLE.runs[1:])),
    "missing": replace(WHOLE, runs=(WHOLE.runs[0], part(WHOLE.runs[1]), WHOLE.runs[2])),
    "both": replace(WHOLE, runs=(copier(WHOLE), part(WHOLE.runs[1]), WHOLE.runs[2])),
}


@cache
def loaded(kind: str) -> Loaded:
    return load_study([("secret.jsonl", to_jsonl_bytes(STUDIES[kind]))])


def report(kind: str, runs: slice = slice(None), **more: object) -> str:
    found = loaded(kind)
    assert found.study is not None
    study = replace(found.study, runs=found.study.runs[runs])
    numbers = of_results(scoring.score(study, CHOSEN), {})
    made = Request(study, numbers, CHOSEN, ("overview", "leaderboard"), "2026-01-31", files=found.sources)
    html = build_report(replace(with_marks(made, found, False), **more)).html
    return html[html.index("<header>") : html.index("</header>")]


def headline(head: str) -> str:
    found = re.search(r"<h1>(.*?)</h1>", head)
    assert found is not None
    return found[1].replace("\u00a0", " ")


COPIED = "run copier repeats a reference word for word on 100 % of the items: the references may have leaked"


@pytest.mark.parametrize(
    ("kind", "begin", "lines"),
    [
        ("nothing", "", 0),
        ("copied", f"Read with care: {COPIED}.", 1),
        ("missing", "Read with care: the runs describe different items: 6 of 12 are described by every run (1 more", 2),
        ("both", f"Read with care: {COPIED} (2 more warnings below).", 3),
    ],
)
def test_warnings_stand_in_the_headline_and_below_it(kind: str, begin: str, lines: int) -> None:
    head = report(kind)
    said = headline(head)
    assert said.startswith(begin or "On 12 items, no run")
    assert ("Read with care" in said) == bool(lines)
    assert len(said.split()) <= 35
    assert head.count("tl-check tl-warning") == lines
    shown = re.search(r'<li><a href="#overview">', head)
    assert bool(shown) == bool(lines), "what the headline has no room for stands among the answers"
    for one in loaded(kind).findings:
        if one.severity == "warning":
            assert esc(one.problem) in head


def test_a_repair_that_somebody_chose_is_no_warning_and_another_is_an_option() -> None:
    assert "--repair drop_leaking_runs leaves such runs out." in report("copied")
    found = loaded("missing")
    mended = replace(found, applied=(*found.applied, "widest_runs"))
    assert found.study is not None
    assert [one.code for one in findings.of_report(mended, found.study)] == ["run_lacks_items"]


def test_a_hidden_run_warns_of_nothing() -> None:
    assert "Read with care" not in report("copied", slice(1, None))


def test_without_names_a_finding_has_none() -> None:
    assert "secret.jsonl" in report("missing")
    head = report("missing", anonymous=True)
    assert "secret" not in head
    assert "the runs describe different items" in head
    named = Finding("warning", "same_file_twice", "a.json", "2", "", "The same content as b <i>.json.", "Remove one.")
    (without,) = findings.nameless((named,), (File("b <i>.json", "00"),))
    assert (without.problem, without.file, without.record) == ("The same content as a file.", "", "")


def test_what_files_say_stays_text() -> None:
    evil = "<script>window.hacked=1</script>"
    run = replace(copier(WHOLE), name=evil)
    found = load_study([("x.jsonl", to_jsonl_bytes(replace(WHOLE, runs=(run, *WHOLE.runs[1:]))))])
    assert found.study is not None
    assert evil in findings.caution(found.study, found.findings)
    assert "<script" not in findings.block(found.study, found.findings)


def test_notes_change_no_headline_and_can_be_opened() -> None:
    note = Finding("note", "coincidence", "", "", "", "A caption equals a reference in run a.", "Nothing to do.")
    assert findings.caution(WHOLE, (note,)) == ""
    assert findings.block(WHOLE, (note,)).startswith('<div class="tl-found"><details><summary>1 note in the data')
    error = replace(note, severity="error", problem=f"{'Very ' * 30}long. Not said.")
    assert findings.caution(WHOLE, (error,)).endswith("Very long.")


def test_a_few_captions_do_not_head_a_report() -> None:
    said = sum(len(texts) for texts in WHOLE.runs[0].candidates.values())
    problem = "A caption of run run 0 is a refusal or an error message."
    refusal = Finding("warning", "refusal", "", "", "", problem, "", run=WHOLE.runs[0].name)
    many = replace(WHOLE, runs=tuple(_with(run, {f"{k}": ("a", "b") for k in range(60 * said)}) for run in WHOLE.runs))
    assert findings.caution(many, (refusal,)) == ""
    assert findings.caution(WHOLE, (refusal,)).startswith("Read with care: a caption of run run 0 is a refusal")
    wrong = replace(refusal, problem="Captions of run run 0 share no words.")
    assert "share no words (1 more warning below)" in findings.caution(many, (refusal, wrong))
