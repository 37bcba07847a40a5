"""Files whose items are not independent, each with its finding."""

from __future__ import annotations

from tests.data.finding_cases import Case, item, js

CLUSTERS = {
    "clusters": Case(
        [("x.json", js([item(str(k), metadata={"video": k // 2}) for k in range(40)]))],
        "The 40 items are in 20 clusters by `video`: items of one cluster are not independent.",
        file="x",
        items=40,
    ),
    "clusters_few": Case(
        [("x.json", js([item(str(k), metadata={"scene_id": k % 2}) for k in range(4)]))],
        "The 4 items share 2 values of `scene_id`, too few to take them as clusters unasked.",
        file="x",
        items=4,
    ),
}
