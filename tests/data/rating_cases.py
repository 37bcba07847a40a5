"""List one case per finding about human judgments."""

from __future__ import annotations

from data.records import Columns, Reading
from tests.data.finding_cases import GOOD, REFERENCES, Case, item, js

TWO = [("a.json", js([item("1", {"m": ["One.", "Two."], "n": ["One.", "Three."]})]))]
WHERE = {"file": "x.csv", "record": "line 2", "id": "1", "items": 1}


def table(*rows: str, head: str = "item,run,candidate,rating") -> tuple[str, bytes]:
    return "x.csv", "\n".join([head, *rows]).encode()


PAIRS = "item,run_a,run_b,winner"
JUDGED = {"judge": "M", "prompt": "pairwise", "signature": "s", "item": "1", "runs": ["m", "n"], "places": [0, 1]}


def answer(**changed: object) -> tuple[str, bytes]:
    return "x.json", js([{**JUDGED, "captions": ["One.", "Three."], "score": 1, **changed}])


JUDGMENTS: dict[str, Case] = {
    "answer_unusable": Case(
        [*TWO, answer(score=7)],
        "An answer of a judge has the score 7, which pairwise cannot have.",
        record="record 1",
        id="1",
        items=1,
    ),
    "answer_faults": Case(
        [*TWO, answer(score=None, fault="it refused")],
        "Answers by M to pairwise without a score: 1 of 1 (it refused).",
        items=1,
    ),
    "answer_one_order": Case([*TWO, answer()], "Pairs that M answered in only one order: 1", items=1),
    "judge_changed": Case(
        [*TWO, answer(fingerprint="a"), ("y.json", answer(fingerprint="b", repeat=1)[1])],
        "The server of M gave 2 different names while it answered pairwise: a, b.",
        items=1,
    ),
    "ratings_alone": Case(
        [("x.csv", b"case,fluency,relevance,Comment\n1,4,5,very clear text\n2,3,4,too long by far\n")],
        "The file has no captions; its numbers seem to be ratings by people, or their totals: `fluency`, `relevance`.",
        file="x.csv",
    ),
    "ratings_across": Case(
        [
            (
                "x.csv",
                b"Timestamp,How good is it? [A dog runs.],How good is it? [A cat sits.],Comments\n"
                b"5/3/2024 14:00,4,2,none at all\n5/3/2024 15:00,5,1,both are short\n",
            )
        ],
        "Each row has one person's ratings of 2 captions, with the captions in the names of columns, such as `How "
        "good is it? [A dog runs.]`; they were not read.",
        file="x.csv",
    ),
    "raters_apart": Case(
        [
            ("rated_ann.csv", b"id,caption,fluency\n1,A dog runs.,4\n2,A cat sits.,2\n3,Two cups.,5\n"),
            ("rated_bob.csv", b"id,caption,fluency\n1,A dog runs.,3\n2,A cat sits.,1\n3,Two cups.,5\n"),
        ],
        "2 files rate the same captions, and each was read as one person's ratings: rated_ann, rated_bob.",
        file="rated_ann.csv",
        items=3,
    ),
    "preferences_read": Case(
        [("x.csv", b"id,response_a,response_b,preferred\n1,A dog runs.,A cat sits.,A\n2,Two cups.,A red cup.,tie\n")],
        "Which of a, b was preferred was read from `preferred`.",
        file="x.csv",
        items=2,
    ),
    "preferences_beside": Case(
        [
            (
                "x.csv",
                b"id,response_a,response_b,response_c,best\n"
                b"1,A dog runs here.,A cat sits down.,A dog is big.,A\n2,Two cups here.,A red cup now.,Cups on it.,C\n",
            )
        ],
        "Which of a, b, c was preferred was not read from `best`: a preference is between two runs.",
        file="x.csv",
        items=2,
    ),
    "ranks_read": Case(
        [*TWO, ("x.csv", b"item,rank_m,rank_n\n1,2,1\n")],
        "Ranks were read as preferences, 1 as the best: `rank_m`, `rank_n`.",
        file="x.csv",
        items=1,
    ),
    "ratings_read": Case(
        [("m.csv", b"id,caption,reference,Fluency\n1,A dog runs fast.,The dog runs,4\n2,A cat naps.,One cat naps,2\n")],
        "Numbers beside the captions were read as ratings by people: Fluency.",
        file="m.csv",
        items=2,
    ),
    "rated_by_model": Case(
        [*TWO, table("1,m,0,gpt-4,3", head="item,run,candidate,rater,rating")],
        "Ratings by a model, gpt-4, were read as scores and not as ratings by people.",
        file="x.csv",
        items=1,
    ),
    "rated_with_reasons": Case(
        [*TWO, table("1,m,0,3,It is short.", head="item,run,candidate,rating,reason")],
        "Reasons are beside the ratings, as models write them when they judge, and nothing names who rated: the "
        "ratings were read as scores.",
        file="x.csv",
        items=1,
    ),
    "rated_by_model_perhaps": Case(
        [*TWO, ("gpt4.csv", table("1,m,0,3")[1])],
        "The file is named after a model, gpt4, but its ratings were read as people's.",
        file="gpt4.csv",
        items=1,
    ),
    "pairs_by_model": Case(
        [*TWO, table("1,m,n,a,gpt-4", head=f"{PAIRS},judge")],
        "Pairs judged by a model, gpt-4, were read as votes of a judge and not as judgments by people.",
        file="x.csv",
        items=1,
    ),
    "pairs_unnamed": Case(
        [*TWO, table("1,One.,Three.,a", head="item,caption_a,caption_b,winner")],
        "The pairs name no runs: another file must have the captions of each run.",
        file="x.csv",
        items=1,
    ),
    "ratings_beside": Case(
        [
            (
                "m.csv",
                b"id,a_caption,b_caption,reference,mood\n"
                b"1,a dog runs here,a dog runs,the dog runs,4\n2,it is a cat,a cat naps,one cat naps,2\n",
            )
        ],
        "Ratings are not beside a single column of captions by runs, and were not read: mood.",
        file="m.csv",
        items=2,
        overrides={"m.csv": Reading(columns=Columns(ratings=("mood",)))},
    ),
    "rating_scale": Case(
        [*TWO, table("1,m,0,4/5", "1,m,1,70%")],
        "A rating of rating is out of 100, while others are out of 5.",
        file="x.csv",
        record="line 3",
        id="1",
        items=1,
    ),
    "rating_words": Case(
        [
            (
                "m.csv",
                b"id,caption,reference,fluency\n1,A dog runs fast.,The dog runs,yes\n2,A cat naps.,One cat naps,no\n",
            )
        ],
        "Ratings of fluency are words; their numbers: no 0, yes 1.",
        file="m.csv",
        items=2,
    ),
    "rating_not_number": Case(
        [*TWO, table("1,m,0,good", "1,m,1,3")],
        "A rating of rating is the text 'good', not a finite number.",
        **WHERE,  # type: ignore[arg-type]
    ),
    "rating_ticks": Case(
        [*TWO, table("1,One.,1,0,1", "1,Two.,0,1,0", head="item,caption,cbStory1,cbStory2,cbStory3")],
        "Several boxes of Story are ticked: 1 and 3.",
        file="x.csv",
        record="line 2",
        items=1,
    ),
    "raters_perhaps": Case(
        [*TWO, table("1,m,1,4,2", head="item,run,candidate,Rating Ann,Rating Bob")],
        "Words in the names of columns of ratings were read as the names of raters: Ann, Bob.",
        file="x.csv",
        items=1,
    ),
    "rating_by_name": Case(
        [("x.csv", b"system,M1,CIDEr\none,.3,.9\ntwo,.2,.8\nthree,.1,.7\n")],
        "M1 was read as ratings by people, as in the COCO challenge of 2015.",
        file="x.csv",
        items=0,
    ),
    "rating_unread": Case(
        [("x.json", js([item("1", human={"m": [[4], [3], [5]]})]))],
        "`human` of run m cannot be read: 3 entries for 2 candidates.",
        record="record 1",
        id="1",
        items=1,
    ),
    "rating_unknown": Case(
        [*TWO, table("1,m,7,3", "1,m,0,3")],
        "A rating belongs to a candidate that the study does not have.",
        **WHERE,  # type: ignore[arg-type]
    ),
    "run_by_model": Case(
        [("m_t0.7.json", b'{"1": "One."}'), REFERENCES, table("1,m,3", "1,n,3", head="item,model,rating")],
        "Scores or ratings name run m_t0.7 by its model, m; no other run is of this model.",
        file="x.csv",
        record="line 2",
        items=1,
    ),
    "rating_no_run": Case(
        [*TWO, table("1,3", head="item,rating")],
        "A rating names neither a run nor a caption, and there are 2 runs.",
        **WHERE,  # type: ignore[arg-type]
    ),
    "rating_differs": Case(
        [*TWO, table("1,m,0,3,ann", "1,m,0,4,ann", head="item,run,candidate,rating,rater")],
        "One rater gave two ratings of rating to the same caption; the first counts.",
        **{**WHERE, "record": "line 3"},  # type: ignore[arg-type]
    ),
    "rater_contradicts": Case(
        [
            ("a.json", js([item(str(k), {"m": [f"Caption {k}."]}) for k in range(25)])),
            table(
                *(f"{k},m,{rater},{rated}" for k in range(25) for rater, rated in (("ann", k), ("bo", k), ("cy", -k))),
                head="item,run,rater,rating",
            ),
        ],
        "Rater cy contradicts the others on rating (rank correlation -1.00, 25 captions).",
        file="x.csv",
        items=25,
    ),
    "rating_none": Case(
        [("a.json", js([GOOD])), table("9,m,0,3")],
        "None of the ratings belongs to a caption of this study.",
        file="x.csv",
        items=1,
    ),
    "labels_too_many": Case(
        [("x.json", js([item(str(k), coherence={"candidates": {"m": f"L{k}"}}) for k in range(17)]))],
        "The captions have 17 coherence labels; a study can have 16.",
        file="x",
        items=17,
    ),
    "pair_unclear": Case(
        [*TWO, table("1,m,n,perhaps", head=PAIRS)],
        "A pair does not state which caption was preferred: the text 'perhaps'.",
        **WHERE,  # type: ignore[arg-type]
    ),
    "pair_of_one": Case(
        [*TWO, table("1,m,m,a", head=PAIRS)],
        "A pair compares a caption with itself.",
        **WHERE,  # type: ignore[arg-type]
    ),
    "pairs_alone": Case(
        [table("1,m,n,a", "2,n,o,b", head=PAIRS)],
        "No item has captions of all 3 runs of these 2 pairs: only Arena can be shown, which ranks the runs by them.",
        file="x.csv",
        items=0,
    ),
    "pairs_numbered": Case(
        [table("m,n,a", "n,o,b", head="model_a,model_b,winner")],
        "No field names the items of 2 pairs: each pair was taken for an item of its own.",
        file="x.csv",
        items=0,
    ),
    "pairs_left": Case(
        [
            ("a.json", js([item(id, {"m": ["One."], **({} if id == "3" else {"n": ["Two."]})}) for id in "123"])),
            table("1,m,n,a", "3,m,n,b", head=PAIRS),
        ],
        "1 of 2 pairs are of items that the study leaves out, for want of captions or references; they were not used.",
        file="x.csv",
        id="3",
        items=2,
    ),
}
