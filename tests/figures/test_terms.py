"""Test that the names of metrics in a verdict open their cards, and that the rest of the verdict does not change."""

from __future__ import annotations

import re

import pytest

from figures.style import html as style_html
from figures.style.escaping import Strong, esc
from figures.style.terms import cards, with_cards


def opened(markup: str) -> list[str]:
    shown = re.findall(
        r'class="tl-term" tabindex="0" role="button" aria-description="([^"]*)" data-card="([^"]*)">(.*?)</i>', markup
    )
    assert all(one == other for one, other, _ in shown)
    labels = [re.sub("<[^>]*>", "", text) for *_, text in shown]
    assert [card for card, *_ in shown] == [esc(f"{label}: {cards()[label]}") for label in labels]
    return labels


@pytest.mark.parametrize("label", sorted(cards()))
def test_every_name_opens_its_own_card_once(label: str) -> None:
    markup = style_html.folding_verdict((f"By {label}, A beats B; by ", Strong(label), " too."))
    made = with_cards(markup)
    assert opened(made) == [label]
    assert re.sub(r'<i class="tl-term"[^>]*>(.*?)</i>', r"\1", made) == markup


def test_a_part_of_a_longer_name_is_not_a_name() -> None:
    markup = style_html.folding_verdict(("TRM CIDEr-D, METEOR-like, METEORS, xMETEOR and BLEU-44 differ from METEOR.",))
    assert opened(with_cards(markup)) == ["TRM CIDEr-D", "METEOR"]


def test_text_of_a_study_stays_text() -> None:
    nasty = '<img src=x alt="METEOR" onerror=alert(1)> & METEOR'
    made = with_cards(style_html.folding_verdict((nasty, Strong(nasty))))
    assert "<img" not in made
    assert len(opened(made)) == 1
