"""Scripts of captions: whether they are Latin, and whether they put blanks between words."""

from __future__ import annotations

import re
from collections.abc import Iterable

from data.study import Study, Tokenizer, of_study

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff"
OTHERS = "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff"
"""Thai, Lao, Burmese, Khmer and kana."""
WHOLE = re.compile(f"[{OTHERS}{HAN}]")
"""Letters of scripts without blanks between words."""
_OTHERS = re.compile(f"[{OTHERS}]")
_LATIN = re.compile("[A-Za-z\u00aa\u00ba\u00c0-\u024f\u1e00-\u1eff]")
_LETTERS = re.compile(r"[^\W\d_]")
_KANA_SHARE, _MOST = 0.05, 2_000


def characters_of(texts: Iterable[str]) -> Tokenizer:
    """The tokenizer for texts without blanks: `zh` for Chinese, `char` for Japanese, Thai and the like; else `ptb`."""
    joined = "".join(texts)
    others, whole = len(_OTHERS.findall(joined)), len(WHOLE.findall(joined))
    return "ptb" if not whole else "char" if others > _KANA_SHARE * whole else "zh"


@of_study
def captions(study: Study) -> tuple[str, ...]:
    """Up to 2,000 captions of people and of runs, evenly from all items."""
    said = [text for item in study.items for text in item.references]
    said += [text for run in study.runs for item in study.items for text in run.candidates.get(item.id, ())]
    return tuple(said[:: max(len(said) // _MOST, 1)])


@of_study
def other_script(study: Study) -> bool:
    """Whether most letters of the captions are not Latin, so that they are not English."""
    joined = "".join(captions(study))
    return not joined.isascii() and 2 * len(_LATIN.findall(joined)) < len(_LETTERS.findall(joined))
