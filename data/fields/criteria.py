"""Names of the qualities that people rate, and of columns of ratings."""

from __future__ import annotations

import re

from data.fields.names import LANGUAGES
from data.fields.word_lists import word_set

VALUE = ("rating", "ratings", "human_rating", "human_score", "judgment", "judgement", "mos")


_TRANSLATED = word_set(
    "bewertung richtigkeit korrektheit genauigkeit vollständigkeit flüssigkeit sprachfluss relevanz natürlichkeit "
    "qualität kohärenz verständlichkeit exactitude précision complétude fluidité pertinence qualité cohérence clarté "
    "puntuación corrección adecuación precisión fluidez relevancia calidad coherencia claridad valutazione correttezza "
    "completezza fluidità pertinenza qualità coerenza"
)
"""Criteria in German, French, Spanish and Italian."""
CRITERIA = word_set(
    "human human_score human_rating human_overall rating judgment judgement mos correctness thoroughness throughness "
    "adequacy expert expert_rating"
)
"""Names that always mean ratings, such as correctness and thoroughness in COMPOSITE, or experts in Flickr8k."""
PERHAPS = word_set(
    "p r fl inc con precision recall fluency conciseness inclusive_language total overall quality relevance coherence "
    "grammaticality informativeness naturalness detail m1 m2 m3 m4 m5 correct accurate fluent relevant grammatical "
    "natural coherent faithful factual acceptable"
).union(_TRANSLATED)
"""Names that mean ratings if several of them occur together: P, R, Fl, Inc and Con in THumB, M1 to M5 in the COCO
challenge of 2015.
"""
CHALLENGE = word_set("m1 m2 m3 m4 m5")
HINTS = word_set("human rating ratings judgment judgments judgement judgements thumb composite people")
"""Words in the names of files that contain ratings."""
ASKED = CRITERIA | _TRANSLATED
ASKED |= word_set("fluency conciseness relevance grammaticality informativeness naturalness quality coherence")
"""Criteria that only people rate; beside any of them, ambiguous names such as `accuracy` mean ratings, too."""
BESIDE = ASKED | PERHAPS | {"accuracy", "completeness", "consistency", "diversity", "creativity", "helpfulness"}
ENDS = re.compile(r"_(?:0|1)_(?:to_)?\d{1,3}$|_?out_of_\d{1,3}$|_?[(\[][01]_?[-–_]_?\d{1,3}[)\]]$")
"""The ends of a scale in the name of a column, such as `quality_1_5`, which show that the column contains ratings."""
MEANS_RATING = re.compile(r"_rating$|^how_(?!many_|much_|often_|long_|old_|far_|did_)[^:]+$")
"""The end of the name of a rating, or a question without a colon, such as `how_accurate_is_the_caption`."""
COUNTED = word_set(
    "n no num number count counts length len words tokens index idx rank order age year page round batch set seed k id "
    "group split version time seconds minutes"
)
"""Words in the names of whole numbers that are not ratings."""
NO_SCORE = word_set(
    "weight weights config configuration usage duration latency runtime cost tokens seconds ms n count std start end "
    "id ids"
)
"""Words in the names of numbers that are not scores, or of the objects that contain these numbers."""
_QUALITIES = word_set(
    "tone style humor humour emotion emotions plot logic sense focus flow depth breadth detail details bias wit fun "
    "grammar spelling syntax object objects action actions attribute attributes color colors colour colours scene text "
    "image caption format structure voice mood theme story harm ethics beauty surprise interest correct complete "
    "specific concise clear good bad useful helpful vivid funny before after initial final first second third last pre "
    "post self peer mean avg average sum std sd min max comment comments reason note notes main other value score "
    "scale local global general visual textual semantic lexical factual logical spatial temporal"
)
_ABSTRACT = re.compile(r"(?:ness|ity|tion|sion|ency|acy|ance|ence|ment|ing|ism|ative|ional|able|ful)$")


def can_be_person(word: str) -> bool:
    """Return whether a word beside a criterion can be a person's name, that is, not a criterion, quality, count or
    language.
    """
    bare = word.lower()
    known = bare in BESIDE | COUNTED | _QUALITIES or bare in VALUE or _ABSTRACT.search(bare) is not None
    return word.isalpha() and not known and bare not in LANGUAGES
