"""Test the HTML of captions and sentences: long lists fold, hyphens break no line, and commands are set as code."""

from __future__ import annotations

import html
import re

import pytest

from figures.style.escaping import Strong, with_code
from figures.style.html import FEW, SHOWN, Caption, captions, folded, folded_captions, folding_verdict, split_verdict


@pytest.mark.parametrize(("many", "folded"), [(SHOWN, 0), (SHOWN + FEW, 0), (SHOWN + FEW + 1, FEW + 1), (48, 36)])
def test_many_captions_are_folded_and_none_is_lost(many: int, folded: int) -> None:
    made = captions("References", [Caption(f"caption {k} <b>") for k in range(many)])
    seen, _, rest = made.partition('<details class="tl-fold">')
    assert (seen.count("<li"), rest.count("<li")) == (many - folded, folded)
    assert (f"<summary><span>Show all {many}</span>" in made) == bool(folded)
    said = [f"caption {k} &lt;b&gt;" for k in range(many)]
    assert [made.index(text) for text in said] == sorted(made.index(text) for text in said)


def test_what_is_marked_is_seen() -> None:
    made = captions("References", [Caption(f"c{k}", marks=("central",) if k in (3, 30) else ()) for k in range(48)])
    seen, _, rest = made.partition('<details class="tl-fold">')
    assert ">c30<" in seen
    assert rest.count("<li") == 35
    assert captions("References", []).count("none") == 2


def test_a_title_opens_folded_captions() -> None:
    made = folded_captions("People: 1", [Caption("a <b> dog")])
    assert made.index("<summary>People: 1</summary>") < made.index("a &lt;b&gt; dog")
    assert "none" in folded_captions("People: 0", [])


def test_a_metric_stays_on_one_line_and_its_text_as_it_is() -> None:
    made = folding_verdict(["By CIDEr-D, ", Strong("it's <Self-BLEU-4>"), " & a dash - here."])
    assert '<span class="tl-unbroken">CIDEr-D</span>, <b>it&#x27;s &lt;<span class="tl-unbroken">Self-BLEU-4' in made
    assert made.count("tl-unbroken") == 2
    text = re.sub("<[^>]+>", "", made)
    assert html.unescape(text).strip() == "By CIDEr-D, it's <Self-BLEU-4> & a dash - here."


def test_a_p_stays_on_one_line() -> None:
    made = folding_verdict(["TRM 1.551, p = 0.0006. A group = 3, p ≤ 1.1×10⁻⁵."])
    assert ', <span class="tl-unbroken">p = 0.0006.</span> A group = 3, ' in made
    assert '<span class="tl-unbroken">p ≤ 1.1×10⁻⁵.</span>' in made


def test_a_share_stays_with_its_sign_and_unit() -> None:
    made = folding_verdict(["With people (> 99.9 % of it), at 95 % this holds for 3 runs."])
    kept = re.findall('<span class="tl-unbroken">(.*?)</span>', made)
    assert kept == ["&gt; 99.9 %", "95 %"]


def test_what_is_open_says_how_to_close_it() -> None:
    """The line says "7 more" while the list is closed; the style sheet shows one of its two labels."""
    assert folded("7 more", "<ul></ul>").count("<span") == 2
    assert "Show fewer" in folded("7 more", "<ul></ul>")


def test_the_t_of_a_temperature_counts_as_no_word_of_a_verdict() -> None:
    first, second = "Oracle\u00a0·\u00a0T\u00a01.0 leads. ", " ".join(["word"] * 31) + "."
    shown, rest = split_verdict([first, second])
    assert ("".join(shown), "".join(rest)) == (first + second, "")
    shown, _ = split_verdict([first, f"A {second}"])
    assert "".join(shown).strip() == first.strip()


def test_a_command_in_a_sentence_is_code_and_all_else_is_text() -> None:
    said = with_code('<b> needs torch: `pip install "trilens[embeddings]"`. One ` alone stays')
    code = "<code>pip install &quot;trilens[embeddings]&quot;</code>"
    assert said == f"&lt;b&gt; needs torch: {code}. One ` alone stays"
