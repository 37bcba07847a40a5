"""List files whose items are not independent, each with its finding."""

from __future__ import annotations

from tests.data.finding_cases import Case, item, js

TWICE = ["A brown dog runs on the beach.", "The dog is running along."]
ALMOST = ["a brown dog runs on a beach", "The dog is running along."]

CLUSTERS = {
    "duplicate_items": Case(
        [("x.json", js([item("1", references=TWICE), item("2", references=TWICE[::-1]), item("3")]))],
        "2 items have the same captions by people as another: they are not independent.",
        id="1",
        count=2,
        fix="cluster_duplicates",
        file="x",
        items=3,
    ),
    "near_duplicates": Case(
        [("x.json", js([item("1", references=TWICE), item("2", references=ALMOST), item("3")]))],
        "2 items have nearly the same captions by people as another: they may not be independent.",
        id="1",
        count=2,
        fix="cluster_near_duplicates",
        file="x",
        items=3,
    ),
    "clusters": Case(
        [("x.json", js([item(str(k), metadata={"video": k // 2}) for k in range(40)]))],
        "The 40 items are in 20 clusters by `video`: items of one cluster are not independent.",
        file="x",
        items=40,
    ),
    "clusters_few": Case(
        [("x.json", js([item(str(k), metadata={"scene_id": k % 2}) for k in range(4)]))],
        "The 4 items share 2 values of `scene_id`, too few to take them as clusters by default.",
        file="x",
        items=4,
    ),
}
