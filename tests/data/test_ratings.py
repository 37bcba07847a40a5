"""Test that the same ratings by people are read from every form, and that a bundle keeps all of them."""

from __future__ import annotations

import io
import json
import math
from itertools import product

import numpy as np
import orjson
import pandas as pd
import pytest

from data.bundle.writing import pack
from data.check import repair
from data.convert import to_jsonl_bytes
from data.load import Loaded, load_study
from data.ratings.human_ratings import SET, Ratings, ratings_of, read
from data.study import Preference, Study
from tests.studies import study as random_study

STUDY = random_study(items=4, candidates=2, runs=2)
CAPTIONS = ("study.jsonl", to_jsonl_bytes(STUDY))
RATERS = ("ann", "bob")
KEYS = list(product([run.name for run in STUDY.runs], [item.id for item in STUDY.items], range(2), RATERS))
VALUES = {key: float(1 + place % 5) for place, key in enumerate(KEYS)}
LONG = pd.DataFrame(
    [
        {"item": i, "run": r, "candidate": k, "criterion": "overall", "rating": v, "rater": who}
        for (r, i, k, who), v in VALUES.items()
    ]
)
WIDE = LONG.pivot_table(index=["item", "run", "candidate"], columns="rater", values="rating").reset_index()


def parquet(table: pd.DataFrame) -> bytes:
    out = io.BytesIO()
    table.to_parquet(out, index=False)
    return out.getvalue()


def load(*files: tuple[str, bytes]) -> Loaded:
    found = load_study([CAPTIONS, *files])
    assert found.study is not None
    assert found.study.digest == STUDY.digest
    return found


def as_dict(study: Study, ratings: Ratings) -> dict[tuple[str, str, int, str], float]:
    runs, items = [run.name for run in study.runs], [item.id for item in study.items]
    rows = zip(ratings.run, ratings.item, ratings.place, ratings.rater, ratings.value)
    return {(runs[r], items[i], int(k), ratings.raters[who]): float(value) for r, i, k, who, value in rows}


FORMS = {
    "long.csv": LONG.to_csv(index=False).encode(),
    "long.tsv": LONG.to_csv(index=False, sep="\t").encode(),
    "long.parquet": parquet(LONG),
    "long.jsonl": b"\n".join(orjson.dumps(row) for row in LONG.to_dict("records")),
    "long.json": LONG.to_json(orient="records").encode(),
    "score.csv": LONG.rename(columns={"rating": "score", "rater": "worker_id"}).to_csv(index=False).encode(),
    "condition.csv": LONG.rename(columns={"run": "condition"}).to_csv(index=False).encode(),
    "one.csv": LONG.assign(candidate=LONG.candidate + 1).to_csv(index=False).encode(),
}


@pytest.mark.parametrize("name", FORMS)
def test_every_form_of_a_table_is_the_same_ratings(name: str) -> None:
    study = load((name, FORMS[name])).study
    (ratings,) = ratings_of(study)
    assert ratings.criterion == "overall"
    assert as_dict(study, ratings) == VALUES
    assert not study.scores


def test_a_column_a_rater_and_a_list_in_a_cell_are_several_raters() -> None:
    numbered = WIDE.rename(columns={"ann": "overall_1", "bob": "overall_2"}).to_csv(index=False).encode()
    lists = WIDE.assign(overall=[json.dumps([a, b]) for a, b in zip(WIDE.ann, WIDE.bob)]).drop(columns=list(RATERS))
    listed = lists.to_csv(index=False).encode()
    for content in (numbered, listed):
        study = load(("ratings.csv", content)).study
        (ratings,) = ratings_of(study)
        assert as_dict(study, ratings) == {(r, i, k, str(1 + RATERS.index(w))): v for (r, i, k, w), v in VALUES.items()}


def test_columns_as_composite_and_thumb_have_them() -> None:
    rows = [(i, run.candidates[i][0], 5, 3) for run in STUDY.runs[:1] for i in run.candidates]
    composite = pd.DataFrame(rows, columns=["image_id", "caption", "correctness", "thoroughness"])
    study = load(("composite.csv", composite.to_csv(index=False).encode())).study
    assert [ratings.criterion for ratings in ratings_of(study)] == ["correctness", "thoroughness"]
    thumb = pd.DataFrame(
        [("image 0", "run 0", 0, 4, 3, -0.1, 3.5)], columns=["item", "run", "candidate", "P", "R", "Fl", "human_score"]
    )
    criteria = [one.criterion for one in ratings_of(load(("x.csv", thumb.to_csv(index=False).encode())).study)]
    assert criteria == ["human_score", "P", "R", "Fl"]


def test_tick_boxes_as_raccoon_has_them_are_a_rating_of_their_number() -> None:
    """Boxes numbered from 1 are a criterion: two ticks are a finding, and none is a gap.

    Boxes numbered from 0 are no criterion.
    """
    boxes = [(4, 2), (None, 5), (1, None), ((3, 5), 1)]
    heads = [*(f"cbVisible{k}" for k in range(1, 6)), *(f"cbStory{k}" for k in range(1, 6)), "cb0", "cb1", "cb2"]
    lines = ["\t".join(["id_annotator", "caption", "url", *heads])]
    for k, ticks in enumerate(boxes):
        cells = [int(n == tick or (isinstance(tick, tuple) and n in tick)) for tick in ticks for n in range(1, 6)]
        lines.append("\t".join(map(str, [k % 2, f"caption {k}", f"image {k}", *cells, 1, 1, 0])))
    loaded = load_study([("boxes.tsv", "\n".join(lines).encode())])
    assert loaded.study is not None
    assert loaded.study.name == "boxes"
    found = {one.criterion: one for one in ratings_of(loaded.study)}
    assert {name: list(one.value) for name, one in found.items()} == {"Visible": [4, 1], "Story": [2, 5, 1]}
    assert list(found["Story"].item) == [0, 1, 3]
    assert any("3 and 5" in finding.problem for finding in loaded.findings)
    assert not loaded.errors


def test_a_caption_without_a_run_is_rated_in_every_run_that_says_it() -> None:
    captions = {"m": ["A dog."], "n": ["A dog."], "o": ["A cat."]}
    given = json.dumps([{"id": "1", "references": ["A dog.", "Dogs."], "candidates": captions}]).encode()
    study = load_study([("a.json", given), ("x.csv", b"item,caption,rating\n1,A dog.,4\n")]).study
    (ratings,) = ratings_of(study)
    assert (ratings.run.tolist(), ratings.value.tolist()) == ([0, 1], [4, 4])


@pytest.mark.parametrize(
    ("value", "candidates", "expected"),
    [
        (4, 1, [("rating", 0, "", 4)]),
        (4, 3, [("rating", SET, "", 4)]),
        ([4, 5], 1, [("rating", 0, "1", 4), ("rating", 0, "2", 5)]),
        ([4, 5], 2, [("rating", 0, "", 4), ("rating", 1, "", 5)]),
        ([4, None], 2, [("rating", 0, "", 4)]),
        ([4, 5, 3], 2, [("rating", SET, "1", 4), ("rating", SET, "2", 5), ("rating", SET, "3", 3)]),
        ([[4, 5], 3], 2, [("rating", 0, "1", 4), ("rating", 0, "2", 5), ("rating", 1, "", 3)]),
        ({"P": {"ann": 4}, "R": 2}, 1, [("P", 0, "ann", 4), ("R", 0, "", 2)]),
        ({"P": -0.0}, 1, [("P", 0, "", 0.0)]),
    ],
)
def test_human_of_trilens_json(value: object, candidates: int, expected: list[tuple[object, ...]]) -> None:
    assert [tuple(one) for one in read(value, candidates)] == expected


@pytest.mark.parametrize("value", ["4", True, [[4], [3], [5]], {"P": [{"ann": "x"}]}, float("inf")])
def test_what_is_no_rating_is_refused(value: object) -> None:
    with pytest.raises(ValueError, match=r"number|entries"):
        list(read(value, 2))


def test_repairs_that_leave_captions_out_take_the_ratings_of_the_others_along() -> None:
    captions = {"m": ["", "A dog.", "Two dogs."], "n": ["A cat.", "Two cats."]}
    record = {"id": "1", "references": ["A dog.", "Dogs."], "candidates": captions, "human": {"m": [1, 2, 3]}}
    loaded = repair(load_study([("a.json", json.dumps([record]).encode())]), ["drop_empty_candidates"])
    (ratings,) = ratings_of(loaded.study)
    assert (ratings.place.tolist(), ratings.value.tolist()) == ([0, 1], [2, 3])


def test_a_table_of_rated_captions_beside_references_is_a_study() -> None:
    references = ("references.json", b'{"1": ["A dog.", "Dogs."], "2": ["A cat.", "Cats."]}')
    rows = b"item,run,caption,rating\n1,m,One.,4\n2,m,Two.,2\n1,n,One.,5\n2,n,Four.,1\n"
    study = load_study([references, ("thumb.csv", rows)]).study
    assert {run.name: dict(run.candidates) for run in study.runs} == {
        "m": {"1": ("One.",), "2": ("Two.",)},
        "n": {"1": ("One.",), "2": ("Four.",)},
    }
    assert ratings_of(study)[0].value.tolist() == [4, 2, 5, 1]


def test_pairs_by_winner_run_or_votes() -> None:
    head = "item,run_a,caption_index_a,run_b,caption_index_b,winner,votes_a,votes_b,ties,category\n"
    rows = [
        "image 0,run 0,0,run 1,0,a,,,,HC", "image 0,run 1,0,run 0,0,run 0,,,,HC", "image 0,run 0,0,run 1,0,tie,,,,HC",
        "image 1,run 0,1,run 1,1,,30,18,,MM", "image 2,run 1,0,run 0,0,,0,0,3,MM", "image 2,run 1,0,run 0,0,,5,1,1,MM",
        "image 2,run 0,1,run 1,0,,2.5,.5,,MM",
    ]  # fmt: skip
    study = load(("pairs.csv", (head + "\n".join(rows)).encode())).study
    assert study.preferences == (
        Preference("image 0", ("run 0", 0), ("run 1", 0), 2.5, 0.5, "rating", "HC", 1),
        Preference("image 1", ("run 0", 1), ("run 1", 1), 30, 18, "rating", "MM"),
        Preference("image 2", ("run 0", 0), ("run 1", 0), 3, 7, "rating", "MM", 4),
        Preference("image 2", ("run 0", 1), ("run 1", 0), 2.5, 0.5, "rating", "MM", 1),
    )
    texts = [STUDY.run(name).candidates["image 2"][0] for name in ("run 0", "run 1")]
    named = pd.DataFrame([("image 2", *texts, 2)], columns=["image", "caption_1", "caption_2", "preferred"])
    (one,) = load(("x.csv", named.to_csv(index=False).encode())).study.preferences
    assert (one.first_votes, one.second_votes) == (0, 1)


@pytest.mark.parametrize("captions", [True, False])
def test_pairs_of_models_that_change_from_item_to_item_need_no_captions(captions: bool) -> None:
    """The pairs are like those of Chatbot Arena, and a bundle of such a study keeps them."""
    won = [("m", "n", "model_a"), ("o", "m", "model_b"), ("n", "o", "tie")]
    said = {"response_a": "a dog runs", "response_b": "a cat sleeps"} if captions else {}
    rows = [{"id": k, "model_a": a, "model_b": b, "winner": winner, **said} for k, (a, b, winner) in enumerate(won)]
    found = load_study([("arena.json", json.dumps(rows).encode())])
    study = found.study
    assert study is not None
    assert study.preferences == (
        Preference("0", ("m", 0), ("n", 0), 1, 0, "rating", ""),
        Preference("1", ("m", 0), ("o", 0), 1, 0, "rating", ""),
        Preference("2", ("n", 0), ("o", 0), 0.5, 0.5, "rating", "", 1),
    )
    assert [one.code for one in found.errors] == (["no_common_items"] if captions else [])
    again = load_study([("x.trilens.zip", pack(study, {}, b"", {}))]).study
    assert again is not None
    assert (again.items, again.preferences) == (study.items, study.preferences) == ((), study.preferences)


@pytest.mark.parametrize("said", ["Caption {} is better.", "caption {} wins", "Model {} was preferred"])
def test_sentences_say_which_of_two_named_captions_is_better(said: str) -> None:
    """As in CapArena, the runs change sides, and the field of verdicts may have any name."""
    rows = []
    for k, verdict in enumerate((said.format(1), said.format(2), "Tie.")):
        sides = ("m", "n") if k % 2 else ("n", "m")
        texts = {f"caption{n}": f"a dog {k} of {side}" for n, side in enumerate(sides, 1)}
        names = {f"source{n}": side for n, side in enumerate(sides, 1)}
        rows.append({"img": f"{k}.jpg", **names, **texts, "ref": f"one dog {k}", "judge": verdict})
    study = load_study([("m.json", json.dumps(rows).encode())]).study
    assert study is not None
    assert {run.name: dict(run.candidates) for run in study.runs} == {
        side: {f"{k}.jpg": (f"a dog {k} of {side}",) for k in range(3)} for side in ("n", "m")
    }
    assert [item.references for item in study.items] == [(f"one dog {k}",) for k in range(3)]
    assert [(one.first[0], one.first_votes, one.second_votes) for one in study.preferences] == [
        ("m", 0, 1),
        ("m", 0, 1),
        ("m", 0.5, 0.5),
    ]


SYSTEMS = b"system,M1,M2,CIDEr_c5,TER\nHuman,.6,.7,.85,.5\nGoogle,.3,.3,.94,\nRandom,,.02,,.9\n"


def test_ratings_of_whole_systems_need_no_captions() -> None:
    for found in (load_study([("coco.csv", SYSTEMS)]), load(("coco.csv", SYSTEMS))):
        assert not found.errors
        (table,) = found.study.systems
        assert table.systems == ("Human", "Google", "Random")
        assert table.criteria["M1"][:2] == (0.6, 0.3)
        assert math.isnan(table.criteria["M1"][2])
        assert list(table.metrics) == ["CIDEr_c5", "TER"]
        assert table.lower == {"TER"}
    assert not load(("coco.csv", SYSTEMS)).study.scores


@pytest.mark.parametrize(("header", "criteria"), [("M1", ["M1"]), ("m3", ["m3"]), ("M1,M2", ["M1", "M2"])])
def test_one_criterion_of_the_challenge_rates_systems(header: str, criteria: list[str]) -> None:
    cells = ",".join(".6" for _ in criteria)
    rows = "".join(f"{name},{cells},.8\n" for name in ("Human", "Google", "Random"))
    found = load_study([("coco.csv", f"system,{header},CIDEr\n{rows}".encode())])
    assert not found.errors
    (table,) = found.study.systems
    assert list(table.criteria) == criteria
    assert list(table.metrics) == ["CIDEr"]
    said = [one.code for one in found.findings if one.code == "rating_by_name"]
    assert said == (["rating_by_name"] if len(criteria) == 1 else [])


def test_m1_of_items_is_a_metric() -> None:
    found = load(("scores.csv", b"item,run,M1,CIDEr\nimage 0,run 0,.5,.9\nimage 1,run 0,.7,.8\n"))
    assert not ratings_of(found.study)
    assert {one.name for one in found.study.scores} == {"M1", "CIDEr"}


def test_a_bundle_carries_everything_that_people_said() -> None:
    pairs = b"item,run_a,candidate_index_a,run_b,candidate_index_b,winner\n" + b"".join(
        b"image 0,run 0,1,run 1,1,%s\n" % winner for winner in (b"a", b"tie")
    )
    study = load(("r.csv", FORMS["long.csv"]), ("pairs.csv", pairs), ("coco.csv", SYSTEMS)).study
    again = load_study([("x.trilens.zip", pack(study, {}, b"", {}))]).study
    assert again.digest == study.digest
    assert again.preferences == study.preferences
    assert [(one.name, one.digest) for one in again.systems] == [(one.name, one.digest) for one in study.systems]
    (one,), (other,) = ratings_of(study), ratings_of(again)
    assert as_dict(study, one) == as_dict(again, other) == VALUES
    assert np.array_equal(one.value, other.value)


def test_ratings_change_no_digest_and_no_scores() -> None:
    study = load(("r.csv", FORMS["long.csv"])).study
    assert study.contents == STUDY.contents
    assert study.references_digest == STUDY.references_digest
    assert study.name == STUDY.name
