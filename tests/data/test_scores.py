"""Test that the same imported scores are read from every form, and that gaps remain gaps."""

from __future__ import annotations

import io
import json
import math
from itertools import product

import orjson
import pandas as pd
import pytest

from data.check import direct, repair
from data.convert import scores_to_jsonl_bytes, to_jsonl_bytes
from data.load import Reading, load_study
from data.records import Columns
from data.study import ImportedScores, Study
from tests.studies import study as random_study

STUDY = random_study(items=4, candidates=3, runs=2)
CAPTIONS = ("study.jsonl", to_jsonl_bytes(STUDY))
VALUES = {
    (run.name, item.id, k): round(0.1 + 0.01 * place, 3)
    for place, (run, item, k) in enumerate(product(STUDY.runs, STUDY.items, range(3)))
}
LONG = pd.DataFrame(
    [{"item": i, "run": r, "candidate": k, "metric": "CLIPScore", "value": v} for (r, i, k), v in VALUES.items()]
).assign(higher_is_better=True, low=0, high=1)
WIDE = LONG.rename(columns={"value": "CLIPScore(higher)"}).drop(columns=["metric", "higher_is_better", "low", "high"])


def read(name: str, content: bytes, **more: Reading) -> Study:
    found = load_study([CAPTIONS, (name, content)], overrides=more)
    assert found.study is not None
    assert found.study.digest == STUDY.digest
    return found.study


def only(study: Study) -> ImportedScores:
    (scores,) = study.scores
    return scores


def parquet(table: pd.DataFrame) -> bytes:
    out = io.BytesIO()
    table.to_parquet(out, index=False)
    return out.getvalue()


def lines(table: pd.DataFrame) -> bytes:
    return b"\n".join(orjson.dumps(row) for row in table.to_dict("records"))


FORMS = {
    "long.csv": LONG.to_csv(index=False).encode(),
    "long.tsv": LONG.to_csv(index=False, sep="\t").encode(),
    "long.parquet": parquet(LONG),
    "long.jsonl": lines(LONG),
    "long.json": LONG.to_json(orient="records").encode(),
    "shuffled.csv": LONG.sample(frac=1, random_state=1).to_csv(index=False).encode(),
    "condition.csv": LONG.rename(columns={"run": "condition"}).to_csv(index=False).encode(),
    "one.csv": LONG.assign(candidate=LONG.candidate + 1).to_csv(index=False).encode(),
    "wide.csv": WIDE.to_csv(index=False).encode(),
    "wide.jsonl": lines(WIDE),
    "stated.json": json.dumps(
        {"metrics": {"CLIPScore": {"higher_is_better": True}}, "scores": WIDE.rename(
            columns={"CLIPScore(higher)": "CLIPScore"}).to_dict("records")}
    ).encode(),
}  # fmt: skip


@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_a_table_is_the_same_scores(name: str) -> None:
    scores = only(read(name, FORMS[name]))
    assert (scores.name, scores.grain, scores.higher_is_better) == ("CLIPScore", "candidate", True)
    assert {
        (r, i, k): v for r, of in scores.values.items() for i, row in of.items() for k, v in enumerate(row)
    } == VALUES
    assert scores.digest == only(read("long.csv", FORMS["long.csv"])).digest


def test_captions_name_the_candidate() -> None:
    texts = [STUDY.run(r).candidates[i][k] for r, i, k in VALUES]
    table = LONG.drop(columns="candidate").assign(caption=texts)
    scores = only(read("long.csv", table.to_csv(index=False).encode()))
    for (run, item, k), value in VALUES.items():
        same = [VALUES[run, item, j] for j in range(3) if STUDY.run(run).candidates[item][j] == texts[0]]
        assert scores.values[run][item][k] == value or len(same) > 1 or len(set(STUDY.run(run).candidates[item])) < 3


def test_scores_follow_captions_through_two_repairs() -> None:
    """The table numbers the captions of the file.

    One repair drops the empty caption, and the other leaves two captions per item.
    """
    said = {"a": ["", "a dog", "a cat", "a cow"], "b": ["", "a bird", "a bat", "an owl"]}
    captions = [
        {"id": id, "references": ["A pet.", "An animal."], "candidates": {"m": own, "n": ["a pet", "an animal"]}}
        for id, own in said.items()
    ]
    table = pd.DataFrame(
        [{"item": id, "run": "m", "candidate": k, "CLIPScore": 0.1 + 0.1 * k} for id, k in product(said, range(4))]
    )
    files = [("study.json", json.dumps(captions).encode()), ("clip.csv", table.to_csv(index=False).encode())]
    repaired = repair(load_study(files), ["drop_empty_candidates", "equal_counts"]).study
    assert repaired is not None
    values = only(repaired).values["m"]
    for id, own in said.items():
        kept = repaired.run("m").candidates[id]
        assert len(kept) == 2
        assert values[id] == pytest.approx([0.1 + 0.1 * own.index(text) for text in kept])


@pytest.mark.parametrize(("keys", "grain"), [(["run", "item"], "item"), (["run"], "run")])
def test_the_grain_is_what_the_rows_name(keys: list[str], grain: str) -> None:
    table = LONG.groupby(keys, sort=False)["value"].mean().reset_index().rename(columns={"value": "SPICE"})
    scores = only(read("spice.csv", table.to_csv(index=False).encode()))
    assert scores.grain == grain
    first = scores.values["run 0"]["image 0" if grain == "item" else ""]
    assert first == (table["SPICE"][0],)


def test_a_gap_is_no_zero_and_text_is_no_number() -> None:
    table = WIDE.astype({"CLIPScore(higher)": object})
    table.loc[[0, 1, 2], "CLIPScore(higher)"] = ["", "good", float("nan")]
    loaded = load_study([CAPTIONS, ("wide.csv", table.to_csv(index=False).encode())])
    assert all(map(math.isnan, only(loaded.study).values["run 0"]["image 0"]))
    said = {finding.code: finding for finding in loaded.findings}
    assert said["score_not_number"].problem == "A score by CLIPScore is the text 'good', not a finite number."
    assert (said["score_not_number"].record, said["score_not_number"].id) == ("line 3", "image 0")
    assert said["score_gaps"].problem == "CLIPScore has no value for 3 of 12 captions of run run 0."


def test_directions_are_guessed_by_name_stated_by_hand_and_kept_by_repairs() -> None:
    table = WIDE.rename(columns={"CLIPScore(higher)": "CHAIRs"})
    loaded = load_study([CAPTIONS, ("chair.csv", table.to_csv(index=False).encode())])
    assert not only(loaded.study).higher_is_better
    stated = direct(loaded, {"CHAIRs": True})
    assert only(stated.study).higher_is_better
    assert only(repair(stated, ["drop_few_references"]).study).higher_is_better
    assert only(stated.study) != only(loaded.study)


def test_repairs_that_leave_captions_out_take_the_values_of_the_others_along() -> None:
    captions = {"m": ["", "A dog.", "Two dogs."], "n": ["A cat.", "Two cats."]}
    given = json.dumps([{"id": "1", "references": ["A dog.", "Dogs."], "candidates": captions}]).encode()
    table = "item,run,candidate,CLIP\n1,m,0,.1\n1,m,1,.2\n1,m,2,.3\n1,n,0,.4\n1,n,1,.5"
    loaded = repair(load_study([("a.json", given), ("x.csv", table.encode())]), ["drop_empty_candidates"])
    assert only(loaded.study).values == {"m": {"1": (0.2, 0.3)}, "n": {"1": (0.4, 0.5)}}
    drawn = repair(loaded, ["equal_counts"], without=["drop_empty_candidates"]).study
    texts = drawn.run("m").candidates["1"]
    assert len(texts) == 2
    assert only(drawn).values["m"]["1"] == tuple((0.1, 0.2, 0.3)[captions["m"].index(text)] for text in texts)


def test_ids_are_matched_as_those_of_captions_are() -> None:
    given = json.dumps(
        [{"id": "kite.jpg", "references": ["A dog.", "Dogs."], "candidates": {"m": ["A", "B"]}}]
    ).encode()
    loaded = load_study([("a.json", given), ("x.csv", b"item,run,SPICE\nval/kite.jpg,m,.5\n")])
    assert only(loaded.study).values == {"m": {"kite.jpg": (0.5,)}}
    assert "ids_matched" in {finding.code for finding in loaded.findings}


def test_a_table_of_captions_with_numbers_stays_a_table_of_captions() -> None:
    rows = b"id,model,temperature,caption,clip\n1,m,1,A dog.,.5\n1,m,1,Two dogs.,.6\n"
    references = ("references.json", b'{"1": ["A dog.", "Dogs."]}')
    plain = load_study([references, ("run.csv", rows)])
    assert not plain.study.scores
    assert len(plain.study.runs) == 1
    captions = b"id,model,temperature,caption\n1,m,1,A dog.\n1,m,1,Two dogs.\n"
    named = load_study([references, ("run.csv", captions), ("clip_scores.csv", rows)])
    assert next(iter(only(named.study).values.values())) == {"1": (0.5, 0.6)}
    forced = load_study(
        [references, ("run.csv", rows)], overrides={"run.csv": Reading(columns=Columns(captions=("caption",)))}
    )
    assert not forced.study.scores


def test_a_file_of_scores_changes_neither_name_nor_digest() -> None:
    captions = b'{"id": "1", "references": ["A dog.", "Dogs."], "candidates": {"m": ["A", "B"]}}'
    alone = load_study([("coco.json", captions)]).study
    beside = load_study([("coco.json", captions), ("x.csv", b"item,run,SPICE\n1,m,.5\n")]).study
    assert beside.name == "coco"
    assert beside.digest == alone.digest
    assert len(beside.scores) == 1


def test_scores_alone_are_no_study() -> None:
    loaded = load_study([("long.csv", FORMS["long.csv"])])
    assert loaded.study is None
    assert {finding.code for finding in loaded.errors} == {"no_items"}


def test_a_file_of_scores_reads_back_to_the_last_digit() -> None:
    table = WIDE.assign(CHAIRs=[1 / 3 * k for k in range(len(WIDE))]).rename(columns={"CLIPScore(higher)": "CLIP"})
    table.loc[5, "CHAIRs"] = float("nan")
    study = read("wide.csv", table.to_csv(index=False).encode())
    again = read("imported.jsonl", scores_to_jsonl_bytes(study.scores))
    assert again.scores == study.scores
    assert [one.digest for one in again.scores] == [one.digest for one in study.scores]


def test_a_value_of_another_caption_is_another_digest() -> None:
    first = only(read("long.csv", FORMS["long.csv"]))
    changed = LONG.copy()
    changed.loc[0, "value"] += 1e-12
    swapped = LONG.assign(run=LONG.run.map({"run 0": "run 1", "run 1": "run 0"}))
    others = [only(read("long.csv", table.to_csv(index=False).encode())) for table in (changed, swapped)]
    assert len({first.digest, *(one.digest for one in others)}) == 3


REFERENCES = ("references.json", b'{"1": ["A dog.", "Dogs."], "2": ["A cat.", "Cats."]}')
RUN = ("m.json", b'{"1": "A dog runs.", "2": "A cat naps."}')
SPICE = {"All": {"pr": 0.5, "f": 0.25, "tp": 2}, "Object": {"pr": 1, "f": 0.75}, "Size": {"pr": 0, "f": None}}
OF_SPICE = "SPICE.All.pr, SPICE.All.tp, SPICE.Object.pr, SPICE.Object.f, SPICE.Size.pr"
NESTED: dict[str, tuple[dict[str, object], dict[str, float], str]] = {
    "beside": ({"CIDEr": 0.5, "SPICE": SPICE}, {"CIDEr": 0.5, "SPICE": 0.25}, OF_SPICE),
    "alone": ({"SPICE": {"All": {"f": 0.25}}}, {"SPICE": 0.25}, ""),
    "several": (
        {"scores": {"f1": 0.5, "rouge": {"one": {"recall": 1, "fmeasure": 0.25}, "l": {"fmeasure": 0.75}}}},
        {"f1": 0.5, "rouge.one": 0.25, "rouge.l": 0.75},
        "scores.rouge.one.recall",
    ),
    "no headline": ({"Bleu": {"1": 0.5, "2": 0.25}}, {"Bleu.1": 0.5, "Bleu.2": 0.25}, ""),
    "other fields": ({"CIDEr": 0.5, "judge": "strict", "bleu": [0.1, 0.2]}, {"CIDEr": 0.5}, "judge, bleu"),
}  # fmt: skip


@pytest.mark.parametrize("records", ["list", "by id"])
@pytest.mark.parametrize("name", NESTED)
def test_every_number_in_nested_scores_is_read_or_named(name: str, records: str) -> None:
    row, values, left = NESTED[name]
    rows = dict.fromkeys("12", row) if records == "by id" else [{"image_id": id, **row} for id in "12"]
    loaded = load_study([REFERENCES, RUN, ("m_scores.json", json.dumps(rows).encode())])
    read = {one.name: one.values["m"] for one in loaded.study.scores}
    assert read == {metric: {"1": (value,), "2": (value,)} for metric, value in values.items()}
    said = [one.problem for one in loaded.findings if one.code == "scores_left"]
    assert said == ([f"Columns of this table of scores are not scores and were not used: {left}."] if left else [])
