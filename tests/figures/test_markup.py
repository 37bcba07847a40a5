"""Lists of captions: all if there are few; if there are many, the first and the marked ones, the rest folded."""

from __future__ import annotations

import pytest

from figures.style.html import FEW, SHOWN, Caption, captions


@pytest.mark.parametrize(("many", "folded"), [(SHOWN, 0), (SHOWN + FEW, 0), (SHOWN + FEW + 1, FEW + 1), (48, 36)])
def test_many_captions_are_folded_and_none_is_lost(many: int, folded: int) -> None:
    made = captions("References", [Caption(f"caption {k} <b>") for k in range(many)])
    seen, _, rest = made.partition("<details>")
    assert (seen.count("<li"), rest.count("<li")) == (many - folded, folded)
    assert (f"<summary>Show all {many}</summary>" in made) == bool(folded)
    said = [f"caption {k} &lt;b&gt;" for k in range(many)]
    assert [made.index(text) for text in said] == sorted(made.index(text) for text in said)


def test_what_is_marked_is_seen() -> None:
    made = captions("References", [Caption(f"c{k}", marks=("central",) if k in (3, 30) else ()) for k in range(48)])
    seen, _, rest = made.partition("<details>")
    assert ">c30<" in seen
    assert rest.count("<li") == 35
    assert captions("References", []).count("none") == 2
