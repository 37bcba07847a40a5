"""Test the Data page: dropped files, findings, repairs that are switched on and off, settings, closed studies."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pandas as pd
import pytest
from streamlit.testing.v1 import AppTest

from data.check import REPAIRS, Finding
from data.convert import templates, to_jsonl_bytes
from data.findings import merged
from data.load import load_study
from data.run_settings import SETTING_NAMES, relabel
from data.study import Settings
from figures.dataset import html as checks_html
from figures.dataset import words as checks_words
from figures.style.html import sentences
from figures.style.run_names import in_sentence, short_names
from tests.studies import study as random_study
from tests.ui.shown import ROOT, findings, markup, mend, page
from ui.frame.wording import plain
from ui.jobs import study_metrics
from ui.session import state
from ui.session.runs import RunLabel
from ui.views import dataset_findings, runs

REFERENCES = json.dumps({"1": ["A dog runs.", "A dog is running."], "2": ["Two cats.", "Cats on a sofa."]}).encode()
RUN = json.dumps({"1": ["A dog.", "A big dog."], "2": ["A cat.", ""]}).encode()


def data_page(**query: str) -> AppTest:
    at = AppTest.from_file(str(ROOT / "app.py"), default_timeout=60).switch_page("pages/dataset.py")
    for name, value in query.items():
        at.query_params[name] = value
    return at.run()


def dropped(*given: tuple[str, bytes]) -> AppTest:
    at = data_page()
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


def table(at: AppTest, column: str) -> pd.DataFrame:
    return next(frame.value for frame in at.dataframe if column in frame.value.columns)


def test_first_start_is_the_demo_and_the_next_step_is_there():
    at = data_page()
    assert not at.exception
    assert "This is the demo" in words(at)
    assert all(code.proto.wrap_lines for code in at.code)
    assert "Synthetic captions" in words(at)
    assert "study" not in dict(at.query_params)
    assert any(link.proto.label.startswith("What they say") for link in at.get("page_link"))


def test_files_become_a_study_and_say_what_they_were_read_as():
    at = dropped(("references.json", REFERENCES), ("mine_t0.7.json", RUN))
    assert not at.exception
    study = opened(at).study
    assert study is not None
    assert [(run.model, run.settings.temperature) for run in study.runs] == [("mine", 0.7)]
    assert "<p><b>references.json</b> Captions by id, 2 references per item, 2 items</p>" in markup(at)
    assert "<p><b>mine_t0.7.json</b> Captions by id, 2 captions per item, 2 items</p>" in markup(at)
    assert "2 items and 1 run of 1 model can be compared." in words(at)
    assert "1 warning below may change the results." in words(at)
    (empty,) = (one for one in findings(at) if "empty" in one)
    assert empty.startswith("warning: mine_t0.7.json, record 2 (2): A caption of run mine\u00a0·\u00a0T\u00a00.7 is")


def test_the_command_line_names_the_files_that_were_dropped():
    at = dropped(("references.json", REFERENCES), ("mine_t0.7.csv", b"id,caption\n1,A dog.\n1,Dogs.\n2,A cat.\n2,\n"))
    line = "trilens score references.json mine_t0.7.csv --metrics fast --p-values --out scores.csv"
    assert line in [code.value for code in at.code]
    at = mend(at, "drop_empty_candidates")
    assert any(code.value.startswith("trilens score mine-t0-7.jsonl --metrics") for code in at.code)
    assert any("the study as it is now" in caption.value for caption in at.caption)


def test_the_classic_study_opens_with_one_click_and_is_spoken_of_as_an_upload():
    at = data_page()
    at.button(key="try_classic").click().run()
    assert not at.exception
    assert "44 images and 5 runs of 3 models can be compared, with 1,100 ratings by people." in words(at)
    assert re.search(r"greedy</b> gives one caption to [^.]*\.", markup(at)), "the gravest fault, in the verdict"
    assert "This is the demo" not in words(at)
    assert opened(at) is state.classic()
    assert "lstm_greedy.json (lstm_greedy): Run lstm\u00a0·\u00a0greedy gives one caption to" in findings(at)[0]
    at.button(key=next(one.key for one in at.button if one.label == "Open the demo instead")).click().run()
    assert "This is the demo" in words(at)


def test_a_study_without_captions_by_people_says_so_first():
    at = dropped(("mine.csv", b"item,model,text\n1,A,a dog\n1,A,one dog\n2,A,a cat\n2,A,the cat\n"))
    said = "2 items and 1 run: nothing to compare with. Its diversity can be measured; 1 warning below may change the"
    assert said in words(at)
    one = words(dropped(("mine.csv", b"item,model,text\n1,A,a dog\n2,A,a cat\n")))
    assert "nothing to compare with. Add captions by people, or a second run; 1 warning below" in one
    two = words(dropped(("mine.csv", b"item,model,text\n1,A,a dog\n1,B,one dog\n2,A,a cat\n2,B,the cat\n")))
    assert "2 items and 2 runs of 2 models can be compared. There are no captions by people to compare them with" in two
    assert findings(at)[0].startswith("warning: mine.csv: There are no captions by people: metrics that compare")
    rows = b"item,model,text\n" + b"".join(b"%s%d,%s,a dog %d\n" % (m, k, m, k) for m in (b"A", b"B") for k in range(4))
    joined = words(dropped(("mine.csv", rows)))
    assert "8 items and 1 run, joined from 2: nothing to compare with." in joined


def test_a_bad_file_beside_good_ones_costs_only_itself():
    at = dropped(("references.json", REFERENCES), ("mine_t0.7.json", RUN), ("broken.json", b'{"1": ["A dog."'))
    assert not at.exception
    assert len(opened(at).study.runs) == 1  # type: ignore[union-attr]
    assert findings(at)[0].startswith("error: broken.json, line 1, column 16: Not valid JSON")
    assert "<b>broken.json</b> <em>1 error.</em> Not read" in markup(at)


def test_files_that_make_no_study_leave_the_open_one():
    at = dropped(("references.json", REFERENCES), ("mine_t0.7.json", RUN))
    before = token(at)
    at.file_uploader(key="upload").set_value([("broken.json", b"{", "text/plain")])
    at.run()
    assert token(at) == before
    assert any("still open" in error.value for error in at.error)
    assert any(one.startswith("error: broken.json") for one in findings(at))


def test_a_run_of_the_page_reads_nothing_again(monkeypatch: pytest.MonkeyPatch):
    from ui.views import upload

    calls = []
    monkeypatch.setattr(upload, "load_study", lambda *a, **known: calls.append(a) or load_study(*a, **known))
    at = dropped(("references.json", REFERENCES), ("mine_t0.7.json", RUN))
    at.run()
    at.run()
    assert len(calls) == 1


def test_repairs_are_switched_on_and_off():
    at = dropped(("references.json", REFERENCES), ("mine_t0.7.json", RUN))
    assert opened(at).study.runs[0].candidates["2"] == ("A cat.", "")  # type: ignore[union-attr]
    at = mend(at, "drop_empty_candidates")
    assert opened(at).study.runs[0].candidates["2"] == ("A cat.",)  # type: ignore[union-attr]
    assert [button.label for button in at.button if "drop_empty_candidates" in (button.key or "")] == [
        "Undo: leave them out"
    ]
    at = mend(at, "drop_empty_candidates", on=False)
    assert opened(at).study.runs[0].candidates["2"] == ("A cat.", "")  # type: ignore[union-attr]


def test_people_in_the_column_of_models_are_people_until_that_is_undone():
    at = dropped(
        ("long.csv", b"item,model,text\n1,A,a dog\n1,A,one dog\n1,reference,a brown dog\n1,reference,the dog\n")
    )
    study = opened(at).study
    assert study is not None
    assert study.items[0].references == ("a brown dog", "the dog")
    assert [run.name for run in study.runs] == ["A"]
    at = mend(at, "people_as_references", on=False)
    assert len(opened(at).study.runs) == 2  # type: ignore[union-attr]
    (said,) = (one for one in findings(at) if "were read as a model's" in one)
    assert said.startswith("warning: long.csv, line 4, column model (1): Captions named reference were read")
    at = mend(at, "people_as_references")
    assert opened(at).study == study


def test_every_repair_has_the_words_of_its_button():
    assert checks_words.MENDS.keys() == REPAIRS.keys()


def test_a_file_whose_fields_are_to_be_named_is_a_question_and_others_are_errors():
    odd = "clip,zeta,gamma\n" + "".join(f"v{k},a dog runs in park {k},a cat sits on mat {k}\n" for k in range(6))
    at = dropped(("odd.csv", odd.encode()))
    question = plain("What is in odd.csv?")
    assert question in [one.value for one in at.subheader]
    assert not at.error
    at = dropped(("odd.csv", odd.encode()), ("broken.json", b"{"))
    assert question not in [one.value for one in at.subheader]
    assert "No study could be made of these files" in at.error[0].value


def test_many_findings_are_folded_and_all_are_in_the_table():
    runs = [(f"run{k}.json", json.dumps({str(n): [f"Cat {k}.", ""] for n in range(3)}).encode()) for k in range(9)]
    refs = json.dumps({str(k): ["A dog runs.", f"Dog {k}."] for k in range(3)}).encode()
    at = dropped(("references.json", refs), *runs)
    found = opened(at).findings
    serious = [one for one in found if one.severity != "note"]
    in_sight = dataset_findings.in_sight(opened(at))
    assert in_sight == len({one.fix or one for one in serious}) < min(len(serious), dataset_findings.OPEN + 1)
    assert len(findings(at)) == len(merged(found))
    assert any(fold.label.startswith(f"{len(serious) - in_sight} more warning") for fold in at.expander)
    assert any(f"All {len(found)} as CSV" in one.proto.label for one in at.get("download_button"))
    assert "and 8 more files, each " in markup(at), "files read alike are one line"


def test_many_runs_below_findings_are_behind_a_line_that_opens_them():
    study = random_study(items=4, runs=runs.BESIDE + 1)
    clean = dropped(("mine.jsonl", to_jsonl_bytes(study)))
    assert table(clean, "captions").shape[0] == runs.BESIDE + 1
    first = study.runs[0]
    worse = replace(first, candidates={id: ("", *of[1:]) for id, of in first.candidates.items()})
    at = dropped(("mine.jsonl", to_jsonl_bytes(replace(study, runs=(worse, *study.runs[1:])))))
    assert any(one.startswith("warning") for one in findings(at))
    assert not [frame for frame in at.dataframe if "captions" in frame.value.columns]
    (fold,) = (one for one in at.expander if one.label.startswith(f"{runs.BESIDE + 1} runs of "))
    assert fold.label.endswith("names, models, settings")


def test_what_is_open_is_behind_a_line_below_files_that_make_no_study():
    at = dropped(("broken.json", b"{"))
    assert [fold.label for fold in at.expander][-1] == r"Still open: Demo\: a small synthetic world"
    assert "can be computed" not in words(at)
    assert any("still open" in error.value for error in at.error)


def test_findings_say_what_the_items_are_and_leave_names_alone():
    """Items are called images or prompts if the study says so, but the name of a run or a file never changes."""
    names = ("my item run", "item 3.json")
    said = "Run my item run gives one caption to all 500 items of item 3.json; `items` of an item, items-v2."
    mine = checks_html.with_noun(said, "image", names)
    assert mine == "Run my item run gives one caption to all 500 images of item 3.json; `items` of an image, items-v2."
    assert checks_html.with_noun("Give an item a caption.", "prompt") == "Give a prompt a caption."
    assert checks_html.with_noun(said, "item", names) == said
    assert checks_html.with_noun("The item of 2 items.", "image", ("item",)) == "The item of 2 images."
    study = random_study(items=4, runs=2)
    pictured = replace(study, items=tuple(replace(item, metadata={"file_name": "a.jpg"}) for item in study.items))
    short = replace(pictured.runs[0], candidates={id: of[:1] for id, of in pictured.runs[0].candidates.items()})
    at = dropped(("mine.jsonl", to_jsonl_bytes(replace(pictured, runs=(short, *pictured.runs[1:])))))
    assert "captions for each image differs" in words(at)
    assert "references per image" in words(at)
    assert not re.search(r"\bitems?\b", " ".join(re.findall(r'<div class="tl-check.*?</div>', markup(at))))


def test_a_place_names_one_id_of_several():
    long = f"{'x' * 60}; second; third"
    found = Finding("warning", "empty_candidate", "mine.jsonl", "line 1; line 2; …", long, "Wrong.", "Mend it.")
    place = checks_html.where(found)
    assert place.startswith("mine.jsonl, line 1; line 2; … (xxx")
    assert place.endswith("…; …)")
    assert "second" not in place


def test_decoders_are_called_as_on_every_page_and_kept_as_they_are_stated():
    called = {"sample": "sampling", "beam10": "beam 10", "": None}
    study = random_study(runs=4)
    given = [Settings(decoder=stated or None) for stated in called] + [Settings(top_p=0.9, decoder="sample")]
    study = replace(study, runs=tuple(replace(run, settings=one) for run, one in zip(study.runs, given)))
    shown = table(dropped(("mine.jsonl", to_jsonl_bytes(study))), "captions")
    assert shown["decoder"].fillna("").tolist() == ["sampling", "beam 10", "", "top-p 0.9"]
    assert [name for name in shown if "decoder" in name.lower() or name == "called"] == ["decoder"], "one thing, once"
    labels = {run.name: RunLabel(run.name, run.model, run.settings) for run in study.runs}
    edited = runs.settings_table(labels)
    assert runs.read_labels(edited, labels) == (labels, []), "what nobody changed is kept as it is stated"
    edited.loc[[0, 1], "decoder"], edited.loc[3, "top_p"] = ["greedy", None], 0.5
    wanted, wrong = runs.read_labels(edited, labels)
    said = [(label.settings.decoder, label.settings.top_p) for label in wanted.values()]
    assert (said, wrong) == ([("greedy", None), (None, None), (None, None), ("sample", 0.5)], [])
    demo = table(data_page(), "captions")
    assert set(demo["decoder"]) == {"sampling", "greedy", "beam", "top-p 0.8"}


def test_the_table_of_runs_has_no_column_that_says_nothing():
    def hidden(at):
        frame = next(frame for frame in at.dataframe if "captions" in frame.value.columns)
        return {name for name, one in json.loads(frame.proto.columns).items() if one.get("hidden")} - {"_index"}

    said_twice, unrated = {"captions", "shown", "top_k", "seed", "name"}, {"rating"}
    assert hidden(data_page()) == said_twice | unrated, "every run of the demo has the same seed, and names say no more"
    study = random_study(runs=2)
    few = replace(study.runs[0], candidates={i: sent[:1] for i, sent in study.runs[0].candidates.items()})
    at = dropped(("mine.jsonl", to_jsonl_bytes(study)))
    assert hidden(at) == said_twice | unrated | {"top_p"}, "a temperature stands for sampling"
    at.toggle(key="runs_all_settings").set_value(True).run()
    assert hidden(at) == {"captions"} | unrated, "so that they can be stated"
    mixed = to_jsonl_bytes(replace(study, runs=(few, study.runs[1])))
    assert "captions" not in hidden(dropped(("mine.jsonl", mixed)))
    human = {item.id: 1.0 + k % 2 for k, item in enumerate(study.items)}
    rated = dropped(("mine.jsonl", to_jsonl_bytes(replace(study, runs=(replace(few, human=human), study.runs[1])))))
    assert "rating" not in hidden(rated)
    assert table(rated, "captions")["rating"].round(2).tolist()[0] == 1.5


def test_every_finding_is_read_whole():
    at = dropped(("references.json", REFERENCES), ("mine_t0.7.json", RUN), ("broken.json", b"[" + RUN + b", <b>"))
    said = findings(at)
    short = short_names(opened(at).study.runs)  # type: ignore[union-attr]
    for finding in opened(at).findings:
        first, *rest = sentences(in_sentence(finding.problem, short))
        assert any(first in one and " ".join([*rest, finding.repair]) in one for one in said)


def test_corrected_settings_survive_a_repair():
    at = dropped(("references.json", REFERENCES), ("mine_t0.7.json", RUN))
    before = opened(at)
    labels = {before.study.runs[0].name: ("Better name", Settings(0.9))}  # type: ignore[union-attr]
    state.library().replace(token(at), replace(before, study=relabel(before.study, labels)))  # type: ignore[arg-type]
    at.run()
    at = mend(at, "drop_empty_candidates")
    run = opened(at).study.runs[0]  # type: ignore[union-attr]
    assert (run.model, run.settings.temperature) == ("Better name", 0.9)
    assert run.candidates["2"] == ("A cat.",)


def test_settings_read_back_as_they_are_and_say_what_is_wrong():
    labels = {run.name: RunLabel(run.name, run.model, run.settings) for run in random_study(runs=3).runs}
    assert runs.read_labels(runs.settings_table(labels), labels) == (labels, [])
    edited = runs.settings_table(labels)
    edited.loc[0, "temperature"], edited.loc[1, "model"], edited.loc[2, "top_p"] = -1.0, " ", 1.5
    _, wrong = runs.read_labels(edited, labels)
    assert [message.split(":")[0] for message in wrong] == ["run 0", "run 1", "run 2"]
    assert "temperature takes a number from 0 up, not -1.0" in wrong[0]
    assert set(SETTING_NAMES) < set(edited.columns)


def test_closing_forgets_and_the_demo_is_not_touched():
    at = dropped(("references.json", REFERENCES), ("mine_t0.7.json", RUN))
    closed = token(at)
    at.button(key="close_study").click().run()
    assert "leaves this server" in words(at)
    assert state.library().get(closed) is not None, "it asks first"
    at.button(key="close_yes").click().run()
    assert state.library().get(closed) is None
    assert "This is the demo" in words(at)
    assert "You closed" in words(at)
    at.button(key="reopen").click().run()
    assert token(at) == closed
    assert "You closed" not in words(at)


def test_a_link_of_a_closed_study_says_what_it_was_and_not_the_demo():
    at = dropped(("references.json", REFERENCES), ("mine_t0.7.json", RUN))
    closed, name = token(at), opened(at).study.name
    at.button(key="close_study").click().run()
    at.button(key="close_yes").click().run()
    other = data_page(study=closed)
    assert not other.exception
    assert f"{name} The study (" in words(other)
    assert "was closed by someone who had it open" in words(other)
    assert "This is the demo" not in words(other)
    assert dict(other.query_params)["study"] in (closed, [closed]), "a reload says the same"
    assert not [button for button in other.button if button.key == "reopen"], "only who closed it can undo it"
    unknown = data_page(study="nonsense")
    assert "This server does not know the study of this link." in words(unknown)
    unknown.query_params["study"] = "demo"
    assert "This is the demo" in words(unknown.run())


def test_what_cannot_be_computed_says_what_is_missing():
    at = page("dataset", random_study(candidates=1))
    assert "need two captions by a run per image" in words(at)
    assert "This is the demo" not in words(at)


def test_captions_and_names_are_data():
    bad = json.dumps({"<b>1</b>": ["$x$ <script>alert(1)</script>\n:red[no]", "second"]}).encode()
    at = dropped(("references <i>.json", bad), ("run :red[x]_t0.7.json", json.dumps({"<b>1</b>": ["a", "b"]}).encode()))
    assert not at.exception
    assert "<script" not in markup(at)
    assert any("(<b>1</b>)" in one for one in findings(at))


@pytest.mark.parametrize("name", [n for n in templates() if n.startswith("trilens")])
def test_templates_and_the_downloaded_study_open(name: str):
    at = dropped((name, templates()[name]))
    study = opened(at).study
    assert study is not None
    again = load_study([("again.jsonl", to_jsonl_bytes(study))]).study
    assert again is not None
    assert again.digest == study.digest


def test_the_counts_of_data_and_of_pickers_say_what_they_count() -> None:
    at = page("dataset", random_study(items=4, runs=2))
    said = re.search(r"(\d+) of (\d+) can be computed from these files; (\d+) more describe people", markup(at))
    assert said is not None
    (can, known, of_people), metrics = map(int, said.groups()), study_metrics.metrics().values()
    assert known == sum(m.family != "references" for m in metrics)
    # FENSE needs a classifier that no study states.
    assert of_people == sum(m.family == "references" and m.name != "consensus_fense" for m in metrics)
    board = page("leaderboard", random_study(items=4, runs=2))
    labels = [popover.proto.popover.label for popover in board.get("popover")]
    assert any(label.endswith(f" of {can}**") for label in labels), labels
