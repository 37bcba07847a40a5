"""List one case per finding about imported scores."""

from __future__ import annotations

import io

import numpy as np

from tests.data.finding_cases import GOOD, REFERENCES, Case, item, js

TWO = [("a.json", js([item("1", {"m": ["One.", "Two."], "n": ["One.", "Three."]})]))]
HEAD = "item,run,candidate,metric,value,higher_is_better"


ALL = ["One.", "Two.", "Three.", "A dog.", "The dog."]


def npz(texts: list[str], vectors: np.ndarray) -> bytes:
    out = io.BytesIO()
    np.savez(out, texts=np.array(texts), vectors=vectors)
    return out.getvalue()


def matrices(**changed: np.ndarray) -> bytes:
    source = 1 - np.eye(4)
    out = io.BytesIO()
    np.savez(out, **{name: changed.get(name[0], source) for name in ("m/1", "n/1")})  # type: ignore[arg-type]
    return out.getvalue()


def table(*rows: str, head: str = HEAD) -> tuple[str, bytes]:
    return "x.csv", "\n".join([head, *rows]).encode()


FULL = ("1,m,0,CLIP,.5,true", "1,m,1,CLIP,.5,true", "1,n,0,CLIP,.5,true", "1,n,1,CLIP,.5,true")
WHERE = {"file": "x.csv", "record": "line 6", "id": "1", "items": 1}

SCORES: dict[str, Case] = {
    "numbers_left": Case(
        [("x.json", js({"Bleu": [0.61, 0.42], "ROUGE_L": 0.45})), ("m.json", js([GOOD]))],
        "The file holds numbers (Bleu, ROUGE_L) and no captions; it was not used.",
        file="x.json",
        items=1,
    ),
    "score_not_number": Case(
        [*TWO, table(*FULL, "1,m,0,SPICE,inf,true")],
        "A score by SPICE is the text 'inf', not a finite number.",
        **WHERE,  # type: ignore[arg-type]
    ),
    "scores_by_text": Case(
        [
            ("m.json", js({"a.wav": "A dog barks.", "b.wav": "Rain falls."})),
            ("x.csv", b"index,candidate,bleu_1\n0,a dog barks,.5\n1,rain falls,.25\n"),
        ],
        "The captions beside these scores belong to run m in m.json; the numbers were read as its scores.",
        file="x.csv",
        items=2,
    ),
    "score_out_of_range": Case(
        [*TWO, table(*(f"{row},0,1" for row in FULL), "1,m,0,CLIP,1.5,true,0,1", head=f"{HEAD},low,high")],
        "A score by CLIP is outside its stated range, 0 to 1.",
        **WHERE,  # type: ignore[arg-type]
    ),
    "score_unknown": Case(
        [*TWO, table(*FULL, "1,m,7,CLIP,1,true")],
        "A score, vector, matrix or answer belongs to a candidate that the study does not have.",
        **WHERE,  # type: ignore[arg-type]
    ),
    "score_no_run": Case(
        [*TWO, table("1,.5", head="item,SPICE")],
        "A score, vector or matrix names no run, and there are 2 runs.",
        file="x.csv",
        record="line 2",
        id="1",
        items=1,
    ),
    "score_differs": Case(
        [*TWO, table(*FULL, "1,m,0,CLIP,.7,true")],
        "CLIP has two values for the same caption, item or run; the first counts.",
        **WHERE,  # type: ignore[arg-type]
    ),
    "score_facts_differ": Case(
        [*TWO, table(*FULL, "1,m,0,CLIP,.5,false")],
        "The direction of CLIP is stated in two ways; the first counts.",
        file="x.csv",
        record="line 6",
        items=1,
    ),
    "score_grain": Case(
        [*TWO, table(*FULL, "1,m,,CLIP,.5,true")],
        "CLIP has values for each candidate; values of larger units were not used.",
        file="x.csv",
        items=1,
    ),
    "columns_of_runs": Case(
        [*TWO, table("1,.5,.25", head="item,SPICE_m,SPICE_n")],
        "Columns were read as the numbers of the runs that their names contain: SPICE_m, SPICE_n.",
        file="x.csv",
        items=1,
    ),
    "scores_left": Case(
        [*TWO, ("x.json", js([{"item": "1", "run": run, "SPICE": {"f": 0.5, "pr": 0.25}} for run in "mn"]))],
        "Columns of this table of scores are not scores and were not used: SPICE.pr.",
        file="x.json",
        items=1,
    ),
    "scores_beside": Case(
        [
            REFERENCES,
            (
                "m.csv",
                b"id,a_caption,b_caption,rouge_l\n1,a dog runs here,a dog runs,.5\n2,it is a cat,a cat naps,.2\n",
            ),
        ],
        "Numbers beside captions, under names of metrics, were not read as scores: rouge_l.",
        file="m.csv",
        items=2,
    ),
    "scores_read": Case(
        [REFERENCES, ("m.csv", b"id,caption,rouge_l,CIDEr,words\n1,A dog runs.,.5,1.5,3\n2,A cat naps.,.25,,3\n")],
        "Numbers beside the captions were read as their scores: rouge_l, CIDEr.",
        file="m.csv",
        items=2,
    ),
    "score_direction": Case(
        [*TWO, table("1,m,.5", "1,n,.5", head="item,run,Judge")],
        "Nothing states which direction of Judge is better: higher was taken as better.",
        file="x.csv",
        items=1,
    ),
    "score_gaps": Case(
        [*TWO, table(*FULL[:3])],
        "CLIP has no value for 1 of 2 captions of run n.",
        file="x.csv",
        id="1",
        items=1,
    ),
    "score_none": Case(
        [("a.json", js([GOOD])), table("9,m,0,CLIP,.5,true")],
        "No score by CLIP belongs to a caption of this study.",
        file="x.csv",
        items=1,
    ),
    "vectors_unusable": Case(
        [*TWO, ("x.npz", npz(["One."], np.ones((2, 3))))],
        "The arrays or embeddings cannot be used: 2 vectors for 1 captions.",
        file="x.npz",
        items=1,
    ),
    "vector_not_number": Case(
        [*TWO, ("x.npz", npz(ALL, np.diag([np.inf, 1, 1, 1, 1])))],
        "A vector holds a number that is not finite; it was left out.",
        file="x.npz",
        record="row 1",
        items=1,
    ),
    "vector_differs": Case(
        [*TWO, ("x.npz", npz([*ALL, "One."], np.arange(18.0).reshape(6, 3)))],
        "Two vectors are given for one text; the first counts.",
        file="x.npz",
        record="row 6",
        items=1,
    ),
    "vector_missing": Case(
        [*TWO, ("x.npz", npz(["One."], np.ones((1, 3))))],
        "4 of 5 different captions have no vector.",
        file="x.npz",
        count=4,
        items=1,
    ),
    "distances_unusable": Case(
        [*TWO, ("x.npz", matrices().replace(b"n/1.npy", b"n/7.npy").replace(b"m/1.npy", b"m/8.npy"))],
        "The distances cannot be used: none belongs to the captions of this study.",
        file="x.npz",
        items=1,
    ),
    "distance_matrix": Case(
        [*TWO, ("x.npz", matrices(n=np.ones((3, 3))))],
        "A matrix of distances is 3 x 3, and run n has 2 candidates and 2 references there; it was left out.",
        file="x.npz",
        record="n/1",
        id="1",
        items=1,
    ),
    "distance_asymmetric": Case(
        [*TWO, ("x.npz", matrices(n=np.triu(1 - np.eye(4))))],
        "A matrix of distances is not symmetric: each row is taken as hypothesis, each column as reference.",
        file="x.npz",
        record="n/1",
        id="1",
        items=1,
    ),
    "distance_diagonal": Case(
        [*TWO, ("x.npz", matrices(n=np.ones((4, 4))))],
        "Some caption is not at distance 0 from itself, or from the same words; the distance was taken as 0.",
        file="x.npz",
        record="n/1",
        id="1",
        items=1,
    ),
    "distance_missing": Case(
        [
            ("a.json", js([item("1", {"m": ["One.", "Two."]}), item("2", {"m": ["One.", "Two."]})])),
            ("x.npz", matrices().replace(b"n/1.npy", b"m/7.npy")),
        ],
        "1 of 2 items of run m have no distances.",
        file="x.npz",
        items=2,
    ),
    "score_name": Case(
        [*TWO, table(*FULL, '1,m,0,"=HYPER(1),b",.5,true')],
        "The metric =HYPER(1),b is called HYPER_1_b here.",
        file="x.csv",
        record="line 6",
        items=1,
    ),
}
