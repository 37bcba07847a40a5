"""Test layouts of evaluators, judges and rating tools: invented captions under the keys that these programs write."""

from __future__ import annotations

import json
from typing import Any

import pytest

from data.load import load_study
from tests.data.test_any_records import SAID, WRITTEN
from tests.data.test_published_layouts import codes

N = range(len(SAID))
AGAIN = tuple(f"{text} again" for text in SAID)
FIRST = tuple((texts[0],) for texts in WRITTEN)
Files = list[tuple[str, bytes]]
Expected = tuple[list[str], dict[str, tuple[str, ...]], tuple[tuple[str, ...], ...] | None]
"""The ids of the items, each run's captions in this order, and the references, which are None if there are none."""


def js(name: str, value: Any) -> tuple[str, bytes]:
    return name, json.dumps(value).encode()


def jsonl(name: str, *rows: Any) -> tuple[str, bytes]:
    return name, "\n".join(map(json.dumps, rows)).encode()


def text(name: str, *rows: str) -> tuple[str, bytes]:
    return name, "\n".join(rows).encode() + b"\n"


def ids(form: str = "{}", first: int = 0) -> list[str]:
    return [form.format(k + first) for k in N]


LIST = ids(first=1)
LAYOUTS: dict[str, tuple[Files, Expected]] = {
    "one continuation under a counted key": (
        [
            js(
                "m.json",
                [
                    {
                        "prefix_text": f"It was {k} and then all",
                        "reference_text": WRITTEN[k][0],
                        "gen_result": {"0": SAID[k]},
                    }
                    for k in N
                ],
            )
        ],
        (LIST, {"m": SAID}, FIRST),
    ),
    "captions in a list called sentences": (
        [
            js(
                "m.json",
                {
                    "sentences": [
                        {"image_id": k, "caption": SAID[k], "metrics": {"CHAIRs": k % 2, "CHAIRi": 0.5}} for k in N
                    ],
                    "overall_metrics": {"CHAIRs": 0.4},
                },
            )
        ],
        (ids(), {"m": SAID}, None),
    ),
    "remarks of those who wrote the labels": (
        [
            jsonl(
                "all.jsonl",
                *(
                    {"id": 40 + k, "filename": f"{k}.jpg", "label": list(WRITTEN[k]), "Comments": ["see it"] * (k == 1)}
                    for k in N
                ),
            ),
            text("p.csv", "image,caption", *(f"{k}.jpg,{SAID[k]}" for k in N)),
        ],
        (ids("{}.jpg"), {"p": SAID}, WRITTEN),
    ),
    "a path of a file of sound": (
        [
            jsonl(
                "m.jsonl",
                *({"audio_filepath": f"s{k}", "duration": 1.5, "text": WRITTEN[k][0], "pred_text": SAID[k]} for k in N),
            )
        ],
        (ids("s{}"), {"m": SAID}, FIRST),
    ),
    "a session beside the request of a judge": (
        [
            js(
                "m.json",
                [
                    {
                        "session_id": f"s{k}",
                        "meta": {"req_id": f"r{k}"},
                        "model_test": "lab/m",
                        "score": str(k),
                        "model_output": SAID[k],
                    }
                    for k in N
                ],
            )
        ],
        (ids("s{}"), {"lab/m": SAID}, None),
    ),
    "a submission with one task": (
        [
            js(
                "s.json",
                {
                    "submission_name": "lab/m",
                    "param_count": 9,
                    "tasks": {"a_val": {"language": "en", "values": [{"n_idx": k, "generated": SAID[k]} for k in N]}},
                },
            ),
            js("a_val.refs.json", {"language": "en", "values": [{"target": list(of)} for of in WRITTEN]}),
        ],
        (LIST, {"lab/m": SAID}, WRITTEN),
    ),
    "lines of references and hypotheses, as Kaldi aligns them": (
        [
            text(
                "m",
                *(
                    row
                    for k in N
                    for row in (
                        f"u{k} ref  {WRITTEN[k][0]}",
                        f"u{k} hyp  {SAID[k]} ***",
                        f"u{k} op C C",
                        f"u{k} #csid 2 0 0 0",
                    )
                ),
            )
        ],
        (ids("u{}"), {"m": SAID}, FIRST),
    ),
    "lines of references and hypotheses, as icefall prints them": (
        [
            text(
                "m.txt",
                *(
                    row
                    for k in N
                    for row in (f"u{k}-1:\tref={WRITTEN[k][0].split()}", f"u{k}-1:\thyp={SAID[k].split()}")
                ),
            )
        ],
        (ids("u{}-1"), {"m": SAID}, FIRST),
    ),
    "lines of references and hypotheses, as sclite aligns them": (
        [
            text(
                "m.txt",
                "System name: m",
                *(
                    row
                    for k in N
                    for row in (
                        "",
                        f"id: (u-{k})",
                        "Scores: (#C #S #D #I) 2 1 0 0",
                        f"REF:  {WRITTEN[k][0]}",
                        f"HYP:  *** {SAID[k]}",
                        "Eval: S",
                    )
                ),
            )
        ],
        (ids("u-{}"), {"m": SAID}, FIRST),
    ),
    "systems in letters, which swap": (
        [
            js(
                "x.json",
                [
                    {
                        "prompt": f"Say {k}",
                        "system_a_name": "two" if k else "one",
                        "system_a_result": (AGAIN if k else SAID)[k],
                        "system_b_name": "one" if k else "two",
                        "system_b_result": (SAID if k else AGAIN)[k],
                        "human_annotation": {
                            f"annotator_{n}": ["system a is better.", "both are fine."][(k + n) % 2] for n in N
                        },
                    }
                    for k in N
                ],
            )
        ],
        (LIST, {"one": SAID, "two": AGAIN}, None),
    ),
    "policies in a list of summaries": (
        [
            jsonl(
                "m.json",
                *(
                    {
                        "info": {"id": f"p{k}", "post": f"I was at place {k}."},
                        "summaries": [
                            {"text": SAID[k], "policy": "ppo", "note": "ok"},
                            {"text": AGAIN[k], "policy": "sup", "note": "ok"},
                        ],
                        "choice": 0,
                    }
                    for k in N
                ),
            )
        ],
        (ids("p{}"), {"ppo": SAID, "sup": AGAIN}, None),
    ),
    "the verdict of a judge before the answer": (
        [
            js(
                "m.json",
                {
                    f"v{k}": [{"pred": "yes", "score": k}, {"q": f"What is {k}?", "a": WRITTEN[k][0], "pred": SAID[k]}]
                    for k in N
                },
            )
        ],
        (ids("v{}"), {"m": SAID}, FIRST),
    ),
    "files of contexts, hypotheses and scores that people rated": (
        [
            text("human_ctx.txt", *(f"so what is {k} ? ||| it is one of {k} ." for k in N)),
            text("human_hyp.txt", *SAID),
            text("human_ref.txt", *(of[0] for of in WRITTEN)),
            text("human_score.txt", "3.2", "2.6", "4.8"),
        ],
        (LIST, {"human_hyp": SAID}, FIRST),
    ),
    "runs under counted questions": (
        [
            jsonl(
                "m.jsonl",
                *(
                    {
                        "passage-id": f"p{k}",
                        "questions": {
                            "0": {
                                run: {
                                    "response": of[k],
                                    "reviews": [
                                        {
                                            "annotations": [{"annotation": ["it makes no sense"]}],
                                            "worker_id": "3",
                                            "overall-rating": 60,
                                        }
                                    ],
                                }
                                for run, of in (("bart", SAID), ("t5", AGAIN))
                            }
                        },
                    }
                    for k in N
                ),
            )
        ],
        (ids("p{}_0"), {"bart": SAID, "t5": AGAIN}, None),
    ),
}


@pytest.mark.parametrize("kind", LAYOUTS)
def test_a_layout_is_read_as_its_program_means_it(kind: str) -> None:
    files, (names, runs, references) = LAYOUTS[kind]
    loaded = load_study(files)
    assert loaded.study is not None, codes(loaded)
    assert [item.id for item in loaded.study.items] == names
    assert [item.references for item in loaded.study.items] == list(references or [()] * len(names))
    assert {run.name: [run.candidates[id] for id in names] for run in loaded.study.runs} == {
        run: [(text,) for text in texts] for run, texts in runs.items()
    }


RATED: dict[str, tuple[Files, dict[str, Any]]] = {
    "Argilla's records": (
        [
            js(
                "m.json",
                [
                    {"fields": {"caption": SAID[k]}, "metadata": {"image_id": f"i{k}"}}
                    | {"responses": {"mood": [{"value": k + 1, "user_id": "u"}, {"value": 5, "user_id": "v"}]}}
                    for k in N
                ],
            )
        ],
        {"mood": {"u": 2.0, "v": 5.0}},
    ),
    "Argilla's tables": (
        [
            text(
                "m.csv",
                "id,caption,mood.responses,mood.responses.users",
                *(f"i{k},{SAID[k]},\"[{k + 1}, 5]\",\"['u', 'v']\"" for k in N),
            )
        ],
        {"mood": {"u": 2.0, "v": 5.0}},
    ),
    "a choice of a scale in the folders of two people": (
        [
            jsonl(
                f"{who}/m.jsonl",
                *(
                    {
                        "id": f"i{k}",
                        "displayed_text": SAID[k],
                        "label_annotations": {"mood": {f"scale_{n}": f"{n}"}, "quality": {"good": "true"}},
                    }
                    for k in N
                ),
            )
            for who, n in (("ann", 2), ("bob", 5))
        ],
        {"mood": {"ann": 2.0, "bob": 5.0}},
    ),
}


@pytest.mark.parametrize("kind", RATED)
def test_ratings_keep_their_criterion_and_their_rater(kind: str, tmp_path: Any) -> None:
    files, expected = RATED[kind]
    for name, content in files:
        (tmp_path / name).parent.mkdir(exist_ok=True)
        (tmp_path / name).write_bytes(content)
    loaded = load_study([tmp_path / name for name, _ in files])
    assert loaded.study is not None, codes(loaded)
    (run,) = loaded.study.runs
    assert run.candidates["i1"] == (SAID[1],)
    assert (run.human or {}).get("i1") == expected


BASE = {"id": "i", "reference": WRITTEN[0][0], "response": SAID[0]}
SCORED: dict[str, tuple[list[dict[str, Any]], set[str]]] = {
    "shares of answers": (
        [{"faithfulness": 0.5, "context_recall": 1.0, "latency": 3.1, "eval": {"group_id": 4}}],
        {"faithfulness", "context_recall"},
    ),
    "what people rate from 1 to 5": ([{"faithfulness": 4, "context_recall": 2}], set()),
    "scores of a program": ([{"doc": 1, "predict_scores": {"tone": 0.25}}], {"predict_scores.tone"}),
    "indices with fractions": ([{"scores": {"fog_index": 7.25, "index": 0.5, "frame_index": 3}}], {"scores.fog_index"}),
    "errors of words": ([{"wer": 0.25, "werk": 0.5}], {"wer"}),
}


@pytest.mark.parametrize("kind", SCORED)
def test_numbers_named_after_scores_are_scores(kind: str) -> None:
    (beside,), names = SCORED[kind]
    loaded = load_study([js("m.json", [{**BASE, "id": f"i{k}", **beside} for k in N])])
    assert loaded.study is not None
    assert {score.name for score in loaded.study.scores} == names
