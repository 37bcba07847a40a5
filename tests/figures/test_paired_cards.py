"""Test the cards of a paired comparison: which words are marked, and that text of a study is only data."""

from __future__ import annotations

from figures.paired.html import Card, Numbers, Side, card_html, legend
from figures.style.html import card_head
from figures.style.palette import ModelStyle, tone
from metrics.text.word_marks import marked_captions, unmatched_share

STYLES = (ModelStyle(0), ModelStyle(1))


def test_a_card_marks_words_by_people_and_by_the_other_run_and_escapes_everything() -> None:
    bad = '<script>alert("1")</script>'
    people, other = (f"a dog {bad}",), ("  a cat",)
    captions = (f"A dog {bad} $5 :red[x]", "a dog.", "a dog", "")
    sides = (
        Side("A", bad, marked_captions(captions, people, other), unmatched_share(captions, people)),
        Side("B", bad, marked_captions(other, people, captions), unmatched_share(other, people), 3),
    )
    card = Card([Numbers(bad, ("1", "2"), 0)], sides)
    html = card_head(bad, bad, bad) + card_html(card, STYLES, "light")
    assert "<script" not in html
    assert "&lt;" in html
    assert 'a <span class="wo">dog</span>' in html
    assert "<em>× 2</em>" in html, "captions that differ in punctuation alone are one"
    assert '<p dir="auto">a <span class="w2 wo">cat</span>' in html, "without blanks around it"
    assert "<b>1</b><span>2</span>" in html
    assert "and 3 other captions" in html
    assert "<summary><span>1 more</span>" in html
    assert "<em>(empty)</em>" in html
    assert f"--ct:{STYLES[0].text('light')}" in html
    same = card_html(card, (ModelStyle(1), ModelStyle(1)), "light")
    assert f"--c:{tone('ink', 'light')}" in same


def test_of_long_captions_only_the_first_is_visible() -> None:
    short, long = ("a dog", "a cat", "a bird"), ("a dog " * 10, "a cat " * 10, "a bird " * 10)
    sides = tuple(Side(tag, tag, marked_captions(said, (), ()), float("nan")) for tag, said in zip("AB", (short, long)))
    html = card_html(Card([], sides), STYLES, "light")
    assert "1 more" in html.split("tl-side b")[0]
    assert "2 more" in html.split("tl-side b")[1]


def test_without_captions_by_people_a_card_marks_only_what_the_other_run_never_says() -> None:
    first, second = ("A dog runs.",), ("A cat runs.",)
    sides = (
        Side("A", "one", marked_captions(first, (), second), unmatched_share(first, ())),
        Side("B", "two", marked_captions(second, (), first), unmatched_share(second, ())),
    )
    html = card_html(Card([], sides), STYLES, "light")
    assert '<span class="wo">dog</span> runs.' in html
    assert '<span class="wo">cat</span> runs.' in html
    assert not any(one in html for one in ("w2", "matched"))
    marks = legend(STYLES, "light", people=False)
    assert "only A says it" in marks
    assert "only B says it" in marks
    assert "people" not in marks
    assert "unmatched: in no caption by people" in legend(STYLES, "light")
