"""METEOR 1.5 (Denkowski and Lavie 2014), equal to the jar of the COCO evaluation for every pair.

`normalise` splits captions into words, `index` and `table` contain synonyms and paraphrases, `texts` the facts about
words and phrases, `aligner` links and aligns, `pairs` drives these, and `score` computes the value; `jar` runs
the original program instead.
"""

from metrics.text.meteor.aligner import STATISTICS
from metrics.text.meteor.data import missing
from metrics.text.meteor.pairs import LONGEST, Pair, Route, statistics
from metrics.text.meteor.score import score

__all__ = ["LONGEST", "STATISTICS", "Pair", "Route", "missing", "score", "statistics"]
