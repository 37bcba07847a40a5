"""Test samples of programs: equal numbers in several tasks or parts, conversations in one text, requests, ranks,
lists.
"""

from __future__ import annotations

import io
import json
from csv import writer
from typing import Any

import pytest

from data.load import load_study
from tests.data.test_any_records import IDS, SAID, WRITTEN

REFERENCES = ("references.json", json.dumps(dict(zip(IDS, map(list, WRITTEN)))).encode())
ASKED = [f"Describe the picture of place number {k}." for k in range(4)]


def csv(head: list[str], rows: list[list[Any]], mark: str = ",") -> bytes:
    out = io.StringIO()
    writer(out, delimiter=mark).writerows([head, *rows])
    return out.getvalue().encode()


def answers(names: str) -> list[tuple[str, bytes]]:
    """Return one file per letter of `names`, with records numbered from 0 and captions that begin with the letter."""
    texts = [
        {f"{k}": {"prediction": f"{name} {SAID[k]}", "gold": f"{name} {WRITTEN[k][0]}"} for k in range(3)}
        for name in names
    ]
    return [(f"val_{name}.json", json.dumps(of).encode()) for name, of in zip(names, texts)]


@pytest.mark.parametrize(("names", "ids"), [("01", "012345"), ("ab", ["a/0", "a/1", "a/2", "b/0", "b/1", "b/2"])])
def test_ids_that_count_again_beside_other_references_are_of_other_items(names: str, ids: list[str]) -> None:
    """The files are given in reverse order."""
    found = load_study(answers(names)[::-1])
    assert found.study is not None
    (run,) = found.study.runs
    texts = [(f"{name} {SAID[k]}",) for name in names for k in range(3)]
    assert (run.name, dict(run.candidates)) == ("val", dict(zip(ids, texts)))
    assert "ids_restart" in {one.code for one in found.findings}


def test_scores_of_items_that_count_again_follow_them_and_their_run() -> None:
    rows = {
        task: [
            {"doc_id": k, "target": f"{task} {refs[0]}", "filtered_resps": [f"{task} {text}"], "chrf": k / 4 + 0.1}
            for k, (refs, text) in enumerate(zip(WRITTEN, SAID))
        ]
        for task in ("de", "fr")
    }
    files = [(f"samples_{task}.jsonl", "\n".join(map(json.dumps, of)).encode()) for task, of in rows.items()]
    found = load_study(files)
    assert found.study is not None
    (scores,) = found.study.scores
    told = {f"{task}/{k}": (k / 4 + 0.1,) for task in rows for k in range(len(SAID))}
    assert scores.values == {"samples": told}
    assert not found.errors


def test_two_models_that_do_two_tasks_are_two_runs() -> None:
    rows = {
        f"{run}_{task}_val.json": {str(k): {"prediction": f"{run} {task} {k}", "gold": f"{task} {k}"} for k in range(3)}
        for run in ("blip", "git")
        for task in ("coco", "nocaps")
    }
    found = load_study([(name, json.dumps(of).encode()) for name, of in rows.items()])
    assert found.study is not None
    assert [(run.name, len(run.candidates)) for run in found.study.runs] == [("blip", 6), ("git", 6)]


def test_two_tasks_without_ids_are_of_other_items_unless_their_requests_are_the_same() -> None:
    def task(name: str, asked: list[str]) -> tuple[str, bytes]:
        rows = [{"question": one, "response": f"{name} says {one}", "reference": f"{name} {one}"} for one in asked]
        return f"m_{name}.jsonl", "\n".join(map(json.dumps, rows)).encode()

    for other, items in (([f"Well? {one}" for one in ASKED], 8), (ASKED[::-1], 4)):
        found = load_study([task("a", ASKED), task("b", other)])
        assert found.study is not None
        assert len(found.study.items) == items
        assert len(found.study.runs) == (1 if items > len(ASKED) else 2)


def test_files_that_share_references_have_the_same_items() -> None:
    rows = [{"prediction": f"m {said}", "gold": refs[0]} for said, refs in zip(SAID, WRITTEN)]
    files = [(f"val_{name}.json", json.dumps(dict(enumerate(rows))).encode()) for name in "01"]
    found = load_study([files[0], (files[1][0], files[1][1].replace(b'"m ', b'"n '))])
    assert found.study is not None
    assert (len(found.study.items), len(found.study.runs)) == (3, 2)


def test_a_conversation_in_one_text_gives_the_last_answer() -> None:
    """Inspect's tables of samples contain messages like these."""
    rows = [[id, refs[0], f"user:\nDescribe it.\n\nassistant:\n{said}\n"] for id, refs, said in zip(IDS, WRITTEN, SAID)]
    found = load_study([("m.csv", csv(["id", "target", "messages"], rows))])
    assert found.study is not None
    assert dict(found.study.runs[0].candidates) == {id: (said,) for id, said in zip(IDS, SAID)}


def test_lists_without_quotation_marks() -> None:
    """DuckDB writes quotation marks only around texts with commas."""
    rows = [[id, f"[{said} today, '{said}, again']"] for id, said in zip(IDS, SAID)]
    found = load_study([("m.csv", csv(["id", "prediction"], rows)), REFERENCES])
    assert found.study is not None
    assert dict(found.study.runs[0].candidates) == {
        id: (f"{said} today", f"{said}, again") for id, said in zip(IDS, SAID)
    }
    assert "bare_lists" in {one.code for one in found.findings}


def test_columns_and_values_are_a_table() -> None:
    rows = [[id, said, refs[0]] for id, said, refs in zip(IDS, SAID, WRITTEN)]
    given = {"columns": ["image_id", "prediction", "reference"], "values": rows}
    found = load_study([("m.json", json.dumps(given).encode())])
    assert found.study is not None
    assert dict(found.study.runs[0].candidates) == {id: (said,) for id, said in zip(IDS, SAID)}


def test_the_place_of_the_chosen_sample_is_no_id() -> None:
    """One of several samples is chosen; mbrs and Gemini's batches state its number."""
    rows = [{"sentence": said, "idx": 3} for said in SAID]
    lines = "\n".join(refs[0] for refs in WRITTEN)
    found = load_study([("m.jsonl", "\n".join(map(json.dumps, rows)).encode()), ("ref.txt", lines.encode())])
    assert found.study is not None
    assert [*found.study.runs[0].candidates.values()] == [(said,) for said in SAID]


def test_requests_without_ids_are_met_by_their_texts() -> None:
    rows = [
        {
            "request": {"contents": [{"role": "user", "parts": [{"text": ASKED[k]}]}]},
            "response": {"candidates": [{"index": 0, "content": {"role": "model", "parts": [{"text": SAID[k]}]}}]},
        }
        for k in (2, 0, 1)
    ]
    people = {ASKED[k]: list(WRITTEN[k]) for k in range(3)}
    lines = "\n".join(map(json.dumps, rows)).encode()
    found = load_study([("m.jsonl", lines), ("references.json", json.dumps(people).encode())])
    assert found.study is not None
    assert dict(found.study.runs[0].candidates) == {ASKED[k]: (SAID[k],) for k in range(3)}
    assert "ids_by_place" not in {one.code for one in found.findings}


def test_conversations_without_ids_are_met_by_what_was_asked() -> None:
    def chat(k: int) -> dict[str, Any]:
        turns = [("system", "Be brief."), ("user", ASKED[k]), ("assistant", SAID[k])]
        return {"messages": [{"role": who, "content": said} for who, said in turns]}

    lines = "\n".join(json.dumps(chat(k)) for k in (2, 0, 1))
    people = json.dumps({ASKED[k]: list(WRITTEN[k]) for k in range(3)})
    found = load_study([("m.jsonl", lines.encode()), ("references.json", people.encode())])
    assert found.study is not None
    assert dict(found.study.runs[0].candidates) == {ASKED[k]: (SAID[k],) for k in range(3)}


@pytest.mark.parametrize("settings", [(), (0.5, 1.0)])
def test_runs_that_answer_the_same_requests_share_items(settings: tuple[float, ...]) -> None:
    kinds = [(run, t, k) for run in "AB" for t in settings or (0.5,) for k in range(2)]
    rows = [
        [asked, run, t, f"{run} says {place} at {t} of {k}"] for run, t, k in kinds for place, asked in enumerate(ASKED)
    ]
    head = ["prompt", "model", "temperature", "response"]
    people = [[asked, f"{word} {place}"] for place, asked in enumerate(ASKED) for word in ("This is", "Here is")]
    files = [("m.csv", csv(head, rows)), ("refs.csv", csv(["prompt", "reference"], people))]
    found = load_study(files)
    assert found.study is not None
    assert (len(found.study.items), len(found.study.runs)) == (4, 2 * max(len(settings), 1))
    assert all(len(texts) == 2 for run in found.study.runs for texts in run.candidates.values())
    assert [len(item.references) for item in found.study.items] == [2] * 4


def test_log_likelihoods_of_choices_are_no_captions() -> None:
    rows = [
        {"doc_id": k, "target": WRITTEN[k][0], "filtered_resps": [["-0.5", "False"], ["-1e-05", "True"]]}
        for k in range(3)
    ]
    found = load_study([("samples_m.jsonl", "\n".join(map(json.dumps, rows)).encode())])
    assert found.study is None or not found.study.runs


def test_a_field_without_a_text_holds_no_references() -> None:
    rows = [{"id": id, "text": None, "response": said} for id, said in zip(IDS, SAID)]
    found = load_study([("m.json", json.dumps(rows).encode()), REFERENCES])
    assert found.study is not None
    assert not {"references_of_others", "empty_reference"} & {one.code for one in found.findings}


def test_tasks_of_one_caption_each_meet_at_their_image() -> None:
    """Label Studio numbers its tasks, so their ids do not show which of them have the same image."""
    rows = [
        {
            "id": 10 * j + k,
            "image": f"{IDS[k]}.jpg",
            "caption": f"{run} {SAID[k]}",
            "model": run,
            "adequacy": k + who,
            "annotator": who,
        }
        for j, run in enumerate("AB")
        for k in range(3)
        for who in (1, 2)
    ]
    found = load_study([("x.json", json.dumps(rows).encode())])
    assert found.study is not None
    assert [item.id for item in found.study.items] == [f"{id}.jpg" for id in IDS]
    assert [run.human and len(run.human) for run in found.study.runs] == [3, 3]


def test_rows_that_state_the_time_of_work_rate_one_caption() -> None:
    rows = [
        [f"{ASKED[k]}", WRITTEN[k][0], f"{run} {SAID[k]}", run, k + who, f"w{who}", f"{run}{k}{who}"]
        for run in "AB"
        for k in range(3)
        for who in (1, 2)
    ]
    head = ["Prompt", "Human", "Story", "Model", "Relevance", "Worker ID", "Work time"]
    found = load_study([("x.csv", csv(head, rows))])
    assert found.study is not None
    assert {len(texts) for run in found.study.runs for texts in run.candidates.values()} == {1}
    assert found.study.runs[0].human == {str(k + 1): {"Relevance": {"w1": k + 1.0, "w2": k + 2.0}} for k in range(3)}


def test_lists_of_points_side_by_side_are_ratings_by_the_same_people() -> None:
    """USR lists several ratings for each criterion; only some of the criteria have known names."""
    rows = [
        {
            "fact": f"I like {id}.",
            "responses": [
                {"response": f"{run} {said}", "model": run, "Engaging": [1, 3], "Overall": [5, k]}
                for run in ("A", "Original Ground Truth")
            ],
        }
        for k, (id, said) in enumerate(zip(IDS, SAID))
    ]
    found = load_study([("x.json", json.dumps(rows).encode())])
    assert found.study is not None
    human = found.study.runs[0].human or {}
    assert human["1"] == {"Engaging": {"1": 1.0, "2": 3.0}, "Overall": {"1": 5.0, "2": 0.0}}
    assert "people_as_run" in {one.code for one in found.findings}


def test_errors_marked_in_a_text_leave_it_one_caption() -> None:
    """In MQM's ratings, each error has a row like this."""
    rows = [
        [
            run,
            asked,
            f"w{who}",
            asked,
            f"{run} <v>says</v> {place}" if who else f"{run} says {place}",
            "Minor" if who else "No-error",
            "Style",
        ]
        for run in "AB"
        for place, asked in enumerate(ASKED)
        for who in range(2)
    ]
    head = ["system", "doc", "rater", "source", "target", "severity", "category"]
    found = load_study([("mqm.tsv", csv(head, rows, "\t"))])
    assert found.study is not None
    assert [*found.study.runs[0].candidates.values()] == [(f"A says {place}",) for place in range(4)]
    assert any("severity" in one.problem for one in found.findings)


ORDERS = ("blip > git > ofa", "ofa > git > blip")
THREE = ("blip", "git", "ofa")
PAIRS = {("blip", "git"), ("blip", "ofa"), ("git", "ofa")}
RANKED: dict[str, list[tuple[str, bytes]]] = {
    "a rank per run": [
        ("x.csv", csv(["id", "who", "rank_blip", "rank_git", "rank_ofa"], [[id, "a", 1, 2, 3] for id in IDS]))
    ],
    "runs in order": [("x.json", json.dumps([{"id": id, "ranking": ["blip", "git", "ofa"]} for id in IDS]).encode())],
    "runs in one cell": [("x.csv", csv(["id", "ranking"], [[id, "blip > git > ofa"] for id in IDS]))],
    "runs in cells, by several people": [
        ("x.csv", csv(["id", "rater", "ranking"], [[id, k, ORDERS[k]] for id in IDS for k in range(2)]))
    ],
    "a rank in the row of each run": [
        (
            "x.csv",
            csv(["id", "who", "model", "rank"], [[id, "a", run, k] for id in IDS for k, run in enumerate(THREE, 1)]),
        )
    ],
    "a column per run, in a file of that name": [
        ("ranks.csv", csv(["id", "rater", *THREE], [[id, "a", 1, 2, 3] for id in IDS]))
    ],
    "the best and the worst": [
        ("x.csv", csv(["id", "who", "best", "worst"], [[id, "a", "blip", "ofa"] for id in IDS]))
    ],
    "a run at each place": [
        ("x.csv", csv(["id", "rank 1", "rank 2", "rank 3"], [[id, "blip", "git", "ofa"] for id in IDS]))
    ],
}


def runs_of(names: str) -> tuple[str, bytes]:
    rows = [
        {"id": id, "model": run, "caption": f"{run} {said}"} for run in names.split() for id, said in zip(IDS, SAID)
    ]
    return "captions.json", json.dumps(rows).encode()


@pytest.mark.parametrize("kind", RANKED)
def test_ranks_are_preferences(kind: str) -> None:
    found = load_study([runs_of("blip git ofa"), *RANKED[kind]])
    assert found.study is not None
    assert "ranks_read" in {one.code for one in found.findings}
    told = [(one.item, one.first[0], one.second[0], one.first_votes) for one in found.study.preferences]
    assert not any(item.references for item in found.study.items)
    assert sorted(told) == sorted((id, *pair, 1.0) for id in IDS for pair in PAIRS)


def test_of_more_runs_only_the_best_and_the_worst_are_compared() -> None:
    found = load_study([runs_of("blip git ofa vit"), *RANKED["the best and the worst"]])
    assert found.study is not None
    assert [(one.first[0], one.second[0]) for one in found.study.preferences] == [("blip", "ofa")] * 3


def test_ranks_beside_captions_are_preferences_and_equal_ranks_are_ties() -> None:
    head = ["image", "annotator", "caption_blip", "caption_git", "caption_ofa", "rank_blip", "rank_git", "rank_ofa"]
    texts = [[f"{run} {said}" for run in ("blip", "git", "ofa")] for said in SAID]
    rows = [[f"{id}.jpg", who, *of, 2, 1, 2] for id, of in zip(IDS, texts) for who in "ab"]
    found = load_study([("x.csv", csv(head, rows))])
    assert found.study is not None
    assert {len(of) for run in found.study.runs for of in run.candidates.values()} == {1}
    votes = {
        (one.first[0], one.second[0]): (one.first_votes, one.second_votes, one.ties) for one in found.study.preferences
    }
    assert votes == {
        ("blip", "git"): (0.0, 2.0, 0.0),
        ("git", "ofa"): (2.0, 0.0, 0.0),
        ("blip", "ofa"): (1.0, 1.0, 2.0),
    }
    assert len(found.study.preferences) == 9


@pytest.mark.parametrize(
    ("name", "settings"), [("Nucleus Decoding (p = 0.3)", (0.3, None)), ("Top-k (k = 40)", (None, 40))]
)
def test_settings_in_brackets_with_spaces(name: str, settings: tuple[Any, ...]) -> None:
    rows = [{"id": id, "system": name, "prediction": said} for id, said in zip(IDS, SAID)]
    found = load_study([("x.json", json.dumps(rows).encode()), REFERENCES])
    assert found.study is not None
    assert (found.study.runs[0].settings.top_p, found.study.runs[0].settings.top_k) == settings


def test_two_runs_may_share_two_ranks() -> None:
    rows = [[id, 1.5, 1.5, 3] for id in IDS]
    found = load_study([runs_of("blip git ofa"), ("x.csv", csv(["id", "rank_blip", "rank_git", "rank_ofa"], rows))])
    assert found.study is not None
    votes = {(one.first[0], one.second[0]): one.ties for one in found.study.preferences}
    assert votes == {("blip", "git"): 1.0, ("blip", "ofa"): 0.0, ("git", "ofa"): 0.0}


@pytest.mark.parametrize("rated", [True, False])
def test_ranks_beside_the_captions_in_their_rows(rated: bool) -> None:
    """Without a column of raters, a rank may be a caption's place among all captions, so no preferences are read."""
    head = ["image", "annotator" if rated else "batch", "model", "caption", "rank"]
    rows = [
        [f"{id}.jpg", who, run, f"{run} {said}", k]
        for id, said in zip(IDS, SAID)
        for who in ("ab" if rated else "a")
        for k, run in enumerate(THREE, 1)
    ]
    found = load_study([("x.csv", csv(head, rows))])
    assert found.study is not None
    assert {len(of) for run in found.study.runs for of in run.candidates.values()} == {1}
    assert [one.first_votes for one in found.study.preferences] == ([2.0] * 9 if rated else [])


@pytest.mark.parametrize(
    "head", [["id", "model", "caption", "rank", "worker"], ["id", "model", "caption", "rank", "batch"]]
)
def test_ranks_of_the_captions_of_one_run_are_no_preferences(head: list[str]) -> None:
    rows = [[id, "A", f"{said} {k}", k, "w"] for id, said in zip(IDS, SAID) for k in (1, 2)]
    found = load_study([("x.csv", csv(head, rows)), REFERENCES])
    assert found.study is not None
    assert [len(texts) for texts in found.study.runs[0].candidates.values()] == [2] * 3
    assert "ranks_read" not in {one.code for one in found.findings}


def test_sounds_in_brackets_are_one_caption() -> None:
    rows = [[id, f"[{said} nearby, music plays]"] for id, said in zip(IDS, SAID)]
    found = load_study([("m.csv", csv(["audio_id", "caption"], rows)), REFERENCES])
    assert found.study is not None
    assert [len(texts) for texts in found.study.runs[0].candidates.values()] == [1] * 3
