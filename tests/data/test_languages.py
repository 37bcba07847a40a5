"""Test that function words show the language of captions, and that English is never taken for another language."""

from __future__ import annotations

from pathlib import Path

import pytest

from data.checks.languages import captions, foreign, language_of
from data.load import load_study

SAID = {
    "German": "Ein Hund läuft über den nassen Sand|Zwei Tassen stehen auf einem Tisch|Eine Frau repariert ein Rad",
    "French": "un chien court sur le sable mouillé|deux tasses sont sur une table en bois|une femme répare un vélo",
    "Spanish": "un perro corre por la arena mojada|dos tazas están sobre una mesa|una mujer arregla una bicicleta",
    "Italian": "un cane corre sulla sabbia bagnata|due tazze su un tavolo di legno|una donna ripara una bicicletta",
    "Portuguese": "um cão corre na areia molhada|duas xícaras sobre uma mesa de madeira|uma mulher e uma bicicleta",
    "Dutch": "een hond rent over het natte zand|twee kopjes op een houten tafel|een vrouw met een oude fiets",
    "Polish": "pies biegnie po mokrym piasku|dwie filiżanki stoją na stole|kobieta naprawia rower przy domu",
    "Czech": "pes běží po mokrém písku|dva šálky stojí na stole|žena opravuje kolo před domem",
    "Swedish": "en hund springer på den våta sanden|två koppar står på ett träbord|en kvinna lagar en cykel",
    "Danish or Norwegian": "en hund løber på det våde sand|to kopper står på et bord|en kvinde reparerer en cykel",
    "Romanian": "un câine aleargă pe nisipul ud|două căni stau pe o masă de lemn|o femeie și o bicicletă",
    "Turkish": "bir köpek ıslak kumda koşuyor|bir masanın üzerinde iki fincan|bir kadın bir bisikleti tamir ediyor",
    "Indonesian or Malay": "seekor anjing di atas pasir|dua cangkir di atas meja|sebuah sepeda dan seorang wanita",
    "": "a dog runs over the wet sand|two cups on a table|die cast cars|la la land poster|I am in Las Vegas",
}


@pytest.mark.parametrize("language", SAID)
def test_a_language_is_told_by_its_function_words(language: str) -> None:
    assert language_of(SAID[language].split("|")) == language


@pytest.mark.parametrize("text", ["", "42", "dog beach sun", "una", "12 : 30"])
def test_texts_without_function_words_are_of_no_language(text: str) -> None:
    assert language_of([text]) in ("", "Spanish" if text == "una" else "")


def test_real_english_captions_are_of_no_other_language(realdata: Path) -> None:
    """Even no block of twenty captions is taken for another language."""
    for name in ("thumb_coco_500.jsonl", "dectest_temperature_human.jsonl", "cosmic_coin_48.jsonl"):
        study = load_study(realdata / name).study
        assert study is not None
        assert not foreign(study)
        said = captions(study)
        assert not any(language_of(said[k : k + 20]) for k in range(0, len(said), 20))
