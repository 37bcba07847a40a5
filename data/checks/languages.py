"""Scripts and languages of captions: whether they are English, and whether they put spaces between words."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable

from data.study import Study, Tokenizer, of_study

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
OTHERS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"
"""Thai, Lao, Burmese, Khmer and kana."""
WHOLE = re.compile(f"[{OTHERS}{HAN}]")
"""Letters of scripts that put no spaces between words."""
_OTHERS = re.compile(f"[{OTHERS}]")
_LATIN = re.compile("[A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff]")
_LETTERS = re.compile(r"[^\W\d_]")
_WORD = re.compile(r"[^\W\d_]+")
_KANA_SHARE, _MOST, _FUNCTION_SHARE = 0.05, 2_000, 0.2
_FUNCTION_WORDS = {
    name: frozenset(words.split())
    for name, words in {
        "English": "a an the of in on at to with and is are am by for from his her its that this there some one two "
        "near next over i you he she it we they not no do have has had was were be as but or my me so what up out",
        "German": "der die das den dem des ein eine einen einem einer und ist sind im am auf mit von vor zwei neben "
        "über aus zu zur einige sich",
        "French": "le la les l un une des du de d et est sont sur dans avec en au aux deux qui à près devant",
        "Spanish": "el la los las un una unos unas de del en con y que se está sobre al por su para hay dos",
        "Italian": "il lo la i gli le un uno una di del della dei in con e è sono su sul sulla che nel nella da al due",
        "Portuguese": "o a os as um uma de do da dos das em no na com e que está são sobre ao por para dois duas",
        "Dutch": "de het een en van in op met is zijn aan bij die dat voor naast twee over uit naar staat zit",
        "Polish": "i w na z do się jest są ze po przy obok dwa dwie od nad przed który która",
        "Czech": "a v na se s je jsou z do u dva dvě po který která před vedle",
        "Swedish": "en ett och i på med som är av till den det två vid sitter står över under framför",
        "Danish or Norwegian": "en et og i på med som er af av til den det to ved der sidder sitter står over foran",
        "Romanian": "un o și în pe cu de la din care este sunt al doi două lângă",
        "Turkish": "bir ve ile üzerinde bu da de için olan iki yanında önünde içinde var",
        "Hungarian": "a az egy és is két van aki amely mellett előtt alatt felett között ül áll vannak miközben egyik "
        "ember férfi nő közben mögött néhány felé fekszik",
        "Finnish": "on ja joka jossa jonka jolla ovat sekä kun kaksi yksi edessä vieressä päällä lähellä takana alla "
        "kanssa ei se istuu seisoo kävelee makaa mies nainen henkilö jotka hänen pitkin yli ympärillä",
        "Vietnamese": "một đang trên người và của có trong với cái con chiếc những đứng ngồi ở bên cạnh là được cho "
        "các đàn ông phụ nữ hai phía trước dưới",
        "Indonesian or Malay": "sebuah seorang di yang dan dengan dari ke pada ini itu dua sedang untuk dalam atas",
    }.items()
}
"""Frequent function words of each language, in its script; enough to distinguish the languages from one another."""
_CASES = {"Finnish": re.compile("[a-zäö]{2,}(?:ss[aä]|ll[aä]|st[aä]|lt[aä]|aan|ään)")}
"""Endings counted as function words, since Finnish uses cases where other languages use prepositions."""


def characters_of(texts: Iterable[str]) -> Tokenizer:
    """Return the tokenizer for the script of texts: `zh` for Chinese, `char` for scripts such as Japanese and Thai,
    else `ptb`.
    """
    joined = "".join(texts)
    others, whole = len(_OTHERS.findall(joined)), len(WHOLE.findall(joined))
    return "ptb" if not whole else "char" if others > _KANA_SHARE * whole else "zh"


@of_study
def captions(study: Study) -> tuple[str, ...]:
    """Return all captions by people and runs if there are fewer than 4,000, else an evenly spaced sample of 2,000 to
    3,000.
    """
    said = [text for item in study.items for text in item.references]
    said += [text for run in study.runs for item in study.items for text in run.candidates.get(item.id, ())]
    return tuple(said[:: max(len(said) // _MOST, 1)])


@of_study
def foreign(study: Study) -> str:
    """Return a clause with evidence (letters or function words) that the captions are not English, or ""."""
    joined = "".join(captions(study))
    if not joined.isascii() and 2 * len(_LATIN.findall(joined)) < len(_LETTERS.findall(joined)):
        return "most letters of these captions are not Latin"
    language = language_of(captions(study))
    return f"these captions are {language} by their function words" if language else ""


def language_of(texts: Iterable[str]) -> str:
    """Return the language with the most function words in the texts, if these are more than a fifth of all words and
    more than twice as many as English function words; else "".

    Languages without an entry in `_FUNCTION_WORDS`, and texts without function words, are not detected.
    """
    words = Counter(word for text in texts for word in _WORD.findall(text.lower()))
    found = {name: sum(words[word] for word in known) for name, known in _FUNCTION_WORDS.items()}
    for name, ending in _CASES.items():
        beside = (n for word, n in words.items() if word not in _FUNCTION_WORDS[name] and ending.fullmatch(word))
        found[name] += sum(beside)
    english = found.pop("English")
    language = max(found, key=found.__getitem__)
    return language if found[language] > max(_FUNCTION_SHARE * words.total(), 2 * english) else ""
