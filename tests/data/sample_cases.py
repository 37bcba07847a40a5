"""List one case per finding about comments, numbered samples and data sets with equal ids."""

from __future__ import annotations

from tests.data.finding_cases import REFERENCES, Case, item, js

SAMPLES: dict[str, Case] = {
    "comment_lines": Case(
        [("x.txt", b"# our captions\n1: a dog runs\n2: a cat naps\n"), REFERENCES],
        "Lines above the captions begin with # and were not read: # our captions.",
        file="x.txt",
        record="line 1",
        items=2,
    ),
    "ranked_rows": Case(
        [("x.csv", b"rank,caption\n1,it was the duck\n2,he has a lease\n3,ask my lawyer\n")],
        "The rows have no id and are ranked: all 3 were read as captions of one item, x.",
        file="x.csv",
        items=1,
    ),
    "references_of_others": Case(
        [
            ("a.json", js([item(str(k), {"m": ["a thing"]}, references=[f"word{k} here"]) for k in range(6)])),
            ("x.json", js([item(str(k), references=[f"other{k} there"]) for k in range(6)])),
        ],
        "The references share no more words with the references of a.json for the same ids than for different ids: two "
        "data sets may number their items alike. The references of both count.",
        id="0",
        items=6,
    ),
    "records_joined": Case(
        [REFERENCES, *((f"out/{k}.json", js({"image": f"{k}.jpg", "caption": f"a dog {k}"})) for k in (1, 2))],
        "2 JSON files hold the record of one item each: they were read as the records of one file.",
        file="out/out.json",
        count=2,
        items=2,
    ),
    "folders_as_runs": Case(
        [
            REFERENCES,
            ("x.json", js([{"image_id": f"{m}/{k}", "caption": f"a dog by {m}"} for m in "ab" for k in (1, 2)])),
        ],
        "Ids begin with folders that the references lack, each with the same items; each was read as a run: a, b.",
        items=2,
    ),
    "samples_by_file": Case(
        [REFERENCES, *((f"m_sample{k}.json", js([{"image_id": "1", "caption": f"a dog {k}"}])) for k in (1, 2))],
        "The names of m_sample1.json, m_sample2.json number samples: their captions of an item were read as those of",
        file="m_sample1.json",
        items=1,
    ),
    "samples_joined": Case(
        [REFERENCES, ("x.json", js([{"image_id": f"1#{k}", "caption": f"a dog {k}"} for k in range(2)]))],
        "Ids end in a mark and a number (dog#1) that counts the captions of an item",
        record="record 1",
        id="1#0",
        count=2,
        items=1,
    ),
    "segments_alone": Case(
        [("x.json", js({"segments": [{"start": k, "end": k + 0.9, "text": f"they say {k}"} for k in range(3)]}))],
        "The texts are segments of one recording, with the times at which they begin and end, and nothing names the "
        "recording; the file was not read.",
    ),
    "columns_named": Case(
        [("names.json", js(["id", "caption"])), ("x.json", js([["1", "a dog runs"], ["2", "a cat naps"]]))],
        "The columns have no names; the names in names.json were taken.",
        items=2,
    ),
    "ids_restart": Case(
        [
            (f"val_{k}.json", js({f"{n}": {"prediction": f"{of} {n}", "gold": f"The {of} {n}"} for n in range(2)}))
            for k, of in enumerate(("dog", "cat"))
        ],
        "The ids start over in each of 2 files, and their references differ",
        file="val_0.json",
        items=4,
    ),
}
