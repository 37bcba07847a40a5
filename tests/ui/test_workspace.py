"""The Workspace: dropped files, findings, repairs on and off, corrected settings, a closed study."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from data.convert import templates, to_jsonl_bytes
from data.load import load_study
from data.settings import SETTING_NAMES, relabel
from data.study import Settings
from figures.style.escaping import esc
from tests.studies import study as random_study
from tests.ui.shown import ROOT, markup, page
from ui.session import state
from ui.views import workspace

REFERENCES = json.dumps({"1": ["A dog runs.", "A dog is running."], "2": ["Two cats.", "Cats on a sofa."]}).encode()
RUN = json.dumps({"1": ["A dog.", "A big dog."], "2": ["A cat.", ""]}).encode()


def workspace_page() -> AppTest:
    return AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page("pages/workspace.py").run()


def dropped(*given: tuple[str, bytes]) -> AppTest:
    at = workspace_page()
    at.file_uploader(key="upload").set_value([(name, content, "text/plain") for name, content in given])
    return at.run()


def token(at: AppTest) -> str:
    found = at.query_params["study"]
    return found if isinstance(found, str) else found[0]


def opened(at: AppTest) -> state.Loaded:
    found = state.library().get(token(at))
    assert found is not None
    return found


def words(at: AppTest) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", markup(at)))


def said(at: AppTest) -> str:
    return " ".join(caption.value for caption in at.caption)


def table(at: AppTest, column: str) -> pd.DataFrame:
    return next(frame.value for frame in at.dataframe if column in frame.value.columns)


def test_first_start_is_the_demo_and_the_next_step_is_there():
    at = workspace_page()
    assert not at.exception
    assert "This is the demo" in words(at)
    assert all(code.proto.wrap_lines for code in at.code)
    assert "Synthetic captions" in words(at)
    assert "study" not in dict(at.query_params)
    assert any(link.proto.page == "leaderboard" for link in at.get("page_link"))


def test_files_become_a_study_and_say_what_they_were_read_as():
    at = dropped(("references.json", REFERENCES), ("mine_t0.7.json", RUN))
    assert not at.exception
    study = opened(at).study
    assert study is not None
    assert [(run.model, run.settings.temperature) for run in study.runs] == [("mine", 0.7)]
    assert set(table(at, "Read as")["File"]) == {"references.json", "mine_t0.7.json"}
    found = table(at, "Problem")
    assert found.loc[found["Problem"].str.contains("empty"), "Mended"].tolist() == ["no"]


def test_a_bad_file_beside_good_ones_costs_only_itself():
    at = dropped(("references.json", REFERENCES), ("mine_t0.7.json", RUN), ("broken.json", b'{"1": ["A dog."'))
    assert not at.exception
    assert len(opened(at).study.runs) == 1  # type: ignore[union-attr]
    assert table(at, "Problem").iloc[0]["File"] == "broken.json"
    assert table(at, "Problem").iloc[0]["Severity"] == "Error"
    # Before the ids, which may be long enough to push what follows off the screen.
    assert list(table(at, "Problem").columns[:4]) == ["Severity", "Problem", "Repair", "File"]


def test_files_that_make_no_study_leave_the_open_one():
    at = dropped(("references.json", REFERENCES), ("mine_t0.7.json", RUN))
    before = token(at)
    at.file_uploader(key="upload").set_value([("broken.json", b"{", "text/plain")])
    at.run()
    assert token(at) == before
    assert any("still open" in error.value for error in at.error)
    assert "broken.json" in set(table(at, "Problem")["File"])


def test_a_run_of_the_page_reads_nothing_again(monkeypatch: pytest.MonkeyPatch):
    from ui.views import upload

    calls = []
    monkeypatch.setattr(upload, "load_study", lambda *a: calls.append(a) or load_study(*a))
    at = dropped(("references.json", REFERENCES), ("mine_t0.7.json", RUN))
    at.run()
    at.run()
    assert len(calls) == 1


def test_repairs_are_switched_on_and_off():
    at = dropped(("references.json", REFERENCES), ("mine_t0.7.json", RUN))
    assert opened(at).study.runs[0].candidates["2"] == ("A cat.", "")  # type: ignore[union-attr]
    at.toggle[[t.label for t in at.toggle].index("Leave out empty candidates\\.")].set_value(True)
    at.run()
    assert opened(at).study.runs[0].candidates["2"] == ("A cat.",)  # type: ignore[union-attr]
    at.toggle[[t.label for t in at.toggle].index("Leave out empty candidates\\.")].set_value(False)
    at.run()
    assert opened(at).study.runs[0].candidates["2"] == ("A cat.", "")  # type: ignore[union-attr]


def test_words_of_the_repairs_follow_how_many_are_on():
    at = dropped(("references.json", REFERENCES), ("mine_t0.7.json", RUN))
    assert "Repairs: none is on. The files" in said(at)
    at.toggle[[t.label for t in at.toggle].index("Leave out empty candidates\\.")].set_value(True)
    assert "Repairs: switch it off to undo it. The files" in said(at.run())
    assert workspace.repair_words(2).startswith("Repairs: switch one off to undo it.")


def test_decoders_are_called_as_on_every_page_and_kept_as_they_are_stated():
    called = {"sample": "sampling", "beam10": "beam 10", "": "not stated"}
    study = random_study(runs=3)
    runs = tuple(replace(run, settings=Settings(decoder=stated or None)) for run, stated in zip(study.runs, called))
    at = dropped(("mine.jsonl", to_jsonl_bytes(replace(study, runs=runs))))
    shown = table(at, "captions")
    assert shown["called"].tolist() == list(called.values())
    assert shown["decoder"].fillna("").tolist() == list(called)
    demo = table(workspace_page(), "captions")
    assert set(demo["called"]) == {"sampling", "greedy", "beam", "nucleus 0.8"}
    assert "decoder" not in demo


def test_a_finding_is_read_whole_when_its_row_is_chosen():
    broken = b"[" + RUN + b", <b>"
    at = dropped(("references.json", REFERENCES), ("mine_t0.7.json", RUN), ("broken.json", broken))
    found = opened(at).findings
    assert 'class="tl-facts"' not in markup(at)
    for row, finding in enumerate(found):
        at.session_state["checks"] = {"selection": {"rows": [], "columns": [], "cells": [(row, "Problem")]}}
        at.run()
        assert esc(finding.problem) in markup(at)
        assert f"<dt>Repair</dt><dd>{esc(finding.repair)}</dd>" in markup(at)


def test_corrected_settings_survive_a_repair():
    at = dropped(("references.json", REFERENCES), ("mine_t0.7.json", RUN))
    before = opened(at)
    labels = {before.study.runs[0].name: ("Better name", Settings(0.9))}  # type: ignore[union-attr]
    state.library().replace(token(at), replace(before, study=relabel(before.study, labels)))  # type: ignore[arg-type]
    at.run()
    at.toggle[[t.label for t in at.toggle].index("Leave out empty candidates\\.")].set_value(True)
    at.run()
    run = opened(at).study.runs[0]  # type: ignore[union-attr]
    assert (run.model, run.settings.temperature) == ("Better name", 0.9)
    assert run.candidates["2"] == ("A cat.",)


def test_settings_read_back_as_they_are_and_say_what_is_wrong():
    study = random_study(runs=3)
    labels, wrong = workspace.read_settings(workspace.settings_table(study))
    assert not wrong
    assert labels == {run.name: (run.model, run.settings) for run in study.runs}
    edited = workspace.settings_table(study)
    edited.loc[0, "temperature"], edited.loc[1, "model"], edited.loc[2, "top_p"] = -1.0, " ", 1.5
    _, wrong = workspace.read_settings(edited)
    assert [message.split(":")[0] for message in wrong] == ["run 0", "run 1", "run 2"]
    assert "temperature takes a number from 0 up, not -1.0" in wrong[0]
    assert set(SETTING_NAMES) < set(edited.columns)


def test_closing_forgets_and_the_demo_is_not_touched():
    at = dropped(("references.json", REFERENCES), ("mine_t0.7.json", RUN))
    closed = token(at)
    next(button for button in at.button if button.label == "Close this study").click()
    at.run()
    assert state.library().get(closed) is None
    assert "This is the demo" in words(at)


def test_what_cannot_be_computed_says_what_is_missing():
    at = page("workspace", random_study(candidates=1))
    said = " ".join(caption.value for caption in at.caption)
    assert "needs two candidates an item" in said
    assert "This is the demo" not in words(at)


def test_captions_and_names_are_data():
    bad = json.dumps({"<b>1</b>": ["$x$ <script>alert(1)</script>\n:red[no]", "second"]}).encode()
    at = dropped(("references <i>.json", bad), ("run :red[x]_t0.7.json", json.dumps({"<b>1</b>": ["a", "b"]}).encode()))
    assert not at.exception
    assert "<script" not in markup(at)
    assert "<b>1</b>" in table(at, "Problem")["Id"].tolist()


@pytest.mark.parametrize("name", [n for n in templates() if n.startswith("trilens")])
def test_templates_and_the_downloaded_study_open(name: str):
    at = dropped((name, templates()[name]))
    study = opened(at).study
    assert study is not None
    again = load_study([("again.jsonl", to_jsonl_bytes(study))]).study
    assert again is not None
    assert again.digest == study.digest
