"""List runs whose captions do not belong to their items, each with its finding."""

from __future__ import annotations

from tests.data.finding_cases import Case, item, js

MISPLACED = {
    "shifted_run": Case(
        [
            (
                "x.json",
                js([item(f"{k}", {"m": [f"A x{(k + 1) % 30}."]}, [f"One x{k}.", f"Two x{k}."]) for k in range(30)]),
            )
        ],
        "From item 0 on, captions of run m fit the references of other items better than their own (the first fits "
        "the references of 1): lines or ids are shifted by 1.",
        id="0",
        items=30,
    ),
    "run_at_chance": Case(
        [("x.json", js([item(f"{k}", {"m": [f"A y{k}."]}, [f"One x{k}.", f"Two x{k}."]) for k in range(30)]))],
        "Captions of run m do not detectably fit their own items better than others. With the references of their own "
        "items they share words by a cosine of 0.000, with those of others by 0.000; a difference of 0.000 would be "
        "found in 80 % of files.",
        id="m",
        items=30,
    ),
    "run_not_nearer": Case(
        [("x.json", js([item(f"{k}", {"m": [f"A y{k}."]}, [f"One x{k}.", f"Two x{k}."]) for k in range(5)]))],
        "Captions of run m share no more words with their own items' references than with other items' references.",
        id="m",
        items=5,
    ),
}
